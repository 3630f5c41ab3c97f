/*
 * test_coroutine.c - coroutines start where they should, run in turn, and hand back results.
 *
 * Topologies: nm6408
 */
#include <time.h>

#include <hal/board.h>

#include "stay.h"

static intptr_t square(void *arg)
{
	intptr_t n = (intptr_t)arg;

	return n * n;
}

TEST(arguments_go_in_and_results_come_out)
{
	/* Its square is almost as large as a word. */
	const intptr_t large = ((intptr_t)1 << (4 * sizeof(intptr_t) - 2)) + 1;

	for (unsigned h = 0; h < co_harts(); h++)
		CHECK_EQ(test_join(test_spawn_on(h, square, (void *)(intptr_t)-7)), 49);
	CHECK_EQ(test_join(test_spawn_on(0, square, (void *)large)), large * large);
}

static intptr_t exit_deep(void *arg)
{
	intptr_t depth = (intptr_t)arg;

	if (depth == 0)
		co_exit(-12345);
	return depth < 0 ? 0 : exit_deep((void *)(depth - 1)) + 1;
}

static struct co_a32 started;

static intptr_t start(void *arg)
{
	co_atomic_store(&started, 1, CO_RELEASE);
	return (intptr_t)arg;
}

/* Waits for the event, or a cancel, then pauses until another coroutine of its hart has started. */
static intptr_t wait_then_pause(void *event)
{
	int r = co_event_wait(event);
	uint64_t deadline = LONG_ENOUGH;

	CHECK(r == 0 || r == -ECANCELED);
	while (!co_atomic_load(&started, CO_ACQUIRE) && co_now() < deadline)
		co_pause();
	return (intptr_t)co_atomic_load(&started, CO_ACQUIRE);
}

TEST(a_start_and_a_wake_may_come_together)
{
	unsigned hart = co_harts() - 1;
	/* A sanitizer's library takes 20 ms to start a coroutine. */
	unsigned rounds = hal_board.is_process ? 100 : 1000;

	for (unsigned i = 0; i < rounds; i++) {
		struct co_event event = { 0 };
		struct co *waits, *c;

		co_atomic_store(&started, 0, CO_RELEASE);
		waits = test_spawn_on(hart, wait_then_pause, &event);
		test_sleep_us(i % 20 * 10); /* mostly it sleeps by now */
		if (i % 2)
			co_cancel(waits);
		c = test_spawn_on(hart, start, NULL);
		if (i % 2 == 0)
			co_event_set(&event);
		CHECK_EQ(test_join(waits), 1);
		test_join(c);
	}
}

TEST(exit_ends_it_from_any_depth)
{
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, exit_deep, (void *)5)), -12345);
}

static intptr_t stay_here(void *arg)
{
	stay(arg);
	return co_hart();
}

TEST(the_scheduler_uses_all_compute_harts)
{
	static struct co *worker[512];
	static unsigned on[512];
	const unsigned n = test_computes();

	hold();
	memset(on, 0, sizeof(on));
	for (unsigned i = 0; i < n; i++)
		worker[i] = test_spawn(NULL, stay_here, NULL);
	test_await(&staying, n);
	let_go();
	for (unsigned i = 0; i < n; i++)
		on[test_join(worker[i])]++;
	for (unsigned i = 0; i < n; i++)
		CHECK_EQ(on[test_compute(i)], 1);
}

static intptr_t spawns_another(void *arg)
{
	unsigned next = (co_hart() + 1) % co_harts();

	if (!arg)
		return 1;
	return 1 + test_join(test_spawn_on(next, spawns_another, (void *)((intptr_t)arg - 1)));
}

TEST(a_coroutine_can_spawn_and_join_on_other_harts)
{
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, spawns_another, (void *)20)), 21);
}

static intptr_t name_matches(void *arg)
{
	CHECK_STR(co_name(co_self()), arg);
	CHECK_EQ(co_home(co_self()), co_hart());
	return co_hart();
}

TEST(names_and_homes_are_kept)
{
	struct co_attr attr = { .name = "carla", .on = CO_ON_HART(co_harts() - 1) };
	struct co *c, *unnamed;

	hold();
	c = test_spawn(&attr, stay_here, NULL);
	unnamed = test_spawn(NULL, stay_here, NULL);
	CHECK_STR(co_name(c), "carla");
	CHECK(co_name(unnamed) != NULL); /* for people */
	CHECK_EQ(co_home(c), co_harts() - 1);
	let_go();
	CHECK_EQ(test_join(c), co_harts() - 1);
	test_join(unnamed);
	c = test_spawn(&attr, name_matches, (void *)(uintptr_t) "carla");
	CHECK_EQ(test_join(c), co_harts() - 1);
	CHECK_STR(co_name(co_self()), "names_and_homes_are_kept");
	CHECK(co_control_bytes() > 0);
}

TEST(join_has_a_deadline_and_the_handle_stays)
{
	struct co *c;
	intptr_t result = 77;

	hold();
	c = test_spawn(NULL, stay_here, NULL);
	CHECK_EQ(co_join_until(c, &result, co_after_us(1000)), -ETIMEDOUT);
	CHECK_EQ(co_join_until(c, &result, 0), -ETIMEDOUT);
	CHECK_EQ(result, 77);
	let_go();
	CHECK_EQ(co_join_until(c, &result, co_after_us(5000000)), 0);
	CHECK(co_hart_role((unsigned)result) & CO_ROLE_COMPUTE);
}

/* Two that take turns; the starter spawns both before either runs, as they share its hart. */
static char turns[64];
static unsigned turn;

static intptr_t take_turns(void *arg)
{
	for (int i = 0; i < 20; i++) {
		turns[turn++] = (char)(intptr_t)arg;
		co_pause();
	}
	return 0;
}

static intptr_t start_two(void *arg)
{
	struct co *a = test_spawn_on(co_hart(), take_turns, (void *)'a');
	struct co *b = test_spawn_on(co_hart(), take_turns, (void *)'b');

	test_join(a);
	test_join(b);
	return 0;
}

TEST(pause_is_fair)
{
	for (unsigned h = 0; h < co_harts(); h += co_harts() / 2 + 1) {
		turn = 0;
		memset(turns, 0, sizeof(turns));
		test_join(test_spawn_on(h, start_two, NULL));
		CHECK_STR(turns, "abababababababababababababababababababab");
	}
}

/* Sleepers of one hart, whose deadlines were fixed before any of them ran. */
enum { SLEEPERS = 20 };

static uint64_t first_deadline, wake_at[SLEEPERS];
static unsigned order[SLEEPERS], woken;
static bool late;

static intptr_t sleep_and_sign(void *arg)
{
	unsigned me = (unsigned)(intptr_t)arg;

	if (co_now() >= first_deadline) /* a busy machine: it passed before we slept */
		late = true;
	CHECK_EQ(co_sleep_until(wake_at[me]), 0);
	CHECK(co_now() >= wake_at[me]);
	order[woken++] = me;
	return 0;
}

static intptr_t start_sleepers(void *arg)
{
	struct test_random r = test_random((uintptr_t)arg);
	const uint64_t before = co_now();
	const uint64_t span = co_after_us(100) - before; /* in this order, or it may be negative */
	struct co *c[SLEEPERS];

	woken = 0;
	late = false;
	first_deadline = co_after_us(5000);
	/* Each deadline differs, and no order is like another. */
	for (unsigned i = 0; i < SLEEPERS; i++)
		wake_at[i] = first_deadline + (test_below(&r, 50) * SLEEPERS + i) * span / SLEEPERS;
	for (intptr_t i = 0; i < SLEEPERS; i++)
		c[i] = test_spawn_on(co_hart(), sleep_and_sign, (void *)i);
	for (unsigned i = 0; i < SLEEPERS; i++)
		test_join(c[i]);
	return 0;
}

TEST(sleepers_wake_in_the_order_of_their_deadlines)
{
	unsigned punctual = 0;

	for (intptr_t tries = 0; tries < 20 && punctual < 5; tries++) {
		test_join(test_spawn_on(co_harts() - 1, start_sleepers, (void *)tries));
		if (late)
			continue;
		punctual++;
		for (unsigned i = 1; i < SLEEPERS; i++)
			CHECK(wake_at[order[i - 1]] <= wake_at[order[i]]);
	}
	if (!punctual)
		SKIP("the machine is too busy to be punctual");
}

static intptr_t stays_at_home(void *arg)
{
	unsigned home = co_hart();

	for (int i = 0; i < 10; i++) {
		co_pause();
		CHECK_EQ(co_hart(), home);
		CHECK_EQ(co_sleep_us(10), 0);
		CHECK_EQ(co_hart(), home);
	}
	return 0;
}

TEST(a_coroutine_never_moves)
{
	test_spread(stays_at_home, co_harts(), 0);
}

static struct co_counter detached_left;

static intptr_t count_down(void *arg)
{
	co_counter_done(&detached_left);
	return 0;
}

TEST(detached_ones_clean_up_after_themselves)
{
	enum { MANY = 300 }; /* far more than a hart has room for at a time */
	const struct co_attr attr = { .on = CO_ON_HART(co_harts() - 1) };

	co_counter_add(&detached_left, MANY);
	for (unsigned i = 0; i < MANY; i++) {
		struct co *c = NULL;
		int r;

		/* Every other one is started detached. */
		while ((r = co_spawn(i % 2 ? &c : NULL, &attr, count_down, NULL)) == -ENOBUFS)
			test_sleep_us(100);
		REQUIRE_EQ(r, 0);
		if (c)
			co_detach(c);
	}
	CHECK_EQ(co_counter_wait_until(&detached_left, co_after_us(40000000)), 0);
}

static intptr_t first_errno(void *arg)
{
	int before = errno;

	errno = (int)(intptr_t)arg;
	return before;
}

TEST(errno_starts_at_zero)
{
	for (intptr_t i = 1; i < 20; i++)
		CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, first_errno, (void *)i)), 0);
}

static intptr_t keeps_errno(void *arg)
{
	for (int i = 0; i < 50; i++) {
		errno = (int)(intptr_t)arg;
		if (i % 3 == 0)
			co_pause();
		else if (i % 3 == 1)
			CHECK_EQ(time(NULL) > 0, true);
		else
			test_sleep_us(10);
		CHECK_EQ(errno, (intptr_t)arg);
	}
	return 0;
}

TEST(errno_is_each_coroutines_own)
{
	test_spread(keeps_errno, 2 * co_harts() + 1, 0);
}
