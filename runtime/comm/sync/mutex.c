/* mutex.c - a mutex is an owner and a queue; an unlock hands it over to the longest waiter. */
#include <cohart/sync.h>

#include "../../core/hook.h"
#include "../../core/sched/cleanup.h"
#include "../../fault/give_up.h"
#include "../handoff.h"
#include "mutex.h"

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

/* Hand the mutex over to w, if there is one: as after co_handoff_begin(). */
INLINE void hand_to(struct co_mutex *m, struct co_waiter *w, uintptr_t orphaned)
{
	if (w) {
		set_word(m, (uintptr_t)co_waiter_co(w) | orphaned);
		co_handoff_pass(&m->queue, w);
	} else {
		set_word(m, orphaned);
		co_waitq_unlock(&m->queue, NULL);
	}
}

static NOINLINE void hand_on(struct co_mutex *m, uintptr_t orphaned)
{
	hand_to(m, co_handoff_first(&m->queue), orphaned);
}

/*
 * The owner has ended early: the next owner is notified of that. A mutex in the owner's list that
 * the owner does not have was initialised anew, and perhaps locked by another coroutine, whose list
 * follows: the owner's list ends there.
 */
static void release_mutex(struct co_cleanup *c, struct co *owner, enum co_cleanup_why why)
{
	struct co_mutex *m = co_container_of(c, struct co_mutex, cleanup);

	co_hooks_needed(mutex); /* who locks one names this function */
	if (co_mutex_owner(m) != owner) {
		co_report("cohart: the mutex at 0x%lx that '%s' on hart %u held was initialised "
			  "anew meanwhile: what was held before it stays held",
			  (unsigned long)(uintptr_t)m, co_name(owner), owner->hart);
		owner->cleanups = 0;
	} else if (why == CO_CLEANUP_FAULT || co_lost_queue(&m->queue)) {
		hand_on(m, ORPHANED);
	}
}

/* The caller has the mutex: 0, or -EOWNERDEAD if it was orphaned. */
INLINE int owned(struct co_mutex *m, struct co *self)
{
	if (word_of(m) == (uintptr_t)self)
		return 0;
	set_word(m, (uintptr_t)self);
	return -EOWNERDEAD;
}

/* With the lock held: take the mutex if it is free. ORPHANED stays until the new owner runs. */
INLINE bool take_free(struct co_mutex *m, struct co *self)
{
	uintptr_t word = word_of(m);

	if (word > ORPHANED)
		return false;
	set_word(m, word | (uintptr_t)self);
	return true;
}

/* The queue is locked, with `first`, and the mutex is taken: wait for it. */
static NOINLINE int be_given(struct co_mutex *m, struct co_waiter *first, uint64_t deadline)
{
	struct co *self = co_executor.current;
	int r;

	if (co_mutex_owner(m) == self) {
		co_waitq_unlock(&m->queue, first);
		return -EDEADLK;
	}
	r = co_handoff_enter(&m->queue, first, m, co_wait_mutex, deadline);
	if (r)
		return r;
	co_cleanup_push(self, &m->cleanup, release_mutex);
	return owned(m, self);
}

/* With the lock held. */
INLINE int lock(struct co_mutex *m, struct co_waiter *first, uint64_t deadline)
{
	struct co *self = co_executor.current;

	CO_ASSERT_COROUTINE(self);
	if (!take_free(m, self))
		return be_given(m, first, deadline);
	co_waitq_unlock(&m->queue, first);
	co_cleanup_push(self, &m->cleanup, release_mutex);
	return owned(m, self);
}

static NOINLINE int lock_long(struct co_mutex *m, uint64_t deadline)
{
	return lock(m, co_wait_lock(&m->queue), deadline);
}

int co_mutex_lock_until(struct co_mutex *m, uint64_t deadline)
{
	struct co_waiter *first;

	return co_waitq_try_lock(&m->queue, &first) ? lock(m, first, deadline)
						    : lock_long(m, deadline);
}

int co_mutex_lock(struct co_mutex *m)
{
	return co_mutex_lock_until(m, CO_FOREVER);
}

int co_mutex_lock_shielded(struct co_mutex *m)
{
	struct co *self = co_executor.current;
	struct co_waiter *first = co_wait_lock(&m->queue);
	int r = 0;

	if (take_free(m, self))
		co_waitq_unlock(&m->queue, first);
	else
		r = co_wait_commit_shielded(
			co_wait_begin(self, &m->queue, first, m, co_wait_mutex, false, 0),
			CO_FOREVER);
	CO_ASSERT_OWN(r == 0);
	co_cleanup_push(self, &m->cleanup, release_mutex);
	return owned(m, self);
}

void co_mutex_orphan(struct co_mutex *m)
{
	set_word(m, word_of(m) | ORPHANED);
}

bool co_mutex_pass(struct co_mutex *m, struct co_a32 *n)
{
	struct co_waiter *first;
	bool free;

	if (!co_waitq_try_lock(&m->queue, &first))
		first = co_wait_lock(&m->queue);
	free = !word_of(m);
	if (free)
		/* relaxed: the queue's lock orders it for the next owner. */
		co_atomic_add(n, 1, CO_RELAXED);
	co_waitq_unlock(&m->queue, first);
	return free;
}

int co_mutex_try_lock(struct co_mutex *m)
{
	struct co *self = co_executor.current;
	struct co_waiter *first = co_wait_lock(&m->queue);
	bool taken;

	CO_ASSERT_COROUTINE(self);
	taken = take_free(m, self);
	co_waitq_unlock(&m->queue, first);
	if (!taken)
		return co_mutex_owner(m) == self ? -EDEADLK : -EAGAIN;
	co_cleanup_push(self, &m->cleanup, release_mutex);
	return 0;
}

/* The mutex is not in its owner's list any more. All calls are last: no frame. */
INLINE void unlock(struct co_mutex *m, uintptr_t orphaned)
{
	struct co_waiter *w;

	if (co_handoff_begin(&m->queue, &w))
		hand_to(m, w, orphaned);
	else
		hand_on(m, orphaned);
}

/* Unlock m, although mutexes that were locked after it are locked still. */
static NOINLINE void unlock_older(struct co_mutex *m, struct co *self, uintptr_t orphaned)
{
	co_cleanup_search(self, &m->cleanup);
	unlock(m, orphaned);
}

void co_mutex_unlock(struct co_mutex *m)
{
	struct co *self = co_executor.current;
	uintptr_t orphaned = word_of(m) ^ (uintptr_t)self;

	CO_ASSERT_THAT(self && orphaned <= ORPHANED, "the caller has locked the mutex");
	if (co_cleanup_pop(self, &m->cleanup))
		unlock(m, orphaned);
	else
		unlock_older(m, self, orphaned);
}

/* A mutex that c was given, without having run since, is not in its list of cleanups. */
static void hand_on_given(struct co *c)
{
	/* relaxed: c's hart has stopped. The wait may have ended long ago. */
	struct co_mutex *m = (struct co_mutex *)co_atomic_load(&c->waits_for, CO_RELAXED);

	/* After a barrier's wait it is the kind of an earlier one, but nobody owns a barrier. */
	if (co_wait_kind(c) == co_wait_mutex && co_lost_usable(m, sizeof(*m)) &&
	    co_mutex_owner(m) == c && co_lost_queue(&m->queue))
		hand_on(m, ORPHANED);
}

static void hart_lost(unsigned hart)
{
	co_lost_each(hart, hand_on_given);
}

CO_HOOKS_OF(mutex) = { .hart_lost = hart_lost };
