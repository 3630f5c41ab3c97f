/*
 * link.h - a lasting connection: one receiver and one sender, or a few, known from the start.
 *
 * Example: hart 5 sends to hart 3
 *	static struct co_link pairs = { .words = 2, .depth = 4 };
 *	...
 *	struct co_link_rx *rx;                        // a coroutine on hart 3
 *	int r = co_link_open_rx(&pairs, &rx);
 *	uintptr_t pair[2];
 *	r = co_link_recv(rx, pair);
 *	...
 *	struct co_link_tx *tx;                        // a coroutine on hart 5
 *	int r = co_link_open_tx(&pairs, &tx);         // waits until there is a receiver
 *	r = co_link_send(tx, (uintptr_t[]){ x, y });
 *	co_link_close_tx(tx);
 *
 * What a channel finds out with each message, a link has settled once: which hart is at the other
 * end, and where. A sender has at most `depth` messages under way. Messages and their flags lie in
 * the receiver's scratchpad, acknowledgements in the sender's: each side reads its own alone and
 * only writes into the other's. With several senders the receiver takes from each in turn that has
 * a message; those of one sender arrive in the order sent.
 *
 * An end that is bound to its coroutine (co_link_bind_tx()) is closed when a fault ends that, or
 * when its hart is lost and has stopped (docs/faults.md). A lost sender's place is given to nobody
 * else; a link whose receiver is lost is broken: all calls return -EPIPE, until all its ends are
 * closed and the link is filled in anew. The loss of an end that is not bound, or not open yet, is
 * reported to nobody: waits for it last until their deadlines.
 * Source: seeds C1 (the interface), C2 (homing), C3 (depth), C4 (several senders).
 */
#ifndef COHART_LINK_H
#define COHART_LINK_H

#include <cohart/atomic.h>
#include <cohart/detail/base.h>
#include <cohart/detail/waitq.h>
#include <cohart/time.h>

CO_BEGIN_C
/*
 * A link, in main memory, as long as one of its ends is open. Filled in before either end opens it;
 * a 0 stands for 1 in the three numbers. When its receiver has closed, it may be opened again.
 */
struct co_link {
	uint16_t words;   /* a message's size */
	uint16_t depth;   /* messages that a sender may have under way */
	uint16_t senders; /* how many there will be */
	/* The runtime's: */
	bool broken;             /* and rx, under the lock of: */
	struct co_waitq opening; /* senders that wait for a receiver */
	struct co_link_rx *rx;
};

struct co_link_tx; /* a sender's end, in its hart's public scratchpad */
struct co_link_rx; /* the receiver's */

/*
 * Become the receiver of a link, on this hart.
 * @param rx  where the end goes; used by one coroutine at a time, on this hart (asserted, but in
 *            sends and receives: there in a DEBUG=1 build)
 * @return 0; -EBUSY: it has a receiver; -EPIPE: it is broken; -ENOMEM: no room in this hart's
 *         scratchpad.
 * Context: coroutine.
 */
CO_MUST_CHECK int co_link_open_rx(struct co_link *link, struct co_link_rx **rx);

/*
 * Become a sender. Waits until the link has a receiver.
 * @param tx  where the end goes; used by one coroutine at a time, on this hart
 * @return 0; -EBUSY: all its places are taken (a sender that has closed gives its place back when
 *         all it sent was received); -EPIPE: the link is broken; -ENOMEM; -ECANCELED; -ETIMEDOUT.
 * Context: coroutine.
 */
CO_MUST_CHECK int co_link_open_tx(struct co_link *link, struct co_link_tx **tx);
CO_MUST_CHECK int co_link_open_tx_until(struct co_link *link, struct co_link_tx **tx,
					uint64_t deadline);

/*
 * Send a message. Waits while `depth` messages are under way.
 * @param msg  the link's number of words; the caller's again on return
 * @return 0; -EPIPE: the receiver has closed; -ECANCELED; -ETIMEDOUT; -EAGAIN (_try_). On error
 *         nothing was sent.
 * Context: coroutine. Order: release; paired with the receiver's acquire.
 * Cost: words + 1 remote writes, nothing else remote; about 40 instructions for a word, 6
 * for each further one.
 */
CO_MUST_CHECK int co_link_send(struct co_link_tx *tx, const uintptr_t *msg);
CO_MUST_CHECK int co_link_send_until(struct co_link_tx *tx, const uintptr_t *msg,
				     uint64_t deadline);
CO_MUST_CHECK int co_link_try_send(struct co_link_tx *tx, const uintptr_t *msg);

/*
 * Receive a message. Waits while there is none.
 * @param msg  where the link's number of words goes; untouched on error
 * @return the sender's number, 0..senders-1 in the order they opened; -EPIPE: as many senders as
 *         there will be have closed, and all is received; -ECANCELED; -ETIMEDOUT; -EAGAIN (_try_).
 * Context: coroutine. Order: acquire; paired with the sender's release.
 * Cost: 1 remote write, nothing else remote; about 40 instructions for a word, 6 for each
 * further one, and a look at each sender's flag up to one that is set.
 */
CO_MUST_CHECK int co_link_recv(struct co_link_rx *rx, uintptr_t *msg);
CO_MUST_CHECK int co_link_recv_until(struct co_link_rx *rx, uintptr_t *msg, uint64_t deadline);
CO_MUST_CHECK int co_link_try_recv(struct co_link_rx *rx, uintptr_t *msg);

/*
 * The same without a copy: fill the slot in place, then commit it.
 * @param msg  where the message is to be written, in the receiver's memory: write, do not read
 * @return as co_link_send(). Another call before the commit gives the same slot.
 * Context: coroutine. Order: what is written is released by the commit.
 */
CO_MUST_CHECK int co_link_reserve(struct co_link_tx *tx, uintptr_t **msg);
CO_MUST_CHECK int co_link_reserve_until(struct co_link_tx *tx, uintptr_t **msg, uint64_t deadline);
CO_MUST_CHECK int co_link_try_reserve(struct co_link_tx *tx, uintptr_t **msg);

/* Send what was reserved (asserted). Context: coroutine. */
void co_link_commit(struct co_link_tx *tx);

/*
 * Look at the oldest message where it lies; then release it.
 * @param msg  the message, good until co_link_release(). Another call before that gives the same
 *             one.
 * @return as co_link_recv().
 * Context, Order: as co_link_recv(). co_link_release() gives the slot back to its sender.
 */
CO_MUST_CHECK int co_link_peek(struct co_link_rx *rx, const uintptr_t **msg);
CO_MUST_CHECK int co_link_peek_until(struct co_link_rx *rx, const uintptr_t **msg,
				     uint64_t deadline);
CO_MUST_CHECK int co_link_try_peek(struct co_link_rx *rx, const uintptr_t **msg);
void co_link_release(struct co_link_rx *rx);

/*
 * Close an end; it is gone. What was sent is still received; after the receiver has closed, what
 * was not is dropped. Never waits: memory that the other side may still write into stays. The
 * receiver's is given back when its senders have closed, too; a sender's at once if the receiver
 * has closed or has received all, else when the receiver closes or the next sender opens.
 * Context: coroutine, on the end's hart; of a bound end, the one that has bound it (both asserted).
 */
void co_link_close_tx(struct co_link_tx *tx);
void co_link_close_rx(struct co_link_rx *rx);

/*
 * Close the end if a fault ends the calling coroutine, or its hart is lost and has stopped: the
 * other side learns of it as of any close, and what is reserved is not sent. A close unbinds.
 * Context: a coroutine on the end's hart; not bound yet (both asserted). Cost: some ten
 * instructions; sends and receives cost what they did.
 */
void co_link_bind_tx(struct co_link_tx *tx);
void co_link_bind_rx(struct co_link_rx *rx);

/* The end stays open. Context: the coroutine that has bound it (asserted). */
void co_link_unbind_tx(struct co_link_tx *tx);
void co_link_unbind_rx(struct co_link_rx *rx);
CO_END_C
#endif
