/*
 * channel_copy.c - the copying calls, and the short way through them: a ring whose sides claim by
 * compare-and-swap or have one member, and that neither waits nor wakes, costs one claim, one copy,
 * one stamp and one look. This is the path that is counted; everything else is a call away
 * (channel.c).
 */
#include <errno.h>
#include <string.h>

#include "../core/core.h"
#ifndef CO_NO_CAS
#include "../core/lf/mpmc.h"
#endif
#include "../core/lf/spsc.h"
#include "channel.h"

/*
 * The C library's copy may go byte by byte, and the compiler's would for all it knows of alignment.
 */
static void copy_any(void *to, const void *from, size_t bytes)
{
	uint64_t *t = to;
	const uint64_t *f = from;

	if (((uintptr_t)to | (uintptr_t)from) % sizeof(*t)) {
		memcpy(to, from, bytes);
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

static inline void copy(void *to, const void *from, size_t bytes)
{
	if (bytes == sizeof(uint64_t) && ((uintptr_t)to | (uintptr_t)from) % sizeof(uint64_t) == 0)
		*(uint64_t *)to = *(const uint64_t *)from;
	else
		copy_any(to, from, bytes);
}

/* A slot by the short way; NULL: it is not open to this channel, or not now. */
static inline struct co_slot *short_reserve(struct co_chan *c, uintptr_t *pos)
{
	if (!c->plain)
		return NULL;
	if (c->send_claim == CO_CLAIM_SINGLE)
		return co_single_reserve(&c->ring, pos);
#ifdef CO_NO_CAS
	return NULL;
#else
	return co_mpmc_reserve(&c->ring, pos);
#endif
}

static inline struct co_slot *short_peek(struct co_chan *c, uintptr_t *pos)
{
	if (!c->plain)
		return NULL;
	if (c->recv_claim == CO_CLAIM_SINGLE)
		return co_single_peek(&c->ring, pos);
#ifdef CO_NO_CAS
	return NULL;
#else
	return co_mpmc_peek(&c->ring, pos);
#endif
}

__attribute__((noinline)) static int send_long(struct co_chan *c, const void *elem,
					       uint64_t deadline)
{
	uintptr_t pos;
	int r = co_chan_claim_slot(c, &pos, deadline);

	if (r == 0) {
		copy(co_chan_payload(c, pos), elem, c->elem_size);
		co_chan_put_done(c, pos);
	}
	return r;
}

__attribute__((noinline)) static int recv_long(struct co_chan *c, void *elem, uint64_t deadline)
{
	uintptr_t pos;
	int r = co_chan_claim_element(c, &pos, deadline);

	if (r == 0) {
		copy(elem, co_chan_payload(c, pos), c->elem_size);
		co_chan_take_done(c, pos);
	}
	return r;
}

static inline int send(struct co_chan *c, const void *elem, uint64_t deadline)
{
	uintptr_t pos;
	struct co_slot *s = short_reserve(c, &pos);

	if (!s)
		return send_long(c, elem, deadline);
	copy(co_slot_payload(s), elem, c->elem_size);
	co_ring_commit(&c->ring, s, pos);
	if (co_waitq_any(&c->receivers))
		co_wake_one(&c->receivers);
	return 0;
}

static inline int recv(struct co_chan *c, void *elem, uint64_t deadline)
{
	uintptr_t pos;
	struct co_slot *s = short_peek(c, &pos);

	if (!s)
		return recv_long(c, elem, deadline);
	copy(elem, co_slot_payload(s), c->elem_size);
	co_ring_release(&c->ring, s, pos);
	if (co_waitq_any(&c->senders))
		co_wake_one(&c->senders);
	return 0;
}

int co_chan_send(struct co_chan *c, const void *elem)
{
	return send(c, elem, CO_FOREVER);
}

int co_chan_send_until(struct co_chan *c, const void *elem, uint64_t deadline)
{
	return send(c, elem, deadline);
}

int co_chan_recv(struct co_chan *c, void *elem)
{
	return recv(c, elem, CO_FOREVER);
}

int co_chan_recv_until(struct co_chan *c, void *elem, uint64_t deadline)
{
	return recv(c, elem, deadline);
}

int co_chan_try_send(struct co_chan *c, const void *elem)
{
	uintptr_t pos;
	int r = co_chan_try_slot(c, &pos);

	if (r == 0) {
		copy(co_chan_payload(c, pos), elem, c->elem_size);
		co_chan_put_done(c, pos);
	}
	return r;
}

int co_chan_try_recv(struct co_chan *c, void *elem)
{
	uintptr_t pos;
	int r = co_chan_try_element(c, &pos);

	if (r == 0) {
		copy(elem, co_chan_payload(c, pos), c->elem_size);
		co_chan_take_done(c, pos);
	}
	return r;
}
