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
 * A link settles once, when it is opened, on which hart and at which addresses each peer is; a
 * channel finds that out with each message. A sender has at most `depth` messages under way.
 * Messages and their flags lie in the receiver's scratchpad, acknowledgements in the sender's: each
 * side reads its own scratchpad alone, and only writes into its peer's. With several senders the
 * receiver takes messages from each sender in turn; messages of one sender arrive in the order
 * sent.
 *
 * An end that is bound to its coroutine (co_link_bind_tx()) is closed when a fault ends the
 * coroutine, or when its hart is lost and has stopped (docs/faults.md). A lost sender's place is
 * not given to another sender. A link whose receiver is lost is broken: all calls return -EPIPE,
 * until all its ends are closed and the link is filled in anew. The loss of an end that is not
 * bound, or not open yet, is not reported to its peer: waits for that end last until their
 * deadlines.
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
 * A link, in memory that every hart may use (asserted), as long as one of its ends is open. Fill it
 * in before an end opens it; a 0 stands for 1 in `words`, `depth` and `senders`. When its receiver
 * has closed, it may be opened again.
 */
struct co_link {
	uint16_t words;   /* of a message */
	uint16_t depth;   /* messages that a sender may have under way */
	uint16_t senders; /* places for senders */
	/* The runtime's fields; the lock of `opening` guards `broken` and `rx`. */
	bool broken;
	struct co_waitq opening; /* senders that wait for a receiver */
	struct co_link_rx *rx;
};

struct co_link_tx; /* a sender's end, in its hart's public scratchpad */
struct co_link_rx; /* the receiver's end, in its hart's public scratchpad */

/*
 * Become the receiver of a link, on this hart.
 * @param rx  where the end goes; used by one coroutine at a time, on this hart (asserted; by
 *            receives and sends in a DEBUG=1 build alone)
 * @return 0; -EBUSY: the link has a receiver; -EPIPE: it is broken; -ENOMEM: no room in this hart's
 *         scratchpad.
 * Context: coroutine.
 */
CO_MUST_CHECK int co_link_open_rx(struct co_link *link, struct co_link_rx **rx);

/*
 * Become a sender. Waits until the link has a receiver.
 * @param tx  where the end goes; used by one coroutine at a time, on this hart
 * @return 0; -EBUSY: all places are taken (the place of a sender that has closed is free when all
 *         its messages have been received); -EPIPE: the link is broken; -ENOMEM; -ECANCELED;
 *         -ETIMEDOUT.
 * Context: coroutine.
 */
CO_MUST_CHECK int co_link_open_tx(struct co_link *link, struct co_link_tx **tx);
CO_MUST_CHECK int co_link_open_tx_until(struct co_link *link, struct co_link_tx **tx,
					uint64_t deadline);

/*
 * Send a message. Waits while `depth` messages are under way.
 * @param msg  `words` words, which are copied
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
 * Receive a message. Waits until a message has come.
 * @param msg  where the `words` words go; untouched on error
 * @return the sender's number, that of its place: 0..senders-1, in the order in which senders open;
 *         -EPIPE: all `senders` senders have opened and closed, and all messages are received;
 *         -ECANCELED; -ETIMEDOUT; -EAGAIN (_try_).
 * Context: coroutine. Order: acquire; paired with the sender's release.
 * Cost: 1 remote write, nothing else remote; about 40 instructions for a word, 6 for each
 * further one, and a look at each sender's flag up to one that is set.
 */
CO_MUST_CHECK int co_link_recv(struct co_link_rx *rx, uintptr_t *msg);
CO_MUST_CHECK int co_link_recv_until(struct co_link_rx *rx, uintptr_t *msg, uint64_t deadline);
CO_MUST_CHECK int co_link_try_recv(struct co_link_rx *rx, uintptr_t *msg);

/*
 * Claim the next slot, to send a message without a copy: fill the slot in place, then commit it.
 * @param msg  set to the slot's address, in the receiver's memory: write there, do not read
 * @return as co_link_send(). Calls before the commit all return one slot.
 * Context: coroutine. Order: the commit releases the message.
 */
CO_MUST_CHECK int co_link_reserve(struct co_link_tx *tx, uintptr_t **msg);
CO_MUST_CHECK int co_link_reserve_until(struct co_link_tx *tx, uintptr_t **msg, uint64_t deadline);
CO_MUST_CHECK int co_link_try_reserve(struct co_link_tx *tx, uintptr_t **msg);

/* Send the message in the reserved slot; there is one (asserted). Context: coroutine. */
void co_link_commit(struct co_link_tx *tx);

/*
 * Get the oldest message, to read it where it lies; then release it.
 * @param msg  set to the message, good until co_link_release(). Calls before that all return one
 *             message.
 * @return as co_link_recv().
 * Context, Order: as co_link_recv(). co_link_release() gives the slot back to its sender.
 */
CO_MUST_CHECK int co_link_peek(struct co_link_rx *rx, const uintptr_t **msg);
CO_MUST_CHECK int co_link_peek_until(struct co_link_rx *rx, const uintptr_t **msg,
				     uint64_t deadline);
CO_MUST_CHECK int co_link_try_peek(struct co_link_rx *rx, const uintptr_t **msg);
void co_link_release(struct co_link_rx *rx);

/*
 * Close an end, which must not be used afterwards. After a sender's close its messages are still
 * received; a receiver's close drops all messages that it has not received. Never waits: memory
 * that its peer may still write into is kept. A receiver's memory is given back when its senders
 * have closed, too; a sender's at once if the receiver has closed or has received all its messages,
 * else when the receiver closes or a later sender opens in its place.
 * Context: coroutine, on the end's hart; of a bound end, the bound coroutine (both asserted).
 */
void co_link_close_tx(struct co_link_tx *tx);
void co_link_close_rx(struct co_link_rx *rx);

/*
 * Bind an end to the calling coroutine: if a fault ends the coroutine, or its hart is lost and has
 * stopped, the end is closed. A reserved slot is not sent. A close ends the binding.
 * Context: a coroutine on the end's hart; not bound yet (both asserted). Cost: some ten
 * instructions; sends and receives cost no more.
 */
void co_link_bind_tx(struct co_link_tx *tx);
void co_link_bind_rx(struct co_link_rx *rx);

/* End the binding; the end stays open. Context: the bound coroutine (asserted). */
void co_link_unbind_tx(struct co_link_tx *tx);
void co_link_unbind_rx(struct co_link_rx *rx);
CO_END_C
#endif
