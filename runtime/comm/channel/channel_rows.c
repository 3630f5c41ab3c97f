/*
 * channel_rows.c - calls for many elements: a row of slots is claimed at once, filled or read, its
 * first slot last, and published by the swap of the first slot's stamp (lf/ring.h). By tickets:
 * channel_ticket.c.
 */
#include <limits.h>

#include <cohart/channel.h>

#include "claim.h"

/* `size`: as for co_chan_copy_known(); 0: any, or misaligned. */
INLINE void move_elem(enum co_chan_side side, struct co_slot *slot, unsigned char *elem,
		      size_t bytes, size_t size)
{
	void *to = side == CO_CHAN_SENDER ? co_slot_payload(slot) : elem;
	const void *from = side == CO_CHAN_SENDER ? elem : co_slot_payload(slot);

	if (size)
		co_chan_copy_known(to, from, size);
	else
		co_chan_copy_long(to, from, elem, bytes);
}

/* Fill (read) `n` slots in a row, the first last, and notify the opposite side. */
INLINE void move_row_of(struct co_chan *c, enum co_chan_side side, struct co_claimed first,
			unsigned char *elems, size_t n, size_t size)
{
	const size_t stride = size ? CO_RING_STRIDE(size) : c->ring.stride;
	const size_t bytes = size ? size : c->elem_size;
	const uintptr_t turn = c->ring.turn; /* for all the compiler knows, elements overlap c */
	struct co_claimed next = first;
	const unsigned char *last = (unsigned char *)first.slot + (n - 1) * stride;
	unsigned char *elem = elems;

	while ((unsigned char *)next.slot != last) {
		next.slot = (struct co_slot *)(void *)((unsigned char *)next.slot + stride);
		elem += bytes;
		move_elem(side, next.slot, elem, bytes, size);
		if (side == CO_CHAN_SENDER)
			co_ring_commit_behind(next);
		else
			co_ring_release_behind(next, turn);
	}
	move_elem(side, first.slot, elems, bytes, size);
	(void)co_chan_publish(c, side, first);
}

/* Out of line: the calls would cost move_row() registers. */
static NOINLINE void move_bytes(struct co_chan *c, enum co_chan_side side, struct co_claimed h,
				unsigned char *elems, size_t n)
{
	move_row_of(c, side, h, elems, n, 0);
}

INLINE void move_row(struct co_chan *c, enum co_chan_side side, struct co_claimed h,
		     unsigned char *elems, size_t n)
{
	size_t size = c->elem_size;

	if ((uintptr_t)elems % (size > 8 ? 8 : size))
		size = 0;
	if (size == 8)
		move_row_of(c, side, h, elems, n, 8);
	else if (size == 4)
		move_row_of(c, side, h, elems, n, 4);
	else if (size == 16)
		move_row_of(c, side, h, elems, n, 16);
	else if (size == 64)
		move_row_of(c, side, h, elems, n, 64);
	else if (size == 1)
		move_row_of(c, side, h, elems, n, 1);
	else if (size == 2)
		move_row_of(c, side, h, elems, n, 2);
	else
		move_bytes(c, side, h, elems, n);
}

/* Both out of line: the registers for the copies cost the calls nothing. */
static NOINLINE void fill_row(struct co_chan *c, struct co_claimed h, unsigned char *elems,
			      size_t n)
{
	move_row(c, CO_CHAN_SENDER, h, elems, n);
}

static NOINLINE void empty_row(struct co_chan *c, struct co_claimed h, unsigned char *elems,
			       size_t n)
{
	move_row(c, CO_CHAN_RECEIVER, h, elems, n);
}

/* Claim a row of up to `most`, and fill (read) it. Returns how many. */
INLINE size_t try_row(struct co_chan *c, enum co_chan_side side, unsigned char *elems, size_t most)
{
	struct co_claimed h;
	size_t n = co_chan_claim_row(c, side, most, &h);

	if (n && side == CO_CHAN_SENDER)
		fill_row(c, h, elems, n);
	else if (n)
		empty_row(c, h, elems, n);
	return n;
}

/*
 * What try_row() has not moved: a row by tickets, or one element, after a wait if `waits`. Returns
 * how many, or an error.
 */
static NOINLINE int move_later(struct co_chan *c, enum co_chan_side side, unsigned char *elems,
			       size_t most, bool waits, uint64_t deadline)
{
	size_t got = co_chan_has_tickets(c) ? co_chan_ticket_row(c, side, elems, most) : 0;
	int r;

	if (got)
		return (int)got;
	r = side == CO_CHAN_SENDER ? co_chan_send_until(c, elems, deadline)
	    : waits                ? co_chan_recv_until(c, elems, deadline)
				   : co_chan_try_recv(c, elems);
	return r ? r : 1;
}

/* The calls; each is code of its own. A receiver waits for its first element only. */
INLINE int move_many(struct co_chan *c, enum co_chan_side side, unsigned char *elems, size_t n,
		     uint64_t deadline)
{
	size_t done = 0;

	CO_ASSERT_THAT(n > 0 && n <= INT_MAX, "1 to INT_MAX elements are moved at once");
	touch_elem(elems);
	while (done < n) {
		unsigned char *next = elems + done * c->elem_size;
		size_t got = try_row(c, side, next, n - done);

		if (!got) {
			bool waits = side == CO_CHAN_SENDER || !done;
			int r = move_later(c, side, next, n - done, waits, deadline);

			if (r < 0)
				return done ? (int)done : r;
			got = (size_t)r;
		}
		done += got;
	}
	return (int)n;
}

int co_chan_send_many_until(struct co_chan *c, const void *elems, size_t n, uint64_t deadline)
{
	return move_many(c, CO_CHAN_SENDER, (unsigned char *)elems /* it is read only */, n,
			 deadline);
}

int co_chan_recv_many_until(struct co_chan *c, void *elems, size_t n, uint64_t deadline)
{
	return move_many(c, CO_CHAN_RECEIVER, elems, n, deadline);
}
