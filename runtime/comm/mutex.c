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

/*
 * Take it if it is free, with the lock held. An orphan stays one until its new owner runs, so that
 * the owner learns of it.
 */
static bool take_free(void *mutex)
{
	uintptr_t word = word_of(mutex);

	if (word > ORPHANED)
		return false;
	set_word(mutex, word | (uintptr_t)co_executor.current);
	return true;
}

static inline bool try_lock(struct co_mutex *m, struct co *self)
{
	struct co_handoff h;
	bool taken;

	CO_ASSERT(self);
	h = co_handoff_lock(&m->queue);
	taken = take_free(m);
	co_handoff_unlock(&h);
	if (taken)
		note(m, self);
	return taken;
}

bool co_mutex_try_lock(struct co_mutex *m)
{
	return try_lock(m, co_executor.current);
}

/* It is the caller's. Was it an orphan? */
static int owned(struct co_mutex *m, struct co *self)
{
	if (word_of(m) == (uintptr_t)self)
		return 0;
	set_word(m, (uintptr_t)self);
	return -EOWNERDEAD;
}

static __attribute__((noinline)) int lock_slow(struct co_mutex *m, uint64_t deadline)
{
	struct co *self = co_executor.current;
	int r;

	if (owner_of(m) == self)
		return -EDEADLK;
	r = co_handoff_wait(&m->queue, m, co_wait_mutex, take_free, deadline);
	if (r)
		return r;
	note(m, self);
	return owned(m, self);
}

int co_mutex_lock_until(struct co_mutex *m, uint64_t deadline)
{
	struct co *self = co_executor.current;

	return try_lock(m, self) ? owned(m, self) : lock_slow(m, deadline);
}

int co_mutex_lock(struct co_mutex *m)
{
	return co_mutex_lock_until(m, CO_FOREVER);
}

/* The next one has it, `orphaned` or not. */
static inline void hand_on(struct co_mutex *m, uintptr_t orphaned)
{
	struct co_handoff h = co_handoff_lock(&m->queue);
	struct co_waiter *w = co_handoff_pick(&h);

	set_word(m, (uintptr_t)(w ? co_waiter_co(w) : NULL) | orphaned);
	co_handoff_give(&h, w);
}

void co_mutex_unlock(struct co_mutex *m)
{
	struct co *self = co_executor.current;
	uintptr_t orphaned = word_of(m) ^ (uintptr_t)self;

	CO_ASSERT(self && orphaned <= ORPHANED);
	forget(m, self);
	hand_on(m, orphaned);
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
