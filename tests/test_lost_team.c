/* test_lost_team.c - teams with members whose hart is lost, and pipelines with such workers. */
#include "loss.h"

static struct co_team team;
static unsigned list[3];

static int loses_one(struct co_member *me, void *arg)
{
	long word = 0;
	int r = 0;

	is_ready();
	while (r == 0 && co_member_rank(me) != 2)
		r = arg ? co_gather(me, 0, &word, sizeof(word), arg) : co_team_barrier(me);
	if (co_member_rank(me) == 2)
		(void)!co_sleep_us(60000000);
	CHECK_EQ(r, -EOWNERDEAD);
	CHECK_EQ(co_broadcast(me, 0, &word, sizeof(word)), -EOWNERDEAD);
	CHECK_EQ(co_team_barrier(me), -EOWNERDEAD);
	return 0;
}

BODY(runs, co_team_run(&team, loses_one, arg))

static void lose_a_member(void *arg)
{
	struct co *c;

	list[0] = 0;
	list[1] = 1;
	list[2] = hart_to_lose();
	team = (struct co_team){ .scope = { .harts = list, .n = 3 } };
	c = test_spawn_on(0, runs, arg);
	lose(list[2], 3);
	CHECK_EQ(test_join(c), -EHOSTDOWN);
	/* And it cannot be started there any more. */
	CHECK_EQ(co_team_run(&team, loses_one, arg), -EHOSTDOWN);
}

TEST_FAULTY(a_barrier_of_a_team_breaks_with_a_members_hart)
{
	lose_a_member(NULL);
}

TEST_FAULTY(a_gather_breaks_with_a_members_hart)
{
	static long back[3];

	lose_a_member(back);
}

static int never_comes(struct co_member *me, void *arg)
{
	CHECK(!"a team with a member that never came");
	return 0;
}

BODY(runs_in_vain, co_team_run(&team, never_comes, arg))

TEST_FAULTY(a_member_that_is_lost_before_it_comes_breaks_its_team)
{
	struct co *c;

	list[0] = 0;
	list[1] = 1;
	list[2] = hart_to_lose();
	team = (struct co_team){ .scope = { .harts = list, .n = 3 } };
	hold_up(list[2]);
	c = test_spawn_on(0, runs_in_vain, NULL);
	CHECK(test_await(&team.come, 2));
	fault_there(list[2]);
	let_go_on();
	CHECK(comes_to_be_gone(list[2]));
	CHECK_EQ(test_join(c), -EHOSTDOWN);
}

static struct co_stage stages[2];
static struct co_pipeline pipeline = { .stages = stages, .n = 2 };

static int gives(struct co_worker *me, void *arg)
{
	int r = 0;

	is_ready();
	while (r == 0)
		r = co_worker_give(me, 1);
	return r;
}

static int takes(struct co_worker *me, void *arg)
{
	uintptr_t item;
	int r = 0;

	is_ready();
	while (r == 0)
		r = co_worker_take(me, &item);
	CHECK(r == -EOWNERDEAD || r == -ECANCELED || r == -EPIPE);
	return r;
}

BODY(runs_pipeline, co_pipeline_run(&pipeline))

static void lose_a_worker(bool map)
{
	struct co *c;

	list[0] = 0;
	list[1] = 1;
	list[2] = hart_to_lose();
	stages[0] = (struct co_stage){ .fn = gives };
	stages[1] = (struct co_stage){ .fn = takes, .on = { list, 3 }, .map = map };
	c = test_spawn_on(0, runs_pipeline, NULL);
	lose(list[2], 4);
	CHECK_EQ(test_join(c), -EHOSTDOWN);
	CHECK_EQ(co_pipeline_run(&pipeline), -EHOSTDOWN);
}

TEST_FAULTY(a_farm_ends_with_a_workers_hart)
{
	lose_a_worker(false);
}

TEST_FAULTY(a_map_ends_with_a_workers_hart)
{
	lose_a_worker(true);
}
