/* lock.c - locks of the C library's streams: waits for them, and their release for lost owners. */
#include <cohart/debug.h>

#include "../../core/hook.h"
#include "../../fault/give_up.h"
#include "lock.h"

/* How often the run's end looks for a lock: 64 times, then once in 20 us. */
#define LAST_LOOKS 1000

struct co_io_lock co_io_locks[IO_LOCKS] = { { .ready = IO_NOT_READY } }; /* NULL's */

/* Of code of hart 0 outside of coroutines. */
static struct co_aword nobodys;

/* Where the lock that it has is noted. */
static struct co_aword *used_by(struct co *self)
{
	return self ? &self->req.stream : &nobodys;
}

static void wait_for(struct co_io_lock *l)
{
	while (!co_io_lock_mark(l)) {
		struct co_waiter *w;
		int err;

		/* The owner may wait for the server. */
		if (co_io_serve_meanwhile && co_io_serve_meanwhile())
			continue;
		w = co_wait_prepare(&l->queue, l, "stream");
		if (co_io_lock_mark(l)) {
			co_wait_abandon(w);
			break;
		}
		err = co_wait_commit_shielded(w, CO_FOREVER);
		CO_ASSERT_OWN(!err);
	}
}

bool co_io_lock(struct co_io_lock *l)
{
	struct co *self = co_executor.current;
	struct co_aword *used = used_by(self);

	co_hooks_needed(lock);
	CO_ASSERT_THAT(
		self || co_io_is_server(),
		"what uses a stream is a coroutine: a mailbox's function, or another handler, may print, and no more");
	if (co_atomic_load(used, CO_RELAXED) == (uintptr_t)l) {
		l->depth++;
		l->ready = IO_NOT_READY;
		return true;
	}
	if (self) {
		wait_for(l);
	} else if (!co_io_lock_mark(l)) {
		errno = EAGAIN;
		return false;
	}
	/* relaxed: as in co_io_lock_try(). */
	co_atomic_store(used, (uintptr_t)l, CO_RELAXED);
	l->ready = IO_NOT_READY;
	return true;
}

void co_io_unlock(struct co_io_lock *l)
{
	if (l->depth)
		l->depth--;
	else if (co_io_lock_free(l, used_by(co_executor.current)))
		co_wake_one(&l->queue);
}

bool co_io_lock_last(struct co_io_lock *l)
{
	unsigned spins = 0;

	if (co_atomic_load(used_by(co_executor.current), CO_RELAXED) == (uintptr_t)l)
		return false;
	while (!co_io_lock_mark(l)) {
		if (spins >= LAST_LOOKS)
			return false;
		co_spin(&spins);
	}
	return true;
}

/* The lock that c has, or NULL. */
static struct co_io_lock *lock_of(const struct co *c)
{
	uintptr_t offset = co_atomic_load(&c->req.stream, CO_RELAXED) - (uintptr_t)co_io_locks;

	return offset < sizeof(co_io_locks) ? &co_io_locks[offset / sizeof(struct co_io_lock)]
					    : NULL;
}

/* Take from c the lock that it has, if any: its work on the stream may be half done. */
static void take_from(struct co *c)
{
	struct co_io_lock *l = lock_of(c);

	if (!l)
		return;
	l->depth = 0;
	l->ready = IO_NOT_READY;
	(void)co_io_lock_free(l, &c->req.stream);
}

static void release_lock(struct co *c)
{
	struct co_io_lock *l = lock_of(c);

	take_from(c);
	if (l)
		co_wake_one(&l->queue);
}

/* Waiters look again: the hart may have had a lock, or been about to wake a waiter. */
static void hart_lost(unsigned hart)
{
	co_lost_each(hart, take_from);
	for (struct co_io_lock *l = co_io_locks; l < co_io_locks + IO_LOCKS; l++) {
		if (co_lost_queue(&l->queue))
			co_wake_one(&l->queue);
	}
}

CO_HOOKS_OF(lock) = {
	.co_faulted = release_lock,
	.hart_lost = hart_lost,
};
