/*
 * channel_copy.c - the copying calls, and the short way through them: a ring whose sides claim by
 * compare-and-swap or have one member costs one claim, one copy and one swap, which also tells if
 * anybody waits. This is the path that is counted; everything else is a call away (channel.c).
 */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "../core/core.h"
#ifndef CO_NO_CAS
#include "../core/lf/mpmc.h"
#endif
#include "../core/lf/spsc.h"
#include "channel.h"

_Static_assert(CO_RING_STRIDE(8) == CO_RING_STEP,
	       "a place is an offset where elements have 8 bytes");

/*
 * The C library's copy may go byte by byte, and the compiler's would for all it knows of alignment.
 */
static void copy_halves(void *to, const void *from, size_t bytes)
{
	uint32_t *t = to;
	const uint32_t *f = from;

	for (; bytes >= sizeof(*t); bytes -= sizeof(*t))
		*t++ = *f++;
	memcpy(t, f, bytes);
}

void co_chan_copy_any(void *to, const void *from, size_t bytes)
{
	uint64_t *t = to;
	const uint64_t *f = from;

	if (((uintptr_t)to | (uintptr_t)from) % sizeof(*t)) {
		if (((uintptr_t)to | (uintptr_t)from) % sizeof(uint32_t))
			memcpy(to, from, bytes);
		else
			copy_halves(to, from, bytes);
		return;
	}
	for (; bytes >= sizeof(*t); bytes -= sizeof(*t))
		*t++ = *f++;
	if (bytes >= sizeof(uint32_t)) {
		*(uint32_t *)t = *(const uint32_t *)f;
		t = (uint64_t *)((uint32_t *)t + 1);
		f = (const uint64_t *)((const uint32_t *)f + 1);
		bytes -= sizeof(uint32_t);
	}
	memcpy(t, f, bytes);
}

#ifdef CO_NO_CAS
#define cas_claim_8(r, next, stage, h) ((void)(r), (void)(next), (void)(h), false)
#define cas_claim(r, next, stage, most, h) ((void)(r), (void)(next), (size_t)0 * (most))
#else
#define cas_claim_8(r, next, stage, h) co_mpmc_claim_8(r, next, stage, h)
#define cas_claim(r, next, stage, most, h) co_mpmc_claim(r, next, stage, most, h)
#endif

/*
 * A slot of 8 bytes to fill, by the short way; false: that is not open to this channel, or now.
 * CO_PATH_CAS_8 is the one below 0.
 */
_Static_assert(CO_PATH_CAS_8 < 0 && !CO_PATH_SINGLE_8,
	       "what is tested first is tested in one step");
static inline bool reserve_8(struct co_chan *c, struct co_hold *h)
{
	struct co_ring *r = &c->ring;

	if (c->send_path == CO_PATH_SINGLE_8)
		return co_single_claim_8(r, &r->tail, &r->put, h);
	return c->send_path < 0 && cas_claim_8(r, &r->tail, 0, h);
}

static inline bool peek_8(struct co_chan *c, struct co_hold *h)
{
	struct co_ring *r = &c->ring;

	if (c->recv_path == CO_PATH_SINGLE_8)
		return co_single_claim_8(r, &r->head, &r->took, h);
	return c->recv_path < 0 && cas_claim_8(r, &r->head, CO_RING_FULL, h);
}

/* As many slots in a row as there are, up to `most`; 0: none, or the short way is not open. */
static inline size_t reserve_many(struct co_chan *c, size_t most, struct co_hold *h)
{
	struct co_ring *r = &c->ring;

	if (c->send_path == CO_PATH_LONG)
		return 0;
	if (c->send_claim == CO_CLAIM_SINGLE)
		return co_single_claim_row(r, &r->tail, &r->put, most, h);
	return cas_claim(r, &r->tail, 0, most, h);
}

static inline size_t peek_many(struct co_chan *c, size_t most, struct co_hold *h)
{
	struct co_ring *r = &c->ring;

	if (c->recv_path == CO_PATH_LONG)
		return 0;
	if (c->recv_claim == CO_CLAIM_SINGLE)
		return co_single_claim_row(r, &r->head, &r->took, most, h);
	return cas_claim(r, &r->head, CO_RING_FULL, most, h);
}

static inline uint64_t *word_of(struct co_hold h)
{
	return co_slot_payload(h.slot);
}

__attribute__((noinline)) static int send_long_u64(struct co_chan *c, uint64_t v)
{
	CO_ASSERT(c->elem_size == sizeof(v));
	return co_chan_send_long(c, &v, CO_FOREVER);
}

static inline int commit(struct co_chan *c, struct co_hold h)
{
	return co_ring_commit(h) ? co_chan_wake_receivers(c) : 0;
}

/* For many senders. */
__attribute__((noinline)) static int send_cas_u64(struct co_chan *c, uint64_t v)
{
	struct co_hold h;

	if (!cas_claim_8(&c->ring, &c->ring.tail, 0, &h))
		return send_long_u64(c, v);
	*word_of(h) = v;
	return commit(c, h);
}

/*
 * The slot is the only sender's next one, and empty. As co_single_advance(), but the two ways do
 * not meet again: that spares the compiler a copy of each argument.
 */
static inline int fill_single_8(struct co_chan *c, struct co_hold h, uint64_t v)
{
	struct co_ring *r = &c->ring;

	*word_of(h) = v;
	if (__builtin_expect((unsigned char *)h.slot + CO_RING_STRIDE(8) == r->limit, 0)) {
		co_single_turn(r, &r->tail, &r->put);
		return commit(c, h);
	}
	/* relaxed: for looks; the stamp hands the slot over. */
	co_atomic_store(&r->put, (uintptr_t)h.slot + CO_RING_STRIDE(8), CO_RELAXED);
	return commit(c, h);
}

/*
 * A mark was all there was. The turn is in the stamp that was read then: tail has a flag in it by
 * now if the channel has been closed.
 */
__attribute__((noinline)) static int fill_marked(struct co_chan *c, uint64_t v, struct co *nobody,
						 uintptr_t stamp, struct co_slot *slot)
{
	(void)nobody; /* it keeps the others where the caller has them */
	return fill_single_8(c, (struct co_hold){ slot, stamp & ~CO_RING_WAITED }, v);
}

/*
 * The only sender's next slot is not simply empty. If it is marked, the only receiver may sleep; if
 * that one's next slot is the same, the ring is empty, and the receiver gets the word without it.
 */
__attribute__((noinline)) static int send_single_u64(struct co_chan *c, uint64_t v, uintptr_t stamp,
						     uintptr_t turn, struct co_slot *slot)
{
	struct co *to, *me;

	if (stamp != (turn | CO_RING_WAITED))
		return send_long_u64(c, v);
	to = co_berth_swap_out(&c->berth);
	if (!to)
		return fill_marked(c, v, to, stamp, slot);
	me = co_executor.current;
	if (!me)
		return co_chan_from_handler();
	if (to->hart != me->hart)
		return co_chan_send_away(c, v, to);
	/* relaxed: who has taken the receiver out has its words. */
	if (co_atomic_load(&c->ring.took, CO_RELAXED) != (uintptr_t)slot)
		return co_chan_send_behind(c, v, to);
	to->wait_result = 0;
	co_berth_leave(to, v);
	co_ready_behind(me, to);
	return 0;
}

int co_chan_send_u64(struct co_chan *c, uint64_t v)
{
	struct co_ring *r = &c->ring;
	struct co_hold h;
	uintptr_t stamp;

	if (c->send_path != CO_PATH_SINGLE_8)
		return c->send_path < 0 ? send_cas_u64(c, v) : send_long_u64(c, v);
	h = co_single_next(&r->tail, &r->put);
	/* acquire: as in co_ring_turn(). */
	stamp = co_atomic_load(&h.slot->stamp, CO_ACQUIRE);
	if (__builtin_expect(stamp != h.stamp, 0))
		return send_single_u64(c, v, stamp, h.stamp, h.slot);
	return fill_single_8(c, h, v);
}

int co_chan_recv_cas_u64(struct co_chan *c, uint64_t *v)
{
	struct co_hold h;

	co_chan_touch(v);
	if (!cas_claim_8(&c->ring, &c->ring.head, CO_RING_FULL, &h))
		return co_chan_recv_long(c, v, CO_FOREVER);
	*v = *word_of(h);
	return co_ring_release(&c->ring, h) ? co_chan_wake(&c->senders, &c->receivers) : 0;
}

/* Send by the short way; false: nothing was sent. */
static inline bool send_short(struct co_chan *c, const void *elem)
{
	struct co_hold h;

	if (c->send_path <= CO_PATH_SINGLE_8) {
		if (!reserve_8(c, &h))
			return false;
		co_chan_copy(co_slot_payload(h.slot), elem, sizeof(uint64_t));
	} else {
		if (!reserve_many(c, 1, &h))
			return false;
		co_chan_copy(co_slot_payload(h.slot), elem, c->elem_size);
	}
	if (co_ring_commit(h))
		co_chan_wake_receivers(c);
	return true;
}

static inline bool recv_short(struct co_chan *c, void *elem)
{
	struct co_hold h;

	if (c->recv_path <= CO_PATH_SINGLE_8) {
		if (!peek_8(c, &h))
			return false;
		co_chan_copy(elem, co_slot_payload(h.slot), sizeof(uint64_t));
	} else {
		if (!peek_many(c, 1, &h))
			return false;
		co_chan_copy(elem, co_slot_payload(h.slot), c->elem_size);
	}
	if (co_ring_release(&c->ring, h))
		co_chan_wake(&c->senders, &c->receivers);
	return true;
}

int co_chan_send_until(struct co_chan *c, const void *elem, uint64_t deadline)
{
	co_chan_touch(elem);
	return send_short(c, elem) ? 0 : co_chan_send_long(c, elem, deadline);
}

int co_chan_send(struct co_chan *c, const void *elem)
{
	return co_chan_send_until(c, elem, CO_FOREVER);
}

int co_chan_recv_until(struct co_chan *c, void *elem, uint64_t deadline)
{
	co_chan_touch(elem);
	return recv_short(c, elem) ? 0 : co_chan_recv_long(c, elem, deadline);
}

int co_chan_recv(struct co_chan *c, void *elem)
{
	return co_chan_recv_until(c, elem, CO_FOREVER);
}

int co_chan_try_send(struct co_chan *c, const void *elem)
{
	struct co_hold h;
	int r;

	co_chan_touch(elem);
	r = co_chan_try_slot(c, &h);

	if (r == 0) {
		co_chan_copy(co_slot_payload(h.slot), elem, c->elem_size);
		co_chan_put_done(c, h);
	}
	return r;
}

int co_chan_try_recv(struct co_chan *c, void *elem)
{
	struct co_hold h;
	int r;

	co_chan_touch(elem);
	r = co_chan_try_element(c, &h);

	if (r == 0) {
		co_chan_copy(elem, co_slot_payload(h.slot), c->elem_size);
		co_chan_take_done(c, h);
	}
	return r;
}

static inline struct co_hold step(struct co_hold h, size_t stride)
{
	h.slot = (struct co_slot *)(void *)((unsigned char *)h.slot + stride);
	return h;
}

/* Are they words, where words are? */
static inline bool are_words(const struct co_chan *c, const void *elems)
{
	return c->elem_size == sizeof(uint64_t) && (uintptr_t)elems % sizeof(uint64_t) == 0;
}

/* Fill (read) `n` slots in a row, and let the other side know. */
static void put_row(struct co_chan *c, struct co_hold h, const unsigned char *from, size_t n)
{
	size_t stride = c->ring.stride, size = c->elem_size;
	bool waited = false;

	if (are_words(c, from)) {
		for (; n; n--, from += sizeof(uint64_t), h = step(h, CO_RING_STRIDE(8))) {
			*word_of(h) = *(const uint64_t *)(const void *)from;
			waited |= co_ring_commit(h);
		}
	}
	for (; n; n--, from += size, h = step(h, stride)) {
		co_chan_copy(co_slot_payload(h.slot), from, size);
		waited |= co_ring_commit(h);
	}
	if (waited)
		co_chan_wake_receivers(c);
}

static void take_row(struct co_chan *c, struct co_hold h, unsigned char *to, size_t n)
{
	size_t stride = c->ring.stride, size = c->elem_size;
	bool waited = false;

	if (are_words(c, to)) {
		for (; n; n--, to += sizeof(uint64_t), h = step(h, CO_RING_STRIDE(8))) {
			*(uint64_t *)(void *)to = *word_of(h);
			waited |= co_ring_release(&c->ring, h);
		}
	}
	for (; n; n--, to += size, h = step(h, stride)) {
		co_chan_copy(to, co_slot_payload(h.slot), size);
		waited |= co_ring_release(&c->ring, h);
	}
	if (waited)
		co_chan_wake(&c->senders, &c->receivers);
}

int co_chan_send_many(struct co_chan *c, const void *elems, size_t n, uint64_t deadline)
{
	const unsigned char *from = elems;
	size_t done = 0;

	CO_ASSERT(n > 0 && n <= INT_MAX);
	co_chan_touch(from);
	while (done < n) {
		struct co_hold h;
		size_t got = reserve_many(c, n - done, &h);

		if (got) {
			put_row(c, h, from + done * c->elem_size, got);
		} else {
			int r = co_chan_send_long(c, from + done * c->elem_size, deadline);

			if (r)
				return done ? (int)done : r;
			got = 1;
		}
		done += got;
	}
	return (int)n;
}

int co_chan_recv_many(struct co_chan *c, void *elems, size_t n, uint64_t deadline)
{
	unsigned char *to = elems;
	size_t done = 0;

	CO_ASSERT(n > 0 && n <= INT_MAX);
	co_chan_touch(to);
	while (done < n) {
		struct co_hold h;
		size_t got = peek_many(c, n - done, &h);

		if (got) {
			take_row(c, h, to + done * c->elem_size, got);
		} else {
			/* Only for the first one it waits. */
			int r = done ? co_chan_try_recv(c, to + done * c->elem_size)
				     : co_chan_recv_long(c, to, deadline);

			if (r)
				return done ? (int)done : r;
			got = 1;
		}
		done += got;
	}
	return (int)n;
}
