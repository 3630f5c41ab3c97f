/* waiting.h - the parts of waits (wait.c), for objects with more than hints, and for reports. */
#ifndef COHART_CORE_WAITING_H
#define COHART_CORE_WAITING_H

#include <cohart/detail/wait.h>

#include "executor.h"

/* wait.c */
/* Does c wait? From its prepare on. For others, a moment old. */
static inline bool co_sleeps(const struct co *c)
{
	return co_atomic_load(&c->token, CO_RELAXED) & CO_ARMED;
}

/* A time in a word: with 32 bits it lasts a thousand times longer in steps of 1024 ticks. */
#define CO_SINCE_SHIFT (sizeof(uintptr_t) < sizeof(uint64_t) ? 10 : 0)
static inline uintptr_t co_since(uint64_t ticks)
{
	return (uintptr_t)(ticks >> CO_SINCE_SHIFT);
}

/*
 * The parts that waits are made of, for objects whose wake-ups are more than hints. A wait is armed
 * by co_wait_prepare(NULL, ...); the taker of its token wakes it.
 */
/* co_wake_one() for a caller that has acquired the waiter's entry. Returns 0. */
int co_wake_known(struct co_waitq *q);
/*
 * For a caller that has locked q, with its first waiter in hand: unlock it, and wake all that wait
 * now; one that waits again is not woken twice. Returns how many they were.
 */
unsigned co_waitq_wake_all(struct co_waitq *q, struct co_waiter *first);
/* co_wait_prepare() with a word for wakers, w->place. */
struct co_waiter *co_wait_prepare_as(struct co_waitq *q, const void *object, const char *kind,
				     uint32_t place);
/* Make the coroutine ready that w's token was taken of. Returns 0. Context: its taker. */
int co_wake(struct co_waiter *w);
/* Sleep; a cancel that came before is not looked for. The node is where it was. */
int co_wait_sleep(struct co *c, uint64_t deadline);
/* End one's own wait instead; true if somebody else had, whose message has been taken then. */
bool co_wait_withdraw(struct co *c);
/* Take its nodes out of the queues and give them back: the wait has ended, however that was. */
void co_wait_any_leave(struct co_wait_any *a);
/*
 * Is q's lock to be had soon, or has a hart stopped in the middle of it? A hart put aside by an
 * emulator for long looks the same: only for callers that may not wait. Context: any.
 */
bool co_waitq_usable(struct co_waitq *q);
#define CO_LOCKED_US \
	20000 /* nobody holds a queue's lock for so long, even where harts take turns */
/* The one that runs, which a fault has ended, may have been about to wait: now it is not. */
void co_wait_forget(struct co *c);
/* End c's wait with a result if nobody has yet. Context: c's hart. */
void co_wait_end(struct co *c, int result);

#endif
