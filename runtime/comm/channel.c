/*
 * channel.c - a ring, and two queues of those who wait on it.
 *
 * Sending and receiving first try the ring alone. Who finds it full (or empty) enters a queue,
 * looks again and sleeps; who makes room (or brings an element) looks for one to wake. A wake-up is
 * a hint: a third may be faster, and the woken one then waits at the head of the queue. One that
 * was woken and succeeds wakes the next if there is more, since one hint can stand for several
 * changes.
 */
#include <errno.h>
#include <string.h>

#include <cohart/channel.h>
#include <cohart/spm.h>

#include "../core/lf/mpmc.h"

/* Copies between a slot (8-byte aligned) and anywhere. The C library's may go byte by byte. */
static void copy(void *to, const void *from, size_t bytes)
{
	if (bytes == 8) {
		__builtin_memcpy(to, from, 8);
	} else if (bytes == 4) {
		__builtin_memcpy(to, from, 4);
	} else if (((uintptr_t)to | (uintptr_t)from) % sizeof(uint64_t) == 0) {
		uint64_t *t = to;
		const uint64_t *f = from;

		for (; bytes >= sizeof(*t); bytes -= sizeof(*t))
			*t++ = *f++;
		memcpy(t, f, bytes);
	} else {
		memcpy(to, from, bytes);
	}
}

int co_chan_init(struct co_chan *c, void *buffer, size_t bytes, size_t elem_size)
{
	size_t stride = CO_RING_STRIDE(elem_size);
	size_t capacity;

	CO_ASSERT(c && co_spm_shared(c, sizeof(*c)));
	if (!buffer || (uintptr_t)buffer % sizeof(uint64_t) || !elem_size || elem_size > bytes ||
	    elem_size > UINT32_MAX)
		return -EINVAL;
	capacity = bytes / stride;
	if (!capacity || capacity > CO_CHAN_CAPACITY_MAX)
		return -EINVAL;
	CO_ASSERT(co_spm_shared(buffer, bytes));
	memset(buffer, 0, capacity * stride);
	memset(c, 0, sizeof(*c));
	c->ring.slots = buffer;
	c->ring.lap = CO_RING_LAP(capacity);
	c->ring.end = 2 * capacity;
	c->ring.half_stride = stride / 2;
	c->elem_size = (uint32_t)elem_size;
	return 0;
}

int co_chan_try_send(struct co_chan *c, const void *elem)
{
	uintptr_t pos;
	struct co_slot *s = co_mpmc_reserve(&c->ring, &pos);

	if (!s)
		return co_mpmc_is_closed(&c->ring) ? -EPIPE : -EAGAIN;
	copy(co_slot_payload(s), elem, c->elem_size);
	co_mpmc_commit(&c->ring, s, pos);
	co_wake_one(&c->receivers);
	return 0;
}

int co_chan_try_recv(struct co_chan *c, void *elem)
{
	uintptr_t pos;
	struct co_slot *s = co_mpmc_peek(&c->ring, &pos);

	if (!s)
		return co_mpmc_drained(&c->ring) ? -EPIPE : -EAGAIN;
	copy(elem, co_slot_payload(s), c->elem_size);
	co_mpmc_release(&c->ring, s, pos);
	co_wake_one(&c->senders);
	return 0;
}

static struct co_waiter *enter(struct co_chan *c, struct co_waitq *q, const char *kind, bool again)
{
	return again ? co_wait_prepare_front(q, c, kind) : co_wait_prepare(q, c, kind);
}

static int send_slow(struct co_chan *c, const void *elem, uint64_t deadline)
{
	bool woken = false;
	int r;

	while ((r = co_chan_try_send(c, elem)) == -EAGAIN) {
		struct co_waiter *w = enter(c, &c->senders, "room in channel", woken);
		bool change = co_mpmc_can_put(&c->ring);
		int why = change ? co_wait_abandon(w) : co_wait_commit(w, deadline);

		if (why) {
			r = co_chan_try_send(c, elem);
			return r == -EAGAIN ? why : r;
		}
		woken |= !change;
	}
	/* More room, or closed: the next one should know. */
	if (woken && co_mpmc_can_put(&c->ring))
		co_wake_one(&c->senders);
	return r;
}

static int recv_slow(struct co_chan *c, void *elem, uint64_t deadline)
{
	bool woken = false;
	int r;

	while ((r = co_chan_try_recv(c, elem)) == -EAGAIN) {
		struct co_waiter *w = enter(c, &c->receivers, "element in channel", woken);
		bool change = co_mpmc_can_take(&c->ring);
		int why = change ? co_wait_abandon(w) : co_wait_commit(w, deadline);

		if (why) {
			r = co_chan_try_recv(c, elem);
			return r == -EAGAIN ? why : r;
		}
		woken |= !change;
	}
	if (woken && co_mpmc_can_take(&c->ring))
		co_wake_one(&c->receivers);
	return r;
}

int co_chan_send_until(struct co_chan *c, const void *elem, uint64_t deadline)
{
	int r = co_chan_try_send(c, elem);

	return r == -EAGAIN ? send_slow(c, elem, deadline) : r;
}

int co_chan_send(struct co_chan *c, const void *elem)
{
	return co_chan_send_until(c, elem, CO_FOREVER);
}

int co_chan_recv_until(struct co_chan *c, void *elem, uint64_t deadline)
{
	int r = co_chan_try_recv(c, elem);

	return r == -EAGAIN ? recv_slow(c, elem, deadline) : r;
}

int co_chan_recv(struct co_chan *c, void *elem)
{
	return co_chan_recv_until(c, elem, CO_FOREVER);
}

void co_chan_close(struct co_chan *c)
{
	co_mpmc_close(&c->ring);
	co_wake_all(&c->senders);
	co_wake_all(&c->receivers);
}

size_t co_chan_count(const struct co_chan *c)
{
	const struct co_ring *r = &c->ring;
	/* relaxed: a moment old anyway. */
	uintptr_t head = co_atomic_load(&r->head, CO_RELAXED);
	uintptr_t tail = co_atomic_load(&r->tail, CO_RELAXED) & ~CO_RING_CLOSED;
	uintptr_t laps =
		((tail - co_ring_place(r, tail)) - (head - co_ring_place(r, head))) / r->lap;
	intptr_t n =
		(intptr_t)(laps * r->end + co_ring_place(r, tail) - co_ring_place(r, head)) / 2;

	/* The two looks are not one: a receiver may have overtaken the first. */
	return n < 0 ? 0 : n > (intptr_t)(r->end / 2) ? r->end / 2 : (size_t)n;
}
