/* lock.h - the contents of pthread.h's objects. */
#ifndef COHART_POSIX_LOCK_H
#define COHART_POSIX_LOCK_H

#include <pthread.h>

#include <cohart/sync.h>

#include "posix.h"

struct posix_mutex {
	struct co_mutex mutex;
	uint32_t type;
	uint32_t depth; /* the owner's: so often it has it besides once */
};

struct posix_cond {
	struct co_cond cond;
	int clock; /* 0: CLOCK_REALTIME */
};

struct posix_barrier {
	struct co_waitq queue; /* its lock guards both */
	uint32_t wanted, come;
};

_Static_assert(sizeof(struct posix_mutex) <= sizeof(pthread_mutex_t), "");
_Static_assert(sizeof(struct posix_cond) <= sizeof(pthread_cond_t), "");
_Static_assert(sizeof(struct posix_barrier) <= sizeof(pthread_barrier_t), "");
_Static_assert(sizeof(struct co_rwlock) <= sizeof(pthread_rwlock_t), "");
_Static_assert(sizeof(struct co_once) <= sizeof(pthread_once_t), "");

#endif
