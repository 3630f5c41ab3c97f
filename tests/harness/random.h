/* random.h - random numbers for tests and stress: splitmix64, of which every seed is a good one. */
#ifndef TESTS_HARNESS_RANDOM_H
#define TESTS_HARNESS_RANDOM_H

#include <stdint.h>

/* Its caller's alone. */
struct test_random {
	uint64_t state;
};

static inline uint64_t test_next(struct test_random *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* A number below n, which is at least 1. */
static inline unsigned test_below(struct test_random *r, unsigned n)
{
	return (unsigned)((test_next(r) >> 32) * n >> 32);
}

#endif
