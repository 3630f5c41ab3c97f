/* test_stack.c - stack classes, what a switch keeps, and what happens when all are in use. */
#include "stay.h"
#include "use.h"

static void wait_in_a_handler(struct co_msg *m)
{
	while (!co_atomic_load(&may_go, CO_ACQUIRE))
		hal_cpu_relax();
}

static intptr_t list_stacks(void *arg)
{
	co_atomic_store(&staying, 1, CO_RELEASE);
	co_watch_stacks();
	return (intptr_t)arg;
}

static intptr_t stay_longer(void *arg)
{
	while (co_atomic_load(&may_go, CO_ACQUIRE) < 2)
		test_sleep_us(500);
	return 1;
}

/* The first case: nobody has had its stack before it. It is asked for before it begins. */
TEST(who_has_not_begun_has_used_nothing_that_is_known)
{
	static struct co_msg holds = { .run = wait_in_a_handler };
	unsigned hart = co_harts() - 1;
	struct co *lists, *c;

	if (!hart)
		SKIP("a hart that is alone begins at once");
	hold();
	co_post(hart, &holds);
	lists = test_spawn_on(0, list_stacks, NULL);
	test_await(&staying, 1);
	test_sleep_us(1000);
	c = test_spawn_on(hart, stay_longer, NULL);
	co_atomic_store(&co_seen_of(c)->depth, 77, CO_RELAXED);
	co_atomic_store(&may_go, 1, CO_RELEASE);
	CHECK_EQ(test_join(lists), 0); /* which does not wait for long */
	for (unsigned i = 0; i < 10000 && co_atomic_load(&co_seen_of(c)->depth, CO_RELAXED) == 77;
	     i++)
		test_sleep_us(1000);
	co_atomic_store(&may_go, 2, CO_RELEASE);
	CHECK_EQ(co_atomic_load(&co_seen_of(c)->depth, CO_RELAXED), 0);
	CHECK_EQ(test_join(c), 1);
}

/* Also early: few blocks have been taken. */
TEST(reports_find_the_blocks_that_have_been_taken)
{
	enum { TAKEN = CO_PER_HART / 2 };
	const unsigned hart = co_harts() - 1;
	const struct co_attr attr = { .on = CO_ON_HART(hart) };
	const struct co *last = &co_area_at(hart)->co[CO_PER_HART - 1];
	/* relaxed: what is read of the block is its bit. */
	uintptr_t made = co_atomic_load(&co_hart_at(hart)->made[(CO_PER_HART - 1) / CO_WORD_BITS],
					CO_RELAXED);
	struct co *c[TAKEN];
	unsigned found = 0;

	if (!(made >> (CO_PER_HART - 1) % CO_WORD_BITS & 1)) /* no other case has had so many */
		CHECK(co_block_at((uintptr_t)last) == NULL);
	hold();
	for (unsigned i = 0; i < TAKEN; i++)
		c[i] = test_spawn(&attr, stay, NULL);
	for (const struct co *b = NULL; (b = co_block_next(hart, b));) {
		CHECK_EQ(b->hart, hart);
		CHECK(co_block_at((uintptr_t)b) == b);
		for (unsigned i = 0; i < TAKEN; i++)
			found += b == c[i];
	}
	CHECK_EQ(found, TAKEN);
	let_go();
	test_join_all(c, TAKEN, 0);
}

static intptr_t describe(void *arg)
{
	enum co_stack class = (enum co_stack)(intptr_t)arg;
	int local = 0;

	if (class == CO_STACK_SPM)
		CHECK_EQ(co_spm_hart(&local), co_hart());
	else if (class != CO_STACK_ANY)
		CHECK_EQ(co_spm_hart(&local), -1);
	return (intptr_t)co_stack_bytes();
}

static intptr_t size_of_class(enum co_stack class, unsigned hart)
{
	const struct co_attr attr = { .on = CO_ON_HART(hart), .stack = class };
	struct co *c = test_spawn(&attr, describe, (void *)(intptr_t) class);

	return test_join(c);
}

TEST(classes_lie_where_they_say)
{
	for (unsigned h = 0; h < co_harts(); h += co_harts() / 2 + 1) {
		CHECK(!co_spm_stacks() || size_of_class(CO_STACK_SPM, h) >= 4096);
		CHECK(size_of_class(CO_STACK_ANY, h) >= 4096);
		CHECK(size_of_class(CO_STACK_MAIN, h) >= (intptr_t)CO_STACK_MAIN_BYTES);
		CHECK(size_of_class(CO_STACK_BIG, h) >= (intptr_t)CO_STACK_BIG_BYTES);
	}
}

static __attribute__((noinline)) void use(size_t bytes)
{
	unsigned char block[1024];

	memset(block, 0x77, sizeof(block));
	__asm__ volatile("" : : "r"(block) : "memory"); /* it is written, whatever comes of it */
	if (bytes > sizeof(block))
		use(bytes - sizeof(block));
	__asm__ volatile("" : : "r"(block) : "memory"); /* and no tail call */
}

static intptr_t use_most(void *arg)
{
	size_t bytes = co_stack_bytes(), before = co_stack_high_water();

	CHECK(before <= bytes);
	use(bytes / 2);
	CHECK(co_stack_high_water() >= bytes / 2);
	CHECK(co_stack_high_water() >= before);
	CHECK(co_stack_high_water() <= bytes);
	return 0;
}

TEST(high_water_tells_how_deep_it_was)
{
	const enum co_stack class[] = { CO_STACK_MAIN, CO_STACK_BIG, CO_STACK_SPM };

	for (unsigned i = 0; i < (co_spm_stacks() ? 3 : 2); i++) {
		const struct co_attr attr = { .on = CO_ON_HART(co_harts() - 1), .stack = class[i] };
		struct co *c = test_spawn(&attr, use_most, NULL);

		CHECK_EQ(test_join(c), 0);
	}
}

static intptr_t use_and_stay(void *arg)
{
	use(co_stack_bytes() / 2);
	return stay(arg);
}

static bool among(uint32_t used, size_t bytes)
{
	return used >= bytes / 2 && used <= bytes;
}

/* Hart 0 prints them; it cannot look into others' scratchpads. */
TEST(the_high_water_of_all_is_known)
{
	const unsigned hart = co_harts() - 1;
	const struct co_attr attr[] = {
		{ .name = "deep", .on = CO_ON_HART(hart) },
		{ .name = "deep in memory", .on = CO_ON_HART(hart), .stack = CO_STACK_MAIN },
	};
	struct co *c[2];

	hold();
	for (unsigned i = 0; i < 2; i++)
		c[i] = test_spawn(&attr[i], use_and_stay, NULL);
	test_await(&staying, 2);
	co_watch_stacks();
	/* Which does not wait for long; that hart may answer later. */
	for (unsigned i = 0;
	     i < 10000 && co_atomic_load(&co_area_at(hart)->depths.under_way, CO_ACQUIRE); i++)
		test_sleep_us(1000);
	for (unsigned i = 0; i < 2; i++) {
		size_t bytes;
		uint32_t used = co_atomic_load(&co_seen_of(c[i])->depth, CO_RELAXED);

		co_stack_of(c[i], &bytes);
		CHECK(among(used, bytes));
	}
	let_go();
	test_join_all(c, 2, 0);
}

/* Fill a hart (or the machine's pool) with coroutines of a class, twice: all must come back. */
static void exhaust(unsigned hart, enum co_stack class, unsigned least)
{
	enum { MOST = 16384 };
	static struct co *c[MOST];
	const struct co_attr attr = { .on = CO_ON_HART(hart), .stack = class };
	unsigned first = 0;

	for (int round = 0; round < 2; round++) {
		unsigned n = 0;
		int r = 0;

		hold();
		while (n < MOST && (r = co_spawn(&c[n], &attr, stay, NULL)) == 0)
			n++;
		CHECK_EQ(r, -ENOBUFS);
		CHECK(n >= least);
		/* Those that have started are well. */
		test_await(&staying, n);
		let_go();
		test_join_all(c, n, 0);
		if (round == 0)
			first = n;
		else
			CHECK_EQ(n, first);
	}
}

TEST(a_full_hart_refuses_and_recovers)
{
#ifndef __SANITIZE_THREAD__ /* which has too few fibers */
	exhaust(co_harts() - 1, CO_STACK_ANY, 32);
	exhaust(0, CO_STACK_ANY, 32);
	exhaust(co_harts() - 1, CO_STACK_MAIN, 32);
#endif
	exhaust(co_harts() - 1, CO_STACK_BIG, 2);
}

TEST(scratchpad_stacks_run_out_and_come_back)
{
	static const struct co_attr attr = { .stack = CO_STACK_SPM };
	struct co *c;

	if (co_spm_stacks())
		exhaust(co_harts() - 1, CO_STACK_SPM, co_spm_stacks());
	else
		CHECK_EQ(co_spawn(&c, &attr, stay, NULL), -EINVAL);
}

/* Free blocks of slabs that have no stacks. */
static unsigned bare_blocks(unsigned hart)
{
	unsigned n = 0;

	for (unsigned i = 0; i < co_slabs_most(); i++) {
		if (co_atomic_load(&co_slabs_of(hart)[i], CO_RELAXED) % CO_LINE == CO_SLAB_BARE)
			n += ones(&co_slabs_free(hart)[i], 1);
	}
	return n;
}

/* A stack in main memory takes a block that has one of its own if there is no other, and no sooner.
 */
TEST(blocks_with_stacks_go_last_to_others)
{
	const unsigned hart = co_harts() - 1;
	struct co_attr attr = { .on = CO_ON_HART(hart), .stack = CO_STACK_MAIN };
	static struct co *c[CO_PER_HART_USUAL];
	unsigned n = 0;
	struct co *more;

#ifdef __SANITIZE_THREAD__
	SKIP("the sanitizer has too few fibers");
#endif
	if (!hart)
		SKIP("hart 0 has others besides");
	if (!co_spm_stacks() || co_stacks_free(CO_STACK_MAIN) < CO_PER_HART)
		SKIP("there are no scratchpad stacks, or too few in main memory");
	hold();
	for (; n < CO_PER_HART || bare_blocks(hart); n++) {
		attr.stack = co_stacks_free(CO_STACK_MAIN) ? CO_STACK_MAIN : CO_STACK_4K;
		c[n] = test_spawn(&attr, stay, NULL);
	}
	attr.stack = CO_STACK_1K; /* those that have a stack of their own */
	while (n < CO_PER_HART_USUAL - co_spm_stacks() && co_spawn(&c[n], &attr, stay, NULL) == 0) {
		if (++n % 64 == 0)
			co_pause();
	}
	attr.stack = CO_STACK_SPM;
	c[n++] = test_spawn(&attr, stay, NULL);
	attr.stack = CO_STACK_4K;
	for (unsigned i = 1; i < co_spm_stacks(); i++)
		c[n++] = test_spawn(&attr, stay, NULL);
	CHECK_EQ(co_spawn(&more, &attr, stay, NULL), -ENOBUFS);
	attr.stack = CO_STACK_SPM;
	CHECK_EQ(co_spawn(&more, &attr, stay, NULL), -ENOBUFS);
	test_await(&staying, n);
	let_go();
	test_join_all(c, n, 0);
	more = test_spawn(&attr, stay, NULL);
	CHECK_EQ(test_join(more), 0);
}

/* Main-memory slots go from hart to hart: one given back too early is overwritten by the next. */
static intptr_t scribble(void *arg)
{
	use(2048 + (size_t)(uintptr_t)arg % 8192);
	return (intptr_t)arg;
}

static intptr_t spawn_scribblers(void *arg)
{
	struct test_random r = test_random((uintptr_t)arg);

	for (intptr_t i = 0; i < 40; i++) {
		struct co_attr attr = { .stack = CO_STACK_MAIN };
		struct co *c[2];

		for (unsigned k = 0; k < 2; k++) {
			int result;

			attr.on = CO_ON_HART(test_below(&r, co_harts()));
			while ((result = co_spawn(&c[k], &attr, scribble, (void *)i)) == -ENOBUFS)
				co_pause();
			REQUIRE_EQ(result, 0);
		}
		CHECK_EQ(test_join(c[0]), i);
		CHECK_EQ(test_join(c[1]), i);
	}
	return 0;
}

TEST(stacks_change_hands)
{
	test_spread(spawn_scribblers, 40, 0);
}

static _Thread_local unsigned per_hart = 4711;
static _Thread_local unsigned zero_per_hart;

/* Twice on each hart. */
static intptr_t visit(void *arg)
{
	CHECK_EQ(per_hart, arg ? co_hart() : 4711);
	CHECK_EQ(zero_per_hart, arg ? ~co_hart() : 0);
	per_hart = co_hart();
	zero_per_hart = ~co_hart();
	return 0;
}

TEST(thread_locals_are_a_harts_own)
{
	for (uintptr_t again = 0; again < 2; again++)
		for (unsigned h = 0; h < co_harts(); h++)
			test_join(test_spawn_on(h, visit, (void *)again));
}

/* ---- What is too large for a stack, at once ---- */

#pragma GCC diagnostic ignored "-Walloca"

static intptr_t steps_far(void *arg)
{
	volatile unsigned char *p = __builtin_alloca((uintptr_t)arg);

	for (unsigned i = 0; i < 1500; i++)
		p[i] = 0x42;
	return p[7];
}

static intptr_t sits_above(void *arg)
{
	unsigned char mine[1500];
	unsigned changed = 0;

	memset(mine, 7, sizeof(mine));
	__asm__ volatile("" : : "r"(mine) : "memory");
	if (!test_await(arg, 1))
		return -1;
	for (unsigned i = 0; i < sizeof(mine); i++)
		changed += mine[i] != 7;
	return (intptr_t)changed;
}

/* It ends at the guard page under its stack, however far beyond that it wants to begin. */
TEST_FAULTY(a_frame_of_any_size_meets_the_guard_page)
{
	static struct co_a32 done;
	struct co *above, *c;
	size_t bytes = CO_STACK_SPM_BYTES + CO_GUARD_BYTES + 500;

#if defined(__clang__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	SKIP("not with this compiler, or under a sanitizer");
#endif
	if (!co_spm_stacks())
		bytes += CO_STACK_MAIN_BYTES * HAL_STACK_SCALE - CO_STACK_SPM_BYTES;
	co_atomic_store(&done, 0, CO_RELAXED);
	above = test_sleeper(co_harts() - 1, sits_above, &done);
	c = test_spawn_on(co_harts() - 1, steps_far, (void *)bytes);
	CHECK_EQ(co_join(c, NULL), -EFAULT);
	co_atomic_store(&done, 1, CO_RELEASE);
	CHECK_EQ(test_join(above), 0);
}
