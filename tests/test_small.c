/*
 * test_small.c - coroutines beyond those of the windows, on small stacks: what fits there, how many
 * there may be, and that their blocks, stacks and deadlines are used again.
 */
#include <stdlib.h>
#include <string.h>

#include "../runtime/core/memory/slab.h"
#include "loss.h"
#include "stay.h"
#include "use.h"

#define UNCHECKED (!strcmp(co_board(), "host"))

static intptr_t size_here(void *arg)
{
	int local = 0;

	CHECK_EQ(co_spm_hart(&local), -1);
	return (intptr_t)(co_stack_bytes() + (uintptr_t)arg);
}

static const struct {
	enum co_stack class;
	unsigned kib;
} sizes[] = { { CO_STACK_1K, 1 }, { CO_STACK_2K, 2 }, { CO_STACK_4K, 4 }, { CO_STACK_8K, 8 } };
#define SIZES (sizeof(sizes) / sizeof(*sizes))

TEST(small_classes_have_their_size)
{
	for (unsigned i = 0; i < SIZES; i++) {
		const struct co_attr attr = { .on = CO_ON_HART(co_harts() - 1),
					      .stack = sizes[i].class };
		struct co *c;

		REQUIRE_EQ(co_spawn(&c, &attr, size_here, NULL), 0);
		CHECK_EQ(test_join(c), sizes[i].kib * 1024 * HAL_STACK_SCALE);
	}
}

/* ---- What fits in the smallest ---- */

static struct co_mutex mutex;
CO_CHANNEL(pipe_there, uintptr_t, 1);
CO_CHANNEL(pipe_back, uintptr_t, 1);

static intptr_t echo(void *arg)
{
	uintptr_t x = 0;

	CHECK_EQ(co_chan_recv(&pipe_there, &x), 0);
	CHECK_EQ(co_chan_send(&pipe_back, &x), 0);
	return (intptr_t)x;
}

static intptr_t with_channels(void *arg)
{
	uintptr_t x = 5;

	CHECK_EQ(co_chan_send(&pipe_there, &x), 0);
	CHECK_EQ(co_chan_recv_until(&pipe_back, &x, LONG_ENOUGH), 0);
	return (intptr_t)x;
}

static intptr_t with_mutex(void *arg)
{
	CHECK_EQ(co_mutex_lock(&mutex), 0);
	co_pause();
	test_sleep_us(10);
	co_mutex_unlock(&mutex);
	return 5;
}

static intptr_t with_children(void *arg)
{
	const struct co_attr attr = { .stack = CO_STACK_1K };
	struct co_batch batch = { 0 };
	intptr_t result[2];
	struct co *c;

	for (unsigned i = 0; i < 2; i++)
		CHECK_EQ(co_batch_spawn(&batch, &attr, with_mutex, NULL, &result[i]), 0);
	CHECK_EQ(co_batch_join(&batch), 0);
	CHECK_EQ(co_spawn(&c, &attr, with_mutex, NULL), 0);
	return co_join(c, &result[1]) ? -1 : (result[0] + result[1]) / 2;
}

static intptr_t with_heaps(void *arg)
{
	void *p = malloc(100);
	void *q = co_spm_alloc(100, 8);

	free(p);
	co_spm_free(q);
	return p && q ? 5 : -1;
}

BODY(with_output, printf("# %s\n", "a line from a small stack") > 0 ? 5 : -1)

/* The last two are served by hart 0 on another stack, and do not fit where it calls them itself. */
static co_fn *const uses[] = { with_mutex, with_channels, with_children, with_heaps, with_output };

static struct {
	co_fn *fn;
	uintptr_t used;
} now;

static intptr_t use(void *arg)
{
	intptr_t r = now.fn(arg);

	now.used = co_stack_high_water();
	return r;
}

static intptr_t sleep_through_looks(void *arg)
{
	test_sleep_us(300000);
	return (intptr_t)co_stack_high_water();
}

/* The first, since a slot's depth is that of all its users. */
TEST(a_look_of_hart_0_at_others_fits_where_a_small_stack_waits)
{
	const struct co_attr attr = { .on = CO_ON_HART(0), .stack = CO_STACK_1K };
	struct co *c;
	intptr_t used;

	REQUIRE_EQ(co_spawn(&c, &attr, sleep_through_looks, NULL), 0);
	used = test_join(c);
	printf("# %d bytes of %u\n", (int)used, 1024 * HAL_STACK_SCALE);
	/* As a spawn and join of children (docs/limits.md). */
	CHECK(used <= 620 * HAL_STACK_SCALE);
}

TEST(the_smallest_has_room_for_the_runtime)
{
	unsigned hart = co_harts() - 1;
	const struct co_attr attr = { .on = CO_ON_HART(hart), .stack = CO_STACK_1K };
	struct co *partner = test_spawn_on(0, echo, NULL), *c;

	for (unsigned i = 0; i < sizeof(uses) / sizeof(*uses) - (hart ? 0 : 2); i++) {
		now.fn = uses[i];
		REQUIRE_EQ(co_spawn(&c, &attr, use, NULL), 0);
		CHECK_EQ(test_join(c), 5);
	}
	printf("# %u bytes of %u\n", (unsigned)now.used, 1024 * HAL_STACK_SCALE);
	CHECK_EQ(test_join(partner), 5);
}

/* ---- As many as there may be ---- */

static struct co_batch batch;

/* ThreadSanitizer ends the run where there are many. */
static void need_many(void)
{
#ifdef __SANITIZE_THREAD__
	SKIP("the sanitizer has too few fibers");
#endif
}

/* Spawn until no more start, `most` at most; wait until all have begun. Returns how many. */
static unsigned fill(unsigned hart, enum co_stack class, unsigned most)
{
	const struct co_attr attr = { .on = CO_ON_HART(hart), .stack = class };
	unsigned n = 0;
	int r = 0;

	hold();
	while (n < most && (r = co_batch_spawn(&batch, &attr, stay, NULL, NULL)) == 0) {
		if (++n % 64 == 0)
			co_pause();
	}
	CHECK_EQ(r, n < most ? -ENOBUFS : 0);
	test_await(&staying, n);
	return n;
}

static void empty(void)
{
	let_go();
	CHECK_EQ(co_batch_join(&batch), 0);
}

/* Blocks of slabs that are of that class, or that are not made yet. */
static unsigned room_for(unsigned hart, enum co_slab_kind kind)
{
	unsigned slabs = co_slabs_most();

	for (unsigned i = 0; i < co_slabs_most(); i++) {
		uintptr_t slab = co_atomic_load(&co_slabs_of(hart)[i], CO_RELAXED);

		slabs -= slab && slab % CO_LINE != kind;
	}
	return slabs * CO_WORD_BITS;
}

TEST(a_hart_has_as_many_as_it_may)
{
	unsigned hart = co_harts() - 1;
	struct use before = use_of(hart);

	need_many();
	for (unsigned i = 0; i < 3; i++) {
		CHECK_EQ(fill(hart, CO_STACK_1K, -1u), room_for(hart, CO_SLAB_1K));
		CHECK(co_slabs_full(hart));
		empty();
	}
	check_use(hart, &before);
}

/* Slabs are a hart's for good: those of one class are no others'. */
TEST(the_other_classes_get_what_is_left)
{
	unsigned hart = co_harts() > 2 ? co_harts() - 2 : 0, n;

	need_many();
	if (!hart)
		SKIP("each hart's slabs are made but once");
	n = fill(hart, CO_STACK_2K, co_machine.per_hart / 2);
	CHECK_EQ(n, co_machine.per_hart / 2);
	empty();
	n = room_for(hart, CO_SLAB_1K);
	CHECK_EQ(fill(hart, CO_STACK_1K, -1u), n);
	empty();
	CHECK(n < co_machine.per_hart / 2);
	CHECK_EQ(fill(hart, CO_STACK_2K, -1u), room_for(hart, CO_SLAB_2K));
	empty();
}

/* ---- Deadlines ---- */

#define MANY 300

static uint64_t due[MANY];
static _Thread_local uint64_t last_due;

static intptr_t wake_in_turn(void *arg)
{
	uint64_t mine;

	co_atomic_add(&staying, 1, CO_RELEASE);      /* paired with test_await() */
	while (!co_atomic_load(&may_go, CO_ACQUIRE)) /* paired with the case's release */
		co_pause();
	mine = *(const uint64_t *)arg;
	CHECK_EQ(co_sleep_until(mine), 0);
	CHECK(co_now() >= mine);
	CHECK(mine >= last_due);
	last_due = mine;
	return 0;
}

TEST(deadlines_of_many_come_in_turn)
{
	const struct co_attr attr = { .on = CO_ON_HART(co_harts() - 1), .stack = CO_STACK_1K };
	struct test_random r = test_random(1);

	hold();
	for (unsigned i = 0; i < MANY; i++)
		REQUIRE_EQ(co_batch_spawn(&batch, &attr, wake_in_turn, &due[i], NULL), 0);
	test_await(&staying, MANY);
	for (unsigned i = 0; i < MANY; i++)
		due[i] = co_after_us(500000 + test_below(&r, 100000));
	let_go();
	CHECK_EQ(co_batch_join(&batch), 0);
}

/* ---- From hart to hart ---- */

static intptr_t come_back(void *arg)
{
	co_pause();
	return (intptr_t)arg;
}

static intptr_t spawn_everywhere(void *arg)
{
	struct test_random r = test_random((uintptr_t)arg);

	for (intptr_t i = 0; i < 60; i++) {
		struct co_attr attr = { .on = CO_ON_HART(test_below(&r, co_harts())),
					.stack = sizes[test_below(&r, SIZES)].class };
		struct co *c;
		int error;

		while ((error = co_spawn(&c, &attr, come_back, (void *)i)) == -ENOBUFS)
			co_pause();
		REQUIRE_EQ(error, 0);
		if (i % 3)
			CHECK_EQ(test_join(c), i);
		else
			co_detach(c);
	}
	return 0;
}

TEST(any_hart_takes_and_frees_them)
{
	test_spread(spawn_everywhere, 24, 0);
}

/* ---- Faults ---- */

static struct co_a32 given_back;

static void give_back(struct co_cleanup *t, struct co *c, enum co_cleanup_why why)
{
	CHECK(t && c == co_self() && why == CO_CLEANUP_FAULT);
	co_atomic_add(&given_back, 1, CO_RELEASE);
}

static intptr_t hold_and_fault(void *arg)
{
	struct co_cleanup cleanup;

	co_cleanup_add(&cleanup, give_back);
	fault_here();
}

/* It cleans up on a larger stack, for its own has no room. */
TEST_FAULTY(a_fault_on_a_small_stack_ends_its_coroutine)
{
	unsigned hart = co_harts() - 1;
	struct use before = use_of(hart);

	co_atomic_store(&given_back, 0, CO_RELAXED);
	for (unsigned i = 0; i < SIZES; i++) {
		const struct co_attr attr = { .on = CO_ON_HART(hart), .stack = sizes[i].class };
		struct co *c;

		REQUIRE_EQ(co_spawn(&c, &attr, hold_and_fault, NULL), 0);
		CHECK_EQ(co_join(c, NULL), -EFAULT);
		CHECK_EQ(co_atomic_load(&given_back, CO_ACQUIRE), i + 1);
	}
	check_use(hart, &before);
}

static __attribute__((noinline)) unsigned descend(unsigned n)
{
	volatile unsigned char frame[200];

	frame[0] = (unsigned char)n;
	return n ? descend(n - 1) + frame[0] : 0;
}

BODY(go_deep, descend((unsigned)(uintptr_t)arg))

TEST_FAULTY(stacks_of_a_page_and_more_have_a_guard_page)
{
	if (UNCHECKED)
		SKIP("a PC has no guard pages");
	for (unsigned i = 0; i < SIZES; i++) {
		const struct co_attr attr = { .on = CO_ON_HART(co_harts() - 1),
					      .stack = sizes[i].class };
		struct co *c;

		if (sizes[i].kib < 4)
			continue;
		REQUIRE_EQ(co_spawn(&c, &attr, go_deep, (void *)1000), 0);
		CHECK_EQ(co_join(c, NULL), -EFAULT);
	}
}

/*
 * 4 KiB are wanted: the larger ones do, when those are used up. Where memory is large, all blocks
 * of hart 0 have such stacks from here on.
 */
TEST(a_larger_stack_does_for_a_smaller_one)
{
	unsigned first = 0, there = co_stacks_free(CO_STACK_4K) + co_stacks_free(CO_STACK_8K) +
				    co_stacks_free(CO_STACK_MAIN);

	need_many();
	for (unsigned i = 0; i < 2; i++) {
		unsigned n = fill(0, CO_STACK_4K, -1u);

		CHECK(n > co_stacks(CO_STACK_4K) || n >= CO_PER_HART / 2);
		CHECK(n <= there);
		CHECK(!i || n == first);
		first = n;
		empty();
		CHECK_EQ(co_stacks_free(CO_STACK_4K), co_stacks(CO_STACK_4K));
		CHECK_EQ(co_stacks_free(CO_STACK_8K), co_stacks(CO_STACK_8K));
	}
}

/* ---- With their hart ---- */

TEST_FAULTY(those_of_a_lost_hart_are_lost)
{
	static struct co *c[200];
	unsigned hart = hart_to_lose();
	const struct co_attr attr = { .on = CO_ON_HART(hart), .stack = CO_STACK_1K };
	struct co *more;

	hold();
	for (unsigned i = 0; i < 200; i++)
		REQUIRE_EQ(co_spawn(&c[i], &attr, stay, NULL), 0);
	test_await(&staying, 200);
	fault_there(hart);
	CHECK(comes_to_be_gone(hart));
	for (unsigned i = 0; i < 200; i++)
		CHECK_EQ(co_join(c[i], NULL), -EHOSTDOWN);
	CHECK_EQ(co_spawn(&more, &attr, stay, NULL), -EHOSTDOWN);
}
