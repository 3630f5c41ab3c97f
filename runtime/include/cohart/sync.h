/*
 * sync.h - mutexes, conditions, read-write locks, once, events, signals and tournament locks.
 *
 * Example
 *	static struct co_mutex m;           // zero-filled is valid: free
 *	static struct co_event loaded;      // not set
 *	static struct co_signal work;       // none sent
 *	...
 *	int r = co_event_wait(&loaded);     // until a coroutine calls co_event_set(&loaded)
 *	while (r == 0 && (r = co_signal_wait(&work)) == 0) {    // one co_signal_send(&work)
 *		r = co_mutex_lock(&m);
 *		if (r)
 *			break;              // cancelled: not locked
 *		...
 *		co_mutex_unlock(&m);
 *	}
 *
 * They lie in memory that every hart may use, and are for coroutines of any hart. Waiters go on in
 * the order in which they came. All are built of atomic swaps alone.
 * Source: seeds D2, D3 (locks, events, signals), which give the names; their meanings here are said
 * here. D4: tournaments that admit at most 6.
 */
#ifndef COHART_SYNC_H
#define COHART_SYNC_H

#include <cohart/detail/base.h>
#include <cohart/detail/cleanup.h>
#include <cohart/detail/wait.h>
#include <cohart/time.h>

CO_BEGIN_C
struct co;

/*
 * A mutex: one owner at a time. The owner is a coroutine, which may wait for other things
 * meanwhile. An unlock hands the mutex to the longest waiter: no other can get it. Not recursive.
 *
 * If a fault ends the owner, or its hart is lost and has stopped, the mutex goes to the next caller
 * of co_mutex_lock() or co_mutex_lock_until() with -EOWNERDEAD: it has the mutex, and the data that
 * the mutex guards may be half changed. Only one caller gets -EOWNERDEAD. A coroutine that returns
 * while it has a mutex leaves it locked for ever (with DEBUG=1 that is a fault): the report of a
 * deadlock names it as owner. A later coroutine in the same control block is taken for the owner,
 * by reports and by these calls. An owner whose mutex is initialised anew before the unlock is
 * ended by a fault, at the latest at its end; not if another coroutine has locked it since, which
 * mixes up what the two hold.
 */
struct co_mutex {
	struct co_aword owner; /* struct co *, NULL: free; first, since reports look for it there */
	struct co_waitq queue; /* waiters; its lock guards both */
	struct co_cleanup cleanup; /* the owner's */
};

/*
 * Take it.
 * @return 0; -EOWNERDEAD: the caller has it, and the owner before was ended by a fault or with its
 *         hart; -EDEADLK: the caller has it already; -ECANCELED; -ETIMEDOUT (_until) at the
 *         deadline, also one that has passed, if another still has it. Except after the first two
 *         the caller does not have it.
 * Context: coroutine. Order: sees all that owners before it wrote (acquire; paired with the
 * unlock).
 * Cost: 50 instructions (row mutex), unlock included, when it is free and has no waiters (rv64).
 */
CO_MUST_CHECK int co_mutex_lock(struct co_mutex *m);
CO_MUST_CHECK int co_mutex_lock_until(struct co_mutex *m, uint64_t deadline);

/*
 * Take it if it is free; the -EOWNERDEAD of an owner that a fault ended is left for a later lock.
 * @return 0: the caller has it; -EAGAIN: another has; -EDEADLK: the caller had it already.
 * Context, Order: as co_mutex_lock().
 */
CO_MUST_CHECK int co_mutex_try_lock(struct co_mutex *m);

/*
 * Let go of it. The caller has it (asserted). The mutex is not touched after its next owner can
 * run: the last one to use it may free its memory.
 * Context: coroutine. Order: release.
 */
void co_mutex_unlock(struct co_mutex *m);

/* Its owner, a moment ago; NULL: none. Context: any. */
struct co *co_mutex_owner(const struct co_mutex *m);

/*
 * A condition variable: coroutines wait until data that a mutex guards changes. There are no
 * wake-ups without a signal, but another coroutine may have been first: a waiter looks again. A
 * signal for a waiter whose hart is lost before the waiter has run is for the next waiter.
 *
 * Example
 *	static struct co_mutex m;           // guards `left`
 *	static struct co_cond changed;      // zero-filled is valid: nobody waits
 *	...
 *	int r = co_mutex_lock(&m);
 *	while (r == 0 && left > 0)
 *		r = co_cond_wait(&changed, &m);
 *	...
 *	left--;                             // another one, with the mutex
 *	co_cond_signal(&changed);
 */
struct co_cond {
	struct co_waitq queue;
};

/*
 * Let go of the mutex and wait, in one step for callers that signal with the mutex; then take the
 * mutex again, and wait for it whatever happens.
 * @param m  the caller's (asserted)
 * @return 0: signalled; -EOWNERDEAD: as of co_mutex_lock(), whatever has ended the wait;
 *         -ECANCELED; -ETIMEDOUT (_until) at the deadline, also one that has passed. The caller has
 *         the mutex in each case. A signal that comes with a deadline or a cancel wakes another.
 * Context: coroutine. Order: as an unlock and a lock of the mutex.
 */
CO_MUST_CHECK int co_cond_wait(struct co_cond *c, struct co_mutex *m);
CO_MUST_CHECK int co_cond_wait_until(struct co_cond *c, struct co_mutex *m, uint64_t deadline);

/*
 * Wake the longest waiter, or all. Without waiters nothing happens. With or without the mutex; the
 * condition was changed with it. The variable is not accessed after a waiter can run: the last one
 * that was woken may free its memory.
 * Context: coroutine, or an inbox handler. Cost: as co_wake_one(), co_wake_all() (detail/wait.h).
 */
void co_cond_signal(struct co_cond *c);
void co_cond_broadcast(struct co_cond *c);

/*
 * A read-write lock: one writer, or any number of readers. All get it in the order in which they
 * came: a reader waits behind a writer that waits, so neither kind starves. A coroutine that reads
 * may do so again, and gets in at once. Zero-filled is valid: free.
 *
 * If a fault ends a writer, or its hart is lost, the next reader or writer gets -EOWNERDEAD, as
 * with a mutex. A reader that ends so lets go of the lock, and nobody is notified, since readers
 * change nothing.
 */
struct co_rwlock {
	struct co_mutex mutex;  /* a writer has it, and a reader while it comes in */
	struct co_a32 readers;  /* that have it */
	struct co_waitq no_one; /* the writer that waits until there are none */
};

/*
 * Take it, to read or to write.
 * @return 0; -EOWNERDEAD, -EDEADLK, -ECANCELED, -ETIMEDOUT (_until) as of co_mutex_lock(): after 0
 *         and -EOWNERDEAD the caller has it. -EDEADLK also to a reader that is to write. -ENOMEM,
 *         to read: the heap has no 32 bytes.
 * Context: coroutine. Order: acquire; paired with the unlocks before.
 * Cost: to read 136 instructions (row rwlock_read), to write 119 (row rwlock_write), unlock
 * included, when it is free (rv64).
 */
CO_MUST_CHECK int co_rwlock_read(struct co_rwlock *l);
CO_MUST_CHECK int co_rwlock_read_until(struct co_rwlock *l, uint64_t deadline);
CO_MUST_CHECK int co_rwlock_write(struct co_rwlock *l);
CO_MUST_CHECK int co_rwlock_write_until(struct co_rwlock *l, uint64_t deadline);

/*
 * Take it if that is possible at once.
 * @return 0; -EAGAIN: a writer has it (or, to write, readers), or another caller is just coming in;
 *         -EDEADLK: the caller writes; -ENOMEM, to read: the heap has no 32 bytes.
 * Context, Order: as co_rwlock_read().
 */
CO_MUST_CHECK int co_rwlock_try_read(struct co_rwlock *l);
CO_MUST_CHECK int co_rwlock_try_write(struct co_rwlock *l);

/*
 * Let go of it, once for each time that the caller has it (asserted). Its memory may be freed when
 * this is back.
 * Context: coroutine. Order: release.
 */
void co_rwlock_unlock(struct co_rwlock *l);

/* The state of a function that is called once. Zero-filled is valid: not called yet. */
struct co_once {
	struct co_a32 done;
	struct co_mutex mutex; /* of the coroutine that calls it */
};

/*
 * Call fn, unless an earlier call did, and wait until fn is back. If a fault ends the caller within
 * fn, the next caller calls fn again.
 * @return 0: it has been done; -EDEADLK: fn itself calls this; -ECANCELED: it is being done by
 *         another.
 * Context: coroutine. Order: sees all that fn wrote (acquire; paired with its end).
 * Cost: 8 instructions (row once) if it has been done (rv64).
 */
CO_MUST_CHECK int co_once(struct co_once *o, void (*fn)(void));

/*
 * An event: set or not, for all coroutines. It stays set until it is cleared: later waits return at
 * once. All that wait when it is set go on, even if it is cleared before they run. It outlives the
 * calls that set it: for one shot in memory that goes away after the wait take a counter
 * (coroutine.h).
 */
struct co_event {
	struct co_a32 set;     /* 1: it is */
	struct co_waitq queue; /* of waiters; its lock makes "not set: enter" one step */
};

/*
 * Set it, and wake all that wait. Nothing changes if it is set already.
 * Context: any. Order: release, to its waiters and to the coroutine that clears it. Cost:
 * about 4 instructions if it is set already.
 */
void co_event_set(struct co_event *e);

/*
 * Clear it. A worker that is notified of work by an event clears it first, then looks for work: it
 * sees all work that was there when a coroutine set the event, or found it set, and later work sets
 * it again. Context: any. Order: acquire; paired with co_event_set().
 */
void co_event_clear(struct co_event *e);

/* A moment ago, was it? Context: any. Order: acquire; paired with co_event_set(). */
bool co_event_is_set(const struct co_event *e);

/*
 * Wait until it is set, or was set since the call began.
 * @return 0; -ECANCELED; -ETIMEDOUT (_until) at the deadline, also one that has passed.
 * Context: coroutine. Order: sees all that the setter wrote (acquire; paired with co_event_set()).
 */
CO_MUST_CHECK int co_event_wait(struct co_event *e);
CO_MUST_CHECK int co_event_wait_until(struct co_event *e, uint64_t deadline);

/*
 * A signal: each one that is sent is received once, by the longest waiter. One that is sent while
 * no coroutine waits is kept, and counted.
 */
struct co_signal {
	struct co_waitq queue; /* waiters; its lock guards both */
	struct co_a32 kept;    /* sent, and not received; 0 while coroutines wait */
};

/* The most signals that one wait can be for. */
#define CO_SIGNAL_ANY_MAX CO_WAIT_ANY_MAX

/*
 * Send one: to the longest waiter, or kept for the next one. At most 2^32 - 1 are kept (asserted).
 * Context: coroutine, or an inbox handler. Order: release; paired with the wait.
 * Cost: about 15 instructions without waiters. The signal is not accessed after a waiter can run.
 */
void co_signal_send(struct co_signal *s);

/*
 * Send one to each that waits now; none is kept. The signal is not touched after a woken one can
 * run; the nodes of the rest are.
 * @return the number of coroutines that were woken
 * Context, Order: as co_signal_send().
 */
unsigned co_signal_broadcast(struct co_signal *s);

/*
 * Receive one.
 * @return 0; -ECANCELED; -ETIMEDOUT (_until) at the deadline, also one that has passed; -EAGAIN
 *         (_try_) if none is kept. Except after 0 nothing was received.
 * Context: coroutine; _try_: also inbox handlers. Order: sees all that the sender wrote (acquire).
 */
CO_MUST_CHECK int co_signal_wait(struct co_signal *s);
CO_MUST_CHECK int co_signal_wait_until(struct co_signal *s, uint64_t deadline);
CO_MUST_CHECK int co_signal_try_wait(struct co_signal *s);

/*
 * Receive one of any of several; where several are kept, of the first in the list.
 * @param n  1..CO_SIGNAL_ANY_MAX (asserted)
 * @return its place in the list; -ECANCELED, -ETIMEDOUT as co_signal_wait(); -ENOBUFS if too many
 *         coroutines of this hart wait for several things. Then nothing was received.
 * Context, Order: as co_signal_wait().
 */
CO_MUST_CHECK int co_signal_wait_any(struct co_signal *const signals[], unsigned n);
CO_MUST_CHECK int co_signal_wait_any_until(struct co_signal *const signals[], unsigned n,
					   uint64_t deadline);

/* Forget the kept signals: they count as received. @return their number. Context: any. */
unsigned co_signal_drop(struct co_signal *s);

/* How many are kept, a moment ago. Context: any. */
unsigned co_signal_count(const struct co_signal *s);

/*
 * A tournament lock: at most k contenders at any of its words.
 *
 * Example: 21 harts, in memories with 6 exclusive monitors each
 *	CO_TLOCK(lock, 21, 6);
 *	...
 *	int r = co_tlock_lock(&lock, co_hart());
 *	if (r)
 *		return r;
 *	... one at a time
 *	co_tlock_unlock(&lock, co_hart());
 *
 * Some memories can serve atomic accesses of few harts at a time (six on NM6408MP): a lock that all
 * contend for would break there. Here contenders meet in rounds: at most k come to a node, in the
 * first round k contenders, then the winners of k nodes each; the winner of the last one has the
 * lock. Each node is a mutex: no contender starves. Not recursive.
 */
struct co_tlock_node {
	alignas(CO_LINE) struct co_mutex mutex;
};

struct co_tlock {
	uint32_t contenders;
	uint32_t k;
	struct co_tlock_node *nodes; /* round by round; the last one is the final */
};

/* The most contenders of a tournament lock. */
#define CO_TLOCK_MAX 65536u

/* Nodes that n contenders need, k at a node, or a few more. */
#define CO_TLOCK_ROUND(n, k) (((n) + (k)-1) / (k))
#define CO_TLOCK_NODES(n, k) \
	((n) <= (k) ? 1 : (n) <= (k) * (k) ? 1 + CO_TLOCK_ROUND(n, k) : 16 + (n) / ((k)-1))

/* A static tournament lock of n contenders, 1..CO_TLOCK_MAX, k at a node, 2 or more. It is open. */
#define CO_TLOCK(name, n, k)                                            \
	static struct co_tlock_node name##_nodes[CO_TLOCK_NODES(n, k)]; \
	static struct co_tlock name = { (n), (k), name##_nodes }

/*
 * Make a tournament lock.
 * @param contenders  1..CO_TLOCK_MAX
 * @param k           the most at a node, at least 2; 0: as many as the board's memory can serve,
 * all where it has no limit (MONITORS in its board.mk)
 * @param nodes       CO_TLOCK_NODES(contenders, k) of them, in memory that every hart may use
 *                    (asserted); used until the lock is; the caller's
 * @return 0; -EINVAL for numbers out of range, a k beyond the board's limit, or nodes that are NULL
 *         or misaligned; *t is untouched then
 * Context: any, before it is used.
 */
CO_MUST_CHECK int co_tlock_init(struct co_tlock *t, unsigned contenders, unsigned k,
				struct co_tlock_node *nodes);

/*
 * Take the lock.
 * @param me  the caller's number, 0..contenders-1 (asserted), used by one coroutine at a time: this
 *            bounds the crowd at a node
 * @return 0; -ECANCELED; -ETIMEDOUT (_until) at the deadline, also one that has passed, if it is
 *         not free; -EDEADLK: the caller has it; -EOWNERDEAD: the caller has the lock, and a fault
 *         has ended one that had it, or a part of it, before. Except after 0 and that the caller
 *         does not hold any of it.
 * Context: coroutine. Order: acquire; paired with the unlock.
 * Cost: a mutex a round, log n to the base k rounds.
 */
CO_MUST_CHECK int co_tlock_lock(struct co_tlock *t, unsigned me);
CO_MUST_CHECK int co_tlock_lock_until(struct co_tlock *t, unsigned me, uint64_t deadline);

/* Let go of it. @param me  as it was taken (asserted). Context: the coroutine that took it. */
void co_tlock_unlock(struct co_tlock *t, unsigned me);
CO_END_C
#endif
