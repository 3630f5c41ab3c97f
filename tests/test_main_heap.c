/*
 * test_main_heap.c - libc's heap below malloc(), so that it runs on the host, too.
 *
 * Topologies: 2x(1+2)
 */
#include "../runtime/core/core.h"
#include "../runtime/core/memory/main_heap.h"
#include "../runtime/core/memory/slab.h"
#include "harness/test.h"

/* A block says who filled it, with what, and how much of it there is. */
struct block {
	struct block *next;
	uint32_t bytes;
	uint32_t pattern;
};

static void fill(struct block *b, size_t bytes, uint32_t pattern)
{
	b->bytes = (uint32_t)bytes;
	b->pattern = pattern;
	memset(b + 1, (int)pattern, bytes - sizeof(*b));
}

static bool is_whole(const struct block *b, size_t bytes)
{
	const unsigned char *p = (const unsigned char *)(b + 1);

	for (size_t i = 0; i < bytes - sizeof(*b); i++) {
		if (p[i] != (unsigned char)b->pattern)
			return false;
	}
	return true;
}

/* Most are small, some of several units, few of several regions. */
static size_t draw_bytes(struct test_random *r)
{
	unsigned kind = test_below(r, 100);
	size_t most = kind < 80 ? 300 : kind < 95 ? 5000 : kind < 99 ? 40000 : 150000;

	return sizeof(struct block) + test_below(r, (unsigned)most);
}

/* Where blocks wait to be freed by whichever hart comes by: a stack, swapped out as a whole. */
#define BINS 4
static struct co_aword bins[BINS];

static void throw(struct block * b, unsigned bin)
{
	/* acquire, release: the blocks. */
	struct block *rest = (struct block *)co_atomic_swap(&bins[bin], 0, CO_ACQUIRE);

	b->next = rest;
	/* Another hart's may be lost from the bin: it is this hart's then, to free. */
	rest = (struct block *)co_atomic_swap(&bins[bin], (uintptr_t)b, CO_ACQ_REL);
	for (struct block *next; rest; rest = next) {
		next = rest->next;
		CHECK(is_whole(rest, rest->bytes));
		co_main_free(rest);
	}
}

static void empty(unsigned bin)
{
	struct block *b = (struct block *)co_atomic_swap(&bins[bin], 0, CO_ACQUIRE);

	for (struct block *next; b; b = next) {
		next = b->next;
		CHECK(is_whole(b, b->bytes));
		co_main_free(b);
	}
}

static struct block *resize(struct block *b, size_t bytes)
{
	size_t least = bytes < b->bytes ? bytes : b->bytes;
	struct block *q;

	CHECK(is_whole(b, b->bytes));
	if (!co_main_resize(b, bytes)) {
		q = co_main_alloc(bytes);
		REQUIRE(q);
		memcpy(q, b, least);
		co_main_free(b);
		b = q;
	}
	CHECK(is_whole(b, least));
	return b;
}

#define LIVE 24
#define ROUNDS 300

static intptr_t churn(void *arg)
{
	struct test_random r = test_random((uint64_t)(intptr_t)arg);
	struct block *live[LIVE] = { 0 };

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct block **b = &live[test_below(&r, LIVE)];
		size_t bytes = draw_bytes(&r), align = (size_t)16 << test_below(&r, 9);

		switch (*b ? test_below(&r, 4) : test_below(&r, 2)) {
		case 0:
		case 1:
			if (*b)
				throw(*b, test_below(&r, BINS));
			*b = round % 8 ? co_main_alloc(bytes) : co_main_alloc_aligned(align, bytes);
			REQUIRE(*b);
			CHECK(co_main_size(*b) >= bytes);
			CHECK_EQ((uintptr_t)*b % (round % 8 ? 16 : align), 0);
			break;
		case 2:
			*b = resize(*b, bytes);
			break;
		default:
			empty(test_below(&r, BINS));
			co_pause();
			continue;
		}
		fill(*b, bytes, (uint32_t)test_next(&r));
	}
	for (unsigned i = 0; i < LIVE; i++) {
		if (live[i])
			throw(live[i], i % BINS);
	}
	return 0;
}

static size_t in_use(void)
{
	size_t used, unused;

	co_main_gather();
	co_main_count(&used, &unused);
	return used - unused;
}

TEST(blocks_of_all_harts_are_apart_and_all_come_back)
{
	size_t before = in_use();

	for (unsigned turn = 0; turn < 3; turn++) {
		test_spread(churn, 2 * co_harts(), 0);
		for (unsigned i = 0; i < BINS; i++)
			empty(i);
		CHECK_EQ(in_use(), before);
	}
}

TEST(blocks_of_no_bytes_come_back)
{
	size_t before = in_use();

	for (unsigned i = 0; i < 1000; i++)
		co_main_free(co_main_alloc(0));
	CHECK_EQ(in_use(), before);
}

CO_CHANNEL(handed, void *, 64);

static intptr_t consume(void *arg)
{
	void *p;

	for (unsigned i = 0; i < (uintptr_t)arg; i++) {
		REQUIRE_EQ(co_chan_recv(&handed, &p), 0);
		co_main_free(p);
	}
	return 0;
}

/* Bytes that are cut while n blocks, 64 at a time, go from one hart to another. */
static size_t hand_over(unsigned n, size_t least, size_t step)
{
	size_t before, after, unused;
	struct co *c = test_spawn_on(co_harts() - 1, consume, (void *)(uintptr_t)n);

	co_main_count(&before, &unused);
	for (unsigned i = 0; i < n; i++) {
		void *p = co_main_alloc(least + i % 50 * step);

		REQUIRE(p);
		REQUIRE_EQ(co_chan_send(&handed, &p), 0);
	}
	CHECK_EQ(test_join(c), 0);
	co_main_count(&after, &unused);
	return after - before;
}

/* What is there after the first blocks is enough for all: runs that were given back are found. */
TEST(what_one_hart_allocates_and_another_frees_does_not_grow)
{
	CHECK(hand_over(20000, 16, 40) < 1 << 20);
	CHECK(hand_over(100000, 16, 40) < 128 << 10);
}

TEST(large_blocks_that_one_hart_allocates_and_another_frees_do_not_grow)
{
	CHECK(hand_over(5000, 2500, 500) < 8 << 20);
	CHECK(hand_over(40000, 2500, 500) < 4 << 20);
}

/*
 * Blocks of a size are all alive, then the second of each two is freed, and then the rest: each of
 * these lies between two free runs. The next size is larger.
 */
enum { ALIVE = 1 << 20, LEAST = 1000, MOST = 1 << 17, RISING = 4 };

static intptr_t rise(void *arg)
{
	void **block = co_main_alloc(ALIVE / LEAST * sizeof(*block));

	(void)arg;
	REQUIRE(block);
	for (size_t bytes = LEAST; bytes <= MOST; bytes += bytes / 4) {
		size_t n = ALIVE / bytes;

		for (size_t i = 0; i < n; i++)
			REQUIRE(block[i] = co_main_alloc(bytes));
		for (size_t i = 1; i < n; i += 2)
			co_main_free(block[i]);
		for (size_t i = 0; i < n; i += 2)
			co_main_free(block[i]);
	}
	co_main_free(block);
	return 0;
}

/* Bytes that are cut while so many coroutines, each on a hart, go three times through all sizes. */
static size_t rise_on(unsigned n)
{
	size_t before, after, unused;

	co_main_count(&before, &unused);
	for (unsigned turn = 0; turn < 3; turn++)
		test_spread(rise, n, 0);
	co_main_count(&after, &unused);
	return after - before;
}

TEST(blocks_of_ever_larger_sizes_do_not_grow)
{
	CHECK(rise_on(1) < 3 * ALIVE);
	CHECK(rise_on(RISING) < 3 * RISING * ALIVE);
}

TEST(a_large_block_grows_where_it_is_and_gives_back_what_it_has_too_much)
{
	unsigned char *p = co_main_alloc(100000), *q;

	REQUIRE(p);
	CHECK(co_main_resize(p, 20000));
	CHECK(co_main_size(p) < 25000);
	q = co_main_alloc(30000); /* perhaps behind it */
	REQUIRE(q);
	co_main_free(q);
	CHECK(co_main_resize(p, 60000));
	CHECK(!co_main_resize(p, 1000));
	co_main_free(p);
}

TEST(every_size_has_room_and_alignment)
{
	for (size_t bytes = 0; bytes < 6000; bytes += bytes < 300 ? 1 : 61) {
		void *p = co_main_alloc(bytes);

		REQUIRE(p);
		CHECK(co_main_size(p) >= bytes);
		CHECK(co_main_size(p) <= (bytes < 16 ? 16 : bytes + bytes / 4 + 16));
		CHECK_EQ((uintptr_t)p % 16, 0);
		memset(p, 1, co_main_size(p));
		for (size_t align = 32; align <= 8192; align *= 4) {
			void *q = co_main_alloc_aligned(align, bytes);

			REQUIRE(q);
			CHECK_EQ((uintptr_t)q % align, 0);
			CHECK(co_main_size(q) >= bytes);
			memset(q, 2, bytes);
			co_main_free(q);
		}
		co_main_free(p);
	}
	CHECK(!co_main_alloc(SIZE_MAX));
	CHECK(!co_main_alloc(SIZE_MAX / 2));
	CHECK(!co_main_alloc_aligned(SIZE_MAX / 2 + 1, 1));
}
