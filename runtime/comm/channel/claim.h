/*
 * claim.h - claiming slots without tickets, for the compiler to see through.
 */
#ifndef COHART_COMM_CLAIM_H
#define COHART_COMM_CLAIM_H

#ifndef CO_NO_CAS
#include "../../core/lf/mpmc.h"
#endif
#include "../../core/lf/spsc.h"
#include "channel.h"

#define INLINE static inline __attribute__((always_inline))
#define SLOW __attribute__((noinline))

#ifdef CO_NO_CAS
#define cas_claim_one(r, next, stage, h) ((void)(r), (void)(h), false)
#define cas_claim_row(r, next, stage, most, h) ((void)(r), (void)(h), (size_t)0 * (most))
#else
#define cas_claim_one(r, next, stage, h) co_mpmc_claim_one(r, next, stage, h)
#define cas_claim_row(r, next, stage, most, h) co_mpmc_claim(r, next, stage, most, h)
#endif

/* Claim the next slot of a side, without tickets. False: none is there just now. */
INLINE bool co_chan_claim_one_by(enum co_claim by, struct co_chan *c, enum co_chan_side side,
				 struct co_hold *h)
{
	struct co_ring *r = &c->ring;

	if (by == CO_CLAIM_CAS)
		return side == CO_CHAN_SENDER ? cas_claim_one(r, &r->tail, 0, h)
					      : cas_claim_one(r, &r->head, CO_RING_FULL, h);
	if (by != CO_CLAIM_SINGLE)
		return false;
	return side == CO_CHAN_SENDER ? co_single_claim(r, &r->tail, &r->put, h)
				      : co_single_claim(r, &r->head, &r->took, h);
}

INLINE bool co_chan_claim_one(struct co_chan *c, enum co_chan_side side, struct co_hold *h)
{
	return co_chan_claim_one_by(co_chan_claim_of(c, side), c, side, h);
}

/* Claim as many slots in a row as are there, up to `most`; 0: none, or the side takes tickets. */
INLINE size_t co_chan_claim_row(struct co_chan *c, enum co_chan_side side, size_t most, struct co_hold *h)
{
	enum co_claim by = co_chan_claim_of(c, side);
	struct co_ring *r = &c->ring;

	if (by == CO_CLAIM_CAS)
		return side == CO_CHAN_SENDER ? cas_claim_row(r, &r->tail, 0, most, h)
					      : cas_claim_row(r, &r->head, CO_RING_FULL, most, h);
	if (by != CO_CLAIM_SINGLE)
		return 0;
	return side == CO_CHAN_SENDER ? co_single_claim_row(r, &r->tail, &r->put, most, h)
				      : co_single_claim_row(r, &r->head, &r->took, most, h);
}

#endif
