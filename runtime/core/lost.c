/*
 * lost.c - what is left of a hart that is lost.
 */
#include <errno.h>

#include <hal/alarm.h>
#include <hal/time.h>

#include "block.h"
#include "counter.h"
#include "lost.h"

struct co_a32 co_lost;

/* On the lost hart, if it ever looks at its messages again. */
static void halt(struct co_msg *m)
{
	(void)m;
	co_hart_stop();
}

bool co_lost_queue(struct co_waitq *q)
{
	if (!co_spm_shared(q, sizeof(*q)))
		return false;
	if (co_waitq_usable(q))
		return true;
	co_report("cohart: the lock of the queue at 0x%lx is held, maybe by a hart that has "
		  "stopped: who waits there may wait for ever",
		  (unsigned long)(uintptr_t)q);
	return false;
}

/* Tell who waits for c's end, which will never come. */
static void give_up(struct co *c)
{
	struct co_batch *batch = c->batch;

	if (!co_is_live(c) || c->quirks & CO_QUIRK_LOST)
		return;
	c->quirks |= CO_QUIRK_LOST;
	c->req.unended = true; /* it looks closer where it would go on after a part of a loop */
	if (c->quirks & CO_QUIRK_AT_END)
		c->at_end(c, -EHOSTDOWN);
	if (batch) {
		/* relaxed: who joins sees it by the counter. */
		co_atomic_or(&batch->ended, CO_ENDED_LOST, CO_RELAXED);
		co_counter_done(&batch->running);
	} else if (co_lost_queue(&c->joiner)) {
		co_wake_all(&c->joiner);
	}
}

/* Out of a queue, unless that is locked for good. @return whether it was in there */
static bool leave(struct co_waiter *w)
{
	struct co_waitq *q = w->queue;

	/* If it is, the queue is there, too: nobody but a waker takes it out. */
	return q && co_plain_load(&w->linked) && co_lost_queue(q) && co_waitq_leave(w);
}

/* Nobody is to give it anything, or to wake it in the place of others. */
static void end_wait(struct co *c)
{
	struct co_annex *a = co_annex_at(c->hart);
	struct co_berth *b = (struct co_berth *)co_atomic_load(&c->berth, CO_RELAXED);

	if (b && co_spm_shared(b, sizeof(*b)) && co_berth_take(b) == c)
		co_atomic_store(&c->berth, 0, CO_RELAXED);
	if (!co_token_take(&c->token))
		return;
	leave(&c->waiter);
	for (unsigned i = 0; i < CO_WAIT_NODES; i++) {
		/* Wakes of who waits on several are hints: one for it is another's. */
		if (a->node[i].token == &c->token && leave(&a->node[i]))
			co_wake_one(a->node[i].queue);
	}
}

void co_hart_release(unsigned hart)
{
	struct co_hart *h = co_hart_at(hart);

	/* relaxed: hart 0's own. acquire: what it has written; pairs with co_hart_stopping(). */
	if (co_atomic_load(&h->broken, CO_RELAXED) || co_machine.booting ||
	    !co_atomic_load(&h->stopped, CO_ACQUIRE))
		return;
	/* What they held may be somebody else's memory once joins have been told. */
	for (unsigned i = 0; i < CO_PER_HART && !co_hart_told(hart); i++) {
		struct co *c = &co_annex_at(hart)->co[i];

		if (!co_is_live(c))
			continue;
		end_wait(c);
		co_comm_lost(c);
	}
	/* seq_cst: before the look for tables; pairs with make_table(), barrier_scope.c. */
	co_atomic_store(&h->broken, 1, CO_SEQ_CST);
	co_comm_hart_lost(hart);
}

/* It takes the alarm, if it can, or is about to halt. */
static void await_stop(unsigned hart)
{
	uint64_t deadline = co_after_us(CO_LOST_US);
	unsigned spins = 0;

	if (co_machine.booting)
		return;
	if (co_alarms())
		hal_alarm_ring(hart);
	/* relaxed: co_hart_release() acquires. */
	while (!co_atomic_load(&co_hart_at(hart)->stopped, CO_RELAXED) && hal_time_now() < deadline)
		co_spin(&spins);
}

bool co_hart_lose(unsigned hart)
{
	struct co_hart *h = co_hart_at(hart);

	CO_ASSERT(hart && hart < co_machine.harts && co_executor.hart == 0);
	/* seq_cst: before the looks at what others have begun; pairs with co_hart_lost(). */
	if (co_atomic_swap(&h->lost, 1, CO_SEQ_CST))
		return false;
	co_atomic_add(&co_lost, 1, CO_SEQ_CST);
	/*
	 * relaxed: nobody who has taken one before is told; a spawn on its way there is lost too.
	 */
	co_atomic_store(&h->free_pairs, 0, CO_RELAXED);
	co_atomic_store(&h->free_stacks, 0, CO_RELAXED);
	for (unsigned i = 0; i < CO_PER_HART / CO_WORD_BITS; i++)
		co_atomic_store(&h->free[i], 0, CO_RELAXED);
	h->lost_msg.run = halt;
	co_post(hart, &h->lost_msg);
	await_stop(hart);
	co_hart_release(hart);
	/* seq_cst: after that, and before the looks for joiners; pairs with co_hart_told(). */
	co_atomic_store(&h->told, 1, CO_SEQ_CST);
	for (unsigned i = 0; i < CO_PER_HART; i++)
		give_up(&co_annex_at(hart)->co[i]);
	co_parallel_hart_lost(hart);
	return true;
}

void co_hart_lose_rest(unsigned hart)
{
	static uint64_t before[BOARD_MAX_HARTS]; /* a bit for each block that was taken */

	co_hart_release(hart);
	for (unsigned i = 0; i < CO_PER_HART; i++) {
		struct co *c = &co_annex_at(hart)->co[i];
		uint64_t bit = (uint64_t)1 << i;

		if (before[hart] & bit)
			give_up(c);
		else if (co_is_live(c))
			before[hart] |= bit;
	}
}
