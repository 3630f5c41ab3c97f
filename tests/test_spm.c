/* test_spm.c - each hart's window: where it lies, and its public heap. */
#include "harness/test.h"

/* As much as the heap gives in blocks of `bytes`; how many there were. */
static unsigned take_all(void **block, unsigned max, size_t bytes)
{
	unsigned n = 0;

	while (n < max && (block[n] = co_spm_alloc(bytes, 16)))
		n++;
	return n;
}

TEST(windows_lie_apart)
{
	static int in_main_memory;

	for (unsigned h = 0; h < co_harts(); h++) {
		unsigned char *base = co_spm_base(h);

		CHECK_EQ(co_spm_hart(base), h);
		CHECK_EQ(co_spm_hart(base + co_spm_bytes() - 1), h);
	}
	CHECK_EQ(co_spm_hart(&in_main_memory), -1);
	CHECK_EQ(co_spm_hart(NULL), -1);
	CHECK(co_spm_shared(&in_main_memory, sizeof(in_main_memory)));
}

TEST(parts_fill_the_window_in_order_and_the_public_ones_are_shared)
{
	unsigned n = 0;
	const struct co_spm_part *part = co_spm_parts(&n);
	unsigned char *base = co_spm_base(co_harts() - 1);
	size_t end = 0;

	REQUIRE(n > 0);
	for (unsigned i = 0; i < n; i++) {
		CHECK(part[i].name && *part[i].name);
		CHECK(part[i].offset >= end);
		end = part[i].offset + part[i].bytes;
		CHECK_EQ(co_spm_shared(base + part[i].offset, part[i].bytes), part[i].is_public);
	}
	CHECK(end <= co_spm_bytes());
	/* A range that begins in the public part and runs out of it is not shared. */
	CHECK(!co_spm_shared(base, co_spm_bytes()));
}

TEST(a_block_is_aligned_public_and_here)
{
	for (size_t align = 1; align <= 4096; align *= 2) {
		unsigned char *p = co_spm_alloc(100, align);

		REQUIRE(p);
		CHECK_EQ((uintptr_t)p % align, 0);
		CHECK_EQ((uintptr_t)p % 16, 0);
		CHECK_EQ(co_spm_hart(p), co_hart());
		CHECK(co_spm_shared(p, 100));
		memset(p, 0xa5, 100);
		co_spm_free(p);
	}
}

TEST(freed_neighbours_become_one)
{
	static void *block[256];
	size_t before = test_spm_use(co_hart()).used;

	/* Odd blocks go first, then the even ones between them: merging happens on both sides. */
	unsigned n = take_all(block, 256, 512);

	REQUIRE(n >= 8);
	for (unsigned i = 1; i < n; i += 2)
		co_spm_free(block[i]);
	for (unsigned i = 0; i < n; i += 2)
		co_spm_free(block[i]);
	CHECK_EQ(test_spm_use(co_hart()).used, before);
	void *big = co_spm_alloc((size_t)n * 512, 16);

	CHECK(big);
	co_spm_free(big);
	CHECK_EQ(test_spm_use(co_hart()).used, before);
}

TEST(random_blocks_do_not_touch_each_other)
{
	enum { SLOTS = 48, ROUNDS = 4000 };
	static struct {
		unsigned char *p;
		unsigned bytes;
		unsigned char fill;
	} slot[SLOTS];
	struct test_random r = test_random(0);
	size_t before = test_spm_use(co_hart()).used;

	memset(slot, 0, sizeof(slot));
	for (unsigned i = 0; i < ROUNDS; i++) {
		unsigned s = test_below(&r, SLOTS), wrong = 0;

		for (unsigned k = 0; k < slot[s].bytes; k++)
			wrong += slot[s].p[k] != slot[s].fill;
		REQUIRE_EQ(wrong, 0);
		co_spm_free(slot[s].p);
		slot[s].bytes = 1 + test_below(&r, test_below(&r, 8) ? 256 : 6000);
		slot[s].fill = (unsigned char)test_next(&r);
		slot[s].p = co_spm_alloc(slot[s].bytes, (size_t)1 << test_below(&r, 9));
		if (!slot[s].p)
			slot[s].bytes = 0;
		else
			memset(slot[s].p, slot[s].fill, slot[s].bytes);
	}
	for (unsigned s = 0; s < SLOTS; s++)
		co_spm_free(slot[s].p);
	CHECK_EQ(test_spm_use(co_hart()).used, before);
}

/* The symmetric heap: what each hart got, for the others to look at. */
static struct {
	void *first, *second;
	size_t used;
} got[512];

static intptr_t allocate_alike(void *arg)
{
	unsigned h = co_hart();

	got[h].used = test_spm_use(co_hart()).used;
	got[h].first = co_spm_alloc(100, 64);
	got[h].second = co_spm_alloc(1000, 16);
	return 0;
}

static intptr_t write_to_the_next(void *arg)
{
	unsigned next = (co_hart() + 1) % co_harts();
	unsigned *theirs = co_spm_at(got[co_hart()].first, next);

	*theirs = co_hart();
	return 0;
}

static intptr_t look_and_free(void *arg)
{
	unsigned h = co_hart(), *mine = got[h].first;

	CHECK_EQ(*mine, (h + co_harts() - 1) % co_harts());
	co_spm_free(got[h].second);
	co_spm_free(got[h].first);
	CHECK_EQ(test_spm_use(co_hart()).used, got[h].used);
	return 0;
}

TEST(the_heap_is_symmetric_and_neighbours_can_write)
{
	test_spread(allocate_alike, co_harts(), 0);
	for (unsigned h = 0; h < co_harts(); h++) {
		REQUIRE(got[h].first && got[h].second);
		CHECK_EQ(co_spm_hart(got[h].first), h);
		CHECK(co_spm_at(got[0].first, h) == got[h].first);
		CHECK(co_spm_at(got[0].second, h) == got[h].second);
	}
	test_spread(write_to_the_next, co_harts(), 0);
	test_spread(look_and_free, co_harts(), 0);
}

static intptr_t my_locals_are_private(void *arg)
{
	static _Thread_local int per_hart;
	int local;

	CHECK_EQ(co_spm_hart(&per_hart), co_hart());
	CHECK(!co_spm_shared(&per_hart, sizeof(per_hart)));
	if (co_spm_hart(&local) >= 0) {
		CHECK_EQ(co_spm_hart(&local), co_hart());
		CHECK(!co_spm_shared(&local, sizeof(local)));
	}
	return 0;
}

TEST(stacks_and_thread_locals_are_private)
{
	if (strcmp(co_board(), "host") == 0)
		SKIP("a thread's locals are where its C library puts them");
	test_spread(my_locals_are_private, co_harts(), 0);
}
