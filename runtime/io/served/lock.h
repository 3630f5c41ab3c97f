/*
 * lock.h - locks of the C library's streams: each lies in memory that all harts may use, and a
 * coroutine works on it where it is, alone until its call is back.
 *
 * The lock of a stream is found by its address, so that it outlives the stream; several streams may
 * share one lock, since a coroutine uses one stream at a time. It is a word that is swapped; a
 * coroutine that finds it taken marks it and waits. Unlike a mutex it is not handed over: the first
 * swap that finds it free takes it.
 */
#ifndef COHART_IO_LOCK_H
#define COHART_IO_LOCK_H

#include <stdio.h>

#include "../../core/sched/cleanup.h"
#include "../io.h"

/* States of a lock. IO_WAITED: taken, and a coroutine may wait for it; it is less than 0. */
enum { IO_FREE = 0, IO_TAKEN = 1, IO_WAITED = -1 };

/*
 * IO_GETS: bytes come out of the stream's buffer, if there are any; IO_PUTS: they go into it, if
 * there is room. A lock's `ready` is the stream's address plus one of the two, or IO_NOT_READY,
 * which NULL plus one of the two is not.
 */
enum { IO_GETS = 0, IO_PUTS = 1, IO_NOT_READY = 2 };

#define IO_LOCKS 32
#define IO_LOCK_ALIGN (8 * sizeof(uintptr_t))

struct co_io_lock {
	alignas(IO_LOCK_ALIGN) struct co_aword state;
	struct co_waitq queue;
	uintptr_t ready;        /* the owner's: a stream + IO_GETS or IO_PUTS, or IO_NOT_READY */
	unsigned depth;         /* the owner's: how often it has it besides once */
	struct co_cleanup held; /* in the owner's end list */
};

extern struct co_io_lock co_io_locks[IO_LOCKS];

static inline struct co_io_lock *co_io_lock_of(const FILE *f)
{
	uintptr_t offset = (uintptr_t)f & (sizeof(co_io_locks) - sizeof(struct co_io_lock));

	return (struct co_io_lock *)((uintptr_t)co_io_locks + offset);
}

/*
 * Mark l as waited for. True: it was free, and is the caller's, with the mark. seq_cst: after the
 * entries in the queue; pairs with co_io_lock_free(), whose swap sees the mark or is seen here.
 */
static inline bool co_io_lock_mark(struct co_io_lock *l)
{
	return co_atomic_swap(&l->state, (uintptr_t)IO_WAITED, CO_SEQ_CST) == IO_FREE;
}

/* Take l if it is free. A caller that keeps it adds l->held to its end list. */
static inline bool co_io_lock_try(struct co_io_lock *l)
{
	/* acquire: all that the last owner wrote; pairs with co_io_lock_free(). */
	uintptr_t was = co_atomic_swap(&l->state, IO_TAKEN, CO_ACQUIRE);

	/* Others wait: their mark goes back, with their entries, or nobody would wake them. */
	return was == IO_FREE || (was == (uintptr_t)IO_WAITED && co_io_lock_mark(l));
}

/* Returns whether a waiter is to be woken. */
static inline bool co_io_lock_free(struct co_io_lock *l)
{
	/* release: to the next owner. acquire: a waiter that marked it is seen in the queue. */
	return (intptr_t)co_atomic_swap(&l->state, IO_FREE, CO_ACQ_REL) < IO_FREE;
}

/*
 * Take l, waiting for it, or once more if the caller has it: no stream is ready then. A cancel does
 * not end the wait.
 * @return false, and errno EAGAIN: a coroutine has it, and the caller, no coroutine, cannot wait.
 * Context: any; not a handler of other harts than 0.
 */
bool co_io_lock(struct co_io_lock *l);
void co_io_unlock(struct co_io_lock *l);

/*
 * For the run's end: take l if its owner is done soon. @return false: the caller has it already, or
 * the owner waits for hart 0, which serves it no more. Context: hart 0.
 */
bool co_io_lock_last(struct co_io_lock *l);
/* Give l back, and wake nobody: later reports list its waiters. */
static inline void co_io_unlock_last(struct co_io_lock *l)
{
	/* release: as in co_io_lock_free(). */
	co_atomic_swap(&l->state, IO_FREE, CO_RELEASE);
}

#endif
