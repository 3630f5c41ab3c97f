/*
 * waiting.h - wait.c's interface for the runtime beside <cohart/detail/wait.h>: for objects whose
 * wake-ups are more than hints, and for reports.
 */
#ifndef COHART_CORE_WAITING_H
#define COHART_CORE_WAITING_H

#include <cohart/detail/wait.h>

#include "executor.h"

/* wait.c */
/* Has c prepared a wait that has not ended? */
static inline bool co_sleeps(const struct co *c)
{
	return co_atomic_load(&c->token, CO_RELAXED) & CO_ARMED;
}

/* The kind of object that c waits for. relaxed: for reports. */
static inline const char *co_wait_kind(const struct co *c)
{
	return co_atomic_load(&c->token, CO_RELAXED) & CO_AT_BARRIER
		       ? co_wait_barrier
		       : (const char *)co_atomic_load(&c->waits_kind, CO_RELAXED);
}

/* A time in a word; words of 32 bits count units of 1024 ticks. */
#define CO_SINCE_SHIFT (sizeof(uintptr_t) < sizeof(uint64_t) ? 10 : 0)
static inline uintptr_t co_since(uint64_t ticks)
{
	return (uintptr_t)(ticks >> CO_SINCE_SHIFT);
}

/*
 * The span from one time in a word to another; 0 if `then` is later, by at most CO_SINCE_LATER
 * units, since another hart may have noted it after the caller's look at the clock. Larger spans
 * have wrapped.
 */
#define CO_SINCE_LATER ((uintptr_t)1 << (sizeof(uintptr_t) * 8 - 8))
static inline uintptr_t co_since_span(uintptr_t now, uintptr_t then)
{
	return then - now - 1 < CO_SINCE_LATER ? 0 : now - then;
}

/* A time or a span in units of 1024 ticks, for reports in milliseconds: an hour at least. */
#define CO_COARSE_SHIFT 10
static inline uint32_t co_coarse(uint64_t ticks)
{
	return (uint32_t)(ticks >> CO_COARSE_SHIFT);
}

/* As co_since_span(). */
static inline uint32_t co_coarse_span(uint32_t now, uint32_t then)
{
	return then - now - 1 < (uint32_t)1 << 24 ? 0 : now - then;
}

/*
 * For objects whose wake-ups are more than hints: co_wait_prepare(NULL, ...) arms a wait, and the
 * taker of its token wakes it.
 */
/* co_wake_one() for a caller that has acquired the waiter's entry. Returns 0. */
int co_wake_known(struct co_waitq *q);
/*
 * Unlock q, which the caller has locked with `first` as its first waiter, and wake all waiters,
 * each once even if it waits again meanwhile. Returns how many there were.
 */
unsigned co_waitq_wake_all(struct co_waitq *q, struct co_waiter *first);
/*
 * co_wake_all() that locks q even if nobody waits: a waiter that enters later acquires the caller's
 * writes by the lock.
 */
unsigned co_wake_all_after(struct co_waitq *q);
/* Make the coroutine of w ready. Returns 0. Context: the taker of its token. */
int co_wake(struct co_waiter *w);
/* Sleep, even if a cancel came before. The node stays in its queue. */
int co_wait_sleep(struct co *c, uint64_t deadline);
/* End c's own wait without sleeping. Returns true if another party has ended it already. */
bool co_wait_withdraw(struct co *c);
/*
 * Can q be locked within CO_LOCKED_US? If not, a hart has stopped while it held the lock, or an
 * emulator has delayed it: only for callers that must not wait longer. Context: any.
 */
bool co_waitq_usable(struct co_waitq *q);
#define CO_LOCKED_US 20000 /* longer than any hart holds the lock, even where harts take turns */
/*
 * The remainder of a wait of c on r (lf/rest.h) that co_rest_begin() has begun and that was not to
 * sleep in place, or did and was woken for something else. Returns 0 if r is over; 1: another rest,
 * which is enough for r (co_rest_with()), is over; or as co_wait_commit().
 */
int co_rest_slowly(struct co *c, struct co_rest *r, uint64_t deadline);
/* End the waits of this hart's parked coroutines whose rests are over. */
void co_rest_poll(struct co_executor *e);
/* Does c, of any hart, rest, and has something come? As co_rest_pending(). */
bool co_rest_waits_no_more(const struct co *c);
/* c runs and has faulted: if it was about to wait, undo that. */
void co_wait_forget(struct co *c);
/* End c's wait with a result, unless it has ended. Context: c's hart. */
void co_wait_end(struct co *c, int result);

#endif
