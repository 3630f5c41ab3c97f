/*
 * test_malloc.c - one heap for all harts.
 *
 * Topologies: 2x(1+2)
 */
#include <malloc.h>

#include "../runtime/core/core.h"
#include "../runtime/core/memory/main_heap.h"
#include "../runtime/core/memory/slab.h"
#include "files.h"

#define BLOCKS 12
#define ROUNDS 20

static bool holds(const unsigned char *p, size_t bytes, unsigned char pattern)
{
	for (size_t i = 0; i < bytes; i++)
		if (p[i] != pattern)
			return false;
	return true;
}

static intptr_t churn(void *arg)
{
	struct test_random r = test_random((uint64_t)(intptr_t)arg);
	unsigned char *block[BLOCKS] = { 0 };
	size_t bytes[BLOCKS] = { 0 };

	for (int round = 0; round < ROUNDS; round++) {
		unsigned i = test_below(&r, BLOCKS);
		unsigned char pattern = (unsigned char)((unsigned)(intptr_t)arg * BLOCKS + i);

		if (block[i]) {
			CHECK(holds(block[i], bytes[i], pattern));
			if (test_below(&r, 2)) {
				free(block[i]);
				block[i] = NULL;
				continue;
			}
		}
		size_t n = 1 + test_below(&r, 600);
		unsigned char *p = realloc(block[i], n);

		REQUIRE(p);
		CHECK_EQ((uintptr_t)p % 16, 0);
		CHECK(co_spm_hart(p) < 0);
		CHECK(holds(p, bytes[i] < n && block[i] ? bytes[i] : 0, pattern));
		memset(p, pattern, n);
		block[i] = p;
		bytes[i] = n;
	}
	for (unsigned i = 0; i < BLOCKS; i++)
		free(block[i]);
	return 0;
}

TEST(blocks_of_all_harts_are_apart)
{
	test_spread(churn, 2 * co_harts(), 0);
}

static volatile size_t no_bytes; /* so that the compiler does not know */

TEST_EVERYWHERE(corner_cases)
{
	/* A quarter of all addresses; volatile, so that the compiler does not know. */
	const volatile size_t huge = SIZE_MAX / 4 + 1;
	unsigned char *p = calloc(100, 7);
	void *q;

	REQUIRE(p);
	CHECK(holds(p, 700, 0));
	free(p);
	free(NULL);
	errno = 0;
	q = malloc(huge);
	__asm__ volatile("" : "+r"(q)); /* else clang knows better: what nobody uses is there */
	CHECK(!q);
	CHECK_EQ(errno, ENOMEM);
	errno = 0;
	q = calloc(huge, huge);
	__asm__ volatile("" : "+r"(q));
	CHECK(!q);
	CHECK_EQ(errno, ENOMEM);
	free(realloc(malloc(50), no_bytes)); /* NULL, or a block of no bytes */
	q = memalign(4096, 100);
	CHECK(q && (uintptr_t)q % 4096 == 0);
	free(q);
	for (size_t align = 8; align <= 512; align *= 2) { /* what is between them stays aligned */
		void *a = memalign(align, align + 40), *b = malloc(24);

		CHECK(a && (uintptr_t)a % align == 0);
		CHECK(b && (uintptr_t)b % 16 == 0);
		free(a);
		q = malloc(200);
		CHECK(q && (uintptr_t)q % 16 == 0);
		free(b);
		free(q);
	}
	CHECK(!posix_memalign(&q, 256, 100));
	CHECK_EQ((uintptr_t)q % 256, 0);
	errno = 5;
	free(q);
	CHECK_EQ(errno, 5);
	q = strdup("twice");
	CHECK_STR((char *)q, "twice");
	free(q);
}

/* When there is no memory for another block, one is made smaller where it is. */
static void shrinks(void **block)
{
#ifndef CO_DEBUG /* it always moves a block */
	void **list = NULL;
	void **p;

	for (size_t bytes = 1 << 18; bytes >= 16; bytes /= 4) {
		while ((p = malloc(bytes))) {
			*p = list;
			list = p;
		}
	}
	CHECK(realloc(block, 16) == block);
	for (; list; list = p) {
		p = *list;
		free(list);
	}
#endif
}

/* Take all there is, give it back, and take it once more. */
static intptr_t exhaust(void *arg)
{
	size_t got[2] = { 0, 0 };

	for (unsigned turn = 0; turn < 2; turn++) {
		void **list = NULL;
		void **p;

		while ((p = malloc(1 << 20))) {
			*p = list;
			list = p;
			got[turn]++;
		}
		CHECK_EQ(errno, ENOMEM);
		shrinks(list);
		while (list) {
			p = *list;
			free(list);
			list = p;
		}
	}
	CHECK(got[0] > 4);
	CHECK(got[1] >= got[0]); /* what lay between the blocks may have been put together */
	return 0;
}

/* DEBUG=1 fills what it hands out: of a board's gigabytes leave as much as is soon done. */
static void set_aside(void)
{
	const size_t leave = 64u << 20;
	size_t room = co_main_room();

	if (room > 4 * leave)
		REQUIRE(co_main_cut(room - leave));
}

TEST(an_exhausted_heap_says_so_and_recovers)
{
	set_aside();
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, exhaust, NULL)), 0);
}

TEST_EVERYWHERE(a_small_block_is_handed_out_again_where_it_was_freed)
{
	char *volatile p = malloc(60), *volatile q; /* or the compiler does without */

	REQUIRE(p);
	memset(p, 1, 60);
	free(p);
	q = calloc(12, 5);
#ifdef CO_DEBUG
	CHECK(q != p || !is_library_ours()); /* a freed block is watched for a while */
#else
	CHECK(q == p);
#endif
	CHECK(holds((unsigned char *)q, 60, 0));
	free(q);
	/* A row of them is kept in part, and all are good. */
	for (unsigned turn = 0; turn < 3; turn++) {
		char *block[BLOCKS];

		for (unsigned i = 0; i < BLOCKS; i++) {
			block[i] = malloc(40);
			REQUIRE(block[i]);
			memset(block[i], (int)i, 40);
		}
		for (unsigned i = 0; i < BLOCKS; i++) {
			CHECK(holds((unsigned char *)block[i], 40, (unsigned char)i));
			free(block[i]);
		}
	}
}

static intptr_t clear_blocks(void *arg)
{
	size_t bytes = (size_t)arg;
	unsigned char *volatile p = calloc(1, bytes); /* volatile: GCC knows what calloc() does */

	REQUIRE(p);
	for (size_t i = 0; i < bytes; i++)
		CHECK_EQ(p[i], 0);
	free(p);
	return 0;
}

/* Hart 0 keeps what it has freed, and serves the others. */
TEST(what_calloc_returns_is_clear_wherever_it_was_freed)
{
	for (size_t bytes = 1; bytes < 300; bytes += 9) {
		unsigned char *volatile p = malloc(bytes);

		REQUIRE(p);
		memset(p, 0xff, bytes);
		free(p);
		CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, clear_blocks, (void *)bytes)), 0);
		CHECK_EQ(test_join(test_spawn_on(0, clear_blocks, (void *)bytes)), 0);
	}
}

/* Take all memory in blocks down to 200 bytes. Returns them, each with the next one's address. */
static void **use_up(void)
{
	void **list = NULL, **p;

	for (size_t bytes = 200 << 12; bytes >= 200; bytes /= 2) { /* down to 200 */
		while ((p = malloc(bytes))) {
			*p = list;
			list = p;
		}
	}
	return list;
}

static void free_all(void **list)
{
	while (list) {
		void **next = *list;

		free(list);
		list = next;
	}
}

/*
 * What was freed as small blocks, which a hart keeps, becomes a large one where there is no other
 * memory.
 */
static intptr_t needs_what_it_keeps(void *arg)
{
	void *small[64], *volatile large;
	void **list;

	for (unsigned i = 0; i < 64; i++)
		REQUIRE(small[i] = malloc(200));
	list = use_up();
	for (unsigned i = 0; i < 64; i++)
		free(small[i]);
	errno = 0;
	large = malloc(1200);
	CHECK(large);
	CHECK_EQ(errno, 0);
	free(large);
	free_all(list);
	return 0;
}

TEST(what_a_hart_keeps_is_given_back_before_memory_is_short)
{
	set_aside();
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, needs_what_it_keeps, NULL)), 0);
}

#define MANY 40

/* Rows of blocks go to where they are taken by all, and come from there. */
static intptr_t take_many(void *arg)
{
	unsigned char pattern = (unsigned char)(intptr_t)arg;
	unsigned char *block[MANY];

	for (unsigned round = 0; round < ROUNDS; round++) {
		size_t bytes = 20 + round % 5 * 50;

		for (unsigned i = 0; i < MANY; i++) {
			block[i] = malloc(bytes);
			REQUIRE(block[i]);
			memset(block[i], pattern, bytes);
			if (i % 16 == 15)
				co_pause();
		}
		for (unsigned i = 0; i < MANY; i++) {
			CHECK(holds(block[i], bytes, pattern));
			free(block[i]);
		}
	}
	return 0;
}

TEST(rows_of_blocks_go_from_hart_to_hart)
{
	test_spread(take_many, 2 * co_harts(), 0);
}

#ifndef CO_DEBUG /* there all blocks are watched for a while */

static void *many[MANY];

static intptr_t free_many(void *arg)
{
	for (unsigned i = 0; i < (uintptr_t)arg; i++)
		free(many[i]);
	return 0;
}

/* Take all memory and give it back, so that no hart keeps anything. */
static intptr_t keep_nothing(void *arg)
{
	free_all(use_up());
	return 0;
}

/* What others keep, and have of the spans that they take from, is not out of reach. */
static intptr_t needs_what_all_keep(void *arg)
{
	void *volatile large;
	void **list;

	for (unsigned i = 0; i < MANY; i++)
		REQUIRE(many[i] = malloc(200));
	list = use_up();
	large = malloc(200);
	CHECK(!large);
	CHECK_EQ(test_join(test_spawn_on(0, free_many, (void *)(uintptr_t)MANY)), 0);
	for (unsigned i = 0; i < MANY; i++) {
		many[i] = malloc(200);
		CHECK(many[i]);
	}
	for (unsigned i = 0; i < MANY; i++)
		free(many[i]);
	free_all(list);
	return 0;
}

/* The second of each two, and then the rest. Returns how many there were. */
static size_t free_every_other_first(void **list)
{
	void **rest = NULL;
	size_t n = 0;

	while (list) {
		void **first = list, **second = *first;

		list = second ? *second : NULL;
		*first = rest;
		rest = first;
		n += second ? 2 : 1;
		free(second);
	}
	free_all(rest);
	return n;
}

TEST(neighbours_that_are_freed_apart_are_one_block_at_the_first_call)
{
	enum { BYTES = 4096 };
	void **list = NULL, **block, *volatile large;
	size_t n;

	set_aside();
	while ((block = malloc(BYTES))) {
		*block = list;
		list = block;
	}
	n = free_every_other_first(list);
	large = malloc(n * BYTES / 4 + 1);
	CHECK(large);
	free(large);
}

TEST(what_another_hart_keeps_is_taken_before_memory_is_short)
{
	set_aside();
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, keep_nothing, NULL)), 0);
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, needs_what_all_keep, NULL)), 0);
}

#endif
