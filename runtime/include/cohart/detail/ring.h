/*
 * ring.h - the data of a bounded ring; the algorithms on it are in core/lf/. Users have channels.
 *
 * Positions count up by CO_RING_STEP through a lap; a lap is a power of two of them, so that all
 * arithmetic wraps; capacities in between skip the rest of it. A slot's stamp is made of the lap
 * number, the position less its place in the lap:
 *
 *	stamp = lap number                   free for the sender of that lap
 *	stamp = lap number + CO_RING_FULL    full, for the receiver of that lap
 *
 * So zero-filled slots are right. The bits below a step are flags. CO_RING_WAITED in a stamp: a
 * coroutine sleeps until the slot is in its next stage. It is in the same word as the stage, so one
 * swap moves the slot on and shows whether there is a waiter. CO_RING_CLOSED in the tail, the word
 * that senders move: none gets in behind a close.
 *
 * Words of 32 bits wrap after 2^28 positions. Whose turn it is stays right: a lap of the largest
 * capacity is a sixteenth of the word, and stamps are compared by their difference. One hazard is
 * left, of compare-and-swap: a hart that looked at a slot and then stands still, between two
 * instructions, until the others have moved on by exactly 2^28 positions or a multiple, finds its
 * position as it was and claims a slot that may not be its side's. That many claims take many
 * seconds, so it would be a hart that a debugger holds; tickets and sides with one member have no
 * such gap.
 */
#ifndef COHART_DETAIL_RING_H
#define COHART_DETAIL_RING_H

#include <cohart/atomic.h>

/* How the members of a side (senders, receivers) claim their positions. */
enum co_claim {
	CO_CLAIM_CAS = 0,        /* compare-and-swap */
	CO_CLAIM_TICKET = 1,     /* atomic adds whose result is used */
	CO_CLAIM_SINGLE = 2,     /* the side has one member */
	CO_CLAIM_RENDEZVOUS = 4, /* it claims nothing: there is no room, sender and receiver meet */
	/*
	 * What all harts can: tickets where some have no compare-and-swap (co_hart_has_cas()), else
	 * compare-and-swap. No channel that has been used claims so.
	 */
	CO_CLAIM_DEFAULT = 8,
	/* Of a static channel's side that has one member, by default: co_chan_choose_claim(). */
	CO_CLAIM_DEFAULT_ONE = CO_CLAIM_DEFAULT | CO_CLAIM_SINGLE,
};

#define CO_RING_STEP 16
#define CO_RING_FULL ((uintptr_t)1)   /* in a stamp */
#define CO_RING_WAITED ((uintptr_t)2) /* in a stamp */
#define CO_RING_CLOSED ((uintptr_t)4) /* in tail and final */
#define CO_RING_TURNS ((uintptr_t)8)  /* in tail and head of a side with one member: lf/spsc.h */
#define CO_RING_FLAGS ((uintptr_t)CO_RING_STEP - 1)

/*
 * Words of different writers never share a line. A side that has one member keeps the stamp that it
 * waits for in tail (head) and its next slot's address in put (took): lf/spsc.h.
 */
struct co_ring {
	alignas(CO_LINE) struct co_aword tail; /* senders': next to claim, and CO_RING_CLOSED */
	struct co_aword put;                   /* of a single sender: lf/spsc.h */
	alignas(CO_LINE) struct co_aword head; /* receivers': next to claim */
	struct co_aword took;                  /* of a single receiver */
	alignas(CO_LINE) unsigned char *slots; /* constant from here on */
	unsigned char *limit;                  /* behind the last one */
	uintptr_t stride;                      /* bytes from slot to slot */
	uintptr_t lap;                         /* of positions: a power of two of steps */
	uintptr_t turn;                        /* from full to free for the next lap */
	uintptr_t mask;                        /* position & mask = its place in the lap */
	uintptr_t last;                        /* the last place that has a slot */
	struct co_aword final;                 /* where it was closed, with the flag; 0 before */
};

/* Bytes from slot to slot for a payload of n bytes: the stamp, and a multiple of 8. */
#define CO_RING_STRIDE(n) (sizeof(uint64_t) + (((size_t)(n) + 7) & ~(size_t)7))

/* CO_RING_LAP_BITS() of a variable: the compiler would call a function of its library. */
static inline unsigned co_ring_lap_bits(size_t n)
{
	unsigned bits = 0;

	while ((size_t)1 << bits < n)
		bits++;
	return bits;
}

/* A lap that holds n slots is that power of two of positions. */
#define CO_RING_LAP_BITS(n)                                               \
	((n) <= 1                  ? 0                                    \
	 : __builtin_constant_p(n) ? 32 - __builtin_clz((unsigned)(n)-1u) \
				   : (int)co_ring_lap_bits(n))

/* Positions in a lap that holds `capacity` slots. */
#define CO_RING_LAP(capacity) ((uintptr_t)CO_RING_STEP << CO_RING_LAP_BITS(capacity))

/*
 * The constants of a ring with n slots in one word: the slot's bytes / 8, the last slot's number,
 * the bytes of a slot that no payload fills, and a lap as a power of two of steps.
 */
#define CO_RING_SHAPE(payload, n)                                                          \
	((uint64_t)(CO_RING_STRIDE(payload) / 8) << 32 | ((uint64_t)(n)-1) << 8 |          \
	 (uint64_t)(CO_RING_STRIDE(payload) - sizeof(uint64_t) - (size_t)(payload)) << 5 | \
	 (uint64_t)CO_RING_LAP_BITS(n))
#define CO_RING_SHAPE_LAP(shape) ((unsigned)(shape)&31)
#define CO_RING_SHAPE_TURN(shape) \
	(((uintptr_t)CO_RING_STEP << CO_RING_SHAPE_LAP(shape)) - CO_RING_FULL) /* as `turn` */
#define CO_RING_SHAPE_LAST(shape) ((uint32_t)(shape) >> 8)
#define CO_RING_SHAPE_STRIDE(shape) ((uintptr_t)((shape) >> 32) * 8)
#define CO_RING_SHAPE_PAYLOAD(shape) \
	(CO_RING_SHAPE_STRIDE(shape) - sizeof(uint64_t) - ((uintptr_t)(shape) >> 5 & 7))

/* A ring over zero-filled memory, for static use; `one_sends`, `one_receives`: one member there. */
#define CO_RING(memory, payload, n, one_sends, one_receives)                       \
	{                                                                          \
		{ 0 }, CO_RING_FIRST(one_sends, memory),                           \
			CO_RING_FIRST(one_receives, CO_RING_FULL),                 \
			CO_RING_FIRST(one_receives, memory), (memory),             \
			(unsigned char *)(memory) + CO_RING_STRIDE(payload) * (n), \
			CO_RING_SIZES(payload, n)                                  \
	}

#define CO_RING_FIRST(single, word)              \
	{                                        \
		(single) ? (uintptr_t)(word) : 0 \
	}

/* stride, lap, turn, mask, last, final */
#define CO_RING_SIZES(payload, n)                                                \
	CO_RING_STRIDE(payload), CO_RING_LAP(n), CO_RING_LAP(n) - CO_RING_FULL,  \
		CO_RING_LAP(n) - CO_RING_STEP, (uintptr_t)CO_RING_STEP *((n)-1), \
	{                                                                        \
		0                                                                \
	}

#endif
