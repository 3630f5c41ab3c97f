/*
 * channel_lone.c - the only receiver of a channel waits for 8 bytes: in the channel's berth,
 * without a queue, and without anything left to do when it wakes.
 *
 * It enters, marks its next slot, and gives the hart away: what the switch back to it returns is
 * what co_chan_recv_u64() returns. So whoever wakes it has received for it before: who takes the
 * receiver out of the berth has its side of the ring too, until it is ready, or back in the berth
 * since there is nothing for it. An only sender that finds the ring empty then hands over its word
 * and leaves the ring as it is (channel_copy.c).
 *
 * Where nobody else is ready, the hart naps in the waiting coroutine (core/linger.h). One bit, in
 * the coroutine, says so; waker and sleeper both take it off by an atomic access. If the waker gets
 * it, the word is handed over, and it rings. If the sleeper does, which was woken by something
 * else, it gives the hart away after all, and the waker sends a message as to any other.
 */
#include <errno.h>

#include <hal/time.h>

#include "../core/core.h"
#include "../core/linger.h"
#include "../core/park.h"
#include "../core/lf/spsc.h"
#include "channel.h"

/* A cancel that has come already is heard there, and a close. */
__attribute__((noinline)) static int recv_long(struct co_chan *c, uint64_t *v)
{
	return co_chan_recv_long(c, v, CO_FOREVER);
}

/* Its nap is over: is it to be parked, since nobody has handed anything over so far? */
static inline bool end_nap(struct co *me)
{
	/* acquire: what the waker hands over; pairs with co_berth_rouse(). */
	return co_atomic_and(&me->nap, ~CO_NAP_BIT, CO_ACQUIRE) & CO_NAP_BIT;
}

/* It has been handed over in a nap. */
static inline int take(struct co *me)
{
	co_berth_leave(me, me->value);
	return me->wait_result;
}

/*
 * Something has come, or nothing will come any more: leave the berth. Who is not in it any more has
 * been taken out, and will be woken: by message, unless the waker still found it napping.
 */
static inline int back_out(struct co_chan *c, uint64_t *v, struct co *found, bool napping)
{
	struct co *me = co_executor.current;
	bool roused = napping && !end_nap(me);

	if (found == me) {
		co_atomic_store(&me->berth, 0, CO_RELAXED);
		return recv_long(c, v);
	}
	return roused ? take(me) : co_park();
}

__attribute__((noinline)) static int back_out_full(struct co_chan *c, uint64_t *v, bool napping)
{
	return back_out(c, v, co_berth_take(&c->berth), napping);
}

__attribute__((noinline)) static int back_out_shut(struct co_chan *c, uint64_t *v, bool napping)
{
	return back_out(c, v, co_berth_close(&c->berth), napping);
}

int co_chan_from_handler(void)
{
	CO_ASSERT(co_executor.current);
	return -EAGAIN;
}

/* Messages first, and if it has not been handed anything it waits as others do, asleep or not. */
__attribute__((noinline)) static int nap_ended(struct co *me, bool quiet)
{
	int r;

	if (end_nap(me))
		return co_park();
	r = take(me);
	if (!quiet)
		co_yield();
	return r;
}

/* Before the berth: where the word goes, and what it waits for. */
static inline void prepare(struct co_chan *c, struct co *me, uint64_t *v)
{
	co_chan_touch(v); /* who wakes it writes there */
	me->value_to = v;
	co_token_set(&me->token, CO_PARKED);
	co_event(CO_TRACE_WAIT, c->berth.kind);
	/* relaxed: for its own hart and for reports. */
	co_atomic_store(&me->berth, (uintptr_t)&c->berth, CO_RELAXED);
}

/*
 * There are others on this hart: `next` runs then. Alone: there are not, but it may not nap. The
 * slot is the one that has been looked at; it may be another's turn by the time it is marked, if
 * somebody has received for this coroutine, who will be woken then in any case.
 */
static inline int sleep_among(struct co_chan *c, uint64_t *v, struct co *me, struct co *next,
			      struct co_slot *slot, bool alone)
{
	/* relaxed: a cancel that is missed here comes by message while this coroutine sleeps. */
	if (co_atomic_load(&me->cancel, CO_RELAXED))
		return recv_long(c, v);
	prepare(c, me, v);
	/* relaxed: for reports. */
	co_atomic_store(&me->since, co_since(hal_time_now()), CO_RELAXED);
	if (co_berth_enter(&c->berth, me))
		return back_out_shut(c, v, false);
	if (co_ring_mark_lone(slot))
		return back_out_full(c, v, false);
	(void)alone;
	(void)next;
	return co_park();
}

__attribute__((noinline)) static int sleep_long(struct co_chan *c, uint64_t *v,
						struct co_slot *slot)
{
	return sleep_among(c, v, co_executor.current, NULL, slot, true);
}

/*
 * Nobody else is ready on this hart: it sleeps in this coroutine, and who takes that out of the
 * berth and still finds it napping writes down what it waits for and rings, no more. Hart 0 looks
 * after stuck harts: it may not nap.
 */
__attribute__((noinline)) static int sleep_alone(struct co_chan *c, uint64_t *v,
						 struct co_slot *slot)
{
	struct co_executor *e = &co_executor;
	struct co *me = e->current;
	struct co_hart *h = e->self;
	bool quiet;

	if (!e->hart || !co_nap_may(e, me, h))
		return sleep_long(c, v, slot);
	hal_ipi_clear();
	prepare(c, me, v);
	/*
	 * release: who sees the bit sees what this hart sent before; pairs with
	 * co_inbox_napping(). The load is relaxed: the bit is off, and nobody else writes then.
	 */
	co_atomic_store(&me->nap,
			co_atomic_load(&me->nap, CO_RELAXED) + 2 * CO_NAP_BIT + CO_NAP_BIT,
			CO_RELEASE);
	if (co_berth_enter(&c->berth, me))
		return back_out_shut(c, v, true);
	if (co_ring_mark_lone(slot))
		return back_out_full(c, v, true);
	quiet = co_nap(me, h, &me->nap);
	/* acquire: as in end_nap(). */
	if (!quiet || (co_atomic_load(&me->nap, CO_ACQUIRE) & CO_NAP_BIT))
		return nap_ended(me, quiet);
	return take(me);
}

/* With one argument, and that where it is. */
__attribute__((noinline)) static int wake_senders(struct co_chan *c)
{
	return co_chan_wake(&c->senders, &c->receivers);
}

static inline int release(struct co_chan *c, struct co_hold h, uint64_t *v)
{
	*v = *(const uint64_t *)co_slot_payload(h.slot);
	return co_ring_release(&c->ring, h) ? wake_senders(c) : 0;
}

/* The last slot of a lap. Apart, so that the compiler need not copy the arguments. */
__attribute__((noinline)) static int take_last(struct co_chan *c, uint64_t *v, uintptr_t turn,
					       struct co_slot *slot)
{
	struct co_ring *r = &c->ring;

	co_single_turn(r, &r->head, &r->took);
	return release(c, (struct co_hold){ slot, turn }, v);
}

/* The slot is the only receiver's next one, and full. */
static inline int take_single_8(struct co_chan *c, struct co_hold h, uint64_t *v)
{
	struct co_ring *r = &c->ring;

	if (__builtin_expect((unsigned char *)h.slot + CO_RING_STRIDE(8) == r->limit, 0))
		return take_last(c, v, h.stamp, h.slot);
	/* relaxed: for looks; the stamp hands the slot over. */
	co_atomic_store(&r->took, (uintptr_t)h.slot + CO_RING_STRIDE(8), CO_RELAXED);
	return release(c, h, v);
}

/* A mark was all there was: of a sender who waits for room. */
__attribute__((noinline)) static int take_marked(struct co_chan *c, uint64_t *v)
{
	return take_single_8(c, co_single_next(&c->ring.head, &c->ring.took), v);
}

/* The only receiver's next slot is not simply full. Apart, to spare the others registers. */
__attribute__((noinline)) static int recv_single_u64(struct co_chan *c, uint64_t *v,
						     uintptr_t stamp, uintptr_t turn,
						     struct co_slot *slot)
{
	struct co *me, *next;

	if (stamp == (turn | CO_RING_WAITED))
		return take_marked(c, v);
	me = co_executor.current;
	if (!me)
		return co_chan_from_handler();
	next = me->next_ready;
	if (next == me)
		return sleep_alone(c, v, slot);
	return sleep_among(c, v, me, next, slot, false);
}

__attribute__((noinline)) static int recv_other_u64(struct co_chan *c, uint64_t *v)
{
	CO_ASSERT(c->elem_size == sizeof(*v));
	co_chan_touch(v);
	return recv_long(c, v);
}

int co_chan_recv_u64(struct co_chan *c, uint64_t *v)
{
	struct co_ring *r = &c->ring;
	struct co_hold h;
	uintptr_t stamp;

	if (c->recv_path != CO_PATH_SINGLE_8)
		return c->recv_path < 0 ? co_chan_recv_cas_u64(c, v) : recv_other_u64(c, v);
	h = co_single_next(&r->head, &r->took);
	/* acquire: as in co_ring_turn(). */
	stamp = co_atomic_load(&h.slot->stamp, CO_ACQUIRE);
	if (__builtin_expect(stamp != h.stamp, 0))
		return recv_single_u64(c, v, stamp, h.stamp, h.slot);
	return take_single_8(c, h, v);
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
	to->wait_result = 0;
	return co_berth_rouse(to);
}
