/*
 * moving.c - from how many bytes on is it quicker to let a whole group copy, or fill? For
 * tests/locality/moving, which models the time of each section. Hart 0, the manager, asks, then
 * hart 1, a compute hart.
 */
#include <cohart/cohart.h>

#include "../../runtime/data/dma.h"
#include "../harness/test.h"

/* All that is copied, once each; the compute harts have written it: it is in no cache. */
#define ALL (3u << 20)

static alignas(CO_LINE) unsigned char from[ALL], to[ALL];
static size_t used;

static void section(const char *name, bool group, bool fill, size_t bytes)
{
	int r;

	REQUIRE(used + bytes <= ALL);
	co_move_by = group ? CO_MOVE_BY_GROUP : CO_MOVE_ALONE;
	co_mark_begin(name);
	if (fill)
		r = co_move_fill(to + used, 1, bytes);
	else
		r = co_move_copy(to + used, from + used, bytes);
	co_mark_end(name, 1);
	CHECK_EQ(r, 0);
	used += bytes;
}

/* Eight: the plug-in knows 64 names. */
#define SIZES(X)        \
	X("256", 256)   \
	X("512", 512)   \
	X("1024", 1024) \
	X("4096", 4096) X("8192", 8192) X("16384", 16384) X("65536", 65536) X("262144", 262144)

static intptr_t measure(void *arg)
{
	/* Names are literals: the plug-in sees their addresses alone. */
#define ONE(by, text, n)                                  \
	section(by " copy alone " text, false, false, n); \
	section(by " copy group " text, true, false, n);  \
	section(by " fill alone " text, false, true, n);  \
	section(by " fill group " text, true, true, n);
#define BY_MANAGER(text, n) ONE("manage", text, n)
#define BY_COMPUTE(text, n) ONE("compute", text, n)

	co_move_by = CO_MOVE_BY_GROUP;
	CHECK_EQ(co_move_fill(from, 0, ALL), 0); /* the workers are there from here on */
	if (arg) {
		SIZES(BY_COMPUTE)
	} else {
		SIZES(BY_MANAGER)
	}
	return 0;
}

TEST(moving)
{
	measure(NULL);
	CHECK_EQ(test_join(test_spawn_on(1, measure, &from)), 0);
}
