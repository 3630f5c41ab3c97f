/*
 * test_heap_traces.c - how much memory libc's heap takes for what programs do, beside glibc's, an
 * allocator of dlmalloc's kind, for the same: make test T=heap_traces BOARD=host.
 */
#include <malloc.h>

#include "../runtime/core/core.h"
#include "../runtime/core/memory/main_heap.h"
#include "harness/test.h"

#ifdef __GLIBC__

#define SLOTS 20000
#define STEPS 400000

/* The size of a block that is allocated at that step. */
typedef size_t draw_fn(struct test_random *r, unsigned step);

/* An interpreter's: objects of a few sizes, strings, arrays that have grown to powers of two. */
static size_t draw_objects(struct test_random *r, unsigned step)
{
	static const uint16_t objects[] = { 40, 56, 56, 72, 32, 24 };
	unsigned kind = test_below(r, 100);

	if (kind < 60)
		return objects[test_below(r, 6)];
	return kind < 95 ? 25 + test_below(r, 60) : (size_t)16 << test_below(r, 9);
}

/* As an adaptive mesh: rows of a few sizes, tables of pointers, and some whole blocks. */
static size_t draw_mesh(struct test_random *r, unsigned step)
{
	unsigned kind = test_below(r, 100);

	return kind < 70 ? 8 * 14 : kind < 95 ? 8 * 12 : kind < 99 ? 1400 : 21952;
}

/* Anything to 16 KiB, each power of two as often; later phases have larger ones. */
static size_t draw_any(struct test_random *r, unsigned step)
{
	unsigned bits = 4 + test_below(r, 7 + 4 * (step / (STEPS / 2)));

	return ((size_t)1 << bits) + test_below(r, 1u << bits);
}

/* Slots that are half full on the average, and emptied in part now and then. */
static void replay(draw_fn *draw, void *(*take)(size_t), void (*give)(void *), size_t (*now)(void),
		   size_t *peak)
{
	static void *slot[SLOTS];
	struct test_random r = { 1 };

	*peak = 0;
	for (unsigned step = 0; step < STEPS; step++) {
		unsigned i = test_below(&r, step % 50000 < 40000 ? SLOTS : SLOTS / 4);

		if (slot[i]) {
			give(slot[i]);
			slot[i] = NULL;
		} else {
			slot[i] = take(draw(&r, step));
			REQUIRE(slot[i]);
		}
		if (step % 64 == 0 && now() > *peak)
			*peak = now();
	}
	for (unsigned i = 0; i < SLOTS; i++) {
		if (slot[i])
			give(slot[i]);
		slot[i] = NULL;
	}
}

static void *take_ours(size_t bytes)
{
	return co_main_alloc(bytes);
}

static void give_ours(void *p)
{
	co_main_free(p);
}

static size_t cut_before;

/* With the tables for it. */
static size_t ours_now(void)
{
	size_t used;

	co_main_count(&used, NULL);
	return (used - cut_before) / 1000 * 1037;
}

static size_t theirs_now(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.arena + m.hblkhd;
}

/* A sanitizer puts an allocator of its own in the place of glibc's, which then counts nothing. */
static bool is_theirs_counted(void)
{
	size_t before = mallinfo2().uordblks;
	void *volatile p = malloc(5000); /* more than a thread keeps, which counts as used */
	bool counted = mallinfo2().uordblks > before;

	free(p);
	return counted;
}

/* What was used before is not to be had: the trace begins with memory that is fresh. */
static void compare(draw_fn *draw)
{
	size_t ours, theirs, before;
	bool held = false;

	if (!is_theirs_counted())
		SKIP("malloc() is a sanitizer's here, not glibc's");
	co_main_gather();
	while (co_units_search(1, &held) != CO_NO_UNIT)
		;
	co_main_count(&cut_before, NULL);
	replay(draw, take_ours, give_ours, ours_now, &ours);
	malloc_trim(0);
	before = mallinfo2().uordblks; /* what is free there is used for the trace */
	replay(draw, malloc, free, theirs_now, &theirs);
	theirs -= before;
	printf("# %zu KiB, glibc's %zu: %zu %%\n", ours >> 10, theirs >> 10, 100 * ours / theirs);
	CHECK(ours * 4 <= theirs * 5);
}

TEST(objects_of_an_interpreter_take_no_more_than_a_quarter_more)
{
	compare(draw_objects);
}

TEST(rows_of_a_mesh_take_no_more_than_a_quarter_more)
{
	compare(draw_mesh);
}

TEST(blocks_of_any_size_take_no_more_than_a_quarter_more)
{
	compare(draw_any);
}

#else

TEST(they_are_replayed_on_the_host)
{
	SKIP("another C library has nothing to compare with");
}

#endif
