/* loss.h - for tests of a lost hart: a handler there faults. Each case loses the last one left. */
#ifndef TESTS_LOSS_H
#define TESTS_LOSS_H

#include "../runtime/fault/give_up.h"
#include "faulty.h"

static void fault_in_a_handler(struct co_msg *m)
{
	(void)m;
	fault_here();
}

/* Behind what it has been posted. Once for each hart. */
static inline void fault_there(unsigned hart)
{
	static struct co_msg bad[BOARD_MAX_HARTS];

	CO_ASSERT(hart < BOARD_MAX_HARTS);
	bad[hart].run = fault_in_a_handler;
	co_post(hart, &bad[hart]);
}

/* The last hart that is left; 0: there is none to lose beside one that looks on. */
static inline unsigned last_left(void)
{
	unsigned hart = co_harts() - 1;

	while (hart && co_hart_gone(hart))
		hart--;
	return hart > 1 ? hart : 0;
}

static struct co_a32 held_up, go_on;

static void wait_in_a_handler(struct co_msg *m)
{
	(void)m;
	co_atomic_store(&held_up, 1, CO_RELEASE);
	while (!co_atomic_load(&go_on, CO_ACQUIRE)) /* paired with let_go_on() */
		hal_cpu_relax();
}

/* From here on it runs no coroutine and takes no message, */
static inline void hold_up(unsigned hart)
{
	static struct co_msg hold[BOARD_MAX_HARTS];

	co_atomic_store(&held_up, 0, CO_RELAXED);
	co_atomic_store(&go_on, 0, CO_RELAXED);
	hold[hart].run = wait_in_a_handler;
	co_post(hart, &hold[hart]);
	test_await(&held_up, 1);
}

/* until now. */
static inline void let_go_on(void)
{
	co_atomic_store(&go_on, 1, CO_RELEASE);
}

/* Losing a hart takes a while, and on a busy PC a longer one. */
static inline bool comes_to_be_gone(unsigned hart)
{
	return AWAIT(co_hart_gone(hart));
}

/* co_hart_lose() itself waits for as long as it has to, which is little on a busy PC. */
static inline bool has_stopped(unsigned hart)
{
	return test_await(&co_hart_at(hart)->stopped, 1);
}

static struct co_a32 ready; /* coroutines that have what they are to have */

/* The hart that a case loses; where too few are left, the case is skipped. */
static inline unsigned hart_to_lose(void)
{
	unsigned hart = last_left();

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	co_atomic_store(&ready, 0, CO_RELAXED); /* spawning publishes it */
	return hart;
}

static inline void is_ready(void)
{
	co_atomic_add(&ready, 1, CO_RELEASE); /* paired with lose() */
}

/* The caller has what it is to have, and sleeps until its hart is lost. */
static inline intptr_t sleep_on(void)
{
	is_ready();
	while (co_sleep_us(1000000) == 0)
		;
	return 0;
}

/* When so many are ready, and sleep or wait. */
static inline void lose(unsigned hart, unsigned holders)
{
	test_await(&ready, holders);
	test_sleep_us(3000);
	fault_there(hart);
	CHECK(comes_to_be_gone(hart));
}

#endif
