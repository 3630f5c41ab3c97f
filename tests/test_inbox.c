/* test_inbox.c - messages and doorbells between harts: sleeping harts wake, nothing gets lost. */
#include "harness/test.h"

/* Tokens hop from hart to hart: each hop is a new coroutine, started by the next one's inbox. */
struct token {
	struct test_random random;
	unsigned hops;
};

enum { TOKENS = 24, HOPS = 150 };

static struct token token[TOKENS];
static struct co_counter under_way;
static struct co_a32 hops_made;

static intptr_t hop(void *arg)
{
	struct token *t = arg;
	int r;

	co_atomic_add(&hops_made, 1, CO_RELAXED); /* read after the counter's acquire */
	if (t->hops-- == 0) {
		co_counter_done(&under_way);
		return 0;
	}
	const struct co_attr attr = { .on = CO_ON_HART(test_below(&t->random, co_harts())) };

	/* A hart that all tokens have chosen at once may be full for a moment. */
	while ((r = co_spawn(NULL, &attr, hop, t)) == -EAGAIN)
		co_pause();
	if (!CHECK_EQ(r, 0))
		co_counter_done(&under_way);
	return 0;
}

TEST(tokens_hop_between_all_harts)
{
	co_counter_add(&under_way, TOKENS);
	for (unsigned i = 0; i < TOKENS; i++) {
		const struct co_attr attr = { .on = CO_ON_HART(i % co_harts()) };

		token[i] = (struct token){ test_random(i), HOPS };
		REQUIRE_EQ(co_spawn(NULL, &attr, hop, &token[i]), 0);
	}
	CHECK_EQ(co_counter_wait(&under_way), 0);
	CHECK_EQ(co_atomic_load(&hops_made, CO_RELAXED), TOKENS * (HOPS + 1));
}

/* Everybody posts to one hart at once. */
static struct co_a32 delivered, start;

static intptr_t deliver(void *arg)
{
	co_atomic_add(&delivered, 1, CO_RELAXED); /* read after the join */
	return 0;
}

static intptr_t bombard(void *arg)
{
	const struct co_attr target = { .on = CO_ON_HART((unsigned)(intptr_t)arg) };
	intptr_t sent = 0;

	while (!co_atomic_load(&start, CO_ACQUIRE)) /* paired with the case's release */
		test_sleep_us(100);
	for (int i = 0; i < 30; i++) {
		struct co *c;
		int r;

		while ((r = co_spawn(&c, &target, deliver, NULL)) == -EAGAIN)
			test_sleep_us(50);
		REQUIRE_EQ(r, 0);
		test_join(c);
		sent++;
	}
	return sent;
}

TEST(one_hart_takes_mail_from_all)
{
	static struct co *sender[32];
	const unsigned n = co_harts() < 32 ? co_harts() : 32;

	for (int round = 0; round < 2; round++) {
		const unsigned target = round ? co_harts() - 1 : 0;
		intptr_t sent = 0;

		co_atomic_store(&delivered, 0, CO_RELAXED); /* spawning publishes both */
		co_atomic_store(&start, 0, CO_RELAXED);
		for (unsigned i = 0; i < n; i++)
			sender[i] = test_spawn_on(co_harts() - 1 - i, bombard,
						  (void *)(intptr_t)target);
		co_atomic_store(&start, 1, CO_RELEASE);
		for (unsigned i = 0; i < n; i++)
			sent += test_join(sender[i]);
		CHECK_EQ(sent, 30 * n);
		CHECK_EQ(co_atomic_load(&delivered, CO_RELAXED), 30 * n);
	}
}

BODY(nothing, arg)

TEST(a_sleeping_hart_wakes_for_its_mail)
{
	for (unsigned h = 0; h < co_harts(); h++) {
		uint64_t begin;

		if (h % 8 == 1)
			test_sleep_us(3000); /* long enough for all to be asleep */
		begin = co_now();
		CHECK_EQ(test_join(test_spawn_on(h, nothing, (void *)1)), 1);
		/* Far from the truth on a quiet machine, but a missed doorbell takes for ever. */
		CHECK(co_us(co_now() - begin) < 5000000);
	}
}

TEST(a_hart_can_write_to_itself)
{
	for (intptr_t i = 0; i < 100; i++)
		CHECK_EQ(test_join(test_spawn_on(co_hart(), nothing, (void *)i)), i);
}
