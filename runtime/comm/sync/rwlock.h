/* rwlock.h - the part of rwlock.c that pthread.h uses. */
#ifndef COHART_RWLOCK_H
#define COHART_RWLOCK_H

#include <cohart/sync.h>

/* co_rwlock_unlock(). @return false: the caller does not have the lock */
CO_MUST_CHECK bool co_rwlock_leave(struct co_rwlock *l);

#endif
