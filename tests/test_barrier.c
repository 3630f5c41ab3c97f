/* test_barrier.c - barriers of any members, in every form. */
#include "harness/test.h"

static const enum co_barrier_form forms[] = { CO_BARRIER_CENTRAL, CO_BARRIER_TREE };
#define FORMS (sizeof(forms) / sizeof(*forms))

enum { MOST = 80, EPISODES = 20 };

/* Members that come again and again, and look whether anybody was let through too early. */
static struct {
	struct co_barrier *b;
	unsigned episodes;
	struct co_a32 came; /* by all, in all episodes */
	/*
	 * Plain: the barrier hands them over. One for each other episode, since a neighbour may be
	 * one ahead, in which it writes already.
	 */
	uint32_t written[2][MOST];
} run;

static intptr_t come_again_and_again(void *arg)
{
	const unsigned member = (unsigned)(uintptr_t)arg;
	const unsigned n = run.b->members;

	for (uint32_t e = 1; e <= run.episodes; e++) {
		run.written[e % 2][member] = e;
		co_atomic_add(&run.came, 1, CO_RELAXED); /* the barrier orders it */
		/* With and without a deadline: the ways to wait differ. */
		REQUIRE_EQ(e % 3 ? co_barrier_wait(run.b, member)
				 : co_barrier_wait_until(run.b, member, LONG_ENOUGH),
			   0);
		CHECK(co_atomic_load(&run.came, CO_RELAXED) >= e * n);
		CHECK_EQ(run.written[e % 2][(member + 1) % n], e);
	}
	return 0;
}

/* All members at once, on hart(i) each; joined. */
static void all_come(struct co_barrier *b, unsigned episodes, unsigned (*hart)(unsigned))
{
	static struct co *c[MOST];

	run.b = b;
	run.episodes = episodes;
	co_atomic_store(&run.came, 0, CO_RELAXED); /* spawning publishes it, and the rest */
	for (unsigned i = 0; i < b->members; i++)
		c[i] = test_spawn_on(hart(i), come_again_and_again, (void *)(uintptr_t)i);
	for (unsigned i = 0; i < b->members; i++)
		test_join(c[i]);
	CHECK_EQ(co_atomic_load(&run.came, CO_RELAXED), b->members * episodes);
}

static unsigned spread(unsigned i)
{
	return i % co_harts();
}

static unsigned last(unsigned i)
{
	return co_harts() - 1;
}

static struct co_barrier_member data[MOST];

static struct co_barrier *make(unsigned members, enum co_barrier_form form)
{
	static struct co_barrier b;

	REQUIRE_EQ(co_barrier_init(&b, members, form, data), 0);
	return &b;
}

TEST(one_alone_never_waits)
{
	CO_BARRIER(alone, 1);

	CHECK_EQ(co_barrier_wait(&alone, 0), 0);
	CHECK_EQ(co_barrier_wait_until(&alone, 0, 0), 0);
	for (unsigned f = 0; f < FORMS; f++)
		CHECK_EQ(co_barrier_wait_until(make(1, forms[f]), 0, 0), 0);
}

TEST(nobody_goes_on_before_all_have_come)
{
	CO_BARRIER(few, 3);
	CO_BARRIER(many, 30);

	all_come(&few, EPISODES, spread);
	all_come(&many, EPISODES, spread);
	all_come(&few, EPISODES, spread); /* a second launch goes on where the first one ended */
}

TEST(every_size_works_in_every_form)
{
	for (unsigned n = 1; n <= 40; n += n < 20 ? 1 : 7) {
		for (unsigned f = 0; f < FORMS; f++)
			all_come(make(n, forms[f]), 3, spread);
		all_come(make(n, CO_BARRIER_AUTO), 3, spread);
	}
	for (unsigned f = 0; co_harts() > 1 && f < FORMS; f++)
		all_come(make(MOST, forms[f]), 3, spread); /* three levels in a tree */
}

/* A member that works in rounds, which member 0 begins. */
static intptr_t work_in_rounds(void *arg)
{
	const unsigned member = (unsigned)(uintptr_t)arg;

	REQUIRE_EQ(co_barrier_wait(run.b, member), 0);
	for (uint32_t e = 1; e <= run.episodes; e++) {
		CHECK_EQ(run.written[0][0], e);
		run.written[0][member] = e;
		co_atomic_add(&run.came, 1, CO_RELAXED); /* the barrier orders it */
		REQUIRE_EQ(co_barrier_wait(run.b, member), 0);
	}
	return 0;
}

/* Member 0, on this hart, sees the work of all others, who wait until it releases them. */
static void lead_rounds(unsigned (*hart)(unsigned))
{
	static struct co *c[MOST];
	const unsigned n = run.b->members;

	run.episodes = EPISODES;
	run.written[0][0] = 1;
	co_atomic_store(&run.came, 0, CO_RELAXED); /* spawning publishes it, and the rest */
	for (unsigned i = 1; i < n; i++)
		c[i] = test_spawn_on(hart(i), work_in_rounds, (void *)(uintptr_t)i);
	REQUIRE_EQ(co_barrier_wait(run.b, 0), 0);
	for (uint32_t e = 1; e <= run.episodes; e++) {
		REQUIRE_EQ(co_barrier_gather(run.b), 0);
		for (unsigned i = 1; i < n; i++)
			CHECK_EQ(run.written[0][i], e);
		run.written[0][0] = e + 1;
		co_pause();
		CHECK_EQ(co_atomic_load(&run.came, CO_RELAXED), e * (n - 1));
		co_barrier_release(run.b);
	}
	for (unsigned i = 1; i < n; i++)
		test_join(c[i]);
}

TEST(member_0_gathers_the_others_and_releases_them)
{
	for (unsigned n = 1; n <= 30; n += n < 10 ? 4 : 10) {
		for (unsigned f = 0; f < FORMS; f++) {
			run.b = make(n, forms[f]);
			lead_rounds(spread);
			run.b = make(n, forms[f]);
			lead_rounds(last);
		}
	}
}

TEST(members_can_share_a_hart)
{
	for (unsigned f = 0; f < FORMS; f++)
		all_come(make(9, forms[f]), EPISODES, last);
}

TEST(numbers_are_given_out_in_turn)
{
	CO_BARRIER(b, 3);

	for (unsigned i = 0; i < 3; i++)
		CHECK_EQ(co_barrier_enrol(&b), i);
}

BODY(come_once, co_barrier_wait(run.b, (unsigned)(uintptr_t)arg))

static void until_come(struct co_barrier *b, unsigned member)
{
	REQUIRE(AWAIT(co_barrier_missing(b, 0) >= 0 && co_barrier_missing(b, 0) != (int)member));
	test_sleep_us(200); /* and is asleep, most likely */
}

/* Waits for a while, says so, and waits on. */
static intptr_t come_impatiently(void *arg)
{
	const unsigned member = (unsigned)(uintptr_t)arg;

	REQUIRE_EQ(co_barrier_wait_until(run.b, member, co_after_us(500)), -ETIMEDOUT);
	REQUIRE_EQ(co_barrier_wait_until(run.b, member, 0), -ETIMEDOUT);
	co_atomic_add(&run.came, 1, CO_RELEASE); /* paired with test_await() */
	return co_barrier_wait_until(run.b, member, LONG_ENOUGH);
}

static void one_is_late(struct co_barrier *b, unsigned late)
{
	static struct co *c[MOST];
	char text[128], expect[128];

	run.b = b;
	co_atomic_store(&run.came, 0, CO_RELAXED); /* spawning publishes it */
	for (unsigned i = 0; i < b->members; i++)
		if (i != late)
			c[i] = test_spawn_on(spread(i), come_impatiently, (void *)(uintptr_t)i);
	test_await(&run.came, b->members - 1);
	CHECK_EQ(co_barrier_missing(b, 0), late);
	CHECK_EQ(co_barrier_missing(b, late + 1), -1);
	CHECK_EQ(co_barrier_report(b, text, sizeof(text)), 1);
	snprintf(expect, sizeof(expect), "1 of %u has not come: member %u, who never came",
		 (unsigned)b->members, late);
	CHECK_STR(text, expect);
	c[late] = test_spawn_on(spread(late), come_once, (void *)(uintptr_t)late);
	test_join_all(c, b->members, 0);
	CHECK_EQ(co_barrier_missing(b, 0), -1);
	/* And it works on. */
	all_come(b, 3, spread);
}

TEST(one_who_is_late_is_named_and_the_others_can_wait_on)
{
	for (unsigned f = 0; f < FORMS; f++)
		for (unsigned n = 2; n <= 12; n += 5)
			for (unsigned late = 0; late < n; late += n - 1)
				one_is_late(make(n, forms[f]), late);
}

TEST(a_report_names_who_came_before)
{
	CO_BARRIER(b, 3);
	struct co *c[2];
	char text[160], expect[160];

	run.b = &b;
	for (unsigned i = 0; i < 2; i++) {
		const struct co_attr attr = { .name = i ? "second" : "first",
					      .on = CO_ON_HART(co_harts() - 1) };

		c[i] = test_spawn(&attr, come_once, (void *)(uintptr_t)i);
	}
	CHECK_EQ(co_barrier_wait(&b, 2), 0);
	test_join_all(c, 2, 0);
	CHECK_EQ(co_barrier_wait_until(&b, 2, 0), -ETIMEDOUT);
	CHECK_EQ(co_barrier_report(&b, text, sizeof(text)), 2);
	snprintf(
		expect, sizeof(expect),
		"2 of 3 have not come: member 0, 'first' of hart %u, member 1, 'second' of hart %u",
		co_harts() - 1, co_harts() - 1);
	CHECK_STR(text, expect);
	CHECK_EQ(co_barrier_report(&b, text, 10), 2);
	CHECK_STR(text, "2 of 3 ha");
}

TEST(a_cancelled_member_stays_come)
{
	for (unsigned f = 0; f < FORMS; f++) {
		struct co_barrier *b = make(2, forms[f]);
		struct co *c;

		run.b = b;
		c = test_spawn_on(co_harts() - 1, come_once, (void *)1);
		until_come(b, 1);
		test_cancel(c);
		CHECK_EQ(co_barrier_wait_until(b, 0, 0), 0);
		/* Another coroutine goes on as that member. */
		c = test_spawn_on(0, come_once, (void *)1);
		CHECK_EQ(test_join(c), 0);
		all_come(b, 3, spread);
	}
}

/* Each is parked for the next one, but the last, which sleeps for all. */
TEST(any_of_those_on_a_hart_can_be_cancelled)
{
	enum { HERE = 6 };

	for (unsigned victim = 0; victim < HERE; victim++) {
		struct co_barrier *b = make(HERE + 1, CO_BARRIER_TREE);
		struct co *c[HERE];

		run.b = b;
		for (unsigned i = 0; i < HERE; i++)
			c[i] = test_spawn_on(last(i), come_once, (void *)(uintptr_t)i);
		REQUIRE(AWAIT(co_barrier_report(b, (char[1]){ 0 }, 1) == 1));
		test_cancel(c[victim]);
		c[victim] = test_spawn_on(last(victim), come_once, (void *)(uintptr_t)victim);
		CHECK_EQ(co_barrier_wait(b, HERE), 0);
		test_join_all(c, HERE, 0);
		all_come(b, 3, last);
	}
}

/* Member 3 hangs on member 1, which has given up; member 2, on the same hart, is released. */
TEST(who_is_released_is_enough_for_the_others_of_its_hart)
{
	struct co_barrier *b = make(4, CO_BARRIER_TREE);
	struct co *c[4] = { NULL };

	b->shift = 1;
	run.b = b;
	for (unsigned i = 2; i < 4; i++)
		c[i] = test_spawn_on(last(i), come_once, (void *)(uintptr_t)i);
	REQUIRE(AWAIT(co_barrier_report(b, (char[1]){ 0 }, 1) == 2));
	CHECK_EQ(co_barrier_wait_until(b, 1, 0), -ETIMEDOUT);
	CHECK_EQ(co_barrier_wait(b, 0), 0);
	for (unsigned i = 2; i < 4; i++)
		CHECK_EQ(co_join_until(c[i], NULL, LONG_ENOUGH), 0);
	CHECK_EQ(co_barrier_wait(b, 1), 0);
	all_come(b, 3, last);
}

static intptr_t come_and_say_so(void *arg)
{
	int r = co_barrier_wait(run.b, (unsigned)(uintptr_t)arg);

	co_atomic_add(&run.came, 1, CO_RELAXED); /* joins order the rest */
	return r;
}

static intptr_t pause_until_all_have_come(void *arg)
{
	while (co_atomic_load(&run.came, CO_RELAXED) < run.b->members - 1)
		co_pause();
	return 0;
}

TEST(members_go_on_while_their_hart_never_sleeps)
{
	enum { HERE = 5 };
	struct co_barrier *b = make(HERE + 1, CO_BARRIER_CENTRAL);
	struct co *c[HERE + 1];

	run.b = b;
	co_atomic_store(&run.came, 0, CO_RELAXED); /* spawning publishes it */
	for (unsigned i = 0; i < HERE; i++)
		c[i] = test_spawn_on(last(i), come_and_say_so, (void *)(uintptr_t)i);
	c[HERE] = test_spawn_on(last(HERE), pause_until_all_have_come, NULL);
	REQUIRE(AWAIT(co_barrier_report(b, (char[1]){ 0 }, 1) == 1));
	CHECK_EQ(co_barrier_wait(b, HERE), 0);
	test_join_all(c, HERE + 1, 0);
}

/* Two whose waits have deadlines, and end, hand a number to and fro, until a member goes on. */
static struct co_chan *to_and_fro[2];

static intptr_t hand_on(void *arg)
{
	const unsigned self = (unsigned)(uintptr_t)arg;
	uint64_t until = LONG_ENOUGH;
	int n;

	while (!co_atomic_load(&run.came, CO_RELAXED) && co_now() < until) {
		REQUIRE_EQ(co_chan_recv_until(to_and_fro[self], &n, LONG_ENOUGH), 0);
		REQUIRE_EQ(co_chan_send(to_and_fro[!self], &n), 0);
	}
	return co_atomic_load(&run.came, CO_RELAXED) != 0;
}

BODY(come_late, co_barrier_wait(arg, 1))

/* Of two that rest, one's wait is over; each switch is to look at the other one, too. */
TEST(a_member_goes_on_while_others_wait_with_deadlines)
{
	CO_BARRIER(whole, 2);
	CO_BARRIER(late, 2);
	CO_CHANNEL(to, int, 2);
	CO_CHANNEL(fro, int, 2);
	struct co *c[4];

	to_and_fro[0] = &to;
	to_and_fro[1] = &fro;
	co_atomic_store(&run.came, 0, CO_RELAXED); /* spawning publishes it, and the rest */
	run.b = &whole;
	c[0] = test_spawn_on(last(0), come_and_say_so, (void *)1);
	REQUIRE(AWAIT(co_barrier_missing(&whole, 1) < 0));
	c[1] = test_spawn_on(last(1), come_late, &late);
	REQUIRE(AWAIT(co_barrier_missing(&late, 1) < 0));
	for (unsigned i = 0; i < 2; i++)
		c[2 + i] = test_spawn_on(last(i), hand_on, (void *)(uintptr_t)i);
	REQUIRE_EQ(co_chan_send(&to, &(int){ 0 }), 0);
	test_sleep_us(1000);
	CHECK_EQ(co_barrier_wait(&whole, 0), 0);
	for (unsigned i = 0; i < 2; i++)
		CHECK(test_join(c[2 + i]));
	CHECK_EQ(test_join(c[0]), 0);
	CHECK_EQ(co_barrier_wait(&late, 0), 0);
	CHECK_EQ(test_join(c[1]), 0);
}

BODY(take_data, co_spm_alloc(sizeof(struct co_barrier_member), alignof(struct co_barrier_member)))

static intptr_t leave_data(void *arg)
{
	co_spm_free(arg);
	return 0;
}

TEST(members_can_be_in_their_harts_scratchpads)
{
	static struct co_barrier_member *table[11];
	static struct co_barrier b;
	const unsigned n = 11;

	for (unsigned f = 0; f < FORMS; f++) {
		for (unsigned i = 0; i < n; i++) {
			table[i] = (struct co_barrier_member *)test_join(
				test_spawn_on(spread(i), take_data, NULL));
			REQUIRE_EQ(co_spm_hart(table[i]), spread(i));
		}
		REQUIRE_EQ(co_barrier_init_at(&b, n, forms[f], table), 0);
		all_come(&b, EPISODES, spread);
		for (unsigned i = 0; i < n; i++)
			test_join(test_spawn_on(spread(i), leave_data, table[i]));
	}
}

/* ---- Two as one member ---- */

#define ROUNDS 6

static struct co_a32 ready, go;

static intptr_t comes_as_one(void *arg)
{
	co_atomic_add(&ready, 1, CO_RELEASE);
	while (!co_atomic_load(&go, CO_ACQUIRE)) /* all at once, so none gives way */
		;
	return co_barrier_wait(arg, 1);
}

TEST_FAULTY(one_coroutine_a_member)
{
	static struct co_barrier_member members[2];
	static struct co_barrier b;
	struct co *c[8] = { NULL };
	unsigned n = co_harts() > 9 ? 8 : co_harts() - 1;

#ifdef __SANITIZE_THREAD__
	SKIP("where a fault is ThreadSanitizer's own, it does not come out of that");
#endif
	if (!n)
		SKIP("it takes another hart");
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint64_t deadline = co_after_us(10000000);
		unsigned faults = 0;

		REQUIRE_EQ(co_barrier_init(&b, 2, CO_BARRIER_AUTO, members), 0);
		co_atomic_store(&ready, 0, CO_RELAXED);
		co_atomic_store(&go, 0, CO_RELAXED);
		for (unsigned i = 0; i < n; i++)
			c[i] = test_spawn_on(i + 1, comes_as_one, &b);
		test_await(&ready, n);
		co_atomic_store(&go, 1, CO_RELEASE);
		/* Member 0 comes when all but one have faulted: a later one would be right. */
		for (unsigned i = 0; faults < n - 1 && co_now() < deadline;
		     i = i + 1 < n ? i + 1 : 0) {
			if (c[i] && co_join_until(c[i], NULL, co_after_us(1000)) == -EFAULT) {
				c[i] = NULL;
				faults++;
			}
		}
		REQUIRE_EQ(faults, n - 1);
		CHECK_EQ(co_barrier_wait_until(&b, 0, deadline), 0);
		for (unsigned i = 0; i < n; i++) {
			if (c[i])
				CHECK_EQ(co_join_until(c[i], NULL, deadline), 0);
		}
	}
}
