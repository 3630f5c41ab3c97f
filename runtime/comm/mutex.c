/*
 * mutex.c - an owner, and a queue it is handed along.
 */
#include <cohart/mutex.h>
#include <cohart/spm.h>

#include "../core/lost.h"
#include "handoff.h"
#include "release.h"

_Static_assert(offsetof(struct co_mutex, owner) == 0, "reports look for the owner there");

/* In the owner's word: the owner before this one was ended by a fault, and nobody was told yet. */
#define ORPHANED 1u

/* More are not locked by harts that have stopped: the list makes no sense. */
#define LOCKED_AT_MOST 8

/* relaxed, both: written under the lock, or by the owner; others look for reports, or for
 * themselves.
 */
static uintptr_t word_of(const struct co_mutex *m)
{
	return co_atomic_load(&m->owner, CO_RELAXED);
}

static struct co *owner_of(const struct co_mutex *m)
{
	return (struct co *)(word_of(m) & ~(uintptr_t)ORPHANED);
}

static void set_word(struct co_mutex *m, uintptr_t word)
{
	co_atomic_store(&m->owner, word, CO_RELAXED);
}

/* The owner's list of what it has, for its last words. */
static inline void note(struct co_mutex *m, struct co *self)
{
	m->also_held = self->held;
	self->held = m;
}

static __attribute__((noinline)) void forget_earlier(struct co_mutex *m, struct co *self)
{
	struct co_mutex **at = &self->held;

	while (*at != m)
		at = &(*at)->also_held;
	*at = m->also_held;
}

static inline void forget(struct co_mutex *m, struct co *self)
{
	if (self->held == m)
		self->held = m->also_held;
	else
		forget_earlier(m, self);
}

/* It was free and sound a moment ago, or not; if it is free now it is taken, and stays as it is. */
static __attribute__((noinline)) bool try_orphan(struct co_mutex *m, struct co *self)
{
	bool is_free;

	co_waitq_lock(&m->queue);
	is_free = !owner_of(m);
	if (is_free)
		set_word(m, word_of(m) | (uintptr_t)self);
	co_waitq_unlock(&m->queue);
	if (is_free)
		note(m, self);
	return is_free;
}

static inline bool try_sound(struct co_mutex *m, struct co *self)
{
	bool is_free;

	CO_ASSERT(self);
	co_waitq_lock(&m->queue);
	is_free = !word_of(m);
	if (is_free)
		set_word(m, (uintptr_t)self);
	co_waitq_unlock(&m->queue);
	if (is_free)
		note(m, self);
	return is_free;
}

bool co_mutex_try_lock(struct co_mutex *m)
{
	struct co *self = co_executor.current;

	return try_sound(m, self) || (word_of(m) == ORPHANED && try_orphan(m, self));
}

/* It is the caller's. Was it an orphan? */
static int taken(struct co_mutex *m, struct co *self)
{
	bool orphaned = word_of(m) & ORPHANED;

	set_word(m, (uintptr_t)self);
	note(m, self);
	return orphaned ? -EOWNERDEAD : 0;
}

static __attribute__((noinline)) int lock_slow(struct co_mutex *m, uint64_t deadline)
{
	struct co *self = co_executor.current;
	struct co_waiter *w;
	int r;

	if (owner_of(m) == self)
		return -EDEADLK;
	w = co_wait_prepare(NULL, m, co_wait_mutex);
	co_waitq_lock(&m->queue);
	if (owner_of(m)) {
		co_handoff_enter(&m->queue, w);
		r = co_handoff_sleep(w, deadline);
		return r ? r : taken(m, self);
	}
	set_word(m, word_of(m) | (uintptr_t)self);
	co_waitq_unlock(&m->queue);
	co_wait_withdraw(self);
	return taken(m, self);
}

int co_mutex_lock_until(struct co_mutex *m, uint64_t deadline)
{
	return try_sound(m, co_executor.current) ? 0 : lock_slow(m, deadline);
}

int co_mutex_lock(struct co_mutex *m)
{
	return co_mutex_lock_until(m, CO_FOREVER);
}

/* The next one has it, `orphaned` or not. */
static inline void hand_on(struct co_mutex *m, uintptr_t orphaned)
{
	struct co_waiter *w;

	co_waitq_lock(&m->queue);
	w = co_handoff_pick(&m->queue);
	set_word(m, (uintptr_t)(w ? co_waiter_co(w) : NULL) | orphaned);
	co_waitq_unlock(&m->queue);
	if (w)
		co_wake(w);
}

static __attribute__((noinline)) void unlock_orphan(struct co_mutex *m, struct co *self)
{
	CO_ASSERT(self && owner_of(m) == self);
	forget(m, self);
	hand_on(m, ORPHANED);
}

void co_mutex_unlock(struct co_mutex *m)
{
	struct co *self = co_executor.current;

	if (!self || word_of(m) != (uintptr_t)self) {
		unlock_orphan(m, self);
		return;
	}
	forget(m, self);
	hand_on(m, 0);
}

void co_mutexes_release(struct co *c)
{
	struct co_mutex *m;

	/* Those of who had the block before, and has returned with them, are behind c's own. */
	while ((m = c->held) && owner_of(m) == c) {
		c->held = m->also_held;
		hand_on(m, ORPHANED);
	}
	c->held = NULL;
}

void co_mutexes_lost(struct co *c)
{
	struct co_mutex *m;
	unsigned left = LOCKED_AT_MOST;

	/* Each that is handed on is c's no more, so even a list without an end has one. */
	while (left && (m = c->held) && co_spm_shared(m, sizeof(*m)) && owner_of(m) == c) {
		c->held = m->also_held;
		if (co_lost_queue(&m->queue))
			hand_on(m, ORPHANED);
		else
			left--;
	}
	c->held = NULL;
}

void co_mutex_lost(struct co_mutex *m, struct co *c)
{
	/* It may have been long ago: what is no mutex any more is only read. */
	if (co_lost_usable(m, sizeof(*m)) && owner_of(m) == c && co_lost_queue(&m->queue))
		hand_on(m, ORPHANED);
}

struct co *co_mutex_owner(const struct co_mutex *m)
{
	return owner_of(m);
}
