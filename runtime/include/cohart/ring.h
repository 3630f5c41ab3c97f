/*
 * ring.h - the data of a bounded ring; the algorithms on it are in core/lf/. Users have channels.
 *
 * Positions count up by 2 through a lap; a lap is a power of two of positions, so that all
 * arithmetic wraps; capacities in between skip the rest of it. Bit 0 of the tail says that the ring
 * is closed, in the very word that senders move: none gets in behind a close. A slot is a stamp and
 * the payload:
 *
 *	stamp = lap number                  free for the sender of that lap
 *	stamp = lap number + 1              full, for the receiver of that lap
 *
 * where the lap number is the position less its place in the lap. So zero-filled slots are right.
 */
#ifndef COHART_RING_H
#define COHART_RING_H

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>

#include <cohart/atomic.h>

/* How the members of a side (senders, receivers) claim their positions. */
enum co_claim {
	CO_CLAIM_CAS,    /* compare-and-swap */
	CO_CLAIM_TICKET, /* atomic adds whose result is used: for harts without compare-and-swap */
	CO_CLAIM_ADD,    /* the paper's atomic adds, undone and repeated: a baseline */
	CO_CLAIM_SINGLE, /* the side has one member */
};

/* Words of different writers never share a line. */
struct co_ring {
	alignas(CO_LINE) struct co_aword tail; /* senders': next to claim; bit 0: closed */
	struct co_aword put; /* behind it, what is done; see lf/spsc.h, lf/addring.h */
	alignas(CO_LINE) struct co_aword head; /* receivers': next to claim */
	struct co_aword took;                  /* behind it, what is done; see lf/addring.h */
	alignas(CO_LINE) unsigned char *slots; /* constant from here on */
	uintptr_t lap;                         /* positions in a lap, a power of two */
	uintptr_t end;                         /* positions that have a slot: 2 x capacity */
	uintptr_t half_stride;                 /* bytes from slot to slot, halved */
	struct co_aword final;                 /* where it was closed, with bit 0; 0 before */
};

/* Bytes from slot to slot for a payload of n bytes: the stamp, and a multiple of 8. */
#define CO_RING_STRIDE(n) (sizeof(uint64_t) + (((size_t)(n) + 7) & ~(size_t)7))

/* Positions in a lap that holds `capacity` slots. */
#define CO_RING_LAP(capacity)           \
	((capacity) <= 1 ? (uintptr_t)2 \
			 : (uintptr_t)4 << (31 - __builtin_clz((unsigned)(capacity)-1u)))

/* A ring over zero-filled memory, for static use. */
#define CO_RING(memory, payload, capacity)                                                         \
	{                                                                                          \
		.slots = (memory), .lap = CO_RING_LAP(capacity), .end = 2 * (uintptr_t)(capacity), \
		.half_stride = CO_RING_STRIDE(payload) / 2                                         \
	}

#endif
