/*
 * fft_fp.c - Fourier transforms of a box in pencils: each direction's lines are whole in their
 * turn.
 *
 * Lines: Stockham's algorithm by factors of 2, 3, 4 and 5. Between directions all ranks of a row,
 * or of a column, exchange what they have of each other's lines (MPI_Alltoallv).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../common/machine.h"
#include "turbulence.h"

/* Of lines: roots of one, by either sign; two lines to work in. In the scratchpad where one is. */
static struct z *roots[2], *line[2];
static int points;

static struct z add(struct z a, struct z b)
{
	return (struct z){ a.re + b.re, a.im + b.im };
}

static struct z mul(struct z a, struct z b)
{
	return (struct z){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

/* By the series of exp(i x), the same everywhere: libraries differ in the last bit. */
struct z root_of_one(int k, int n)
{
	int quarter = 4 * k / n;
	double x = M_PI / 2 * (4 * k - quarter * n) / n, term = 1;
	struct z sum = { 1, 0 };

	for (int i = 1; i < 28; i += 2) {
		term *= x / i;
		sum.im += i % 4 == 1 ? term : -term;
		term *= x / (i + 1);
		sum.re += i % 4 == 1 ? -term : term;
	}
	for (; quarter > 0; quarter--)
		sum = (struct z){ -sum.im, sum.re };
	return sum;
}

/* The next factor of n. */
static int factor(int n)
{
	return n % 4 == 0 ? 4 : n % 2 == 0 ? 2 : n % 3 == 0 ? 3 : n % 5 == 0 ? 5 : 0;
}

static bool is_smooth(int n)
{
	while (n > 1 && factor(n))
		n /= factor(n);
	return n == 1;
}

/* The transform of r numbers, in place. */
static void few(struct z *v, int r, const struct z *root)
{
	struct z out[5];

	if (r == 2) {
		out[0] = add(v[0], v[1]);
		out[1] = sub(v[0], v[1]);
	} else if (r == 4) {
		struct z a = add(v[0], v[2]), b = sub(v[0], v[2]), c = add(v[1], v[3]);
		struct z d = mul(sub(v[1], v[3]), root[points / 4]);

		out[0] = add(a, c);
		out[1] = add(b, d);
		out[2] = sub(a, c);
		out[3] = sub(b, d);
	} else {
		for (int j = 0; j < r; j++) {
			out[j] = v[0];
			for (int k = 1; k < r; k++)
				out[j] = add(out[j], mul(v[k], root[j * k % r * (points / r)]));
		}
	}
	memcpy(v, out, (size_t)r * sizeof(*v));
}

/* A whole line in place, by exp(i k x), or by exp(-i k x). */
static void transform(struct z *a, bool minus)
{
	const struct z *root = roots[minus];
	struct z *from = line[0], *to = line[1], v[5];

	memcpy(from, a, (size_t)points * sizeof(*a));
	for (int n = points, s = 1; n > 1;) {
		int r = factor(n), m = n / r;
		struct z *swap = from;

		for (int p = 0; p < m; p++) {
			for (int q = 0; q < s; q++) {
				for (int k = 0; k < r; k++)
					v[k] = from[q + s * (p + m * k)];
				few(v, r, root);
				to[q + s * r * p] = v[0];
				for (int j = 1; j < r; j++)
					to[q + s * (r * p + j)] = mul(v[j], root[j * p * s]);
			}
		}
		from = to;
		to = swap;
		n = m;
		s *= r;
	}
	memcpy(a, from, (size_t)points * sizeof(*a));
}

double line_error(const struct box *b)
{
	struct z *in = b->free, *out = in + b->n, sum;
	uint32_t random = 1;
	double worst = 0;
	int n = b->n;

	for (int i = 0; i < n; i++) {
		random = random * 1664525 + 1013904223;
		in[i] = out[i] = (struct z){ random >> 8, random >> 4 & 0xffffff };
	}
	transform(out, true);
	for (int k = 0; k < n; k++) {
		double angle = 2 * M_PI * k / n;

		/* A root may be as far off as libraries differ, which is not to be printed. */
		if (fabs(roots[0][k].re - cos(angle)) + fabs(roots[0][k].im - sin(angle)) > 4e-15)
			worst = HUGE_VAL;
		sum = (struct z){ 0, 0 };
		for (int i = 0; i < n; i++) {
			struct z root = root_of_one((n - k * i % n) % n, n);

			sum = add(sum, mul(in[i], root));
		}
		worst = fmax(worst, fmax(fabs(sum.re - out[k].re), fabs(sum.im - out[k].im)));
	}
	return worst / (0x1p24 * n);
}

/* The i-th part of n points in so many. */
static struct range part(int n, int parts, int i)
{
	int from = n * i / parts;

	return (struct range){ from, n * (i + 1) / parts - from };
}

/*
 * Exchange, in a row or a column of ranks, parts of whole lines for whole lines of another axis.
 * What is at a[f * fin + s * sin + i] comes to a[f * fout + i * iout + s], where f is from 0 to
 * F - 1, s this rank's part of an axis that is whole then, i the other way round.
 */
static void exchange(struct box *b, MPI_Comm comm, int ranks, int me, struct z **a, int F, int fin,
		     int sin, int fout, int iout)
{
	struct range mine = part(b->n, ranks, me);
	int *counts = b->counts, *places = counts + ranks; /* of doubles */
	struct z *buffer = b->free, *swap;
	int n = 0;

	for (int r = 0; r < ranks; r++) {
		struct range its = part(b->n, ranks, r);

		places[r] = 2 * n;
		for (int f = 0; f < F; f++) {
			for (int s = 0; s < mine.n; s++, n += its.n)
				memcpy(buffer + n, *a + f * fin + s * sin + its.from,
				       (size_t)its.n * sizeof(**a));
		}
		/* Of s points by i ones either rank sends as many to the other. */
		counts[r] = 2 * (n - places[r] / 2);
	}
	co_mark_begin("exchange");
	MPI_Alltoallv(buffer, counts, places, MPI_DOUBLE, *a, counts, places, MPI_DOUBLE, comm);
	co_mark_end("exchange", 1);
	n = 0;
	for (int r = 0; r < ranks; r++) {
		struct range its = part(b->n, ranks, r);

		for (int f = 0; f < F; f++) {
			for (int s = its.from; s < its.from + its.n; s++) {
				for (int i = 0; i < mine.n; i++)
					buffer[f * fout + i * iout + s] = (*a)[n++];
			}
		}
	}
	swap = *a;
	*a = buffer;
	b->free = swap;
}

static void lines(const struct box *b, struct z *a, int n, bool minus)
{
	for (int i = 0; i < n; i++)
		transform(a + i * b->n, minus);
}

void to_waves(struct box *b, struct z **a)
{
	int n = b->n, nx = b->x.n, ny = b->y.n, nz = b->z.n, ky = b->wave_y.n;
	double all = 1.0 / n / n / n;

	lines(b, *a, nz * ny, true);
	exchange(b, b->row, b->parts[0], b->at[0], a, nz, ny * n, n, n, nz * n);
	lines(b, *a, nx * nz, true);
	exchange(b, b->column, b->parts[1], b->at[1], a, nx, nz * n, n, ky * n, n);
	lines(b, *a, nx * ky, true);
	for (int i = 0; i < nx * ky * n; i++)
		(*a)[i] = (struct z){ (*a)[i].re * all, (*a)[i].im * all };
}

void to_space(struct box *b, struct z **a)
{
	int n = b->n, nx = b->x.n, ny = b->y.n, nz = b->z.n, ky = b->wave_y.n;

	lines(b, *a, nx * ky, false);
	exchange(b, b->column, b->parts[1], b->at[1], a, nx, ky * n, n, nz * n, n);
	lines(b, *a, nx * nz, false);
	exchange(b, b->row, b->parts[0], b->at[0], a, nz, n, nz * n, ny * n, n);
	lines(b, *a, nz * ny, false);
}

static bool set_up_lines(int n)
{
	points = n;
	for (int i = 0; i < 2; i++) {
		roots[i] = get_memory((size_t)n * sizeof(struct z));
		line[i] = get_memory((size_t)n * sizeof(struct z));
		if (!roots[i] || !line[i])
			return false;
		for (int k = 0; k < n; k++)
			roots[i][k] = root_of_one(i ? (n - k) % n : k, n);
	}
	return true;
}

const char *box_init(struct box *b, int n, MPI_Comm comm)
{
	int ranks, rank, good;
	size_t rooms[3];

	MPI_Comm_size(comm, &ranks);
	MPI_Comm_rank(comm, &rank);
	*b = (struct box){ .n = n, .comm = comm };
	MPI_Dims_create(ranks, 2, b->parts);
	if (!is_smooth(n) || n % 2)
		return "a side of the grid is a product of 2, 3 and 5, and even: 32, 48, 60, 64";
	if (b->parts[0] > n || b->parts[1] > n)
		return "there are more ranks than lines of the grid: a larger --grid, or fewer ranks";
	b->at[0] = rank % b->parts[0];
	b->at[1] = rank / b->parts[0];
	MPI_Comm_split(comm, b->at[1], b->at[0], &b->row);
	MPI_Comm_split(comm, b->at[0], b->at[1], &b->column);
	b->x = part(n, b->parts[0], b->at[0]);
	b->y = b->x;
	b->z = part(n, b->parts[1], b->at[1]);
	b->wave_y = b->z;
	rooms[0] = (size_t)b->z.n * (size_t)b->y.n;
	rooms[1] = (size_t)b->x.n * (size_t)b->z.n;
	rooms[2] = (size_t)b->x.n * (size_t)b->wave_y.n;
	b->room = 2 * (size_t)n; /* for line_error() */
	for (int i = 0; i < 3; i++)
		b->room = rooms[i] * (size_t)n > b->room ? rooms[i] * (size_t)n : b->room;
	b->counts = malloc(2 * sizeof(int) * (size_t)(b->parts[0] + b->parts[1]));
	good = set_up_lines(n);
	b->free = get_memory(b->room * sizeof(*b->free));
	good &= b->counts && b->free;
	MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, comm);
	return good ? NULL : "no memory for the grid";
}
