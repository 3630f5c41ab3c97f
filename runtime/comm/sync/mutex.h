/* mutex.h - the part of mutex.c that other objects of this folder use. */
#ifndef COHART_MUTEX_H
#define COHART_MUTEX_H

#include <cohart/sync.h>

/*
 * co_mutex_lock() that a cancel does not end. The caller does not have the mutex.
 * @return 0; -EOWNERDEAD
 */
CO_MUST_CHECK int co_mutex_lock_shielded(struct co_mutex *m);

/*
 * If m is free, and its next owner would not get -EOWNERDEAD, add 1 to *n, and leave m free: the
 * next owner sees the new *n.
 * @return false: nothing was added
 */
bool co_mutex_pass(struct co_mutex *m, struct co_a32 *n);

/*
 * The caller, who has got -EOWNERDEAD by m, gives up the object that m is a part of: the next owner
 * gets -EOWNERDEAD, too.
 */
void co_mutex_orphan(struct co_mutex *m);

#endif
