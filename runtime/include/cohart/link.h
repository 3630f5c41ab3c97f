/*
 * link.h - a lasting connection: one receiver and one sender, or a few, known from the start.
 *
 * Example: hart 5 sends to hart 3
 *	static struct co_link pairs = { .kind = CO_LINK_HOMED, .words = 2, .depth = 4 };
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
 * What a channel finds out with each message, a link has settled once: who is at the other end, and
 * where. A sender has at most `depth` messages under way. Over shared memory, each side waits on
 * words in its own scratchpad and only writes into the other's: no remote reads while messages
 * flow.
 *
 * When a hart is lost (docs/lost.md), each end that it had counts as closed; what it was just
 * sending is lost. A coroutine that a fault ends closes the ends that it had bound
 * (co_link_bind_tx()); others stay open.
 *
 * With several senders the receiver takes from each in turn that has something. Messages of one
 * sender arrive in the order sent.
 * Source: seeds C1 (the interface), C2 (homing), C3 (depth), C4 (several senders), C5 (over
 * mailboxes).
 */
#ifndef COHART_LINK_H
#define COHART_LINK_H

#include <stddef.h>
#include <stdint.h>

#include <cohart/assert.h>
#include <cohart/atomic.h>
#include <cohart/time.h>
#include <cohart/waitq.h>

enum co_link_kind {
	/*
	 * Messages and their flags in the receiver's scratchpad, acknowledgements in the sender's.
	 */
	CO_LINK_HOMED,
	/* Everything in one place, `memory`: what CO_LINK_HOMED is to be compared with. */
	CO_LINK_UNHOMED,
	/*
	 * Through the harts' mailboxes: messages to tag `tag`, credits to tag + 1 + the sender's
	 * number. Each end binds a queue if its hart has one left, and else shares the catch-all
	 * queue.
	 */
	CO_LINK_MAILBOX,
};

/*
 * What a link is; in main memory, static or otherwise. Filled in before either end opens it; a 0
 * stands for 1 in the three numbers. It may be opened again once both ends are closed.
 */
struct co_link {
	enum co_link_kind kind;
	uint16_t words;      /* a message's size */
	uint16_t depth;      /* messages that a sender may have under way */
	uint16_t senders;    /* how many there will be */
	uint16_t tag;        /* CO_LINK_MAILBOX */
	struct co_a32 taken; /* the runtime's: so is the receiving end */
	void *memory;        /* CO_LINK_UNHOMED: CO_LINK_BYTES() of it, aligned to CO_LINE */
	/* The runtime's: */
	struct co_aword rx;
	struct co_waitq opening;
};

/* Memory for CO_LINK_UNHOMED. */
#define CO_LINK_SLOT_BYTES(words) (((words) + 1) * sizeof(uintptr_t))
#define CO_LINK_PLACE_BYTES(words, depth)                                                        \
	((8 + sizeof(uintptr_t) + CO_LINK_SLOT_BYTES(words) * (depth) + CO_LINE - 1) / CO_LINE * \
	 CO_LINE)
#define CO_LINK_BYTES(words, depth, senders) (CO_LINK_PLACE_BYTES(words, depth) * (senders))

struct co_link_tx; /* a sender's end, in its hart's public scratchpad */
struct co_link_rx; /* the receiver's */

/*
 * Become the receiver of a link, on this hart.
 * @param rx  where the end goes; used by one coroutine at a time, on this hart (asserted, but in
 *            sends and receives: there in a DEBUG=1 build)
 * @return 0; -EINVAL: no such kind; unhomed without memory, or memory that is not aligned, shared
 *         (asserted), or as large as that; over mailboxes,
 *         messages that do not fit: words x depth is above CO_MAIL_WORDS, or (words + 1) x depth x
 *         senders with more than one, or a tag above CO_MAIL_TAG_MAX; -EBUSY: it has a receiver;
 *         -EEXIST: a mailbox has the tag; -ENOMEM: no room in this hart's scratchpad.
 * Context: coroutine.
 */
CO_MUST_CHECK int co_link_open_rx(struct co_link *link, struct co_link_rx **rx);

/*
 * Become a sender. Waits until the link has a receiver.
 * @param tx  where the end goes; used by one coroutine at a time, on this hart
 * @return 0; -EINVAL as above; -EBUSY: all its places are taken (a sender that has closed gives its
 *         place back when all it sent was received); -EEXIST: a mailbox has the tag; -ENOMEM;
 *         -ECANCELED; -ETIMEDOUT; -EPIPE: the hart is lost that its receiver is on, and there will
 *         be no other one.
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
 * Cost: homed: words + 1 remote writes, nothing else remote; about 40 instructions for a word, 6
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
 * Cost: homed: 1 remote write, nothing else remote; about 40 instructions for a word, 6 for each
 * further one, and a look at each sender's flag up to one that is set.
 */
CO_MUST_CHECK int co_link_recv(struct co_link_rx *rx, uintptr_t *msg);
CO_MUST_CHECK int co_link_recv_until(struct co_link_rx *rx, uintptr_t *msg, uint64_t deadline);
CO_MUST_CHECK int co_link_try_recv(struct co_link_rx *rx, uintptr_t *msg);

/*
 * The same without a copy: fill the slot in place, then commit it.
 * @param msg  where the message is to be written; over homed memory it is the receiver's: write, do
 *             not read
 * @return as co_link_send(). Another call before the commit gives the same slot.
 * Context: coroutine. Order: what is written is released by the commit.
 */
CO_MUST_CHECK int co_link_reserve(struct co_link_tx *tx, uintptr_t **msg);
CO_MUST_CHECK int co_link_reserve_until(struct co_link_tx *tx, uintptr_t **msg, uint64_t deadline);
CO_MUST_CHECK int co_link_try_reserve(struct co_link_tx *tx, uintptr_t **msg);

/* Send what was reserved (asserted). Context: coroutine; over mailboxes it may wait. */
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
 * was not is dropped. Waits until the other harts have come through a scheduling point, and cancels
 * do not end that.
 * Context: coroutine, on the end's hart (asserted).
 */
void co_link_close_tx(struct co_link_tx *tx);
void co_link_close_rx(struct co_link_rx *rx);

/*
 * Ends that are closed with their coroutine.
 *
 * Example
 *	struct co_link_end end;
 *	co_link_bind_tx(&end, tx);
 *	... r = co_link_send(tx, msg) ...
 *	co_link_unbind(&end);
 *	co_link_close_tx(tx);
 */
struct co_link_note;

struct co_link_end {
	struct co_link_note *note; /* in public scratchpad */
};

/*
 * Close tx (rx) if a fault ends the calling coroutine, until co_link_unbind(): the other side
 * learns of it as of any close, and what is reserved is not sent.
 * @param end  the coroutine's own, mostly on its stack; it unbinds before that memory goes
 * @return 0; -ENOMEM: there is no room in this hart's public scratchpad to note it, so it is not
 *         bound
 * Context: coroutine, on the end's hart. Cost: that of a co_spm_alloc(); sends and receives cost
 * what they did.
 */
int co_link_bind_tx(struct co_link_end *end, struct co_link_tx *tx);
int co_link_bind_rx(struct co_link_end *end, struct co_link_rx *rx);

/* Context: the coroutine that has bound it (asserted). The end stays open. */
void co_link_unbind(struct co_link_end *end);

#endif
