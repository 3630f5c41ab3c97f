/*
 * mutex.h - one at a time, in the order of asking.
 *
 * Example
 *	static struct co_mutex m;        // zero-filled is valid: free
 *	...
 *	int r = co_mutex_lock(&m);       // waits while another coroutine has it
 *	if (r)
 *		return r;                // cancelled: not locked
 *	...
 *	co_mutex_unlock(&m);
 *
 * The owner is a coroutine, of any hart; it may wait for other things meanwhile. Fair: an unlock
 * hands the mutex to the one that has waited longest, and nobody gets in between. Not recursive.
 *
 * If a fault ends the owner, or its hart is lost and has stopped, the mutex goes to the next one
 * with -EOWNERDEAD: it has the mutex, and what that guards may be half done. It is said once, to
 * the next that takes it by co_mutex_lock() or _until(). A coroutine that returns while it has a
 * mutex leaves it locked for ever: the report of a deadlock names it as owner, or the one that has
 * its control block by then, which is notified that it has the mutex already.
 *
 * It lies in memory that every hart may use. Built of atomic swaps alone.
 * Source: seeds D2, D3 (lock, unlock).
 */
#ifndef COHART_MUTEX_H
#define COHART_MUTEX_H

#include <stdbool.h>
#include <stdint.h>

#include <cohart/assert.h>
#include <cohart/detail/cleanup.h>
#include <cohart/detail/waitq.h>
#include <cohart/time.h>

struct co;

struct co_mutex {
	struct co_aword owner; /* struct co *, NULL: free; first, since reports look for it there */
	struct co_waitq queue; /* waiters; its lock guards both */
	struct co_cleanup cleanup; /* the owner's */
};

/*
 * Take it.
 * @return 0; -EOWNERDEAD: the caller has it, and the owner before was ended by a fault or with its
 *         hart; -EDEADLK: the caller has it already; -ECANCELED; -ETIMEDOUT (_until) at the
 *         deadline, also one that has passed, if another still has it. Except after the first two
 *         the caller does not have it.
 * Context: coroutine. Order: sees all that owners before it wrote (acquire; paired with the
 * unlock).
 * Cost: about 35 instructions when it is free, and as many to unlock it when nobody waits.
 */
CO_MUST_CHECK int co_mutex_lock(struct co_mutex *m);
CO_MUST_CHECK int co_mutex_lock_until(struct co_mutex *m, uint64_t deadline);

/*
 * Take it if it is free; what became of the owner before is left for a lock to say.
 * @return false: it is not, or the caller has it. Context: coroutine.
 */
CO_MUST_CHECK bool co_mutex_try_lock(struct co_mutex *m);

/*
 * Let go of it. The caller has it (asserted). The mutex is not touched after its next owner can
 * run: the last one to use it may free its memory.
 * Context: coroutine. Order: release.
 */
void co_mutex_unlock(struct co_mutex *m);

/* Its owner, a moment ago; NULL: none. Context: any. */
struct co *co_mutex_owner(const struct co_mutex *m);

#endif
