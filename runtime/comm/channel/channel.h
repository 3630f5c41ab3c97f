/*
 * channel.h - the interface between the channel's files.
 *
 * A side is the senders or the receivers. Each claims its slots in one of three ways, which is
 * chosen when the channel is made, or at the first use of a static one: alone (lf/spsc.h), by
 * compare-and-swap (lf/mpmc.h), or by ticket (lf/ticket.h). channel_end.c makes channels, channel.c
 * has the calls, claim.h claims and waits, channel_ticket.c adds credits and tickets. Where there
 * is no room nothing is claimed: channel_rendezvous.c.
 */
#ifndef COHART_COMM_CHANNEL_H
#define COHART_COMM_CHANNEL_H

#include <string.h>

#include <cohart/channel.h>

#include "../../core/core.h"
#include "../../core/lf/ring.h"

enum co_chan_side { CO_CHAN_SENDER, CO_CHAN_RECEIVER };

extern const char co_chan_element[]; /* in reports: a receiver waits for it */
extern const char co_chan_taker[];   /* a sender of a rendezvous waits for it */
extern const char co_chan_room[];    /* any other sender waits for it */

/*
 * How a side claims. relaxed: the first to use a static channel may be writing it, and the old
 * value is as good.
 */
static inline uintptr_t co_chan_way_of(const struct co_chan *c, enum co_chan_side side)
{
	return co_atomic_load(side == CO_CHAN_SENDER ? &c->send_way : &c->recv_way, CO_RELAXED);
}

/* What CO_CLAIM_DEFAULT is here. */
static inline enum co_claim co_chan_usual(void)
{
	return CO_CLAIM_HAS_CAS && !co_machine.adds_only ? CO_CLAIM_CAS : CO_CLAIM_TICKET;
}

/* How a side claims, or will claim once the channel is used. */
static inline enum co_claim co_chan_claim_of(const struct co_chan *c, enum co_chan_side side)
{
	enum co_claim way = (enum co_claim)co_chan_way_of(c, side), usual = co_chan_usual();

	if (!(way & CO_CLAIM_DEFAULT))
		return way;
	return way == CO_CLAIM_DEFAULT_ONE && usual == CO_CLAIM_CAS ? CO_CLAIM_SINGLE : usual;
}

/* Do both sides of a channel that has been used claim by tickets? Or neither does. */
static inline bool co_chan_has_tickets(const struct co_chan *c)
{
	return co_chan_way_of(c, CO_CHAN_SENDER) == CO_CLAIM_TICKET;
}

/* Does that side's one member claim alone? */
static inline bool co_chan_is_single(const struct co_chan *c, enum co_chan_side side)
{
	return co_chan_claim_of(c, side) == CO_CLAIM_SINGLE;
}

/* Is there no room, so that sender and receiver meet? */
static inline bool co_chan_is_rendezvous(const struct co_chan *c)
{
	return co_chan_way_of(c, CO_CHAN_SENDER) == CO_CLAIM_RENDEZVOUS;
}

/* channel.c */
/* A sender has handed over an element by the caller's control block: copy it. */
void co_chan_copy_value(const struct co_chan *c, void *elem);

/* Wake the first of two queues. Returns 0. */
int co_chan_wake_two(struct co_waitq *a, struct co_waitq *b);

/*
 * Wake the first waiters after a stamp's mark: a coroutine waits, most likely in `queue`, or else
 * in `other`. Returns 0. The mark was acquired, so a relaxed look at the queues is enough.
 */
static inline int co_chan_wake(struct co_waitq *queue, struct co_waitq *other)
{
	if (co_waitq_known(other))
		return co_chan_wake_two(queue, other);
	return co_waitq_known(queue) ? co_wake_known(queue) : 0;
}

/*
 * Copy a payload that takes a load and a store or two, or return false. `outside`: the address, to
 * or from, that may be misaligned; a slot, or a value in a control block, is aligned.
 */
INLINE bool co_chan_copy_short(void *to, const void *from, const void *outside, uint32_t bytes)
{
	uintptr_t low = (uintptr_t)outside;

	if (__builtin_expect(bytes == 8 && low % 8 == 0, 1)) {
		*(uint64_t *)to = *(const uint64_t *)from;
	} else if (bytes == 4 && low % 4 == 0) {
		*(uint32_t *)to = *(const uint32_t *)from;
	} else if (bytes == 16 && low % 8 == 0) {
		uint64_t first = *(const uint64_t *)from, second = *((const uint64_t *)from + 1);

		*(uint64_t *)to = first;
		*((uint64_t *)to + 1) = second;
	} else if (bytes > 16) {
		return false;
	} else if (bytes == 1) {
		*(uint8_t *)to = *(const uint8_t *)from;
	} else if (bytes == 2 && low % 2 == 0) {
		*(uint16_t *)to = *(const uint16_t *)from;
	} else {
		return false;
	}
	return true;
}

INLINE void co_chan_copy_2(uint64_t *to, const uint64_t *from)
{
	uint64_t first = from[0], second = from[1];

	to[0] = first;
	to[1] = second;
}

/*
 * Copy a payload of words that is not short, or return false. `outside`: see co_chan_copy_short().
 */
INLINE bool co_chan_copy_words(uint64_t *to, const uint64_t *from, const void *outside,
			       size_t bytes)
{
	uintptr_t end = (uintptr_t)from + bytes;

	if (((uintptr_t)outside | bytes) % 8)
		return false;
	for (; (uintptr_t)from <= end - 64; to += 8, from += 8) {
		co_chan_copy_2(to, from);
		co_chan_copy_2(to + 2, from + 2);
		co_chan_copy_2(to + 4, from + 4);
		co_chan_copy_2(to + 6, from + 6);
	}
	while ((uintptr_t)from != end)
		*to++ = *from++;
	return true;
}

/* Copy any payload. */
static inline void co_chan_copy(void *to, const void *from, size_t bytes)
{
	if (!co_chan_copy_short(to, from, (void *)((uintptr_t)to | (uintptr_t)from), bytes))
		memcpy(to, from, bytes);
}

/*
 * For a coroutine that has entered c->senders (c->receivers): should it try again? If not, the slot
 * that it waits for is marked: when it is woken and done, it must look whether others wait.
 */
bool co_chan_can_send(struct co_chan *c);
bool co_chan_can_recv(struct co_chan *c);
/* For receivers: is the channel closed and empty? */
bool co_chan_drained(struct co_chan *c);

/* channel_ticket.c */
/* co_chan_send() and co_chan_recv() by tickets; 0 as deadline: not at all. */
int co_chan_ticket_send(struct co_chan *c, const void *elem, uint64_t deadline);
int co_chan_ticket_recv(struct co_chan *c, void *elem, uint64_t deadline);
/* Send (receive) up to `most` elements without a wait. Returns how many. */
size_t co_chan_ticket_row(struct co_chan *c, enum co_chan_side side, unsigned char *elems,
			  size_t most);
/* The channel has been closed: wake all that wait for a credit, and givers look from now on. */
void co_chan_ticket_close(struct co_credit *credit);

/*
 * channel_rendezvous.c: co_chan_send() and co_chan_recv() for a channel without room; 0 as
 * deadline: not at all.
 */
int co_chan_rendezvous_send(struct co_chan *c, const void *elem, uint64_t deadline);
int co_chan_rendezvous_recv(struct co_chan *c, void *elem, uint64_t deadline);
/*
 * co_chan_can_send() and co_chan_can_recv() of a rendezvous. May wake a coroutine of the opposite
 * side to try.
 */
bool co_chan_rendezvous_can_send(struct co_chan *c);
bool co_chan_rendezvous_can_recv(struct co_chan *c);
/* Free the slot, and drop the element in it, if it belongs to `of`. Returns whether it did. */
bool co_chan_rendezvous_withdraw(struct co_chan *c, const struct co *of);

/* channel_end.c: `self` has claimed h: note that in its counted end of c, if it has one. */
void co_chan_note_claimed(const struct co *self, const struct co_chan *c, struct co_claimed h);
/* For a lost hart: is c valid, and can all its queues be locked? Context: hart 0. */
bool co_chan_lost_usable(struct co_chan *c);

#endif
