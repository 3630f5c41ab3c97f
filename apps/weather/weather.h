/* weather.h - the field, its physics, and who computes what of it. */
#ifndef WEATHER_H
#define WEATHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cohart/cohart.h>

/*
 * What there is of in a cell: density, momentum along x and z, density times potential temperature.
 */
enum { DENS, UMOM, WMOM, RHOT, VARS };

#define HALO 2   /* cells on each side that a cell's change depends on */
#define TERMS 13 /* of the series for the pressure */

enum which { COLLISION, THERMAL, GRAVITY_WAVES, DENSITY_CURRENT, INJECTION, CASES };

/*
 * The air at rest, in a row of cells and at the edge below it: what the field is a deviation from.
 * One line of memory.
 */
struct rest {
	double dens, rt, over_rt, p;
	double edge_dens, edge_rt, edge_over_rt, edge_p;
};

/*
 * A field: nz rows, each of VARS lines of nx cells. Lines follow one another, so that any rectangle
 * of it is one transfer.
 */
struct field {
	long nx, nz;
	double dx, dz;
	double dt;
	double *now, *next, *tmp; /* VARS x nx x nz each */
	struct rest *rest;        /* of row 0; rows -HALO to nz + HALO - 1 are there */
	enum which which;
	bool timers; /* parts of a step are timed */
	/* By a plan: the air at rest lies in scratchpads whole; the most for a tile's cells. */
	struct co_spm_array *rest_near;
	size_t buffer;
};

/* Numbers that kernels need, beside the cells in the scratchpad. */
struct numbers {
	double seven_12ths, one_12th;
	double one, three;
	double damping;    /* of the fourth derivative that keeps the field smooth */
	double minus_dt_d; /* -dt / dx or -dt / dz */
	double dt_g;       /* what gravity adds to wmom for each dens */
	double gamma, small;
	double series[TERMS + 1];
	double dt;
	/* Where waves are made, GRAVITY_WAVES alone. */
	double dx, dz, x0, z0, radius;
	bool waves;
	/* Where a jet comes in, INJECTION alone: up to so far from that height. */
	bool jet;
	double jet_z, jet_radius;
};

/* A rectangle of cells, brought to where it is computed, or where it lies. */
struct tile {
	const double *from; /* its first cell's density, before which there is the halo, */
	size_t from_row, from_var;
	double *state; /* its result */
	size_t state_row, state_var;
	const double *before; /* what the step began with: the same place, or in the field */
	size_t before_row, before_var;
	const struct rest *rest; /* of its first row */
	long x, z, cols, rows;   /* where it is in the field */
	bool bottom, top;        /* z: solid there */
	double *flux;            /* 2 x VARS x (cols + 4) of scratch */
};

/* Kernels (weather_fp.c): compute harts alone call them, or a management hart that has an FPU. */
void sweep_x(const struct tile *t, const struct numbers *k);
void sweep_z(const struct tile *t, const struct numbers *k);
void halo_x(const struct tile *t, double *from, const struct numbers *k);
void halo_z(const struct tile *t, double *from);
/* Of a part that is dt / over long. */
void numbers_make(struct numbers *k, const struct field *f, bool z, unsigned over);

/* Kernels (start_fp.c): the field at the beginning, and sums over a row of it. */
void rest_make(const struct field *f, long k);
void start_row(const struct field *f, long k);
void sum_row(const struct field *f, long k, double sums[2]);
uint64_t hash_row(const struct field *f, long k);
void pixels_row(const struct field *f, long k, uint8_t *pixels);

/* plain_fp.c: the same by plain loops. plain_bytes() of scratch. */
size_t plain_bytes(const struct field *f);
void plain_step(struct field *f, double *scratch, unsigned number);
double plain_difference(const struct field *f, const double *a, const double *b);

/* steps.c: `steps` steps by all compute harts, or by the calling hart alone. */
int run_steps(struct field *f, unsigned first, unsigned steps);
int run_alone(struct field *f, unsigned first, unsigned steps);

static inline size_t line_of(const struct field *f, long k, unsigned v)
{
	return ((size_t)k * VARS + v) * (size_t)f->nx;
}

#endif
