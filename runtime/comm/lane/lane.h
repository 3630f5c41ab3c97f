/*
 * lane.h - how the sides of lanes (comm/lf/lane.h) sleep, and are woken.
 *
 * A side about to sleep raises its flag in its peers' memory: the flag says how to wake it. On a
 * hart that has nothing else to do the side sleeps in place, and is called: the peer reads none of
 * its memory. On any other hart it sleeps in its queue, whose lock it holds while it raises the
 * flag and looks. So a peer that finds the flag raised finds the side in its queue.
 */
#ifndef COHART_COMM_LANE_H
#define COHART_COMM_LANE_H

#include "../../comm/lf/lane.h"
#include "../../core/sched/wait_inline.h"

/* Where one side waits, and how it is woken there. */
struct co_lane_waiter {
	struct co_waitq *queue;
	struct co_hart *at; /* its hart */
	uintptr_t doorbell; /* to ring the hart by */
};

/* A side that waits on this hart. */
static inline struct co_lane_waiter co_lane_waiter(struct co_waitq *queue)
{
	return (struct co_lane_waiter){ queue, co_executor.self, co_executor.self->doorbell };
}

/* co_lane_wake_by() for a waiter that may be in its queue. */
int co_lane_wake_queued(const struct co_lane_waiter *w, uint32_t how);

/* Wake a waiter. `how`: the result of co_lane_asked(). Returns 0, for tail calls. */
INLINE int co_lane_wake_by(const struct co_lane_waiter *w, uint32_t how)
{
	if (__builtin_expect(how == CO_LANE_CALLED, 1))
		return co_call(w->at, w->doorbell);
	return how ? co_lane_wake_queued(w, how) : 0;
}

/* Wake a waiter whose word was just written, if its flag is raised. Returns 0, for tail calls. */
INLINE int co_lane_wake(struct co_a32 *wake, const struct co_lane_waiter *w)
{
	return co_lane_wake_by(w, co_lane_asked(wake));
}

/*
 * Raise the caller's flags to `how`, each in the memory of a peer that may end the wait, then look
 * at the caller's words. True: there is no reason to sleep.
 */
typedef bool co_lane_ask_fn(void *arg, uint32_t how);

/*
 * Sleep in place until a call, unless ask(arg) finds a reason not to. The caller then looks again:
 * a call may come late. False: there is a deadline, or the hart has other things to do.
 */
INLINE bool co_lane_wait_called(const void *object, const char *kind, uint64_t deadline,
				co_lane_ask_fn *ask, void *arg)
{
	struct co *self = co_executor.current;
	struct co_hart *h = co_executor.self;

	if (!co_call_may(self, deadline))
		return false;
	co_call_expect(h, self, object, kind);
	return co_call_await(h, self, ask(arg, CO_LANE_CALLED));
}

/*
 * Sleep in a queue, unless ask(arg), which runs under the lock, finds a reason not to.
 * @return 0: the caller looks again; others as co_wait_commit()
 */
INLINE int co_lane_wait_queued(struct co_waitq *q, const void *object, const char *kind,
			       uint64_t deadline, co_lane_ask_fn *ask, void *arg)
{
	struct co *self = co_executor.current;
	struct co_waiter *first;

	if (!co_waitq_try_lock(q, &first))
		first = co_wait_lock(q);
	if (ask(arg, CO_LANE_QUEUED)) {
		co_waitq_unlock(q, first);
		return 0;
	}
	return co_wait_commit_inline(co_wait_begin(self, q, first, object, kind, false, 0),
				     deadline);
}

/* Sleep once: in place if possible, else in the queue. */
INLINE int co_lane_wait_inline(struct co_waitq *q, const void *object, const char *kind,
			       uint64_t deadline, co_lane_ask_fn *ask, void *arg)
{
	return co_lane_wait_called(object, kind, deadline, ask, arg)
		       ? 0
		       : co_lane_wait_queued(q, object, kind, deadline, ask, arg);
}

int co_lane_wait(struct co_waitq *q, const void *object, const char *kind, uint64_t deadline,
		 co_lane_ask_fn *ask, void *arg);

#endif
