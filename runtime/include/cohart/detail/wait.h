/*
 * wait.h - how every wait is made. For builders of objects to wait on; users have the objects.
 *
 * Example: an object whose condition is `ready(x)`, made true by a caller of co_wake_one()
 *	while (!ready(x)) {
 *		struct co_waiter *w = co_wait_prepare(&x->queue, x, "thing");
 *		int r = ready(x) ? co_wait_abandon(w) : co_wait_commit(w, deadline);
 *		if (r)
 *			return r;
 *	}
 *
 * Prepare - look again - commit: a waker first makes the condition true, then looks for waiters; a
 * waiter first enters the queue, then looks at the condition. Both are sequentially consistent, so
 * one of the two sees the other, and no wake-up is lost. A wake-up is a hint to look again, given
 * to the waiter that has waited longest; one that comes to a waiter which has just given up (a
 * deadline, a cancel) goes on to the next.
 *
 * The nodes live in the coroutine's control block, in its hart's public scratchpad: nobody reads
 * another's stack.
 */
#ifndef COHART_DETAIL_WAIT_H
#define COHART_DETAIL_WAIT_H

#include <cohart/detail/base.h>
#include <cohart/detail/waitq.h>
#include <cohart/time.h>

CO_BEGIN_C
/*
 * Enter q. The caller must look at its condition once more, then commit or abandon.
 * @param object  named by reports as waited on, with its kind ("channel"), a literal
 * @return the node; never fails: a coroutine waits on one thing at a time.
 * Context: coroutine. Order: the entry is before the caller's next look (seq_cst; paired with
 * co_wake_one()'s look for waiters).
 */
struct co_waiter *co_wait_prepare(struct co_waitq *q, const void *object, const char *kind);

/*
 * Enter q ahead of all its waiters: for a waiter that was woken and found the thing taken again.
 * @return, Context, Order: as co_wait_prepare().
 */
struct co_waiter *co_wait_prepare_front(struct co_waitq *q, const void *object, const char *kind);

/*
 * Sleep until woken.
 * @return 0: woken, look again; -ETIMEDOUT; -ECANCELED, also of one that was cancelled before. The
 *         coroutine has left the queue.
 * Context: the coroutine that prepared; its hart runs others meanwhile, and sleeps if there are
 * none. Order: sees all that the waker wrote before it woke (acquire; paired with the wake).
 */
CO_MUST_CHECK int co_wait_commit(struct co_waiter *w, uint64_t deadline);

/*
 * Leave the queue without sleeping. A wake-up that had come already is handed to the next waiter.
 * @return 0, always: the caller goes on with its condition true.
 * Context: the coroutine that prepared; others of its hart may run meanwhile, if it has been woken.
 */
int co_wait_abandon(struct co_waiter *w);

/*
 * Like co_wait_commit(), but a cancel does not end it: for the proxy and for cleaning up.
 * @return 0; -ETIMEDOUT.
 * Context, Order: as co_wait_commit().
 */
CO_MUST_CHECK int co_wait_commit_shielded(struct co_waiter *w, uint64_t deadline);

/*
 * Wake the longest waiter, or all that wait now, if there are any. The condition was made true
 * before the call.
 * @return whether one was woken; how many were.
 * Context: coroutine, or an inbox handler. Order: sequentially consistent look, release to the
 * woken.
 * Cost, when no coroutine waits: co_wake_one() 7 instructions on RISC-V, two of them fences, and 13
 * on AArch64; co_wake_all() 25.
 */
bool co_wake_one(struct co_waitq *q);
unsigned co_wake_all(struct co_waitq *q);

/*
 * One wait on several queues.
 *
 * Example: until a or b has something
 *	struct co_wait_any any;
 *	while (!ready(a) && !ready(b)) {
 *		co_wait_any_begin(&any, NULL, "a or b");
 *		int r = co_wait_any_enter(&any, &a->queue) && co_wait_any_enter(&any, &b->queue) ?
 *			co_wait_any_commit(&any, ready(a) || ready(b), deadline) :
 *			co_wait_any_commit(&any, true, deadline); // no nodes: not without a wait
 *		if (r < 0 && r != -EAGAIN)
 *			return r;
 *	}
 *	... and if it was a that is used now although b woke us: co_wake_one(&b->queue)
 */
#define CO_WAIT_ANY_MAX 64

struct co_wait_any {
	struct co_node *first, *end; /* its nodes; all are in a list: wait.c */
	size_t count;
};

/*
 * Begin a wait, in no queue yet. co_wait_any_commit() ends it in any case.
 * @param a  the caller's, on its stack
 * Context: as co_wait_prepare().
 */
void co_wait_any_begin(struct co_wait_any *a, const void *object, const char *kind);

/*
 * Enter one more queue, CO_WAIT_ANY_MAX at most (asserted); a queue may be entered twice.
 * @return false if the coroutines of this hart have all its nodes in use: not entered.
 * Context, Order: as co_wait_prepare(); the caller's look may follow at once.
 */
CO_MUST_CHECK bool co_wait_any_enter(struct co_wait_any *a, struct co_waitq *q);

/*
 * Sleep until one of them wakes this coroutine, unless one is `ready` by the caller's look; it has
 * left all when this returns.
 * @return the place of the queue that woke it, also if one was ready or it was cancelled: a hint
 *         that is not used must be passed on by co_wake_one(); -EAGAIN: one was ready; -ETIMEDOUT;
 *         -ECANCELED.
 * Context, Order: as co_wait_commit().
 */
CO_MUST_CHECK int co_wait_any_commit(struct co_wait_any *a, bool ready, uint64_t deadline);
CO_END_C
#endif
