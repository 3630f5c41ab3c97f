/*
 * tie.h - what others lose when a coroutine is ended by a fault.
 *
 * A tie is a note of the coroutine's own, mostly on its stack: it holds something, and this is how
 * it is let go of. Whoever makes one takes it away before its memory goes: a coroutine that returns
 * has none left. When a fault ends it, it cuts those that are left itself, the last one first.
 */
#ifndef COHART_TIE_H
#define COHART_TIE_H

#include "core.h"

struct co_tie {
	struct co_tie *next;
	/*
	 * Let go. Context: c itself, in its last words; it may wait, and no cancel ends that wait
	 * if it is a shielded one.
	 */
	void (*cut)(struct co_tie *t, struct co *c);
};

/* For the calling coroutine. */
static inline void co_tie_add(struct co_tie *t, void (*cut)(struct co_tie *, struct co *))
{
	struct co *c = co_executor.current;

	t->cut = cut;
	t->next = c->ties;
	c->ties = t;
}

/* Mostly it is the last one. False: it is not the caller's. */
static inline bool co_tie_remove(struct co_tie *t)
{
	struct co_tie **at = &co_executor.current->ties;

	while (*at && *at != t)
		at = &(*at)->next;
	if (!*at)
		return false;
	*at = t->next;
	return true;
}

#endif
