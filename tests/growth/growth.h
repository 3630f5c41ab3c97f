/*
 * growth.h - rows: what a call costs beside few and beside many of what the runtime keeps, in
 * instructions; lines "growth,CALL,KEPT,FEW,COST,MANY,COST,WHY", which run judges.
 */
#ifndef GROWTH_H
#define GROWTH_H

#include <stdio.h>

#include <cohart/cohart.h>

#define FEW 8
#define REQUIRE(x) ((x) ? (void)0 : co_panic("%s:%d: %s is false", __FILE__, __LINE__, #x))
#define COUNT(call)                                     \
	({                                              \
		uint64_t start_ = co_instructions();    \
		call;                                   \
		(unsigned)(co_instructions() - start_); \
	})

/* A row: how many at most, and why the call grows, where it does: docs/limits.md. */
struct row {
	const char *call, *kept;
	unsigned (*cost)(unsigned n); /* makes n of what is kept, and counts one call */
	unsigned most;
	const char *grows;
};

/* objects.c: ends with a row without a call. */
extern const struct row object_rows[];

static inline unsigned number_of(const struct row *r, unsigned most)
{
	return most < r->most ? most : r->most;
}

static inline void print_row(const struct row *r, unsigned few, unsigned most, unsigned many)
{
	printf("growth,%s,%s,%u,%u,%u,%u,%s\n", r->call, r->kept, FEW, few, number_of(r, most),
	       many, r->grows);
}

#endif
