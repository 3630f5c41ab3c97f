/* test_lost_stop.c - where a hart that is given up stops, and what joins wait for then. */
#include <hal/alarm.h>

#include "../runtime/core/memory/block.h"
#include "../runtime/fault/alarm.h"
#include "loss.h"
#include "queue.h"

#define BYTES 65536u

static struct co_a32 go;
static unsigned char source[2][BYTES], page[BYTES];

/* Most of its time goes by in the runtime, in the middle of something. */
static intptr_t copy_for_ever(void *arg)
{
	/* A call, and nothing inlined. */
	static void *(*volatile const copy)(void *, const void *, size_t) = memcpy;

	for (unsigned n = 0;; n++) {
		copy(page, source[n % 2], BYTES);
		co_atomic_store(&ready, 1, CO_RELEASE);
		for (volatile unsigned i = 0; i < 4000; i++)
			;
	}
	return 0;
}

TEST_FAULTY(one_that_is_given_up_ends_what_the_runtime_is_at)
{
	if (!co_alarms())
		SKIP("this board has no alarms");
	memset(source[1], 1, BYTES);
	for (unsigned n = 0; n < 2; n++) {
		unsigned hart = hart_to_lose();
		unsigned ones = 0;

		co_detach(test_spawn_on(hart, copy_for_ever, NULL));
		test_await(&ready, 1);
		test_sleep_us(1000 + 137 * n);
		CHECK(co_hart_lose(hart));
		REQUIRE(has_stopped(hart));
		for (unsigned i = 0; i < BYTES; i++)
			ones += page[i];
		CHECK(ones == 0 || ones == BYTES);
	}
}

static void panic(struct co_msg *m)
{
	co_panic("in a handler");
}

/* It halts outside of a trap, and so takes alarms: what it has left is hart 0's all the same. */
TEST_FAULTY(one_that_has_stopped_by_itself_does_not_stop_again)
{
	static struct co_msg bad = { .run = panic };
	unsigned hart = hart_to_lose();
	struct co_hart *h = co_hart_at(hart);

	co_post(hart, &bad);
	REQUIRE(comes_to_be_gone(hart));
	h->left.oldest = NULL;
	if (co_alarms())
		hal_alarm_ring(hart);
	test_sleep_us(300000);
	CHECK(!h->left.oldest);
}

#define PRINTED_BY_ITSELF 4 /* UNDER_WAY alone, fault_report.c */

/* Hart 0 has not handled an earlier report when it stops, and learns of it all the same. */
TEST_FAULTY(one_that_stops_while_hart_0_is_busy_is_lost)
{
	static struct co_msg bad = { .run = panic };
	unsigned hart = hart_to_lose();
	struct co_hart *h = co_hart_at(hart);
	uint64_t deadline = co_after_us(20000000);

	co_detach(test_spawn_on(hart, faulty, NULL));
	while (co_atomic_load(&h->report_state, CO_RELAXED) != PRINTED_BY_ITSELF &&
	       co_now() < deadline)
		;
	CHECK_EQ(co_atomic_load(&h->report_state, CO_RELAXED), PRINTED_BY_ITSELF);
	co_post(hart, &bad);
	while (!co_atomic_load(&h->stopped, CO_ACQUIRE) && co_now() < deadline)
		;
	CHECK(!co_hart_gone(hart));
	/* Not at a scheduling point; and that one prints by itself, not into a line of this one. */
	for (deadline = co_after_us(500000); co_now() < deadline;)
		;
	CHECK(comes_to_be_gone(hart));
}

static struct co_mutex held;

static intptr_t halt_with_it(void *arg)
{
	CHECK_EQ(co_mutex_lock(&held), 0);
	co_atomic_store(&ready, 1, CO_RELEASE);
	hal_cpu_halt(); /* takes the alarm, but no doorbell */
}

TEST_FAULTY(one_that_does_not_say_that_it_has_stopped_keeps_what_it_held)
{
	unsigned hart = hart_to_lose();
	bool let_go;
	struct co *c = test_spawn_on(hart, halt_with_it, NULL);

	test_await(&ready, 1);
	CHECK(co_hart_lose(hart));
	CHECK_EQ(co_join(c, NULL), -EHOSTDOWN);
	let_go = co_mutex_owner(&held) != c; /* by then, or never */
	CHECK_EQ(co_mutex_lock_until(&held, co_after_us(20000)), let_go ? -EOWNERDEAD : -ETIMEDOUT);
	if (let_go)
		co_mutex_unlock(&held);
}

static struct co_mutex busy;

static intptr_t wait_in_a_call(void *arg)
{
	co_atomic_store(&ready, 1, CO_RELEASE);
	CHECK_EQ(co_mutex_lock(&busy), 0);
	return (intptr_t)arg;
}

static intptr_t fill_for_ever(void *arg)
{
	co_atomic_store(&ready, 1, CO_RELEASE);
	for (;;)
		memset(page, arg != NULL, BYTES);
	return 0;
}

/* It is looked for in the program's code, but not without end. */
TEST_FAULTY(one_that_is_in_a_call_that_does_not_end_stops_in_there)
{
	if (!co_alarms())
		SKIP("this board has no alarms");
	for (unsigned n = 0; n < 2; n++) {
		unsigned hart = hart_to_lose();
		struct co *c;

		queue_lock(&busy.queue);
		c = test_spawn_on(hart, n ? wait_in_a_call : fill_for_ever, NULL);
		test_await(&ready, 1);
		CHECK(co_hart_lose(hart));
		CHECK(has_stopped(hart));
		queue_unlock(&busy.queue);
		CHECK_EQ(co_join(c, NULL), -EHOSTDOWN);
		CHECK_EQ(co_mutex_try_lock(&busy), 0);
		co_mutex_unlock(&busy);
	}
}

BODY(sleeps, sleep_on())

/* As if a transfer of its did not end: joins say so after a second, watch or no watch. */
TEST_FAULTY(transfers_that_do_not_end_are_not_waited_for_without_end)
{
	unsigned hart = hart_to_lose();
	uint64_t start = co_now();
	struct co *c = test_spawn_on(hart, sleeps, NULL);

	test_sleep_us(5000);
	co_atomic_add(&c->transfers, 1, CO_RELAXED);
	co_look_next = CO_FOREVER;
	CHECK(co_hart_lose(hart));
	CHECK_EQ(co_join_until(c, NULL, co_after_us(20000000)), -EHOSTDOWN);
	CHECK(co_us(co_now() - start) >= CO_LOST_TRANSFERS_US);
	co_look_next = co_now();
}

/* As if its spawn had not been through when its hart was lost. */
TEST_FAULTY(who_was_on_the_way_is_notified)
{
	unsigned hart = hart_to_lose();
	struct co *c = test_spawn_on(hart, sleeps, NULL);

	test_sleep_us(5000);
	CHECK(co_hart_lose(hart));
	CHECK(co_atomic_and(&c->refs, ~CO_GIVEN_UP, CO_RELAXED) & CO_GIVEN_UP);
	for (unsigned i = 0; i < 10000 && !(co_atomic_load(&c->refs, CO_RELAXED) & CO_GIVEN_UP);
	     i++)
		test_sleep_us(500);
	CHECK(co_atomic_load(&c->refs, CO_RELAXED) & CO_GIVEN_UP);
	CHECK_EQ(co_join(c, NULL), -EHOSTDOWN);
}

/* ---- In memory that is somebody else's by then ---- */

static intptr_t keep_the_hart(void *arg)
{
	CHECK_EQ(co_mutex_lock(arg), 0);
	co_atomic_store(&ready, 1, CO_RELEASE);
	while (!co_atomic_load(&go, CO_ACQUIRE))
		;
	co_pause(); /* if it takes no alarm, it stops here */
	return 0;
}

static struct co *kept_by;
static struct co_mutex *kept;

static intptr_t join_and_reuse(void *arg)
{
	int r;

	/* Again and again: the hart is marked as lost before what it held is let go of. */
	while ((r = co_join_until(kept_by, NULL, co_after_us(50))) == -ETIMEDOUT)
		;
	memset(kept, 0x55, sizeof(*kept));
	return r;
}

TEST_FAULTY(nothing_is_written_after_the_join)
{
	unsigned hart = hart_to_lose(), changed = 0;
	struct co *joins;

	kept = calloc(1, sizeof(*kept));
	REQUIRE(kept);
	kept_by = test_spawn_on(hart, keep_the_hart, kept);
	test_await(&ready, 1);
	joins = test_spawn_on(1, join_and_reuse, NULL);
	CHECK(co_hart_lose(hart));
	CHECK_EQ(test_join(joins), -EHOSTDOWN);
	co_atomic_store(&go, 1, CO_RELEASE);
	CHECK(has_stopped(hart)); /* with alarms or without */
	test_sleep_us(150000);    /* hart 0 looks a few times */
	for (unsigned i = 0; i < sizeof(*kept); i++)
		changed += ((unsigned char *)kept)[i] != 0x55;
	CHECK_EQ(changed, 0);
	free(kept);
}

static struct co *given_up;

static intptr_t end_when_asked(void *arg)
{
	given_up = co_self();
	co_atomic_store(&ready, 1, CO_RELEASE);
	while (!co_atomic_load(&go, CO_ACQUIRE))
		;
	return (intptr_t)arg;
}

/* As if its hart had not taken the alarm, and gone on after the join. */
TEST_FAULTY(a_result_is_not_stored_after_the_join)
{
	static struct co_batch batch;
	static intptr_t result = 77;
	unsigned hart = hart_to_lose();
	const struct co_attr there = { .on = CO_ON_HART(hart) };

	co_atomic_store(&go, 0, CO_RELAXED); /* spawning publishes it */
	REQUIRE_EQ(co_batch_spawn(&batch, &there, end_when_asked, (void *)5, &result), 0);
	test_await(&ready, 1);
	co_atomic_or(&given_up->refs, CO_GIVEN_UP, CO_RELAXED);
	co_lost_done(&batch.running);
	CHECK_EQ(co_batch_join(&batch), 0);
	co_atomic_store(&go, 1, CO_RELEASE);
	CHECK(has_stopped(hart));
	CHECK_EQ(result, 77);
	CHECK(co_hart_lose(hart));
}

/* In the instructions in which hart 0 marks the hart as lost. */
static intptr_t end_when_marked(void *arg)
{
	co_atomic_store(&ready, 1, CO_RELEASE);
	while (co_atomic_load(&co_hart_at(co_hart())->free[0], CO_RELAXED))
		;
	return (intptr_t)arg;
}

TEST_FAULTY(a_block_that_is_freed_late_is_nobodys)
{
	static struct co_batch batch;

	for (unsigned n = 0; n < 2; n++) {
		unsigned hart = hart_to_lose();
		const struct co_attr there = { .on = CO_ON_HART(hart) };
		int r;

		REQUIRE_EQ(co_batch_spawn(&batch, &there, end_when_marked, NULL, NULL), 0);
		test_await(&ready, 1);
		CHECK(co_hart_lose(hart));
		r = co_batch_join(&batch);
		CHECK(r == 0 || r == -EHOSTDOWN);
		CHECK_EQ(co_batch_spawn(&batch, &there, sleeps, NULL, NULL), -EHOSTDOWN);
	}
}
