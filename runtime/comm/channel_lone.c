/*
 * channel_lone.c - the only receiver of a channel waits for 8 bytes: in the channel's berth,
 * without a queue, and without anything left to do when it wakes.
 *
 * It enters, marks its next slot, and gives the hart away: what the switch back to it returns is
 * what co_chan_recv_u64() returns. So whoever wakes it has received for it before: who takes the
 * receiver out of the berth has its side of the ring too, until it is ready, or back in the berth
 * since there is nothing for it. An only sender that finds the ring empty then hands over its word
 * and leaves the ring as it is (channel_copy.c).
 */
#include <errno.h>

#include <hal/time.h>

#include "../core/core.h"
#include "../core/park.h"
#include "../core/lf/spsc.h"
#include "channel.h"

/* A cancel that has come already is heard there, and a close. */
__attribute__((noinline)) static int recv_long(struct co_chan *c, uint64_t *v)
{
	return co_chan_recv_long(c, v, CO_FOREVER);
}

/*
 * Something has come, or nothing will come any more: leave the berth. Who is not in it any more has
 * been taken out, and will be woken.
 */
static inline int back_out(struct co_chan *c, uint64_t *v, struct co *found)
{
	struct co *me = co_executor.current;

	if (found != me)
		return co_park();
	co_atomic_store(&me->berth, 0, CO_RELAXED);
	return recv_long(c, v);
}

__attribute__((noinline)) static int back_out_full(struct co_chan *c, uint64_t *v)
{
	return back_out(c, v, co_berth_take(&c->berth));
}

__attribute__((noinline)) static int back_out_shut(struct co_chan *c, uint64_t *v)
{
	return back_out(c, v, co_berth_close(&c->berth));
}

int co_chan_from_handler(void)
{
	CO_ASSERT(co_executor.current);
	return -EAGAIN;
}

int co_chan_recv_lone(struct co_chan *c, uint64_t *v)
{
	struct co_executor *e = &co_executor;
	struct co *me = e->current;

	/* relaxed: a cancel that is missed here comes by message while this coroutine sleeps. */
	if (!me)
		return co_chan_from_handler();
	if (co_atomic_load(&me->cancel, CO_RELAXED))
		return recv_long(c, v);
	me->value_to = v;
	/* relaxed, both: for its own hart and for reports. */
	co_atomic_store(&me->berth, (uintptr_t)&c->berth, CO_RELAXED);
	co_atomic_store(&me->since, co_since(hal_time_now()), CO_RELAXED);
	if (co_berth_enter(&c->berth, me))
		return back_out_shut(c, v);
	if (co_ring_mark_lone((struct co_slot *)co_atomic_load(&c->ring.took, CO_RELAXED)))
		return back_out_full(c, v);
	return co_park_now(e, me);
}

/* Receive for `to`; false: there is nothing, and the channel is not at its end. */
static bool receive_for(struct co_chan *c, struct co *to, bool closed)
{
	struct co_ring *r = &c->ring;
	struct co_hold h;

	if (co_single_claim(r, &r->head, &r->took, &h)) {
		to->value = *(const uint64_t *)co_slot_payload(h.slot);
		if (co_ring_release(r, h))
			co_chan_wake(&c->senders, &c->receivers);
		co_berth_wake(to, 0);
		return true;
	}
	if (!closed || !co_chan_drained(c))
		return false;
	co_berth_wake(to, -EPIPE);
	return true;
}

void co_chan_serve(struct co_chan *c, struct co *to)
{
	struct co_ring *r = &c->ring;

	while (to) {
		bool closed = co_ring_final(r) != 0;
		struct co_slot *next;
		bool shut;

		if (closed)
			co_berth_close(
				&c->berth); /* it may have been opened to put somebody back */
		if (receive_for(c, to, closed))
			return;
		/* Back to sleep: an element that was claimed before the close is on its way. */
		next = co_single_next(&r->head, &r->took).slot;
		shut = co_berth_enter(&c->berth, to) != NULL;
		if (!co_ring_mark_lone(next) && (closed || !shut))
			return;
		to = co_berth_take(&c->berth);
	}
}

int co_chan_send_behind(struct co_chan *c, uint64_t v, struct co *to)
{
	co_chan_serve(c, to == &co_berth_shut ? co_berth_close(&c->berth) : to);
	return co_chan_send_long(c, &v, CO_FOREVER);
}

int co_chan_send_away(struct co_chan *c, uint64_t v, struct co *to)
{
	struct co_ring *r = &c->ring;

	/* relaxed: the caller's, and who has taken the receiver out has its words as well. */
	if (to == &co_berth_shut ||
	    co_atomic_load(&r->took, CO_RELAXED) != co_atomic_load(&r->put, CO_RELAXED))
		return co_chan_send_behind(c, v, to);
	to->value = v;
	return co_berth_wake(to, 0);
}
