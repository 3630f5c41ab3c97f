/*
 * numbers.c - the matrices, the vector, and the results of the plain loop.
 */
#include <math.h>

#include "matvec.h"

static struct {
	unsigned m;
	enum scalar type;
} made;

/* Words of 32 bits, whatever they mean: rows are a multiple of 8 bytes long. */
static alignas(CO_LINE) uint32_t matrix[MATRICES][M_MAX * M_MAX];
static alignas(CO_LINE) uint32_t vector[M_MAX];
static alignas(CO_LINE) uint32_t result[MATRICES][M_MAX];

static uint32_t state;

/* A small number: sums of products stay exact in an int. */
static int next_number(void)
{
	state = state * 1664525u + 1013904223u;
	return (int)(state >> 24) - 128;
}

static void fill(uint32_t *words, unsigned n)
{
	union numbers to = { .any = words };

	for (unsigned i = 0; i < n; i++) {
		if (made.type == INT)
			to.i[i] = next_number();
		else
			to.f[i] = (float)next_number() / 64;
	}
}

static int32_t dot_int(const int32_t *a, const int32_t *b, unsigned m)
{
	int32_t sum = 0;

	for (unsigned j = 0; j < m; j++)
		sum += a[j] * b[j];
	return sum;
}

static float dot_float(const float *a, const float *b, unsigned m)
{
	float sum = 0;

	for (unsigned j = 0; j < m; j++)
		sum += a[j] * b[j];
	return sum;
}

void multiply(enum scalar type, unsigned m, union numbers a, union numbers b, union numbers to,
	      unsigned from, unsigned end)
{
	for (unsigned row = from; row < end; row++) {
		size_t at = (size_t)(row - from) * m;

		if (type == INT)
			to.i[row] = dot_int(a.i + at, b.i, m);
		else
			to.f[row] = dot_float(a.f + at, b.f, m);
	}
}

/* The definition, element by element, and nothing shared with multiply(). */
static void plain(unsigned k, union numbers to)
{
	union numbers a = { .any = matrix[k] }, b = { .any = vector };

	for (unsigned i = 0; i < made.m; i++) {
		if (made.type == INT) {
			to.i[i] = 0;
			for (unsigned j = 0; j < made.m; j++)
				to.i[i] += a.i[i * made.m + j] * b.i[j];
		} else {
			double sum = 0;

			for (unsigned j = 0; j < made.m; j++)
				sum += (double)a.f[i * made.m + j] * (double)b.f[j];
			to.f[i] = (float)sum;
		}
	}
}

void numbers_make(unsigned m, enum scalar type)
{
	made.m = m;
	made.type = type;
	state = m;
	fill(vector, m);
	for (unsigned k = 0; k < MATRICES; k++) {
		fill(matrix[k], m * m);
		plain(k, (union numbers){ .any = result[k] });
	}
}

union numbers numbers_matrix(unsigned k)
{
	return (union numbers){ .any = matrix[k % MATRICES] };
}

union numbers numbers_vector(void)
{
	return (union numbers){ .any = vector };
}

/* Sums of 168 products in single precision: an error of a few in the last places is theirs. */
static bool close_to(float got, float want)
{
	return fabsf(got - want) <= 1e-3f + 1e-4f * fabsf(want);
}

bool numbers_right(unsigned k, union numbers got)
{
	union numbers want = { .any = result[k % MATRICES] };

	for (unsigned i = 0; i < made.m; i++) {
		if (made.type == INT ? got.i[i] != want.i[i] : !close_to(got.f[i], want.f[i]))
			return false;
	}
	return true;
}

void numbers_plain(uint64_t *ticks, uint64_t *instructions)
{
	static alignas(CO_LINE) uint32_t to[M_MAX];
	const union numbers b = { .any = vector };
	uint64_t start = co_now();
	uint64_t count = co_instructions();

	for (unsigned k = 0; k < MATRICES; k++)
		multiply(made.type, made.m, numbers_matrix(k), b, (union numbers){ .any = to }, 0,
			 made.m);
	*instructions = (co_instructions() - count) / MATRICES;
	*ticks = (co_now() - start) / MATRICES;
}
