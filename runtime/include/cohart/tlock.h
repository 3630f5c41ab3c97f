/*
 * tlock.h - a lock that lets at most k contenders at any of its words: a tournament.
 *
 * Example: 21 harts, in memories with 6 exclusive monitors each
 *	CO_TLOCK(tlock, 21, 6);
 *	...
 *	int r = co_tlock_lock(&tlock, co_hart());
 *	if (r)
 *		return r;
 *	... one at a time
 *	co_tlock_unlock(&tlock, co_hart());
 *
 * Some memories can serve atomic accesses of few harts at a time (six on NM6408MP): a lock that all
 * contend for would break there. Here contenders meet in rounds: at most k come to a node of the
 * tournament, in the first round k contenders, then the winners of k nodes each; the winner of the
 * last one has the lock. Each node is a mutex, handed along in the order of asking: nobody starves.
 * Not recursive. Atomic swaps alone.
 * Source: seed D4 (tournament schemes that admit at most 6).
 */
#ifndef COHART_TLOCK_H
#define COHART_TLOCK_H

#include <stdalign.h>
#include <stdint.h>

#include <cohart/assert.h>
#include <cohart/mutex.h>

struct co_tlock_node {
	alignas(CO_LINE) struct co_mutex mutex;
};

struct co_tlock {
	uint32_t contenders;
	uint32_t k;
	struct co_tlock_node *nodes; /* round by round; the last one is the final */
};

/* The most contenders of a tournament lock. */
#define CO_TLOCK_MAX 65536u

/* Nodes that n contenders need, k at a node, or a few more. */
#define CO_TLOCK_ROUND(n, k) (((n) + (k)-1) / (k))
#define CO_TLOCK_NODES(n, k) \
	((n) <= (k) ? 1 : (n) <= (k) * (k) ? 1 + CO_TLOCK_ROUND(n, k) : 16 + (n) / ((k)-1))

/*
 * A static tournament lock of n contenders, 1..CO_TLOCK_MAX, at most k at a node, 2 or more. It is
 * open.
 */
#define CO_TLOCK(name, n, k_)                                            \
	static struct co_tlock_node name##_nodes[CO_TLOCK_NODES(n, k_)]; \
	static struct co_tlock name = { .contenders = (n), .k = (k_), .nodes = name##_nodes }

/*
 * Make a tournament lock.
 * @param contenders  1..CO_TLOCK_MAX
 * @param k           the most at a node, at least 2
 * @param nodes       CO_TLOCK_NODES(contenders, k) of them, in memory that every hart may use
 *                    (asserted); used until the lock is; the caller's
 * @return 0; -EINVAL for numbers out of range or nodes that are NULL or misaligned; *g is untouched
 *         then
 * Context: any, before anybody uses it.
 */
CO_MUST_CHECK int co_tlock_init(struct co_tlock *g, unsigned contenders, unsigned k,
				struct co_tlock_node *nodes);

/*
 * Take the lock.
 * @param me  the caller's number, 0..contenders-1 (asserted), used by one coroutine at a time: that
 *            is what bounds the crowd at a node
 * @return 0; -ECANCELED; -ETIMEDOUT (_until) at the deadline, also one that has passed, if it is
 *         not free; -EDEADLK: the caller has it; -EOWNERDEAD: the caller has the lock, and a fault
 *         has ended one that had it, or a part of it, before. Except after 0 and that the caller
 *         does not hold any of it.
 * Context: coroutine. Order: acquire; paired with the unlock.
 * Cost: a mutex a round, log n to the base k rounds.
 */
CO_MUST_CHECK int co_tlock_lock(struct co_tlock *g, unsigned me);
CO_MUST_CHECK int co_tlock_lock_until(struct co_tlock *g, unsigned me, uint64_t deadline);

/* Let go of it. @param me  as it was taken (asserted). Context: the coroutine that took it. */
void co_tlock_unlock(struct co_tlock *g, unsigned me);

#endif
