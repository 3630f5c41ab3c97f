/*
 * lock.c - the C library's locks: recursive, owned by a coroutine, zero-valid.
 *
 * Most of what they guard is only ever touched on hart 0 and stays unlocked between two waits;
 * what is not (exit handlers, the time zone) may be used from any hart.
 */
#include <stdint.h>
#include <sys/lock.h>

#include <cohart/assert.h>

#include "../../core/hook.h"
#include "../../core/lost.h"
#include "library.h"

struct __lock {
	struct co_a32 held;
	uint32_t depth; /* these two are the holder's */
	struct co_aword owner;
	struct co_waitq waiters;
};

extern struct __lock __lock___libc_recursive_mutex;
struct __lock __lock___libc_recursive_mutex;

/* A lock for each open file, and one for those beyond. Hart 0 hands them out. */
static struct __lock pool[IO_FILES + 1];
static bool pool_taken[IO_FILES];

/* Who is asking: never 0. Code outside of coroutines is one owner for each hart. */
static uintptr_t caller(void)
{
	struct co_executor *e = &co_executor;

	return e->current ? (uintptr_t)e->current : (uintptr_t)e;
}

static bool try_take(struct __lock *l)
{
	/* seq_cst: after entering the queue; pairs with release, which clears it before it looks
	 * for waiters. It acquires what the last holder wrote, too. */
	if (co_atomic_swap(&l->held, 1, CO_SEQ_CST))
		return false;
	co_atomic_store(&l->owner, caller(), CO_RELAXED);
	l->depth = 1;
	return true;
}

/* relaxed: only the holder itself can find its own name there. */
static bool is_mine(struct __lock *l)
{
	return co_atomic_load(&l->owner, CO_RELAXED) == caller();
}

void __retarget_lock_acquire_recursive(_LOCK_T l)
{
	if (is_mine(l)) {
		l->depth++;
		return;
	}
	while (!try_take(l)) {
		struct co_waiter *w;
		int err;

		CO_ASSERT(co_self());
		w = co_wait_prepare(&l->waiters, l, "libc lock");
		if (try_take(l)) {
			co_wait_abandon(w);
			return;
		}
		err = co_wait_commit_shielded(w, CO_FOREVER);
		CO_ASSERT(!err);
	}
}

static void let_go(struct __lock *l, bool lost)
{
	co_atomic_store(&l->owner, 0, CO_RELAXED);
	/* seq_cst: releases, and comes before the look for waiters; pairs with try_take(). */
	co_atomic_store(&l->held, 0, CO_SEQ_CST);
	if (!lost || co_lost_queue(&l->waiters))
		co_wake_one(&l->waiters);
}

void __retarget_lock_release_recursive(_LOCK_T l)
{
	CO_ASSERT(is_mine(l));
	if (--l->depth == 0)
		let_go(l, false);
}

int __retarget_lock_try_acquire_recursive(_LOCK_T l)
{
	if (is_mine(l)) {
		l->depth++;
		return 1;
	}
	return try_take(l);
}

static void release_of(struct co *c, bool lost)
{
	struct __lock *l = &__lock___libc_recursive_mutex;

	for (unsigned i = 0; i <= IO_FILES + 1; l = &pool[i++]) {
		if (co_atomic_load(&l->owner, CO_RELAXED) == (uintptr_t)c)
			let_go(l, lost);
	}
}

static void release_of_faulted(struct co *c)
{
	release_of(c, false);
}

static void release_of_lost(struct co *c)
{
	release_of(c, true);
}

CO_HOOKS = { .co_faulted = release_of_faulted, .co_lost = release_of_lost };

void __retarget_lock_init_recursive(_LOCK_T *l)
{
	unsigned i = 0;

	while (i < IO_FILES && pool_taken[i])
		i++;
	if (i < IO_FILES) {
		pool_taken[i] = true;
		pool[i] = (struct __lock){ 0 };
	}
	*l = &pool[i];
}

void __retarget_lock_close_recursive(_LOCK_T l)
{
	CO_ASSERT(l >= pool && l <= &pool[IO_FILES]); /* nobody else's comes here */
	if (l != &pool[IO_FILES])
		pool_taken[l - pool] = false;
}

/* The plain ones are recursive, too: that is only more lenient. */
void __retarget_lock_init(_LOCK_T *l)
{
	__retarget_lock_init_recursive(l);
}

void __retarget_lock_close(_LOCK_T l)
{
	__retarget_lock_close_recursive(l);
}

void __retarget_lock_acquire(_LOCK_T l)
{
	__retarget_lock_acquire_recursive(l);
}

int __retarget_lock_try_acquire(_LOCK_T l)
{
	return __retarget_lock_try_acquire_recursive(l);
}

void __retarget_lock_release(_LOCK_T l)
{
	__retarget_lock_release_recursive(l);
}
