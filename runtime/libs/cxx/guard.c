/*
 * guard.c - the C++ ABI's guards: a static of a function is initialized by the first coroutine that
 * comes to it, on any hart; others wait for that. If the coroutine ends before it has done so, by a
 * fault, with its hart or by co_exit(), the next begins anew.
 */
#include <stdlib.h>

#include <cohart/atomic.h>
#include <cohart/coroutine.h>
#include <cohart/debug.h>
#include <cohart/detail/wait.h>

#include "cxx.h"

/* Of a guard, of which the ABIs have at least 32 bits: programs look at the lowest bit, or byte. */
enum { MADE = 1, BEGUN = 0x100 };

/* Of a coroutine that initializes: what to undo if it ends. */
struct making {
	struct co_local local;
	struct co_a32 *guard;
	struct making *outer; /* the initialization that the coroutine began before, or NULL */
};

static const char making_key;
static struct co_waitq waiting; /* for any guard: a wait is rare */

static void unlock(struct co_a32 *guard, uint32_t state)
{
	/* seq_cst: releases the object to later callers; then comes the look for waiters. */
	co_atomic_store(guard, state, CO_SEQ_CST);
	(void)co_wake_all(&waiting);
}

static void give_up(struct co_local *l, struct co *of, enum co_cleanup_why why)
{
	struct making *m = (struct making *)l;

	(void)of;
	unlock(m->guard, 0);
	if (why != CO_CLEANUP_HOST_DOWN) /* hart 0 cannot wait for the heap: the record is lost */
		free(m);
}

/* A handler of messages has no coroutine: it begins and ends without a wait, or ends its hart. */
static struct making *newest(void)
{
	return co_self() ? (struct making *)co_local_find(&making_key) : NULL;
}

static void begin(struct co_a32 *guard)
{
	struct making *m;

	if (!co_self())
		return;
	m = malloc(sizeof(*m));
	CO_ASSERT_THAT(m, "there is memory to note that a static of a function is being made");
	m->guard = guard;
	m->outer = newest();
	co_local_add(&m->local, &making_key, give_up);
}

static void await(struct co_a32 *guard)
{
	struct co_waiter *w;
	int r;

	for (struct making *m = newest(); m; m = m->outer)
		CO_ASSERT_THAT(m->guard != guard,
			       "a static of a function is not used by its own initialization");
	CO_ASSERT_THAT(
		co_self(),
		"a handler does not come to a static of a function while that is being made");
	w = co_wait_prepare(&waiting, guard, "static of a function");
	/* acquire: as in __cxa_guard_acquire(). */
	if ((co_atomic_load(guard, CO_ACQUIRE) & (MADE | BEGUN)) == BEGUN)
		r = co_wait_commit_shielded(w, CO_FOREVER);
	else
		r = co_wait_abandon(w);
	CO_ASSERT_THAT(!r, "the static that is waited for is made, or its maker ends");
}

int __cxa_guard_acquire(struct co_a32 *guard)
{
	for (;;) {
		/* acq_rel: sees the object, or the remains of a failed try; pairs with unlock(). */
		uint32_t before = co_atomic_or(guard, BEGUN, CO_ACQ_REL);

		if (before & MADE)
			return 0;
		if (!(before & BEGUN)) {
			begin(guard);
			return 1;
		}
		await(guard);
	}
}

static void end(struct co_a32 *guard, uint32_t state)
{
	struct making *m = newest();

	if (m) {
		co_cleanup_remove(&m->local.cleanup);
		free(m);
	}
	unlock(guard, state);
}

void __cxa_guard_release(struct co_a32 *guard)
{
	end(guard, MADE);
}

/* An exception has left the initialization. */
void __cxa_guard_abort(struct co_a32 *guard)
{
	end(guard, 0);
}
