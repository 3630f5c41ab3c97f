/* stencil.h - what is computed, on what, and in which ways. */
#ifndef STENCIL_H
#define STENCIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cohart/cohart.h>

#define ARRAYS 3
#define ROWS_MAX 9 /* that a row is made of */
#define KERNELS 11

enum { Z, Y, X, AXES };

/* A row of an array, beside the one that is made. */
struct neighbour {
	uint8_t array;
	int8_t dz, dy;
};

/*
 * Make a row of n elements. in[i] is where the row of the i-th neighbour begins, in the scratchpad
 * or in main memory; k are the kernel's constants.
 */
typedef void row_fn(double *out, const double *const in[], size_t n, const double *k);

/* One loop over the space: each row of an array from rows of others, and perhaps of itself. */
struct pass {
	row_fn *row[2]; /* with vectors, without */
	uint8_t n_in, out;
	struct neighbour in[ROWS_MAX];
	uint8_t left, right;  /* elements beside its own that a row reads of the others */
	uint8_t begin[AXES];  /* indices at the beginning and the end of an axis */
	uint8_t end[AXES];    /* that are left out */
	bool first_row_alone; /* a boundary */
	double k[3];
};

enum way { PLAIN, MANAGER, DIRECT, TILED, WAYS };

/* An array of n[Z] x n[Y] x n[X]; of two dimensions: n[Z] is 1. */
struct space {
	double *array[ARRAYS];
	long n[AXES];
};

struct kernel {
	const char *name;
	unsigned dims;
	unsigned arrays;
	bool swaps; /* array 0 and 1 after each step */
	unsigned passes;
	const struct pass *pass;
	/* One step by plain loops that share nothing with the passes: the definition. */
	void (*plain)(const struct space *s, unsigned step);
	const char *section[WAYS]; /* for the locality plug-in */
};

extern const struct kernel kernels[KERNELS];

struct setup {
	enum co_schedule schedule;
	unsigned block;
	bool scalar;         /* rows without vectors */
	unsigned harts;      /* compute harts */
	struct co_plan plan; /* buffers of the arrays a, b and c; or nothing */
};

/* Run a pass by each way. Returns 0 or a negative errno number. */
void pass_alone(const struct pass *p, const struct space *s, const struct setup *how);
int pass_direct(const struct pass *p, const struct space *s, const struct setup *how);
int pass_tiled(const struct pass *p, const struct space *s, const struct setup *how);

/* What goes wrong, and what is said of it. Returns 0 or a negative errno number. */
int show_breaks(void);

/* What a pass goes over: indices from[axis] to to[axis] - 1. */
void pass_range(const struct pass *p, const struct space *s, long from[AXES], long to[AXES]);

/* Numbers in [0, 1) that depend on where they are. Kernels: compute harts alone. */
void sow_row(double *row, long n, uint32_t seed);
/* The first index where they differ by a bit, -1: nowhere. */
long differs(const double *a, const double *b, long n);

static inline size_t at(const struct space *s, long z, long y, long x)
{
	return ((size_t)z * (size_t)s->n[Y] + (size_t)y) * (size_t)s->n[X] + (size_t)x;
}

#endif
