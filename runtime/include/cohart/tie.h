/*
 * tie.h - what others lose when a fault ends a coroutine. For those who build objects; users have
 * the objects.
 *
 * A tie is a note of the coroutine's own, mostly on its stack: it holds something, and this is how
 * it is let go of. Whoever makes one takes it away before its memory goes: a coroutine that returns
 * has none left. When a fault ends it, it cuts those that are left itself, the last one first.
 *
 * Example
 *	struct lease { struct co_tie tie; struct thing *thing; } lease = { .thing = t };
 *	co_tie_add(&lease.tie, give_back);
 *	... give_back(&lease.tie, co_self()) is called if a fault ends this coroutine here
 *	co_tie_remove(&lease.tie);
 */
#ifndef COHART_TIE_H
#define COHART_TIE_H

#include <stdbool.h>

struct co;

struct co_tie {
	struct co_tie *next;
	/* Let go. Context: coroutine c, in its last words; it may wait. */
	void (*cut)(struct co_tie *t, struct co *c);
};

/* For the calling coroutine. Context: coroutine. */
void co_tie_add(struct co_tie *t, void (*cut)(struct co_tie *t, struct co *c));

/* Without cutting it. @return false: it is not the caller's. Context: coroutine. */
bool co_tie_remove(struct co_tie *t);

#endif
