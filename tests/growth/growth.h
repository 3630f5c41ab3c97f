/*
 * growth.h - rows: the cost of a call, in instructions, beside few and beside many objects that the
 * runtime keeps.
 */
#ifndef GROWTH_H
#define GROWTH_H

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
	unsigned (*cost)(unsigned n); /* makes n objects, and counts one call */
	unsigned most;
	const char *grows;
};

/* objects.c: ends with a row without a call. */
extern const struct row object_rows[];

#endif
