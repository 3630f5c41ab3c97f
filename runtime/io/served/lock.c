/* lock.c - locks of the C library's streams: waits for them, and their release for lost owners. */
#include <cohart/debug.h>

#include "../../core/hook.h"
#include "../../fault/give_up.h"
#include "lock.h"

/* How often the run's end looks for a lock: 64 times, then once in 20 us. */
#define LAST_LOOKS 1000

struct co_io_lock co_io_locks[IO_LOCKS] = { { .ready = IO_NOT_READY } }; /* NULL's */

/* The lock that code of hart 0 outside of coroutines has. */
static const struct co_io_lock *nobodys;

static bool has(const struct co *self, const struct co_io_lock *l)
{
	return self ? co_cleanup_holds(self, &l->held) : nobodys == l;
}

/* The owner ends early: its work on the stream may be half done. */
static void release_early(struct co_cleanup *c, struct co *of, enum co_cleanup_why why)
{
	struct co_io_lock *l = co_container_of(c, struct co_io_lock, held);

	(void)of;
	l->depth = 0;
	l->ready = IO_NOT_READY;
	if (co_io_lock_free(l) && (why == CO_CLEANUP_FAULT || co_lost_queue(&l->queue)))
		co_wake_one(&l->queue);
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

	co_hooks_needed(lock);
	CO_ASSERT_THAT(
		self || co_io_is_server(),
		"what uses a stream is a coroutine: a mailbox's function, or another handler, may print, and no more");
	if (has(self, l)) {
		l->depth++;
		l->ready = IO_NOT_READY;
		return true;
	}
	if (self) {
		wait_for(l);
		co_cleanup_push(self, &l->held, release_early);
	} else if (co_io_lock_mark(l)) {
		nobodys = l;
	} else {
		errno = EAGAIN;
		return false;
	}
	l->ready = IO_NOT_READY;
	return true;
}

void co_io_unlock(struct co_io_lock *l)
{
	struct co *self = co_executor.current;

	if (l->depth) {
		l->depth--;
		return;
	}
	if (!self)
		nobodys = NULL;
	else
		(void)co_cleanup_search(self, &l->held);
	if (co_io_lock_free(l))
		co_wake_one(&l->queue);
}

bool co_io_lock_last(struct co_io_lock *l)
{
	unsigned spins = 0;

	if (has(co_executor.current, l))
		return false;
	while (!co_io_lock_mark(l)) {
		if (spins >= LAST_LOOKS)
			return false;
		co_spin(&spins);
	}
	return true;
}

/* Waiters look again: the hart may have been about to wake one. */
static void hart_lost(unsigned hart)
{
	(void)hart;
	for (struct co_io_lock *l = co_io_locks; l < co_io_locks + IO_LOCKS; l++) {
		if (co_lost_queue(&l->queue))
			co_wake_one(&l->queue);
	}
}

CO_HOOKS_OF(lock) = { .hart_lost = hart_lost };
