/* objects.c - what hart 0 may do with the objects that a stopped hart has used: give_up.h. */
#include <hal/guard.h>

#include "../core/memory/slab.h"
#include "../core/sched/counter.h"
#include "give_up.h"

/* Queues that hart 0 has found locked in its looks: it neither waits for them nor reports again. */
#define HELD_MOST 8
static struct co_waitq *held[HELD_MOST];
static unsigned helds;
static bool looks; /* hart 0 looks at a lost hart */

void co_lost_look(bool begins)
{
	looks = begins;
}

void co_lost_forget(void)
{
	memset(held, 0, sizeof(held));
}

static bool is_held(const struct co_waitq *q)
{
	unsigned i = 0;

	while (i < HELD_MOST && held[i] != q)
		i++;
	return i < HELD_MOST;
}

bool co_lost_queue(struct co_waitq *q)
{
	bool look = co_executor.hart == 0 && looks;
	struct co_waiter *first;

	if (!co_spm_shared(q, sizeof(*q)))
		return false;
	if (look && is_held(q)) {
		if (!co_waitq_try_lock(q, &first))
			return false;
		co_waitq_unlock(q, first); /* its holder was only slow */
		return true;
	}
	if (co_waitq_usable(q))
		return true;
	if (look)
		held[helds++ % HELD_MOST] = q;
	co_report("cohart: the lock of the queue at 0x%lx is held, maybe by a hart that has "
		  "stopped: its waiters may wait for ever",
		  (unsigned long)(uintptr_t)q);
	return false;
}

bool co_lost_usable(const void *p, size_t bytes)
{
	return p && !((uintptr_t)p % sizeof(p)) && co_spm_shared(p, bytes) &&
	       hal_map_allows(co_executor.map, (uintptr_t)p, bytes, HAL_MAP_READ | HAL_MAP_WRITE);
}

void co_lost_done(struct co_counter *c)
{
	/* seq_cst: as in co_counter_less(). */
	uint32_t before = co_atomic_add(&c->state, -CO_JOB, CO_SEQ_CST);

	if (!CO_LEFT(before)) /* it was damaged: undo */
		co_atomic_add(&c->state, CO_JOB, CO_RELAXED);
	if (CO_LEFT(before) != 1)
		return;
	if (co_lost_queue(&c->queue))
		co_wake_all(&c->queue);
	/* release: as in co_counter_over(). */
	co_atomic_add(&c->state, -CO_FINISHING, CO_RELEASE);
}

void co_lost_each(unsigned hart, void (*release)(struct co *c))
{
	for (struct co *c = NULL; co_hart_past(hart) && (c = co_block_next(hart, c));) {
		/* relaxed: hart 0 alone sets it. */
		if (co_is_live(c) && !(co_atomic_load(&c->refs, CO_RELAXED) & CO_GIVEN_UP))
			release(c);
	}
}
