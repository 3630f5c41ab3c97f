/* cleanup.h - cohart/detail/cleanup.h as inline functions, for the fast objects. */
#ifndef COHART_CORE_CLEANUP_H
#define COHART_CORE_CLEANUP_H

#include <cohart/coroutine.h>
#include <cohart/debug.h>
#include <cohart/detail/cleanup.h>
#include <cohart/spm.h>

#include "../control.h"
#include "executor.h"

/* Of a list that may be damaged no more is looked at. */
#define CO_CLEANUPS_MOST 10000
/* A search for an entry gives up here: a list without an end hangs nobody. */
#define CO_CLEANUPS_EVER (1u << 20)

/*
 * A link of an end list is an entry's address, plus CO_CLEANUP_ALWAYS if the entry runs at every
 * end; else it runs only if the end is early.
 */
#define CO_CLEANUP_ALWAYS ((uintptr_t)1)

/* The entry that a link leads to, or NULL. */
static inline struct co_cleanup *co_cleanup_at(uintptr_t link)
{
	return (struct co_cleanup *)(link & ~CO_CLEANUP_ALWAYS);
}

#define CO_CLEANUP_ANEW                                                                            \
	"what a coroutine holds, a locked mutex or another object, is not initialised, locked or " \
	"opened anew before it has let go of it"

bool co_cleanup_holds(const struct co *self, const struct co_cleanup *c);

/* co_cleanup_add() for `self`, which runs; `always` is 0 or CO_CLEANUP_ALWAYS. */
static inline void co_cleanup_push_as(struct co *self, struct co_cleanup *c, uintptr_t always,
				      void (*run)(struct co_cleanup *, struct co *,
						  enum co_cleanup_why))
{
	c->run = run;
	c->next = self->cleanups;
	self->cleanups = (uintptr_t)c | always;
}

/* Add an entry for an early end; checks c with DEBUG=1 only. */
static inline void co_cleanup_push(struct co *self, struct co_cleanup *c,
				   void (*run)(struct co_cleanup *, struct co *,
					       enum co_cleanup_why))
{
#ifdef CO_DEBUG
	CO_ASSERT_THAT(
		co_spm_shared(c, sizeof(*c)),
		"a mutex that is locked, or another object that is held, is in memory that every hart may use");
	CO_ASSERT_THAT(!co_cleanup_holds(self, c), CO_CLEANUP_ANEW);
#endif
	co_cleanup_push_as(self, c, 0, run);
}

/*
 * Cut self's list where it is damaged: at an entry that was cleared, or that leads back to an
 * earlier one, for it was added again. Returns the entry, or NULL: the list is whole.
 */
const struct co_cleanup *co_cleanup_cut(struct co *self);

bool co_cleanup_search(struct co *self, struct co_cleanup *c);

/* Remove c, of an early end, if it is the newest of `self`; else co_cleanup_search() does. */
static inline bool co_cleanup_pop(struct co *self, struct co_cleanup *c)
{
	if (self->cleanups != (uintptr_t)c)
		return false;
	self->cleanups = c->next;
	return true;
}

/* Run all of c's list after its fault. Context: c. */
void co_cleanup_fault(struct co *c);

/* `run` of each co_local. */
void co_local_run(struct co_cleanup *c, struct co *of, enum co_cleanup_why why);

/* co_local_add() for c, a coroutine of this hart; l is in memory that every hart may use. */
static inline void co_local_push(struct co *c, struct co_local *l, const void *key,
				 void (*end)(struct co_local *, struct co *, enum co_cleanup_why))
{
	l->key = key;
	l->end = end;
	co_cleanup_push_as(c, &l->cleanup, CO_CLEANUP_ALWAYS, co_local_run);
}

#endif
