/*
 * give_up.h - give up a hart, which stops for good while all other harts go on, and clean up after
 * it. docs/faults.md has the promises.
 *
 * A hart is lost when its executor, a handler or the fault handling itself has faulted (fault.c),
 * or when the watch gives it up. Hart 0 decides that, once per hart. From then on no coroutine is
 * started there, and the search for stuck harts counts it as asleep. A lost hart that runs again
 * stops at its next alarm, message or end of a coroutine.
 *
 * Once a lost hart has confirmed that it has stopped, hart 0 cleans up after its coroutines. Joins
 * are notified when that is done and the transfers of these coroutines have ended: their memory is
 * not written after that. If a lost hart does not confirm, it may only be slow, so the objects that
 * its coroutines hold stay held.
 */
#ifndef COHART_FAULT_GIVE_UP_H
#define COHART_FAULT_GIVE_UP_H

#include "../core/hook.h"
#include "../core/lost.h"

/*
 * May hart 0 use a queue that a stopped hart used? False: its lock is held, which is reported, or
 * it lies in a private part.
 */
bool co_lost_queue(struct co_waitq *q);

/* Hart 0 begins or ends a look at a lost hart. All looks are over: forget the locked queues. */
void co_lost_look(bool begins);
void co_lost_forget(void);

/* Is [p, p + bytes) readable and writable shared memory? A lost hart may leave any pointer. */
bool co_lost_usable(const void *p, size_t bytes);

/*
 * In the hook hart_lost: once the hart has stopped, call `release` for each of its coroutines that
 * lives and has not been given up, whose joiners may have freed its objects since.
 */
void co_lost_each(unsigned hart, void (*release)(struct co *c));

/*
 * In the hook hart_lost, for one file, which answers messages: take the oldest message that the
 * hart has not taken. NULL: no message, or a message that is just being posted or has been
 * overwritten, or the hart has not stopped.
 */
struct co_msg *co_lost_message(unsigned hart);

/* co_counter_done() on behalf of a stopped hart; c may be damaged. */
void co_lost_done(struct co_counter *c);

/*
 * Give a hart up, without a report: the caller has written one. Waits until the hart has stopped,
 * for CO_LOST_US at most. Joins are notified when it returns or, if transfers are under way, when
 * they have ended, after CO_LOST_TRANSFERS_US at most.
 * @return false: it was lost already, nothing has changed
 * Context: hart 0, coroutine or handler. hart is not 0 (asserted).
 */
bool co_hart_lose(unsigned hart);
#define CO_LOST_US 200000 /* long, since an emulator may not run the hart for a while */
#define CO_LOST_TRANSFERS_US 1000000

#endif
