/*
 * end.c - where a coroutine begins and ends: its stack and block are freed, its joiner is notified,
 * and its hart runs another coroutine, or sleeps on the stack of the ended one.
 */
#include <hal/fp.h>

#include "../lost.h"
#include "../memory/block.h"
#include "cleanup.h"
#include "counter.h"
#include "../timeline.h"
#include "wait_inline.h"

void co_child_ended(struct co_batch *b, struct co_child *child, int status)
{
	struct co_waiter *first = co_waitq_lock(&b->any);
	struct co_child *last = (struct co_child *)co_atomic_load(&b->last, CO_RELAXED);
	struct co_waiter *w;

	child->status = status;
	co_plain_store(&child->next, last ? co_plain_load(&last->next) : child);
	if (last)
		co_plain_store(&last->next, child);
	/* relaxed: the lock orders it for coroutines that enter the queue, or lock it. */
	co_atomic_store(&b->last, (uintptr_t)child, CO_RELAXED);
	w = co_waitq_pick_locked(&first);
	co_waitq_unlock(&b->any, first);
	if (w)
		co_wake(w);
}

/* The end of a child with a record. */
static NOINLINE void finish_child(struct co *c)
{
	struct co_hart *h = co_executor.self;
	struct co_batch *batch = c->batch;
	struct co_child *child = co_child_of(c);
	int status = c->flags & CO_FLAG_FAULTED ? -EFAULT : 0;

	co_ending(h, batch);
	co_atomic_store(&h->ending_record, (uintptr_t)child, CO_RELAXED); /* as the batch */
	if (!co_leave_batch(c))
		co_hart_stop();
	co_block_free(c);
	co_child_ended(batch, child, status);
	co_counter_done(&batch->running);
	co_atomic_store(&h->ending_record, 0, CO_RELAXED);
	co_ending_none(h);
}

/* c, of no batch, has ended, and its `refs` are 0: free its block. `flags`: may it have some? */
INLINE void free_block(struct co *c, bool flags)
{
	if (flags)
		co_block_free(c);
	else
		co_block_give(co_executor.self, c);
}

/*
 * c has ended, and w, the first waiter in its queue, which is locked, may have waited for that. A
 * joiner that is woken has the result, and no handle any more; a waiter that is no joiner gets a
 * hint.
 */
INLINE void hand_over_end(struct co *c, struct co_waiter *w, bool flags)
{
	struct co_executor *e = &co_executor;
	struct co *joiner = co_waiter_co(w);
	bool takes = w->place == CO_WAITER_TAKES && !(flags && c->flags & CO_FLAG_FAULTED);
	/* Before the unlock, after which the waiter may wait anew. */
	bool taken = co_token_take(w->token);

	if (!taken || !takes) {
		co_waitq_unlock(&c->joiner, co_waitq_unlink(w, w));
		if (taken) /* else it gives up, and looks at c again */
			co_wake_inline(w);
		return;
	}
	/* Before the unlock: another join finds no handle. relaxed: the lock orders it. */
	co_atomic_store(&c->refs, 0, CO_RELAXED);
	co_waitq_unlock(&c->joiner, co_waitq_unlink(w, w));
	joiner->value[0] = (uint64_t)c->result;
	free_block(c, flags);
	if (joiner->hart != e->hart) {
		co_wake_with(joiner, CO_WAITER_TAKES);
		return;
	}
	joiner->wait_result = CO_WOKEN_WITH;
	co_ready_append(e, e->first, joiner);
}

/*
 * c, of no batch, has ended: free its block, unless there is a handle to it and nobody waits. Under
 * the lock of c->joiner: a joiner has entered the queue before, or looks after this. After the
 * atomic and, another coroutine may get the block, all but its queue, before the unlock.
 */
INLINE void drop_block(struct co *c, bool flags)
{
	struct co_waiter *w;
	uint32_t before;

	if (!co_waitq_try_lock(&c->joiner, &w))
		w = co_wait_lock(&c->joiner);
	/*
	 * acq_rel: c's end and its handle drop c one after another, and the second sees the writes
	 * of the first; pairs with co_detach(). The lock hands the result over.
	 */
	before = co_atomic_and(&c->refs, CO_HANDLE | CO_GIVEN_UP, CO_ACQ_REL) &
		 (CO_RUNNING | CO_HANDLE | CO_GIVEN_UP);
	if (w && before == (CO_RUNNING | CO_HANDLE)) {
		hand_over_end(c, w, flags);
		return;
	}
	co_waitq_unlock(&c->joiner, w);
	if (before & CO_GIVEN_UP) /* its joiner has been notified already */
		co_hart_stop();
	if (before == CO_RUNNING)
		free_block(c, flags);
}

/* Stack and block are free before the joiner is notified. */
void co_finish(struct co *c)
{
	struct co_batch *batch = c->batch;

	if (batch && c->flags & CO_FLAG_FAULTED) /* relaxed: the counter releases it */
		co_atomic_or(&batch->ended, CO_ENDED_FAULT, CO_RELAXED);
	if (!(c->flags & CO_FLAG_KEPT))
		co_stack_give(c);
	if (!batch) {
		drop_block(c, true);
	} else if (c->flags & CO_FLAG_CHILD) {
		finish_child(c);
	} else {
		co_ending(co_executor.self, batch);
		if (!co_leave_batch(c))
			co_hart_stop();
		co_block_free(c);
		co_counter_done(&batch->running);
		co_ending_none(co_executor.self);
	}
}

void co_let_go(struct co *c)
{
	/* relaxed: to see it late is as if the end had come first. */
	if (co_atomic_load(&co_executor.self->lost, CO_RELAXED))
		co_hart_stop();
	if (c->cleanups)
		co_locals_end(c);
}

/*
 * If c's hart has been given up, its joiner has been notified already: then the hart stops here,
 * and c does not end.
 */
void co_at_end(struct co *c)
{
	bool last = c->last.run;
	uint32_t before = co_atomic_load(&c->refs, CO_RELAXED);

	/*
	 * relaxed, both: hart 0 sets CO_GIVEN_UP; to see it late is as if the end had come first,
	 * except that drop_block() and co_leave_batch() find it. An atomic or: where this hart did
	 * not stop when it was lost, hart 0 sets CO_ENDING as well, and the first hart to set it
	 * runs c->last.
	 */
	if (last)
		before = co_atomic_or(&c->refs, CO_ENDING, CO_RELAXED);
	if (before & CO_GIVEN_UP)
		co_hart_stop();
	if (last && !(before & CO_ENDING)) /* else it has faulted */
		c->last.run(c, CO_CLEANUP_END);
}

/* Leave this stack for the next ready coroutine, or the executor's loop. */
static _Noreturn NOINLINE void enter_first(struct co_executor *e)
{
	if (!e->first || e->trace)
		hal_context_begin(e->stack_top, co_executor_loop);
	co_enter(e, e->first);
}

/* The end with an end list, a flag, or a stack in main memory. */
static _Noreturn NOINLINE void finish_slowly(struct co *c, intptr_t result)
{
	struct co_executor *e = &co_executor;

	co_let_go(c);
	co_at_end(c);
	if (c->flags & (CO_FLAG_MAIN | CO_FLAG_TRACED)) {
		if (c->flags & CO_FLAG_MAIN)
			co_main_ended((int)result);
		co_timeline_end(c);
	}
	if (!(c->flags & CO_FLAG_FAULTED)) {
		if (!c->batch)
			c->result = result;
		else if (c->batch_result)
			*c->batch_result = result;
	}
	e->first = co_ready_drop(c);
	e->current = NULL;
	if (c->stack_class != CO_STACK_SPM) {
		/* Another hart may take the stack as soon as it is free: leave it first. */
		if (c->flags & CO_FLAG_STACK) {
			e->leaving = c;
			hal_context_begin(e->stack_top, co_executor_loop);
		}
		co_stack_check(c); /* a small one, which stays with its hart */
	}
	co_finish(c);
	enter_first(e);
}

static _Noreturn NOINLINE void begin_slowly(struct co *c)
{
	co_start_alone(&co_executor, c);
	enter_first(&co_executor);
}

/*
 * No coroutine is ready: sleep on the stack of `ended`, which was alone in the ring. A coroutine
 * that this hart is given meanwhile starts at once. Returns if that is the block's next one, for
 * the stack is its own, and it is linked.
 */
INLINE void sleep_here(struct co_executor *e, struct co_hart *h, const struct co *ended)
{
	struct co *c = co_may_sleep(e) ? co_hart_sleep(&h->inbox, NULL, false) : NULL;

	if (!c)
		hal_context_begin(e->stack_top, co_executor_loop);
	if (c->flags)
		begin_slowly(c);
	e->current = c;
	errno = 0;
	if (c == ended) {
		(void)hal_fp_begin(); /* as each context begins */
		return;
	}
	c->next_ready = c->prev_ready = c;
	hal_context_begin(c->stack_top, co_entry);
}

#ifdef CO_DEBUG
/* Do objects end with c? They may release others. */
static bool has_objects(const struct co *c)
{
	uintptr_t at = c->cleanups;

	while (at && !(at & CO_CLEANUP_ALWAYS))
		at = co_cleanup_at(at)->next;
	return at;
}

void co_end_check(struct co *c)
{
	uint32_t n = co_atomic_load(&c->unfinished, CO_RELAXED); /* as in the mover's finish_by() */

	if (c->cleanups && !has_objects(c))
		co_fail("it ends while it has something at 0x%lx that others wait for: it should let "
			"go of it, with co_mutex_unlock(), co_barrier_unbind(), co_chan_unbind(), "
			"co_link_unbind_tx() or co_cleanup_remove()",
			(unsigned long)c->cleanups);
	if (n)
		co_fail("it ends while %u transfers that it has begun are under way: it should "
			"wait for them",
			(unsigned)n);
}
#endif

/* Returns if another coroutine runs in this block and on this stack now. */
INLINE void finish_quickly(struct co_executor *e, struct co *c, intptr_t result)
{
	struct co_batch *batch = c->batch;
	struct co_hart *h = e->self;
	struct co *next = c->next_ready;

	co_end_check(c);
	if (c->cleanups)
		finish_slowly(c, result);
	e->first = e->current = NULL;
	if (next != c) {
		co_ready_unlink(c, next);
		e->first = next;
	}
	/*
	 * Its stack is freed while it is in use: only this hart starts coroutines on it, and it
	 * starts none before it has left this stack. The joiner may be on this hart.
	 */
	if (!batch) {
		c->result = result;
		drop_block(c, false);
	} else {
		if (c->batch_result) {
			/* relaxed: as in co_at_end(). Its joiner may have used the memory anew. */
			if (co_atomic_load(&c->refs, CO_RELAXED) & CO_GIVEN_UP)
				co_hart_stop();
			*c->batch_result = result;
		}
		co_ending(h, batch);
		if (!co_leave_batch(c))
			co_hart_stop();
		co_block_give(h, c);
		co_counter_less(&batch->running);
		co_ending_none(h);
	}
	if (e->first)
		co_enter(e, e->first);
	sleep_here(e, h, c);
}

void co_end(intptr_t result)
{
	finish_slowly(co_executor.current, result);
}

void co_end_at_once(void)
{
	struct co_executor *e = &co_executor;

	co_at_end(e->current);
	e->leaving = e->current;
	if (e->trace)
		co_timeline_end(e->current);
	e->first = co_ready_drop(e->current);
	e->current = NULL;
	co_executor_loop();
}

void co_exit(intptr_t result)
{
	struct co *c = co_executor.current;

	CO_ASSERT_COROUTINE(c);
	co_end_check(c);
	finish_slowly(c, result);
}

void co_entry(void)
{
	struct co_executor *e = &co_executor;
	struct co *c = e->current;

	c->fresh = false;
	if (c->flags)
		co_end(c->fn(c->arg));
	for (;;) {
		finish_quickly(e, c, c->fn(c->arg));
	}
}
