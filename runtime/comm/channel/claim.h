/* claim.h - claiming slots without tickets, and moving an element through a claimed slot. */
#ifndef COHART_COMM_CLAIM_H
#define COHART_COMM_CLAIM_H

#ifndef CO_NO_CAS
#include "../../comm/lf/mpmc.h"
#endif
#include "../../comm/lf/spsc.h"
#include "../../core/sched/wait_inline.h"
#include "channel.h"

/* DEBUG=1: a side with one member stays with one coroutine while that lives. relaxed: a check. */
static inline void check_single(struct co_chan *c, enum co_chan_side side)
{
#ifdef CO_DEBUG
	struct co_chan_user *one = side == CO_CHAN_SENDER ? &c->sender : &c->receiver;
	struct co *self = co_self();
	struct co *was = one->co;

	if (was && was != self && co_is_live(was) &&
	    co_atomic_load(&was->generation, CO_RELAXED) == one->generation)
		co_fail("channel 0x%lx: '%s' %s where '%s' alone should",
			(unsigned long)(uintptr_t)c, self ? co_name(self) : "a handler",
			side == CO_CHAN_SENDER ? "sends" : "receives", co_name(was));
	one->co = self;
	one->generation = self ? co_atomic_load(&self->generation, CO_RELAXED) : 0;
#else
	(void)c;
	(void)side;
#endif
}

/* DEBUG=1: compare-and-swap is for harts that have it. */
static inline void check_cas(const struct co_chan *c)
{
#ifdef CO_DEBUG
	if (!co_hart_has_cas(co_hart()))
		co_fail("channel 0x%lx claims by compare-and-swap, which hart %u does not have",
			(unsigned long)(uintptr_t)c, co_hart());
#else
	(void)c;
#endif
}

#ifdef CO_NO_CAS
#define cas_claim_one(r, next, stage, mark, h) \
	((void)(r), (void)(next), *(h) = (struct co_claimed){ NULL, 0 }, false)
#define cas_claim_row(r, next, stage, most, h) ((void)(r), (void)(next), (size_t)0 * (most))
#else
#define cas_claim_one(r, next, stage, mark, h) co_mpmc_claim_one(r, next, stage, mark, h)
#define cas_claim_row(r, next, stage, most, h) co_mpmc_claim(r, next, stage, most, h)
#endif

/* The word that a side claims by, and the second one of a side with one member. */
INLINE struct co_aword *co_chan_next_word(struct co_ring *r, enum co_chan_side side)
{
	return side == CO_CHAN_SENDER ? &r->tail : &r->head;
}

INLINE struct co_aword *co_chan_slot_word(struct co_ring *r, enum co_chan_side side)
{
	return side == CO_CHAN_SENDER ? &r->put : &r->took;
}

/* The stage in which a side claims its slots. */
INLINE uintptr_t co_chan_stage(enum co_chan_side side)
{
	return side == CO_CHAN_SENDER ? 0 : CO_RING_FULL;
}

/*
 * Claim a side's next slot; *h is that slot in any case. False: it is not due, or `way` has no
 * slots to claim, and *h is NULL. `mark`: as in co_ring_is_turn().
 */
INLINE bool co_chan_claim(uintptr_t way, struct co_chan *c, enum co_chan_side side, uintptr_t mark,
			  struct co_claimed *h)
{
	struct co_ring *r = &c->ring;
	struct co_aword *next = co_chan_next_word(r, side);

	if (way == CO_CLAIM_CAS) {
		check_cas(c);
		return cas_claim_one(r, next, co_chan_stage(side), mark, h);
	}
	if (way != CO_CLAIM_SINGLE) {
		*h = (struct co_claimed){ NULL, 0 };
		return false;
	}
	check_single(c, side);
	return co_single_claim(r, next, co_chan_slot_word(r, side), mark, h);
}

/* Claim up to `most` slots in a row, *h the first. Returns how many; 0: *h is undefined. */
INLINE size_t co_chan_claim_row(struct co_chan *c, enum co_chan_side side, size_t most,
				struct co_claimed *h)
{
	uintptr_t way = co_chan_way_of(c, side);
	struct co_ring *r = &c->ring;
	struct co_aword *next = co_chan_next_word(r, side);

	if (way == CO_CLAIM_CAS) {
		check_cas(c);
		return cas_claim_row(r, next, co_chan_stage(side), most, h);
	}
	if (way != CO_CLAIM_SINGLE)
		return 0;
	check_single(c, side);
	return co_single_claim_row(r, next, co_chan_slot_word(r, side), most, h);
}

/* The slot's payload is in place (was read): move the slot on, and wake. Returns 0. */
INLINE int co_chan_publish(struct co_chan *c, enum co_chan_side side, struct co_claimed h)
{
	if (side == CO_CHAN_SENDER)
		return co_ring_commit(h) ? co_chan_wake(&c->receivers, &c->senders) : 0;
	return co_ring_release(&c->ring, h) ? co_chan_wake(&c->senders, &c->receivers) : 0;
}

/* A wild pointer faults here, before a slot is claimed, which would block the channel for ever. */
INLINE void touch_elem(const void *elem)
{
	(void)*(const volatile unsigned char *)elem;
}

#endif
