/*
 * test_lost_engine.c - transfers by an engine when the hart is lost that has begun them, or that
 * looks after the engine, which is one that a test can make as slow as it likes.
 *
 * Topologies: 1x(1+4) 1x(1+3+1) 1x(1+2+1)
 */
#include <cohart/message.h>
#include <hal/dma.h>

#include "loss.h"

#define CHANNELS 2
#define BYTES 512u
#define MANY 5

static struct {
	struct hal_dma_copy copy;
	struct co_a32 busy;
} channel[CHANNELS];
static struct co_a32 started;
static struct co_a32 open; /* transfers end, */
static uint64_t opened;    /* a while after this */
static struct co_a32 ready;

static unsigned char source[BYTES], target[MANY][BYTES];
static struct co_dma d[MANY];

int hal_dma_init(void)
{
	return CHANNELS;
}

int hal_dma_start(unsigned n, const struct hal_dma_copy *copy)
{
	if (co_atomic_swap(&channel[n].busy, 1, CO_RELAXED))
		return -EBUSY;
	channel[n].copy = *copy;
	co_atomic_add(&started, 1, CO_RELEASE);
	return 0;
}

int hal_dma_check(unsigned n)
{
	const struct hal_dma_copy *c = &channel[n].copy;

	/* acquire: what let_end() has written. */
	if (!co_atomic_load(&open, CO_ACQUIRE) || co_us(co_now() - opened) < 50000)
		return -EINPROGRESS;
	memcpy((void *)c->to, (const void *)c->from, c->bytes);
	co_atomic_store(&channel[n].busy, 0, CO_RELAXED);
	return 0;
}

/* All that is under way, and all that is begun from now on. */
static void let_end(void)
{
	opened = co_now();
	co_atomic_store(&open, 1, CO_RELEASE);
}

/* A compute hart to lose, or the case is skipped. No transfer ends before let_end(). */
static unsigned victim(void)
{
	unsigned i = test_computes() - 1;

	co_atomic_store(&open, 0, CO_RELAXED);
	co_atomic_store(&started, 0, CO_RELAXED);
	co_atomic_store(&ready, 0, CO_RELAXED);
	memset(source, 7, sizeof(source));
	memset(target, 0, sizeof(target));
	for (unsigned n = 0; n < MANY; n++)
		d[n] = (struct co_dma){ .to = target[n], .from = source, .bytes = BYTES };
	while (i && co_hart_gone(test_compute(i)))
		i--;
	if (!i)
		SKIP("it takes a hart to lose and one to look on");
	return test_compute(i);
}

static intptr_t begin_all(void *arg)
{
	unsigned n = (unsigned)(uintptr_t)arg;

	for (unsigned i = 0; i < n; i++)
		CHECK_EQ(co_dma_start(&d[i]), 0);
	test_await(&started, n < CHANNELS ? n : CHANNELS);
	co_atomic_store(&ready, 1, CO_RELEASE);
	while (co_sleep_us(1000000) == 0)
		;
	return 0;
}

TEST_FAULTY(what_a_lost_hart_had_begun_has_ended_before_joins)
{
	unsigned hart = victim();
	struct co *c = test_spawn_on(hart, begin_all, (void *)MANY);

	test_await(&ready, 1);
	fault_there(hart);
	REQUIRE(comes_to_be_gone(hart));
	let_end();
	CHECK_EQ(co_join(c, NULL), -EHOSTDOWN);
	for (unsigned i = 0; i < MANY; i++) {
		CHECK_EQ(co_dma_check(&d[i]), 0);
		CHECK_EQ(target[i][0], 7);
	}
}

TEST_FAULTY(one_that_does_not_end_is_reported_after_a_second)
{
	unsigned hart = victim();
	struct co *c = test_spawn_on(hart, begin_all, (void *)1);
	uint64_t before;

	test_await(&ready, 1);
	before = co_now();
	fault_there(hart);
	CHECK_EQ(co_join_until(c, NULL, co_after_us(20 * CO_LOST_TRANSFERS_US)), -EHOSTDOWN);
	CHECK(co_us(co_now() - before) >= CO_LOST_TRANSFERS_US);
	CHECK_EQ(co_dma_check(&d[0]), -EINPROGRESS);
	let_end();
	CHECK_EQ(co_dma_wait(&d[0]), 0);
}

/* Without an executor's record it does not heed the alarm. */
static intptr_t begins_and_keeps_on(void *arg)
{
	CHECK_EQ(co_dma_start(arg), 0);
	co_executor.self = NULL;
	co_atomic_store(&ready, 1, CO_RELEASE);
	for (;;)
		;
	return 0;
}

TEST_FAULTY(transfers_of_one_that_does_not_stop_are_waited_for_too)
{
	unsigned hart = victim();
	struct co *c = test_spawn_on(hart, begins_and_keeps_on, &d[0]);

	test_await(&ready, 1);
	test_await(&started, 1);
	CHECK(co_hart_lose(hart));
	CHECK(!co_atomic_load(&co_hart_at(hart)->stopped, CO_ACQUIRE));
	let_end();
	CHECK_EQ(co_join(c, NULL), -EHOSTDOWN);
	CHECK_EQ(co_dma_check(&d[0]), 0);
}

/* ---- A message that is being moved, from rank 0 to rank 1 ---- */

static struct co_team pair;
static unsigned members[2];

/* The case ends transfers when the other one is lost. */
static intptr_t take_part(void *arg)
{
	unsigned rank = (unsigned)(uintptr_t)arg;
	struct co_member *me;
	int r = co_team_open(&pair, rank, &me);

	REQUIRE_EQ(r, 0);
	r = rank ? co_message_recv(me, 0, 1, 0, target[0], BYTES, NULL)
		 : co_message_send_sync(me, 1, 1, 0, source, BYTES);
	CHECK_EQ(r, -EOWNERDEAD);
	CHECK_EQ(co_atomic_load(&open, CO_ACQUIRE), 1); /* pairs with let_end() */
	co_team_close(me);
	return 0;
}

static intptr_t opens(void *arg)
{
	CHECK(test_await(&pair.broken, 1));
	test_sleep_us(20000);
	let_end();
	return 0;
}

static void lose_rank(unsigned rank)
{
	unsigned hart = victim();
	bool engine = false;
	struct co *c[2], *then;

	if (co_dma_mover(&engine) == (int)hart || !engine)
		SKIP("it has no engine to look after");
	members[rank] = hart;
	members[!rank] = test_compute(0);
	pair = (struct co_team){ .scope = { members, 2 } };
	for (uintptr_t i = 0; i < 2; i++)
		c[i] = test_spawn_on(members[i], take_part, (void *)i);
	test_await(&started, 1);
	fault_there(hart);
	REQUIRE(comes_to_be_gone(hart));
	then = test_spawn_on(0, opens, NULL);
	CHECK_EQ(co_join(c[rank], NULL), -EHOSTDOWN);
	CHECK_EQ(co_atomic_load(&open, CO_ACQUIRE), 1);
	CHECK_EQ(test_join(c[!rank]), 0);
	CHECK_EQ(test_join(then), 0);
}

TEST_FAULTY(the_memory_of_a_lost_sender_stays_until_an_engine_has_read_it)
{
	lose_rank(0);
}

TEST_FAULTY(so_does_that_of_one_whose_receiver_is_lost)
{
	lose_rank(1);
}

static intptr_t copies(void *arg)
{
	CHECK_EQ(co_dma_copy(arg, source, BYTES), 0);
	return ((unsigned char *)arg)[BYTES - 1];
}

TEST(an_engine_is_not_used_any_more_when_its_hart_is_lost)
{
	bool engine = false;
	int mover = co_dma_mover(&engine);
	unsigned asker = victim();

	CHECK(engine);
	if (mover <= 0)
		SKIP("hart 0 has it");
	for (unsigned i = 0; i < MANY; i++)
		CHECK_EQ(co_dma_start(&d[i]), 0);
	test_await(&started, CHANNELS);
	fault_there((unsigned)mover);
	REQUIRE(comes_to_be_gone((unsigned)mover));
	for (unsigned i = 0; i < MANY; i++)
		CHECK_EQ(co_dma_wait_until(&d[i], co_after_us(10000000)), -EHOSTDOWN);
	CHECK(co_dma_mover(&engine) != mover);
	CHECK(!engine);
	CHECK_EQ(copies(target[0]), 7);
	CHECK_EQ(test_join(test_spawn_on(asker ? asker : test_compute(0), copies, target[1])), 7);
}
