/*
 * select.h - wait for the first of several: channels to send to or to receive from, and a deadline.
 *
 * Example
 *	int x;
 *	struct co_case cases[] = { CO_CASE_RECV(&numbers, &x), CO_CASE_RECV(&quit, &done) };
 *	switch (co_select_until(cases, 2, co_after_us(1000))) {
 *	case 0: use(cases[0].result, x); break;       // result: 0, or -EPIPE from a closed channel
 *	case 1: return;
 *	case -ETIMEDOUT: ...
 *	}
 *
 * Exactly one case is done. If several can be done, each has its turn to be tried first. Other
 * objects make cases of their own by the first five members of struct co_case.
 */
#ifndef COHART_SELECT_H
#define COHART_SELECT_H

#include <cohart/channel.h>
#include <cohart/detail/base.h>
#include <cohart/detail/wait.h>

CO_BEGIN_C
struct co_batch; /* of cohart/coroutine.h, as co_child */
struct co_child;

struct co_case {
	int (*attempt)(struct co_case *c); /* do it without waiting; -EAGAIN: not now */
	bool (*look)(struct co_case *c);   /* seq_cst: should a waiter in `queue` try again? */
	struct co_waitq *queue;            /* whose hints mean: try again */
	void *object;
	void *data;
	int result; /* of the case that was done: as the plain call returns it */
};

/* Receive from a channel into *elem; send *elem to a channel. */
#define CO_CASE_RECV(chan, elem)                                                      \
	{                                                                             \
		co_case_recv, co_case_can_recv, &(chan)->receivers, (chan), (elem), 0 \
	}
#define CO_CASE_SEND(chan, elem)                                                    \
	{                                                                           \
		co_case_send, co_case_can_send, &(chan)->senders, (chan), (elem), 0 \
	}

/*
 * A case that joins c as co_join() does: the handle c is invalid once this case was done.
 * @param c       as for co_join(); nobody else joins it meanwhile (asserted)
 * @param result  NULL: not wanted
 */
struct co_case co_case_join(struct co *c, intptr_t *result);

/*
 * A case that is co_batch_join_any(): done with 0 and *child set, or with -ECHILD.
 * @param child  as there; NULL is asserted against
 */
struct co_case co_case_batch(struct co_batch *b, struct co_child **child);

/*
 * Do one of the cases; wait until one can be done.
 * @param cases  n of them, on the caller's stack; cases[i].result is set for the case that was done
 * @param n      1..CO_WAIT_ANY_MAX (asserted)
 * @return the number of the case that was done; -ETIMEDOUT at the deadline, -ECANCELED: no case was
 *         done; -ENOBUFS: no case was done, and this hart's coroutines have all its wait nodes in
 *         use.
 * Context: coroutine. Order: as the operation that was done.
 * Cost: an attempt for each case up to the first that can be done, 11 instructions for a channel
 * without an element, else 20 to 40; to sleep, 65 more for each case.
 */
CO_MUST_CHECK int co_select_until(struct co_case *cases, unsigned n, uint64_t deadline);

CO_MUST_CHECK static inline int co_select(struct co_case *cases, unsigned n)
{
	return co_select_until(cases, n, CO_FOREVER);
}

/*
 * Do one of the cases if one can be done at once.
 * @return the number of the case that was done; -EAGAIN: none could be.
 * Context: as the operations that are tried. Order: as the operation that was done.
 */
CO_MUST_CHECK int co_select_try(struct co_case *cases, unsigned n);

/*
 * The operations of channel cases, for the macros: co_case_recv() and co_case_send() do them,
 * @return as the plain calls; co_case_can_...() look whether they may be worth trying.
 */
int co_case_recv(struct co_case *c);
int co_case_send(struct co_case *c);
bool co_case_can_recv(struct co_case *c);
bool co_case_can_send(struct co_case *c);
CO_END_C
#endif
