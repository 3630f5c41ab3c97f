/*
 * idle.h - a coroutine that executes a part of one batch after another, and is idle in between: it
 * waits for the next one, and counts as the runtime's. loops/member.c has the coroutines.
 */
#ifndef COHART_CORE_IDLE_H
#define COHART_CORE_IDLE_H

#include "../lost.h"
#include "counter.h"
#include "wait_inline.h"

/*
 * c's part of batch b is over: end its end list, and arm the wait for the next part, named `kind`
 * in reports. The caller then publishes, by a release, that c is idle, and calls co_idle_wait().
 * Stops a lost hart. Context: c, on its hart h; may wait.
 */
INLINE void co_idle_begin(struct co_hart *h, struct co *c, const struct co_batch *b,
			  const char *kind)
{
	co_end_check(c);
	/* The batch goes on without a lost hart. relaxed: seeing it late does no harm. */
	if (c->cleanups || co_atomic_load(&h->lost, CO_RELAXED))
		co_let_go(c);
	co_atomic_store(&c->cancel, 0, CO_RELAXED); /* it was for that batch */
	co_wait_arm(c, NULL, NULL, kind);
	co_ending(h, b);
	if (!co_leave_idle(c))
		co_hart_stop();
}

/* Count c's part of b down, and sleep until co_idle_end(). */
INLINE void co_idle_wait(struct co_hart *h, struct co *c, struct co_batch *b)
{
	(void)co_counter_less(&b->running);
	co_ending_none(h);
	c->shielded = true;
	(void)co_wait_sleep_inline(c, CO_FOREVER);
	c->shielded = false;
}

/* End the wait of c, which is parked on this hart. */
static __attribute__((noinline, unused)) void co_idle_end_here(struct co *c)
{
	(void)co_token_end(&c->token);
	co_ready_push(c);
}

/*
 * Give c, which is idle, a part of b; the caller has acquired that c is idle, claimed it and
 * counted the part. `here`: c is on this hart. Context: coroutine.
 */
INLINE void co_idle_end(struct co *c, struct co_batch *b, bool here)
{
	c->batch = b;
	/* release: the batch, to hart 0 if c's hart is lost; pairs with co_give_up(). */
	co_atomic_and(&c->refs, ~CO_SERVICE, CO_RELEASE);
	if (here)
		co_idle_end_here(c);
	else
		co_wake_claimed(c);
}

#endif
