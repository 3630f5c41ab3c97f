/*
 * loss.h - for tests of what becomes of others when a hart is lost: a handler there faults.
 */
#ifndef TESTS_LOSS_H
#define TESTS_LOSS_H

#include "../runtime/core/lost.h"
#include "harness/test.h"

static volatile uintptr_t wild = 0x23458; /* nothing is there on any board */

static void fault_in_a_handler(struct co_msg *m)
{
	(void)m;
	*(volatile int *)wild = 1;
}

/* Behind what it has been posted. Once for each hart. */
static inline void fault_there(unsigned hart)
{
	static struct co_msg bad[BOARD_MAX_HARTS];

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

/* Losing a hart takes a while, and on a busy PC a longer one. */
static inline bool comes_to_be_gone(unsigned hart)
{
	uint64_t end = co_after_us(10000000);

	while (!co_hart_gone(hart)) {
		if (co_now() > end)
			return false;
		co_sleep_us(1000);
	}
	return true;
}

/* co_hart_lose() itself waits for as long as it has to, which is little on a busy PC. */
static inline bool has_stopped(unsigned hart)
{
	return test_await(&co_hart_at(hart)->stopped, 1);
}

/* The caller has what it is to have, says so, and sleeps until its hart is lost. */
static inline intptr_t sleep_on(struct co_a32 *ready)
{
	co_atomic_add(ready, 1, CO_RELEASE);
	while (co_sleep_us(1000000) == 0)
		;
	return 0;
}

#endif
