/*
 * test_released.c - what a coroutine held that a fault has ended: it is let go of, and who is
 * concerned is told.
 */
#include <string.h>

#include "use.h"

static volatile uintptr_t wild = 0x23458; /* nothing is there on any board */

static intptr_t fault(void *arg)
{
	*(volatile int *)wild = 1;
	return (intptr_t)arg;
}

static struct co_a32 holding; /* it holds what it is to hold */
static struct co_a32 go;      /* and is to fault */

static void fault_when_told(void)
{
	co_atomic_store(&holding, 1, CO_RELEASE);
	while (!co_atomic_load(&go, CO_ACQUIRE)) /* paired with tell() */
		co_sleep_us(50);
	*(volatile int *)wild = 1;
}

static struct co *start_holder(unsigned hart, co_fn *fn, void *arg)
{
	struct co *c;

	co_atomic_store(&holding, 0, CO_RELAXED);
	co_atomic_store(&go, 0, CO_RELAXED);
	c = test_spawn_on(hart, fn, arg);
	test_await(&holding, 1);
	return c;
}

static void end_holder(struct co *c)
{
	intptr_t result = 4711;

	co_atomic_store(&go, 1, CO_RELEASE);
	CHECK_EQ(co_join(c, &result), -EFAULT);
	CHECK_EQ(result, 4711);
}

/* On this hart, and on another one. */
static void on_some_harts(void (*test)(unsigned hart))
{
	struct use before[2] = { use_of(0), use_of(co_harts() - 1) };

	test(0);
	test(co_harts() - 1);
	check_use(0, &before[0]);
	check_use(co_harts() - 1, &before[1]);
}

static struct co_mutex one, two;

static intptr_t hold_mutexes(void *arg)
{
	CHECK_EQ(co_mutex_lock(&one), 0);
	CHECK_EQ(co_mutex_lock(&two), 0);
	fault_when_told();
	return (intptr_t)arg;
}

static intptr_t lock_one(void *arg)
{
	int r = co_mutex_lock(&one);

	if (r == 0 || r == -EOWNERDEAD)
		co_mutex_unlock(&one);
	(void)arg;
	return r;
}

static void mutexes(unsigned hart)
{
	struct co *c = start_holder(hart, hold_mutexes, NULL);
	struct co *waits = test_spawn_on(co_harts() - 1, lock_one, NULL);

	co_sleep_us(1000);
	end_holder(c);
	/* Who waited is told, and nobody else; of the other one, who comes next. */
	CHECK_EQ(test_join(waits), -EOWNERDEAD);
	CHECK_EQ(lock_one(NULL), 0);
	CHECK(co_mutex_try_lock(&two));
	co_mutex_unlock(&two);
	CHECK_EQ(co_mutex_lock(&two), -EOWNERDEAD);
	co_mutex_unlock(&two);
	CHECK_EQ(co_mutex_lock(&two), 0);
	co_mutex_unlock(&two);
}

TEST(the_next_owner_of_a_mutex_is_told)
{
	on_some_harts(mutexes);
}

CO_GATE(gate, 8, 2);

static intptr_t hold_gate(void *arg)
{
	CHECK_EQ(co_gate_lock(&gate, 3), 0);
	fault_when_told();
	return (intptr_t)arg;
}

static void gates(unsigned hart)
{
	end_holder(start_holder(hart, hold_gate, NULL));
	CHECK_EQ(co_gate_lock(&gate, 2), -EOWNERDEAD);
	co_gate_unlock(&gate, 2);
	CHECK_EQ(co_gate_lock(&gate, 3), 0);
	co_gate_unlock(&gate, 3);
	/* The first round's node of the others was not touched. */
	CHECK_EQ(co_gate_lock(&gate, 6), 0);
	co_gate_unlock(&gate, 6);
}

TEST(the_next_one_through_a_gate_is_told)
{
	on_some_harts(gates);
}

static void *kept[2]; /* of hart 0, of another */

static intptr_t leave_memory(void *arg)
{
	kept[co_hart() != 0] = co_spm_alloc(64, 16);
	CHECK(kept[co_hart() != 0]);
	return (intptr_t)arg;
}

static intptr_t free_memory(void *arg)
{
	co_spm_free(kept[co_hart() != 0]);
	return (intptr_t)arg;
}

static intptr_t hold_memory(void *arg)
{
	CHECK(co_spm_alloc(48, 16));
	CHECK(co_spm_alloc(100, 256));
	co_spm_free(co_spm_alloc(1000, 64));
	CHECK(co_spm_alloc(1, 1));
	fault_when_told();
	return (intptr_t)arg;
}

static void memory(unsigned hart)
{
	struct co_spm_use before, after;

	/* What another one has got stays, though it had the same control block. */
	test_join(test_spawn_on(hart, leave_memory, NULL));
	co_spm_use(hart, &before);
	end_holder(start_holder(hart, hold_memory, NULL));
	co_spm_use(hart, &after);
	CHECK_EQ(after.used, before.used);
	test_join(test_spawn_on(hart, free_memory, NULL));
}

TEST(its_scratchpad_memory_goes_back)
{
	on_some_harts(memory);
}

static unsigned char big[1 << 16], copy[1 << 16];

static intptr_t hold_transfer(void *arg)
{
	static struct co_dma d;

	d = (struct co_dma){ .to = copy, .from = big, .bytes = sizeof(big) };
	CHECK_EQ(co_dma_start(&d), 0);
	co_atomic_store(&holding, 1, CO_RELEASE);
	*(volatile int *)wild = 1;
	return (intptr_t)arg;
}

static void transfers(unsigned hart)
{
	memset(big, 7, sizeof(big));
	memset(copy, 0, sizeof(copy));
	end_holder(start_holder(hart, hold_transfer, NULL));
	CHECK(copy[0] == 7 && copy[sizeof(copy) - 1] == 7);
}

TEST(its_transfers_are_waited_for)
{
	on_some_harts(transfers);
}

static struct co_a32 children;

static intptr_t child(void *arg)
{
	co_sleep_us(2000);
	co_atomic_add(&children, 1, CO_RELEASE);
	return (intptr_t)arg;
}

static intptr_t hold_batch(void *arg)
{
	struct co_batch batch = { 0 };
	intptr_t results[4] = { 0 };

	for (unsigned i = 0; i < 4; i++) {
		const struct co_attr attr = { .on = CO_ON_HART(i % co_harts()) };

		CHECK_EQ(co_batch_spawn(&batch, &attr, child, NULL, &results[i]), 0);
	}
	co_atomic_store(&holding, 1, CO_RELEASE);
	*(volatile int *)wild = 1;
	return (intptr_t)arg;
}

TEST(a_stack_that_others_count_down_on_is_kept_until_they_have)
{
	const struct co_attr attr = { .on = CO_ON_HART(co_harts() - 1), .stack = CO_STACK_MAIN };
	struct use before = use_of(co_harts() - 1);
	struct co *c;

	co_atomic_store(&children, 0, CO_RELAXED);
	REQUIRE_EQ(co_spawn(&c, &attr, hold_batch, NULL), 0);
	CHECK_EQ(co_join(c, NULL), -EFAULT);
	CHECK_EQ(co_atomic_load(&children, CO_ACQUIRE), 4);
	check_use(co_harts() - 1, &before);
}

CO_CHANNEL(numbers, int, 4);
CO_CHANNEL(answers, int, 1);

static intptr_t hold_end(void *arg)
{
	struct co_chan_end end, other;

	co_chan_bind(&end, &numbers, CO_CHAN_SENDS);
	co_chan_bind(&other, &answers, CO_CHAN_RECEIVES);
	CHECK_EQ(co_chan_send(&numbers, &(int){ 1 }), 0);
	if (arg)
		fault_when_told();
	co_chan_unbind(&end);
	co_chan_unbind(&other);
	return 0;
}

static intptr_t send_answers(void *arg)
{
	int r = 0;

	while (!r)
		r = co_chan_send(&answers, &(int){ 2 });
	(void)arg;
	return r;
}

static void ends(unsigned hart)
{
	struct co *c, *waits;
	int n = 0;

	REQUIRE_EQ(co_chan_init(&numbers, numbers_buffer, sizeof(numbers_buffer), sizeof(int)), 0);
	REQUIRE_EQ(co_chan_init(&answers, answers_buffer, sizeof(answers_buffer), sizeof(int)), 0);
	c = start_holder(hart, hold_end, &n);
	/* One who goes while another one is left changes nothing. */
	CHECK_EQ(test_join(test_spawn_on(hart, hold_end, NULL)), 0);
	waits = test_spawn_on(co_harts() - 1, send_answers, NULL);
	CHECK_EQ(co_chan_recv(&numbers, &n), 0);
	end_holder(c);
	CHECK_EQ(co_chan_recv(&numbers, &n), 0);
	CHECK_EQ(co_chan_recv(&numbers, &n), -EPIPE);
	CHECK_EQ(test_join(waits), -EPIPE);
}

TEST(the_other_side_of_a_channel_is_told)
{
	on_some_harts(ends);
}

/* ---- Batches and loops ---- */

static intptr_t one_of_many(void *arg)
{
	if ((intptr_t)arg == 5)
		return fault(NULL);
	return (intptr_t)arg;
}

TEST(a_batch_says_that_one_has_faulted)
{
	static struct co_batch batch;
	static intptr_t results[8];

	for (unsigned i = 0; i < 8; i++) {
		const struct co_attr attr = { .on = CO_ON_HART(i % co_harts()) };

		results[i] = -1;
		REQUIRE_EQ(co_batch_spawn(&batch, &attr, one_of_many, (void *)(uintptr_t)i,
					  &results[i]),
			   0);
	}
	CHECK_EQ(co_batch_join(&batch), -EFAULT);
	for (unsigned i = 0; i < 8; i++)
		CHECK_EQ(results[i], i == 5 ? -1 : (intptr_t)i);
	/* And is good for another use. */
	CHECK_EQ(co_batch_join(&batch), 0);
}

static int fault_at_33(void *arg, struct co_part *part)
{
	(void)arg;
	for (long i = part->from[0]; i < part->to[0]; i += part->step[0]) {
		if (i == 33)
			*(volatile int *)wild = 1;
	}
	return 0;
}

TEST(a_loop_says_where_it_has_faulted)
{
	static struct co_parallel p;

	p = (struct co_parallel){
		.dims = 1, .range = { { 0, 64, 1 } }, .schedule = CO_CYCLIC, .body = fault_at_33
	};
	CHECK_EQ(co_parallel_for(&p), -EFAULT);
	CHECK_EQ(p.error_at[0], 33);
}

/* ---- Barriers ---- */

#define MEMBERS 6
#define ROUNDS 5 /* the one who faults comes so often */

static struct co_barrier step;
static struct co_seat seats[MEMBERS];
static struct co_a32 ended; /* rounds that a member has ended, of all */

/* The last member faults before it comes to the round after these. */
static intptr_t keep_step(void *arg)
{
	unsigned me = (unsigned)(uintptr_t)arg;
	int r;

	co_barrier_bind(&step, me);
	for (unsigned i = 0;; i++) {
		if (me == MEMBERS - 1 && i == ROUNDS)
			*(volatile int *)wild = 1;
		r = co_barrier_wait(&step, me);
		if (r)
			break;
		co_atomic_add(&ended, 1, CO_RELAXED);
	}
	/* And so does every later round, at once. */
	CHECK_EQ(co_barrier_wait(&step, me), r);
	CHECK_EQ(co_barrier_wait_until(&step, me, co_after_us(1)), r);
	co_barrier_unbind(&step, me);
	return r;
}

static void keep_step_as(enum co_barrier_form form, unsigned victims_hart)
{
	struct co *c[MEMBERS];

	REQUIRE_EQ(co_barrier_init(&step, MEMBERS, form, seats), 0);
	if (form == CO_BARRIER_TREE)
		step.shift = 1; /* so that few members make three levels */
	co_atomic_store(&ended, 0, CO_RELAXED);
	for (unsigned i = 0; i < MEMBERS; i++)
		c[i] = test_spawn_on(i == MEMBERS - 1 ? victims_hart : i % co_harts(), keep_step,
				     (void *)(uintptr_t)i);
	for (unsigned i = 0; i < MEMBERS - 1; i++)
		CHECK_EQ(test_join(c[i]), -EOWNERDEAD);
	CHECK_EQ(co_join(c[MEMBERS - 1], NULL), -EFAULT);
	CHECK_EQ(co_atomic_load(&ended, CO_RELAXED), MEMBERS * ROUNDS);
}

static void barriers(unsigned hart)
{
	keep_step_as(CO_BARRIER_CENTRAL, hart);
	keep_step_as(CO_BARRIER_TREE, hart);
	keep_step_as(CO_BARRIER_DISSEMINATION, hart);
}

TEST(members_of_a_barrier_agree_which_round_was_the_last)
{
	on_some_harts(barriers);
}

/* It comes, does not wait for the others, and faults: that round still ends well. */
static intptr_t come_and_fault(void *arg)
{
	unsigned me = (unsigned)(uintptr_t)arg;

	co_barrier_bind(&step, me);
	CHECK_EQ(co_barrier_wait_until(&step, me, co_after_us(1)), -ETIMEDOUT);
	fault_when_told();
	return 0;
}

static intptr_t come_twice(void *arg)
{
	unsigned me = (unsigned)(uintptr_t)arg;

	CHECK_EQ(co_barrier_wait(&step, me), 0);
	return co_barrier_wait(&step, me);
}

/* Member 1 has others below it, in a tree of twos; in dissemination all depend on it. */
static void come_and_fault_as(enum co_barrier_form form, unsigned hart, bool late)
{
	struct co *c[MEMBERS], *dead;

	REQUIRE_EQ(co_barrier_init(&step, MEMBERS, form, seats), 0);
	if (form == CO_BARRIER_TREE)
		step.shift = 1;
	dead = start_holder(hart, come_and_fault, (void *)1);
	if (!late)
		end_holder(dead);
	for (unsigned i = 0; i < MEMBERS; i++)
		c[i] = i == 1 ? NULL
			      : test_spawn_on(i % co_harts(), come_twice, (void *)(uintptr_t)i);
	if (late)
		end_holder(dead);
	for (unsigned i = 0; i < MEMBERS; i++) {
		if (c[i])
			CHECK_EQ(test_join(c[i]), -EOWNERDEAD);
	}
	CHECK_EQ(co_barrier_mend(&step), 0);
	CHECK_EQ(co_barrier_wait_until(&step, 0, co_after_us(1)), -ETIMEDOUT);
}

static void rounds(unsigned hart)
{
	for (unsigned late = 0; late < 2; late++) {
		come_and_fault_as(CO_BARRIER_CENTRAL, hart, late);
		come_and_fault_as(CO_BARRIER_TREE, hart, late);
		come_and_fault_as(CO_BARRIER_DISSEMINATION, hart, late);
	}
}

TEST(a_round_to_which_the_dead_one_had_come_ends_well)
{
	on_some_harts(rounds);
}

static intptr_t in_all(void *arg)
{
	unsigned member;
	struct co_barrier *b;

	REQUIRE_EQ(co_barrier_of(CO_BARRIER_ALL, &b, &member), 0);
	co_barrier_bind(b, member);
	for (unsigned i = 0; i < 3; i++)
		CHECK_EQ(co_barrier_all(), 0);
	if (arg)
		*(volatile int *)wild = 1;
	CHECK_EQ(co_barrier_all(), -EOWNERDEAD);
	co_barrier_unbind(b, member);
	return 0;
}

TEST(the_barrier_of_all_harts_breaks_and_is_mended)
{
	struct co_batch batch = { 0 };
	struct co_barrier *b;

	if (co_harts() == 1)
		SKIP("there is nobody to tell");
	for (unsigned again = 0; again < 2; again++) {
		for (unsigned i = 0; i < co_harts(); i++) {
			const struct co_attr attr = { .on = CO_ON_HART(i) };

			REQUIRE_EQ(
				co_batch_spawn(&batch, &attr, in_all, i == 1 ? &step : NULL, NULL),
				0);
		}
		CHECK_EQ(co_batch_join(&batch), -EFAULT);
		REQUIRE_EQ(co_barrier_of(CO_BARRIER_ALL, &b, NULL), 0);
		CHECK_EQ(co_barrier_mend(b), 0);
	}
}
