/*
 * lock.c - the C library's locks.
 *
 * It has one for all state that is not a stream's (exit handlers, the environment, the time zone),
 * which may be used from any hart: a mutex that its owner may take again. Boot code and handlers,
 * which cannot wait, do not take it; nothing else of their hart runs meanwhile. The library's locks
 * of streams are not used: served/lock.h replaces them. A rank has its own copy of the state
 * (cohart/process.h), and of the lock; so it may hold its lock and call malloc(), whose part on
 * hart 0 takes hart 0's lock.
 */
#include <sys/lock.h>

#include <cohart/sync.h>

#include "../../core/boot/process.h"
#include "library.h"

struct __lock {
	struct co_mutex mutex;
	unsigned depth; /* its owner's */
};

extern struct __lock __lock___libc_recursive_mutex;
struct __lock __lock___libc_recursive_mutex;

static CO_PER_RANK struct __lock of_rank;

static struct __lock *lock_of(struct __lock *l)
{
	return co_rank_here() == CO_NO_RANK ? l : co_process_public(&of_rank);
}

static bool is_owned(const struct __lock *l)
{
	return co_mutex_owner(&l->mutex) == co_self();
}

void __retarget_lock_acquire_recursive(_LOCK_T l)
{
	if (!co_self())
		return;
	l = lock_of(l);
	if (!is_owned(l)) {
		co_io_mutex_lock(&l->mutex);
		l->depth = 0;
	}
	l->depth++;
}

int __retarget_lock_try_acquire_recursive(_LOCK_T l)
{
	if (!co_self())
		return 1;
	l = lock_of(l);
	if (!is_owned(l)) {
		if (co_mutex_try_lock(&l->mutex))
			return 0;
		l->depth = 0;
	}
	l->depth++;
	return 1;
}

void __retarget_lock_release_recursive(_LOCK_T l)
{
	if (!co_self())
		return;
	l = lock_of(l);
	if (--l->depth == 0)
		co_mutex_unlock(&l->mutex);
}

/* Locks of streams: none. */

void __retarget_lock_init(_LOCK_T *l)
{
	*l = NULL;
}

void __retarget_lock_close(_LOCK_T l)
{
	(void)l;
}

void __retarget_lock_acquire(_LOCK_T l)
{
	(void)l;
}

void __retarget_lock_release(_LOCK_T l)
{
	(void)l;
}
