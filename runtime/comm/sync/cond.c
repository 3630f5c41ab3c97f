/*
 * cond.c - a condition variable is a queue. A waiter enters it before it lets go of the mutex, so
 * that a signal finds it which comes after that.
 */
#include <cohart/coroutine.h>
#include <cohart/debug.h>

#include "../../core/hook.h"
#include "../../core/sched/wait_inline.h"
#include "../../fault/give_up.h"
#include "mutex.h"

static const char condition[] = "condition";

/* In a waiter's node until it has run after its wait. */
#define WAITS 1u

/* The hart of a waiter was lost before that ran with its signal, which is for the next. */
static void pass_on(struct co *of)
{
	/* relaxed: its hart has stopped. */
	struct co_cond *c = (struct co_cond *)co_atomic_load(&of->waits_for, CO_RELAXED);

	if (co_wait_kind(of) != condition || !of->waiter.place)
		return;
	of->waiter.place = 0; /* once */
	if (of->wait_result == 0 && co_lost_usable(c, sizeof(*c)) && co_lost_queue(&c->queue))
		co_wake_one(&c->queue);
}

static void hart_lost(unsigned hart)
{
	co_lost_each(hart, pass_on);
}

CO_HOOKS = { .hart_lost = hart_lost };

int co_cond_wait_until(struct co_cond *c, struct co_mutex *m, uint64_t deadline)
{
	struct co_waiter *w;
	int r, again;

	CO_ASSERT_THAT(co_mutex_owner(m) == co_self() && co_self(), "the caller has the mutex");
	w = co_wait_prepare_inline(&c->queue, c, condition, false, WAITS);
	co_mutex_unlock(m); /* which does not wait */
	r = co_wait_commit(w, deadline);
	co_plain_store(&w->place, 0);
	again = co_mutex_lock_shielded(m);
	return again ? again : r;
}

int co_cond_wait(struct co_cond *c, struct co_mutex *m)
{
	return co_cond_wait_until(c, m, CO_FOREVER);
}

void co_cond_signal(struct co_cond *c)
{
	co_wake_one(&c->queue);
}

void co_cond_broadcast(struct co_cond *c)
{
	co_wake_all(&c->queue);
}
