/* turbulence.h - the parts of the app: a flow in a periodic box by its Fourier coefficients. */
#ifndef APPS_TURBULENCE_H
#define APPS_TURBULENCE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

/* ---- fft_fp.c: transforms of a box that ranks share by pencils ---- */

#define GRID_MOST 256

struct z {
	double re, im;
};

static inline struct z sub(struct z a, struct z b)
{
	return (struct z){ a.re - b.re, a.im - b.im };
}

/* What a rank has of an axis: from..from + n - 1. */
struct range {
	int from, n;
};

/*
 * Of a box of n x n x n points the ranks, rows x columns of them, have pencils, which change their
 * direction in a transform: in space along x, [z][y][x], by wave numbers along z, [x][y][z]; on the
 * way along y, [x][z][y].
 */
struct box {
	int n, parts[2], at[2];     /* of the grid of ranks: its size, this rank's place */
	MPI_Comm row, column, comm; /* row: ranks that differ in at[0] */
	struct range x, y, z, wave_y;
	size_t room;    /* of an array, in any direction */
	struct z *free; /* an array of which transforms change places with their own */
	int *counts;    /* of an exchange: counts and places */
};

/* Returns NULL, or what is wrong. */
const char *box_init(struct box *b, int n, MPI_Comm comm);
/* The sum over k of a[k] exp(sign i k x); from space to wave numbers it is divided by n^3. */
void to_space(struct box *b, struct z **a);
void to_waves(struct box *b, struct z **a);
/* How far a transform of a line is from the sum that it stands for, by the largest term. */
double line_error(const struct box *b);

/* exp(2 pi i k / n), for k from 0 to n - 1. */
struct z root_of_one(int k, int n);

/* The wave number of a place on an axis. */
static inline int wave(int i, int n)
{
	return i < n / 2 ? i : i - n;
}

/* ---- flow_fp.c: the equations of Navier and Stokes ---- */

struct flow {
	struct box box;
	double step;
	double *decay;                  /* of a mode in half a step, by its square */
	struct z *u[3], *sum[3], *w[3]; /* by wave numbers, [x][y][z] */
};

/* Sums are of whole numbers, so that their order makes no difference: 2^-52 and 2^-44 of one. */
#define ENERGY_UNIT 0x1p-52
#define ENSTROPHY_UNIT 0x1p-44

/* Of all ranks, in these units. */
struct state {
	int64_t energy, enstrophy, hash, wild; /* wild: modes that have more energy than there is */
	int64_t spectrum[GRID_MOST]; /* the energy of wave numbers nearest to 0, 1, 2, ... */
	double divergence;           /* the largest of a mode */
};

/* The vortex of Taylor and Green. Returns NULL, or what is wrong. */
const char *flow_init(struct flow *f, int n, double viscosity, double step, MPI_Comm comm);
void flow_step(struct flow *f);
void flow_state(struct flow *f, struct state *s);
/* The vorticity's size where z is pi / 2, row by row: to the first rank's array of n * n. */
void flow_slice(struct flow *f, double *plane);

#endif
