/*
 * lock.c - the C library's locks.
 *
 * It has one for all that is not a stream's (exit handlers, the environment, the time zone), which
 * may be used from any hart: a mutex that its owner may take again. Boot code and handlers, which
 * cannot wait, do not take it; nothing else of their hart runs meanwhile. Those of streams are not
 * used: served/lock.h has them.
 */
#include <sys/lock.h>

#include <cohart/sync.h>

#include "library.h"

struct __lock {
	struct co_mutex mutex;
	unsigned depth; /* its owner's */
};

extern struct __lock __lock___libc_recursive_mutex;
struct __lock __lock___libc_recursive_mutex;

static bool is_owned(const struct __lock *l)
{
	return co_mutex_owner(&l->mutex) == co_self();
}

void __retarget_lock_acquire_recursive(_LOCK_T l)
{
	if (!co_self())
		return;
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
	if (co_self() && --l->depth == 0)
		co_mutex_unlock(&l->mutex);
}

/* Those of streams. */

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
