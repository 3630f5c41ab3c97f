/*
 * channel.h - the interface between the channel's files.
 *
 * A side is the senders or the receivers. Each claims its slots in one of three ways, which is
 * chosen when the channel is made, or at the first use of a static one: alone (lf/spsc.h), by
 * compare-and-swap (lf/mpmc.h), or by ticket (lf/ticket.h). An element then takes one road: claim
 * a slot, copy, publish the slot, wake. claim.h has these steps, channel.c the calls, and
 * channel_wait.c waits for a slot. On them stand rows (channel_rows.c), slots in place
 * (channel_slot.c) and selects (select.c). channel_ticket.c adds credits; a channel without room
 * claims nothing (channel_rendezvous.c). channel_end.c makes channels.
 *
 * `waits`, here and below: wait for a slot, until the deadline. False: fail with -EAGAIN.
 */
#ifndef COHART_COMM_CHANNEL_H
#define COHART_COMM_CHANNEL_H

#include <string.h>

#include <cohart/channel.h>

#include "../../core/core.h"
#include "../../comm/lf/ring.h"

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

/*
 * Choose how a static channel by default claims from its first use on: as is usual on this machine.
 * Several coroutines may choose at once: relaxed, loads and stores, since the old values are as
 * good; after this call co_chan_claim_of() says the way that was chosen. Each side comes here
 * before it claims, a side with one member, too: it may have to take tickets. The ring needs no
 * change for tickets: its head has a flag.
 */
static inline void co_chan_choose_claim(struct co_chan *c)
{
	if (!(co_chan_way_of(c, CO_CHAN_SENDER) & CO_CLAIM_DEFAULT))
		return;
	co_atomic_store(&c->recv_way, co_chan_claim_of(c, CO_CHAN_RECEIVER), CO_RELAXED);
	co_atomic_store(&c->send_way, co_chan_claim_of(c, CO_CHAN_SENDER), CO_RELAXED);
}

/* The queue that a side waits in. */
static inline struct co_waitq *co_chan_queue(struct co_chan *c, enum co_chan_side side)
{
	return side == CO_CHAN_SENDER ? &c->senders : &c->receivers;
}

/* ---- Copies ---- */

/* A copy of which the compiler makes the best loads and stores of the board, and no call. */
struct __attribute__((may_alias)) co_chan_line {
	uint64_t word[8];
};

/*
 * Copy 1, 2, 4, 8, 16 or 64 bytes, which are aligned to that, up to a word. The compiler knows the
 * size: this is a load and a store, or a few.
 */
INLINE void co_chan_copy_known(void *to, const void *from, size_t bytes)
{
	if (bytes == 1) {
		*(uint8_t *)to = *(const uint8_t *)from;
	} else if (bytes == 2) {
		*(uint16_t *)to = *(const uint16_t *)from;
	} else if (bytes == 4) {
		*(uint32_t *)to = *(const uint32_t *)from;
	} else if (bytes == 8) {
		*(uint64_t *)to = *(const uint64_t *)from;
	} else if (bytes == 64) {
		*(struct co_chan_line *)to = *(const struct co_chan_line *)from;
	} else {
		uint64_t first = *(const uint64_t *)from, second = *((const uint64_t *)from + 1);

		*(uint64_t *)to = first;
		*((uint64_t *)to + 1) = second;
	}
}

/*
 * Copy a payload by co_chan_copy_known(), or return false. `outside`: the address, to or from, that
 * may be misaligned; a slot, or a value in a control block, is aligned.
 */
INLINE bool co_chan_copy_short(void *to, const void *from, const void *outside, uint32_t bytes)
{
	uintptr_t low = (uintptr_t)outside;

	if (__builtin_expect(bytes == 8 && low % 8 == 0, 1)) {
		co_chan_copy_known(to, from, 8);
	} else if (bytes == 4 && low % 4 == 0) {
		co_chan_copy_known(to, from, 4);
	} else if (bytes == 16 && low % 8 == 0) {
		co_chan_copy_known(to, from, 16);
	} else if (bytes < 4) {
		if (!(bytes & 2)) {
			co_chan_copy_known(to, from, 1);
		} else if (low % 2) {
			return false;
		} else {
			co_chan_copy_known(to, from, 2);
			if (bytes & 1)
				co_chan_copy_known((char *)to + 2, (const char *)from + 2, 1);
		}
	} else if (bytes == 12 && low % 4 == 0) {
		co_chan_copy_known(to, from, 4);
		co_chan_copy_known((char *)to + 4, (const char *)from + 4, 4);
		co_chan_copy_known((char *)to + 8, (const char *)from + 8, 4);
	} else {
		return false;
	}
	return true;
}

/* Copy units of 1, 2, 4 or 8 bytes up to `end`, in `from`. */
INLINE void co_chan_copy_units(unsigned char *to, const unsigned char *from, uintptr_t end,
			       size_t unit)
{
	for (; (uintptr_t)from != end; to += unit, from += unit)
		co_chan_copy_known(to, from, unit);
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
		co_chan_copy_known(to, from, 16);
		co_chan_copy_known(to + 2, from + 2, 16);
		co_chan_copy_known(to + 4, from + 4, 16);
		co_chan_copy_known(to + 6, from + 6, 16);
	}
	while ((uintptr_t)from != end)
		*to++ = *from++;
	return true;
}

/*
 * Copy a payload that is no row of words, by units that `outside`, see co_chan_copy_short(), is
 * aligned to, or return false: there would be many.
 */
INLINE bool co_chan_copy_odd(unsigned char *to, const unsigned char *from, const void *outside,
			     size_t bytes)
{
	uintptr_t low = (uintptr_t)outside, end = (uintptr_t)from + bytes;

	if (low % 8 == 0) {
		for (; (uintptr_t)from <= end - 8; to += 8, from += 8)
			co_chan_copy_known(to, from, 8);
		if (end & 4)
			co_chan_copy_known(to, from, 4);
		if (end & 2)
			co_chan_copy_known(to + (end & 4), from + (end & 4), 2);
		if (end & 1)
			co_chan_copy_known(to + (end & 6), from + (end & 6), 1);
	} else if ((low | bytes) % 4 == 0 && bytes <= 64) {
		co_chan_copy_units(to, from, end, 4);
	} else if (bytes > 16) {
		return false;
	} else if ((low | bytes) % 2 == 0) {
		co_chan_copy_units(to, from, end, 2);
	} else {
		co_chan_copy_units(to, from, end, 1);
	}
	return true;
}

/* Copy any payload, which is mostly long. `outside`: see co_chan_copy_short(). */
INLINE void co_chan_copy_long(void *to, const void *from, const void *outside, size_t bytes)
{
	if (!co_chan_copy_words(to, from, outside, bytes) &&
	    !co_chan_copy_odd(to, from, outside, bytes))
		memcpy(to, from, bytes);
}

/* Copy any payload, which is mostly short. */
static inline void co_chan_copy(void *to, const void *from, size_t bytes)
{
	if (!co_chan_copy_short(to, from, (void *)((uintptr_t)to | (uintptr_t)from),
				(uint32_t)bytes))
		memcpy(to, from, bytes);
}

/* ---- channel.c ---- */

/* A sender has handed over an element by the caller's control block: copy it. Returns 0. */
int co_chan_take_value(const struct co_chan *c, void *elem);

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

/* ---- channel_wait.c: a side's next slot, and waits for it, without tickets ---- */

/* Results of a wait for a slot; or an error. */
#define CO_CHAN_WOKEN 0   /* a hint: look again */
#define CO_CHAN_CHANGED 3 /* the channel changed before the sleep */

/*
 * Wait once, after a claim of h, the side's next slot, has failed. `front`: ahead of other waiters.
 * Returns CO_CHAN_WOKEN, CO_CHAN_CHANGED, -ETIMEDOUT, -ECANCELED, or -EPROTO: the opposite side is
 * confined and has broken the ring.
 */
int co_chan_wait(struct co_chan *c, enum co_chan_side side, struct co_claimed h, bool front,
		 uint64_t deadline);
/*
 * After a first wait that resulted in r: claim, else wait again, until there is a slot. Returns 0,
 * with the slot in *h; -EPIPE: closed (receivers: and drained), or r's errors.
 */
int co_chan_claim_later(struct co_chan *c, enum co_chan_side side, struct co_claimed *h,
			uint64_t deadline, int r);
/* Claim the side's next slot, or wait for it. Returns as co_chan_claim_later(), or -EAGAIN. */
int co_chan_claim_or_wait(struct co_chan *c, enum co_chan_side side, struct co_claimed *h,
			  uint64_t deadline, bool waits);
/* The error of a claim that fails without a wait: -EAGAIN, -EPIPE, -EPROTO. */
int co_chan_refusal(struct co_chan *c, enum co_chan_side side);
/*
 * For a coroutine that has entered the side's queue: should it try again? If not, the slot that it
 * waits for is marked: when it is woken and done, it must look whether others wait.
 */
bool co_chan_can_move(struct co_chan *c, enum co_chan_side side);
/* After a claim that followed a sleep: if there are more slots, wake the side's next waiter. */
void co_chan_pass_on(struct co_chan *c, enum co_chan_side side);
/* For receivers: is the channel closed and empty? */
bool co_chan_drained(struct co_chan *c);
/* Is the channel over for this side: closed, for receivers and drained? */
bool co_chan_is_over(struct co_chan *c, enum co_chan_side side);

/* ---- channel_ticket.c ---- */

/* Send (receive) an element by tickets. */
int co_chan_ticket_send(struct co_chan *c, void *elem, uint64_t deadline, bool waits);
int co_chan_ticket_recv(struct co_chan *c, void *elem, uint64_t deadline, bool waits);
/* Send (receive) up to `most` elements without a wait. Returns how many. */
size_t co_chan_ticket_row(struct co_chan *c, enum co_chan_side side, unsigned char *elems,
			  size_t most);
/* The channel has been closed: wake all that wait for a credit, and givers look from now on. */
void co_chan_ticket_close(struct co_credit *credit);

/* ---- channel_rendezvous.c ---- */

/* Send (receive) an element where there is no room. */
int co_chan_rendezvous_send(struct co_chan *c, const void *elem, uint64_t deadline, bool waits);
int co_chan_rendezvous_recv(struct co_chan *c, void *elem, uint64_t deadline, bool waits);
/* co_chan_can_move() of a rendezvous. May wake a coroutine of the opposite side to try. */
bool co_chan_rendezvous_can_send(struct co_chan *c);
bool co_chan_rendezvous_can_recv(struct co_chan *c);
/* Free the slot, and drop the element in it, if it belongs to `of`. Returns whether it did. */
bool co_chan_rendezvous_withdraw(struct co_chan *c, const struct co *of);

/* ---- channel_end.c ---- */

/* `self` has claimed h: note that in its counted end of c, if it has one. */
void co_chan_note_claimed(const struct co *self, const struct co_chan *c, struct co_claimed h);
/* For a lost hart: is c valid, and can all its queues be locked? Context: hart 0. */
bool co_chan_lost_usable(struct co_chan *c);

#endif
