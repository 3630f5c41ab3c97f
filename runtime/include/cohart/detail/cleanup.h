/*
 * cleanup.h - the cleanups of a coroutine that ends early. For builders of objects; users have the
 * objects.
 *
 * A coroutine has one list of the objects that it holds: a mutex, an end of a channel, membership
 * of a barrier, a program's own. When a fault ends the coroutine, it runs the entries itself, the
 * newest first. When its hart is lost and has stopped, hart 0 runs them, as far as that is possible
 * without waiting. A coroutine that returns has taken its entries out; entries that are still in
 * the list are forgotten (with DEBUG=1, a fault).
 *
 * Example
 *	struct lease { struct co_cleanup cleanup; struct thing *thing; };
 *	co_cleanup_add(&lease->cleanup, give_back);
 *	... give_back(&lease->cleanup, self, why) is called if this coroutine ends early here
 *	co_cleanup_remove(&lease->cleanup);
 */
#ifndef COHART_DETAIL_CLEANUP_H
#define COHART_DETAIL_CLEANUP_H

#include <stdint.h>

#include <cohart/detail/base.h>

CO_BEGIN_C
struct co;

enum co_cleanup_why {
	CO_CLEANUP_FAULT,     /* a fault; runs in the coroutine, and may wait */
	CO_CLEANUP_HOST_DOWN, /* its hart is lost and has stopped; runs on hart 0, never waits */
	CO_CLEANUP_END,       /* its own end, for a co_local; runs in the coroutine, may wait */
};

/* An entry, in memory that every hart may use; it stays in place until it is taken out. */
struct co_cleanup {
	uintptr_t next; /* a link of the list: core/sched/cleanup.h */
	void (*run)(struct co_cleanup *c, struct co *of, enum co_cleanup_why why);
};

/*
 * Add an entry for the calling coroutine: the newest.
 * @param c  in memory that every hart may use, not on a stack of class CO_STACK_SPM (asserted)
 * Context: coroutine. Cost: about 15 instructions.
 */
void co_cleanup_add(struct co_cleanup *c,
		    void (*run)(struct co_cleanup *c, struct co *of, enum co_cleanup_why why));

/*
 * Take an entry out without running it.
 * @return false: the caller's list does not have this entry.
 * Context: coroutine. Cost: few instructions for the newest; else the list is searched.
 */
bool co_cleanup_remove(struct co_cleanup *c);
CO_END_C
#endif
