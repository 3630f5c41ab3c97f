/*
 * rwlock.c - all come in through a mutex, in their order: a writer keeps it, and waits until the
 * readers before it have left; a reader counts itself, and leaves the mutex to the next.
 *
 * A reader has a *share*: a block of the main heap in its list of cleanups.
 */
#include <errno.h>

#include <cohart/coroutine.h>
#include <cohart/debug.h>

#include "../../core/memory/main_heap.h"
#include "../../core/sched/cleanup.h"
#include "../../fault/give_up.h"
#include "mutex.h"
#include "rwlock.h"

struct share {
	struct co_cleanup cleanup;
	struct co_rwlock *lock;
};

/* The share that was given back last, for the next reader of the hart. */
static _Thread_local struct share *spare;

static struct share *take_share(void)
{
	struct share *s = spare;

	spare = NULL;
	return s ? s : co_main_alloc(sizeof(*s));
}

static void give_share_back(struct share *s)
{
	if (spare)
		co_main_free(s);
	else
		spare = s;
}

static bool has_readers(const struct co_rwlock *l)
{
	/*
	 * seq_cst: after the entry in the queue, and acquires the readers' work; pairs with
	 * count_out().
	 */
	return co_atomic_load(&l->readers, CO_SEQ_CST);
}

/* Is the reader that leaves the last one? Then a writer that waits is to be woken. */
static bool count_out(struct co_rwlock *l)
{
	/*
	 * seq_cst: releases the reader's work, and comes before the look for a writer; pairs with
	 * has_readers().
	 */
	return co_atomic_add(&l->readers, -1u, CO_SEQ_CST) == 1;
}

/* The reader has ended early: the guarded data are whole, since it changed none. */
static void release_share(struct co_cleanup *c, struct co *of, enum co_cleanup_why why)
{
	struct share *s = co_container_of(c, struct share, cleanup);
	struct co_rwlock *l = s->lock;

	(void)of;
	if (why == CO_CLEANUP_FAULT) {
		if (count_out(l))
			co_wake_one(&l->no_one);
	} else if (co_lost_usable(s, sizeof(*s)) && co_lost_usable(l, sizeof(*l)) && count_out(l) &&
		   co_lost_queue(&l->no_one)) {
		co_wake_one(&l->no_one);
	}
	give_share_back(s);
}

/* The newest share that the caller has of l, or NULL. */
static struct share *share_of(const struct co_rwlock *l)
{
	struct co_cleanup *c = co_cleanup_at(co_executor.current->cleanups);

	for (unsigned n = 0; c && n < CO_CLEANUPS_EVER; n++, c = co_cleanup_at(c->next)) {
		struct share *s = co_container_of(c, struct share, cleanup);

		if (c->run == release_share && s->lock == l)
			return s;
	}
	return NULL;
}

/* Has the caller the mutex after this result? */
static bool has(int r)
{
	return r == 0 || r == -EOWNERDEAD;
}

/* The caller, who has the mutex if this result says so, counts itself. */
static int come_in(struct co_rwlock *l, int r)
{
	if (!has(r))
		return r;
	/* relaxed: the mutex orders it for writers. */
	co_atomic_add(&l->readers, 1, CO_RELAXED);
	co_mutex_unlock(&l->mutex);
	return r;
}

/* A reader comes in once more, ahead of writers: these wait for it anyhow. */
static bool come_in_again(struct co_rwlock *l)
{
	if (!share_of(l))
		return false;
	/* relaxed: there is one already. */
	co_atomic_add(&l->readers, 1, CO_RELAXED);
	return true;
}

static int read_lock(struct co_rwlock *l, bool try, uint64_t deadline)
{
	struct share *s;
	int r = 0;

	CO_ASSERT_COROUTINE(co_executor.current);
	s = take_share();
	if (!s)
		return -ENOMEM;
	s->lock = l;
	if (!co_mutex_pass(&l->mutex, &l->readers) && !come_in_again(l))
		r = come_in(l, try ? co_mutex_try_lock(&l->mutex)
				   : co_mutex_lock_until(&l->mutex, deadline));
	if (has(r))
		co_cleanup_push(co_executor.current, &s->cleanup, release_share);
	else
		give_share_back(s);
	return r;
}

int co_rwlock_read_until(struct co_rwlock *l, uint64_t deadline)
{
	return read_lock(l, false, deadline);
}

int co_rwlock_read(struct co_rwlock *l)
{
	return read_lock(l, false, CO_FOREVER);
}

int co_rwlock_try_read(struct co_rwlock *l)
{
	return read_lock(l, true, 0);
}

/* The caller has the mutex with this result: wait until it is alone, or give up. */
static int await_no_readers(struct co_rwlock *l, int r, uint64_t deadline)
{
	while (has_readers(l)) {
		struct co_waiter *w = co_wait_prepare(&l->no_one, l, "readers of lock");
		int err = has_readers(l) ? co_wait_commit(w, deadline) : co_wait_abandon(w);

		if (err) {
			if (r)
				co_mutex_orphan(&l->mutex);
			co_mutex_unlock(&l->mutex);
			return err;
		}
	}
	return r;
}

/* Does the caller read? relaxed: only its own shares matter. */
static bool reads(const struct co_rwlock *l)
{
	return co_atomic_load(&l->readers, CO_RELAXED) && share_of(l);
}

int co_rwlock_write_until(struct co_rwlock *l, uint64_t deadline)
{
	int r = reads(l) ? -EDEADLK : co_mutex_lock_until(&l->mutex, deadline);

	return has(r) ? await_no_readers(l, r, deadline) : r;
}

int co_rwlock_write(struct co_rwlock *l)
{
	return co_rwlock_write_until(l, CO_FOREVER);
}

int co_rwlock_try_write(struct co_rwlock *l)
{
	int r = co_mutex_try_lock(&l->mutex);

	if (r == 0 && has_readers(l)) {
		co_mutex_unlock(&l->mutex);
		return -EAGAIN;
	}
	return r;
}

bool co_rwlock_leave(struct co_rwlock *l)
{
	struct co *self = co_executor.current;
	struct share *s;

	if (co_mutex_owner(&l->mutex) == self) {
		co_mutex_unlock(&l->mutex);
		return true;
	}
	s = share_of(l);
	if (!s)
		return false;
	if (!co_cleanup_pop(self, &s->cleanup))
		co_cleanup_search(self, &s->cleanup);
	give_share_back(s);
	if (count_out(l))
		co_wake_one(&l->no_one);
	return true;
}

void co_rwlock_unlock(struct co_rwlock *l)
{
	bool left = co_rwlock_leave(l);

	CO_ASSERT_THAT(left, "the caller has the read-write lock");
}
