/*
 * wait.c - the one way to wait: queues of waiters, and the token that decides who ends a wait.
 *
 * Three may want to end a wait at the same moment: a waker (any hart), the clock and a cancel (both on
 * the waiter's own hart). Whoever swaps the waiter's token from 1 to 0 ends it and alone makes the
 * coroutine ready. Wakers do so under the queue's lock, on a node that is linked, and a coroutine
 * unlinks its node under that lock before it can wait anew: no wake-up reaches a later wait.
 */
#include <errno.h>

#include <hal/irq.h>
#include <hal/time.h>

#include "core.h"

/* Looks before a hart naps. What it waits for is a few instructions away, unless the other hart is not
 * running just now (an emulator's, or one that a debugger holds). */
#define CO_SPIN 64
#define NAP_US 20

void co_spin(unsigned *spins)
{
	if (++*spins % CO_SPIN) {
		hal_cpu_relax();
		return;
	}
	/* Messages are not run here, and the executor sets its own timer before it sleeps. */
	hal_time_wake_at(co_after_us(NAP_US));
	hal_irq_wait();
	hal_time_wake_never();
}

static void lock(struct co_waitq *q)
{
	unsigned spins = 0;

	/* acquire: pairs with unlock()'s release; the list is as the last holder left it. */
	while (co_atomic_swap(&q->lock, 1, CO_ACQUIRE))
		co_spin(&spins);
}

static void unlock(struct co_waitq *q)
{
	co_atomic_store(&q->lock, 0, CO_RELEASE);
}

static void link_node(struct co_waitq *q, struct co_waiter *w, bool front)
{
	struct co_waiter *neighbour = front ? q->head : q->tail;

	w->next = front ? neighbour : NULL;
	w->prev = front ? NULL : neighbour;
	if (front)
		q->head = w;
	else
		q->tail = w;
	if (!neighbour)
		q->head = q->tail = w;
	else if (front)
		neighbour->prev = w;
	else
		neighbour->next = w;
	w->linked = true;
}

static void unlink_node(struct co_waitq *q, struct co_waiter *w)
{
	if (w->prev)
		w->prev->next = w->next;
	else
		q->head = w->next;
	if (w->next)
		w->next->prev = w->prev;
	else
		q->tail = w->prev;
	w->linked = false;
	co_atomic_add(&q->waiters, (uint32_t)-1, CO_RELAXED);
}

static struct co_waiter *prepare(struct co_waitq *q, const void *object, const char *kind, bool front)
{
	struct co *c = co_executor.current;
	struct co_waiter *w;

	CO_ASSERT(c);
	w = &c->waiter;
	w->co = c;
	w->queue = q;
	w->object = object;
	w->kind = kind;
	/* relaxed: wakers see it through the queue's lock; the clock and cancels are this hart's. */
	co_atomic_store(&c->token, 1, CO_RELAXED);
	if (!q)
		return w;
	lock(q);
	link_node(q, w, front);
	/* seq_cst: before the caller's next look at its condition; pairs with co_wake_one(), which
	 * looks here after it has made the condition true. */
	co_atomic_add(&q->waiters, 1, CO_SEQ_CST);
	unlock(q);
	return w;
}

struct co_waiter *co_wait_prepare(struct co_waitq *q, const void *object, const char *kind)
{
	return prepare(q, object, kind, false);
}

struct co_waiter *co_wait_prepare_front(struct co_waitq *q, const void *object, const char *kind)
{
	return prepare(q, object, kind, true);
}

/* Take w out of its queue; false if a waker has done so already. */
static bool leave(struct co_waiter *w)
{
	bool linked;

	if (!w->queue)
		return true;
	lock(w->queue);
	linked = w->linked;
	if (linked)
		unlink_node(w->queue, w);
	unlock(w->queue);
	return linked;
}

/* Sleep until somebody has taken the token and made c ready. */
static int sleep_until(struct co *c, uint64_t deadline)
{
	co_atomic_store(&c->state, CO_WAITING, CO_RELAXED);
	c->since = hal_time_now();
	co_timer_add(&co_executor, c, deadline);
	co_park(c);
	co_timer_remove(&co_executor, c);
	return c->wait_result;
}

int co_wait_abandon(struct co_waiter *w)
{
	struct co *c = w->co;

	if (leave(w)) {
		co_atomic_store(&c->token, 0, CO_RELAXED);
		return 0;
	}
	/* A waker has this coroutine's message in its hands: take delivery, then pass the hint on. */
	c->shielded = true;
	sleep_until(c, CO_FOREVER);
	c->shielded = false;
	co_wake_one(w->queue);
	return 0;
}

static int commit(struct co_waiter *w, uint64_t deadline, bool shielded)
{
	struct co *c = w->co;
	int result;

	/* relaxed: a cancel that is missed here comes by message while this coroutine sleeps. */
	if (!shielded && co_atomic_load(&c->cancel, CO_RELAXED)) {
		co_wait_abandon(w);
		return -ECANCELED;
	}
	c->shielded = shielded;
	result = sleep_until(c, deadline);
	c->shielded = false;
	if (result)
		leave(w);
	return result;
}

int co_wait_commit(struct co_waiter *w, uint64_t deadline)
{
	return commit(w, deadline, false);
}

int co_wait_commit_shielded(struct co_waiter *w, uint64_t deadline)
{
	return commit(w, deadline, true);
}

void co_wait_end(struct co *c, int result)
{
	if (!co_token_take(c))
		return;
	c->wait_result = result;
	co_ready_push(c);
}

bool co_wake_one(struct co_waitq *q)
{
	struct co *woken = NULL;

	/* seq_cst: after the caller made its condition true; pairs with prepare(). */
	if (!co_atomic_load(&q->waiters, CO_SEQ_CST))
		return false;
	lock(q);
	while (!woken && q->head) {
		struct co_waiter *w = q->head;

		unlink_node(q, w);
		/* Lost to the clock or a cancel: that one is on its way out, the next is meant. */
		if (co_token_take(w->co))
			woken = w->co;
	}
	unlock(q);
	if (!woken)
		return false;
	woken->wait_result = 0;
	co_ready(woken);
	return true;
}

unsigned co_wake_all(struct co_waitq *q)
{
	unsigned n = 0;

	/* No more than wait now: one that is woken and waits again is not woken twice. */
	for (uint32_t left = co_atomic_load(&q->waiters, CO_SEQ_CST); left && co_wake_one(q); left--)
		n++;
	return n;
}

int co_sleep_until(uint64_t deadline)
{
	int result = co_wait_commit(co_wait_prepare(NULL, NULL, "sleep"), deadline);

	return result == -ETIMEDOUT ? 0 : result;
}

int co_sleep_us(uint64_t us)
{
	return co_sleep_until(co_after_us(us));
}
