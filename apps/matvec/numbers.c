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
static alignas(CO_LINE) uint32_t answer[MATRICES][M_MAX];

static uint32_t state;

/* A small number: sums of products stay exact in an int. */
static int next_number(void)
{
	state = state * 1664525u + 1013904223u;
	return (int)(state >> 24) - 128;
}

static void fill(void *words, unsigned n)
{
	int32_t *i = words;
	float *f = words;

	for (unsigned at = 0; at < n; at++) {
		if (made.type == INT)
			i[at] = next_number();
		else
			f[at] = (float)next_number() / 64;
	}
}

static int32_t dot_int(const int32_t *a, const int32_t *b, unsigned m)
{
	int32_t sum = 0;

	for (unsigned j = 0; j < m; j++)
		sum += a[j] * b[j];
	return sum;
}

void multiply(enum scalar type, unsigned m, const void *a, const void *b, void *result,
	      unsigned from, unsigned to)
{
	for (unsigned row = from; row < to; row++) {
		size_t at = (size_t)(row - from) * m;

		if (type == INT)
			((int32_t *)result)[row] = dot_int((const int32_t *)a + at, b, m);
		else
			((float *)result)[row] = dot_float((const float *)a + at, b, m);
	}
}

/* The definition, element by element, and nothing shared with multiply(). */
static void plain_int(const int32_t *a, const int32_t *b, int32_t *to)
{
	for (unsigned i = 0; i < made.m; i++) {
		to[i] = 0;
		for (unsigned j = 0; j < made.m; j++)
			to[i] += a[i * made.m + j] * b[j];
	}
}

static void plain_float(const float *a, const float *b, float *to)
{
	for (unsigned i = 0; i < made.m; i++) {
		double sum = 0;

		for (unsigned j = 0; j < made.m; j++)
			sum += (double)a[i * made.m + j] * (double)b[j];
		to[i] = (float)sum;
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
		if (type == INT)
			plain_int((void *)matrix[k], (void *)vector, (void *)answer[k]);
		else
			plain_float((void *)matrix[k], (void *)vector, (void *)answer[k]);
	}
}

const void *numbers_matrix(unsigned k)
{
	return matrix[k % MATRICES];
}

const void *numbers_vector(void)
{
	return vector;
}

/* Sums of 168 products in single precision: an error of a few in the last places is theirs. */
static bool close_to(float got, float want)
{
	return fabsf(got - want) <= 1e-3f + 1e-4f * fabsf(want);
}

bool numbers_right(unsigned k, const void *got)
{
	const void *want = answer[k % MATRICES];

	for (unsigned i = 0; i < made.m; i++) {
		if (made.type == INT ? ((const int32_t *)got)[i] != ((const int32_t *)want)[i]
				     : !close_to(((const float *)got)[i], ((const float *)want)[i]))
			return false;
	}
	return true;
}

static struct {
	uint64_t ticks;
	uint64_t instructions;
} plain;

static intptr_t time_plain(void *arg)
{
	static alignas(CO_LINE) uint32_t to[M_MAX];
	uint64_t start = co_now();
	uint64_t count = co_instructions();

	for (unsigned k = 0; k < MATRICES; k++)
		multiply(made.type, made.m, matrix[k], vector, to, 0, made.m);
	plain.instructions = (co_instructions() - count) / MATRICES;
	plain.ticks = (co_now() - start) / MATRICES;
	return (intptr_t)arg;
}

int numbers_plain(uint64_t *ticks, uint64_t *instructions)
{
	const struct co_attr attr = { .name = "plain loop", .on = CO_ON_HART(co_harts() - 1) };
	struct co *c;
	int r = co_spawn(&c, &attr, time_plain, NULL);

	if (!r)
		r = co_join(c, NULL);
	*ticks = plain.ticks;
	*instructions = plain.instructions;
	return r;
}
