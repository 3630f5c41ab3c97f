/* random.h - random numbers of tests, by splitmix64: every state is a good one. */
#ifndef COHART_DETAIL_RANDOM_H
#define COHART_DETAIL_RANDOM_H

#include <stdint.h>

/* Numbers for one coroutine. */
struct co_test_random {
	uint64_t state;
};

static inline uint64_t co_test_next(struct co_test_random *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* A number below n, which is at least 1. */
static inline unsigned co_test_below(struct co_test_random *r, unsigned n)
{
	return (unsigned)((co_test_next(r) >> 32) * n >> 32);
}

#endif
