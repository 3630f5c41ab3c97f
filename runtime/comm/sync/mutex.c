/* mutex.c - a mutex is an owner and a queue; an unlock hands it over to the longest waiter. */
#include <cohart/spm.h>
#include <cohart/sync.h>

#include "../../core/cleanup.h"
#include "../../core/hook.h"
#include "../../core/lost.h"
#include "../handoff.h"

_Static_assert(offsetof(struct co_mutex, owner) == 0, "reports look for the owner there");

/* In the owner's word: a fault ended the last owner, and the next one has not been notified yet. */
#define ORPHANED 1u

/* relaxed, both: written under the lock or by the owner; others read it for reports. */
static uintptr_t word_of(const struct co_mutex *m)
{
	return co_atomic_load(&m->owner, CO_RELAXED);
}

struct co *co_mutex_owner(const struct co_mutex *m)
{
	return (struct co *)(word_of(m) & ~(uintptr_t)ORPHANED);
}

static void set_word(struct co_mutex *m, uintptr_t word)
{
	co_atomic_store(&m->owner, word, CO_RELAXED);
}

/* Hand the mutex over to the longest waiter. */
static inline void hand_on(struct co_mutex *m, uintptr_t orphaned)
{
	struct co_handoff h = co_handoff_lock(&m->queue);
	struct co_waiter *w = co_handoff_pick(&h);

	set_word(m, (uintptr_t)(w ? co_waiter_co(w) : NULL) | orphaned);
	co_handoff_give(&h, w);
}

/* The owner has ended early: the next owner is notified of that. */
static void release_mutex(struct co_cleanup *c, struct co *owner, enum co_cleanup_why why)
{
	struct co_mutex *m = co_container_of(c, struct co_mutex, cleanup);

	if (co_mutex_owner(m) == owner && (why == CO_CLEANUP_FAULT || co_lost_queue(&m->queue)))
		hand_on(m, ORPHANED);
}

/* With the lock held: take the mutex if it is free. ORPHANED stays until the new owner runs. */
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
		co_cleanup_push(self, &m->cleanup, release_mutex);
	return taken;
}

int co_mutex_try_lock(struct co_mutex *m)
{
	struct co *self = co_executor.current;

	if (try_lock(m, self))
		return 0;
	return co_mutex_owner(m) == self ? -EDEADLK : -EAGAIN;
}

/* The caller has the mutex: 0, or -EOWNERDEAD if it was orphaned. */
static int owned(struct co_mutex *m, struct co *self)
{
	if (word_of(m) == (uintptr_t)self)
		return 0;
	set_word(m, (uintptr_t)self);
	return -EOWNERDEAD;
}

static NOINLINE int lock_slow(struct co_mutex *m, uint64_t deadline)
{
	struct co *self = co_executor.current;
	int r;

	if (co_mutex_owner(m) == self)
		return -EDEADLK;
	r = co_handoff_wait(&m->queue, m, co_wait_mutex, take_free, deadline);
	if (r)
		return r;
	co_cleanup_push(self, &m->cleanup, release_mutex);
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

void co_mutex_unlock(struct co_mutex *m)
{
	struct co *self = co_executor.current;
	uintptr_t orphaned = word_of(m) ^ (uintptr_t)self;

	CO_ASSERT_THAT(self && orphaned <= ORPHANED, "the caller has locked it");
	co_cleanup_pop(self, &m->cleanup);
	hand_on(m, orphaned);
}

/* A mutex that c was given, without having run since, is not in its list of cleanups. */
static void hand_on_given(struct co *c)
{
	/* relaxed, both: c's hart has stopped. The wait may have ended long ago. */
	struct co_mutex *m = (struct co_mutex *)co_atomic_load(&c->waits_for, CO_RELAXED);

	if ((const char *)co_atomic_load(&c->waits_kind, CO_RELAXED) == co_wait_mutex &&
	    co_lost_usable(m, sizeof(*m)) && co_mutex_owner(m) == c && co_lost_queue(&m->queue))
		hand_on(m, ORPHANED);
}

CO_HOOKS = { .co_lost = hand_on_given };
