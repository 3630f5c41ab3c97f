/* pairs.h - loops by vectors and by plain code that have the same results. */
#ifndef TESTS_HARNESS_PAIRS_H
#define TESTS_HARNESS_PAIRS_H

#include <stdbool.h>

#define PAIRS_BYTES 2048u
#define PAIRS_COUNT 18

/* Arrays of PAIRS_BYTES: z is made from x and y. */
struct pairs {
	void *x, *y, *z;
};

struct pair {
	const char *by_vectors, *plain; /* sections */
	void (*run[2])(struct pairs *p);
};

extern const struct pair pairs[PAIRS_COUNT];

/* Kernels, all of them: compute harts alone. */
void pairs_fill(struct pairs *p, bool doubles);

#endif
