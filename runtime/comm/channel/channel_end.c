/*
 * channel_end.c - how a channel begins, and how counted ends end it: the end of a side's last user
 * closes the channel.
 */
#include <errno.h>

#include <cohart/channel.h>
#include <cohart/coroutine.h>
#include <cohart/spm.h>
#include <hal/time.h>

#include "../../core/hook.h"
#include "../../core/sched/cleanup.h"
#include "../../fault/give_up.h"
#include "claim.h"

static bool claim_exists(enum co_claim claim)
{
	return claim == CO_CLAIM_TICKET || (claim == CO_CLAIM_CAS && CO_CLAIM_HAS_CAS);
}

int co_chan_init_as(struct co_chan *c, void *buffer, size_t bytes, size_t elem_size,
		    enum co_chan_mode mode, enum co_claim claim)
{
	size_t stride = CO_RING_STRIDE(elem_size);
	size_t capacity;

	if (claim == CO_CLAIM_DEFAULT)
		claim = co_chan_usual();
	CO_ASSERT_SHARED(c, sizeof(*c), "a struct co_chan");
	if (!buffer || (uintptr_t)buffer % sizeof(uint64_t) || !elem_size || elem_size > bytes ||
	    elem_size > UINT32_MAX - 2 * sizeof(uint64_t)) /* the stride would overflow */
		return -EINVAL;
	capacity = co_ring_fit(bytes, elem_size);
	if (capacity && mode == CO_RENDEZVOUS)
		capacity = 1; /* no room, but a slot to pass elements through */
	if (!capacity || capacity > CO_CHAN_CAPACITY_MAX || (unsigned)mode > CO_RENDEZVOUS ||
	    !claim_exists(claim))
		return -EINVAL;
	CO_ASSERT_THAT(co_spm_shared(buffer, bytes), CO_SHARED("the buffer of a channel"));
	*c = (struct co_chan)CO_CHAN(buffer, (uint32_t)elem_size, capacity, mode, claim);
	/* relaxed: the caller shares it later. Payloads are written before they are read. */
	for (unsigned char *slot = c->ring.slots; slot != c->ring.limit; slot += stride)
		co_atomic_store(&((struct co_slot *)(void *)slot)->stamp, 0, CO_RELAXED);
	return 0;
}

int co_chan_init(struct co_chan *c, void *buffer, size_t bytes, size_t elem_size)
{
	return co_chan_init_as(c, buffer, bytes, elem_size, CO_MPMC, CO_CLAIM_DEFAULT);
}

/* A counted end, in memory that hart 0 can read: struct co_chan_end is mostly on a stack. */
struct co_chan_note {
	struct co_cleanup cleanup;
	struct co_chan *chan;
	unsigned sides;
	/*
	 * Slots that its coroutine has claimed; a slot that has moved on since is not claimed any
	 * more.
	 */
	struct co_claimed held[CO_CHAN_HELD];
};

static inline struct co_chan_note *note_of(struct co_cleanup *c)
{
	return co_container_of(c, struct co_chan_note, cleanup);
}

static struct co_a32 *count_of(struct co_chan *c, unsigned side)
{
	return side == CO_CHAN_SENDS ? &c->bound_senders : &c->bound_receivers;
}

static void count_in(struct co_chan *c, unsigned sides)
{
	/* relaxed: counted before it is counted out. */
	if (sides & CO_CHAN_SENDS)
		co_atomic_add(&c->bound_senders, 1, CO_RELAXED);
	if (sides & CO_CHAN_RECEIVES)
		co_atomic_add(&c->bound_receivers, 1, CO_RELAXED);
}

/* Returns whether it was the last one. */
static bool less(struct co_chan *c, unsigned sides, unsigned side)
{
	/* acq_rel: all that this side did comes before the close; pairs with itself. */
	return sides & side && co_atomic_add(count_of(c, side), -1u, CO_ACQ_REL) == 1;
}

static void count_out(struct co_chan *c, unsigned sides)
{
	bool senders = less(c, sides, CO_CHAN_SENDS);
	bool receivers = less(c, sides, CO_CHAN_RECEIVES);

	if (senders || receivers)
		co_chan_close(c);
}

static bool holds(struct co_claimed h)
{
	/* relaxed: only this user moves a slot on that it has claimed. */
	return h.slot && !co_ring_ahead(co_atomic_load(&h.slot->stamp, CO_RELAXED), h);
}

/* Wait for the end's position, which a closer is about to write. False: it was a lost hart. */
static bool await_final(struct co_ring *r, bool lost)
{
	struct co_patience patience = co_patience_begin(CO_LOCKED_US);
	unsigned spins = 0;

	while (!co_ring_final(r)) {
		if (lost && !co_patience_lasts(&patience)) {
			co_report("cohart: a hart has stopped in the middle of closing the channel "
				  "of the slots at 0x%lx: its waiters may wait for ever",
				  (unsigned long)(uintptr_t)r->slots);
			return false;
		}
		co_spin(&spins);
	}
	return true;
}

/* The claimed slot h will never be filled: end the channel before it. */
static void cut_claimed(struct co_chan *c, struct co_claimed h, bool lost)
{
	struct co_ring *r = &c->ring;
	uintptr_t number = (uintptr_t)((unsigned char *)h.slot - r->slots) / r->stride;
	uintptr_t end = (h.stamp + number * CO_RING_STEP) | CO_RING_CLOSED;
	struct co_waiter *first;
	uintptr_t final;

	co_ring_close(r);
	if (!await_final(r, lost))
		return;
	/* With a single sender, the first slot that is not full is the end. */
	first = co_waitq_lock(&c->senders);
	final = co_ring_final(r);
	if ((intptr_t)(end - final) < 0)
		/* release: as in co_ring_close(). */
		co_atomic_store(&r->final, end, CO_RELEASE);
	co_waitq_unlock(&c->senders, first);
	co_chan_close(c); /* wakes all */
}

/* Give back the slots that it had claimed. `lost`: with its hart. */
static void give_back_slot(struct co_chan_note *n, bool lost)
{
	for (unsigned i = 0; i < CO_CHAN_HELD; i++) {
		struct co_claimed h = n->held[i];

		if (!holds(h))
			continue;
		if (h.stamp & CO_RING_FULL)
			(void)co_chan_publish(n->chan, CO_CHAN_RECEIVER, h);
		else
			cut_claimed(n->chan, h, lost);
	}
}

/* A counted coroutine has ended early. If it is lost with its hart, the channel closes. */
static void end_early(struct co_cleanup *c, struct co *of, enum co_cleanup_why why)
{
	struct co_chan_note *n = note_of(c);
	bool lost = why == CO_CLEANUP_HOST_DOWN;

	if (lost && !co_chan_lost_usable(n->chan))
		return;
	if (co_chan_is_rendezvous(n->chan))
		(void)co_chan_rendezvous_withdraw(n->chan, of);
	give_back_slot(n, lost);
	if (lost)
		co_chan_close(n->chan);
	else
		count_out(n->chan, n->sides);
}

void co_chan_note_claimed(const struct co *self, const struct co_chan *chan, struct co_claimed h)
{
	struct co_cleanup *c = co_cleanup_at(self->cleanups);

	for (unsigned passed = 0; c && passed < CO_CLEANUPS_EVER;
	     passed++, c = co_cleanup_at(c->next)) {
		struct co_chan_note *n = note_of(c);
		unsigned i = 0;

		if (c->run != end_early || n->chan != chan)
			continue;
		while (i < CO_CHAN_HELD && holds(n->held[i]))
			i++;
		if (i < CO_CHAN_HELD)
			n->held[i] = h;
		return;
	}
}

bool co_chan_lost_usable(struct co_chan *c)
{
	struct co_waitq *const queues[] = { &c->senders, &c->receivers, &c->room.queue,
					    &c->elements.queue };
	unsigned n = 0;

	if (!co_lost_usable(c, sizeof(*c)))
		return false;
	while (n < sizeof(queues) / sizeof(*queues) && co_lost_queue(queues[n]))
		n++;
	return n == sizeof(queues) / sizeof(*queues);
}

int co_chan_bind(struct co_chan *c, unsigned sides, struct co_chan_end *e)
{
	struct co_chan_note *n;

	CO_ASSERT_THAT(
		e && c && sides && !(sides & ~(CO_CHAN_SENDS | CO_CHAN_RECEIVES)),
		"co_chan_bind() is given a channel, an end, and CO_CHAN_SENDS, CO_CHAN_RECEIVES, or both");
	n = e->note = co_spm_alloc(sizeof(*n), alignof(struct co_chan_note));
	if (!n)
		return -ENOMEM;
	*n = (struct co_chan_note){ .chan = c, .sides = sides };
	count_in(c, sides);
	co_cleanup_add(&n->cleanup, end_early);
	return 0;
}

void co_chan_unbind(struct co_chan_end *e)
{
	struct co_chan_note *n;

	CO_ASSERT_THAT(e && e->note && co_cleanup_remove(&e->note->cleanup),
		       "co_chan_unbind() is given an end that the caller has bound");
	n = e->note;
	count_out(n->chan, n->sides);
	co_spm_free(n);
	e->note = NULL;
}

/* The end of a sender that has counted from before its start. */
static void sender_ends(struct co *c, enum co_cleanup_why why)
{
	struct co_chan *chan = c->last.arg;

	if (why != CO_CLEANUP_HOST_DOWN)
		count_out(chan, CO_CHAN_SENDS);
	else if (co_chan_lost_usable(chan))
		co_chan_close(chan);
}

void co_chan_add_sender(struct co *c, void *chan)
{
	CO_ASSERT_SHARED(chan, sizeof(struct co_chan),
			 "the channel that a coroutine sends to (sends)");
	count_in(chan, CO_CHAN_SENDS);
	co_last_set(c, sender_ends, chan);
}

/* How often does c, which sleeps, count on that side of chan? A guess: c may wake. */
RACY static unsigned counts_of(const struct co *c, const struct co_chan *chan, unsigned side)
{
	enum { MOST = 256 };
	unsigned n = side == CO_CHAN_SENDS && c->last.run == sender_ends && c->last.arg == chan;
	const struct co_cleanup *l = co_cleanup_at(c->cleanups);

	/* If c wakes, links lead astray, but never out of shared memory. */
	for (unsigned i = 0; i < MOST && l && co_spm_shared(l, sizeof(*l));
	     i++, l = co_cleanup_at(l->next)) {
		const struct co_chan_note *note = co_container_of(l, struct co_chan_note, cleanup);

		n += l->run == end_early && co_spm_shared(note, sizeof(*note)) &&
		     note->chan == chan && note->sides & side;
	}
	return n;
}

/*
 * Are all coroutines that count on the opposite side in the set that member() lists? A guess, which
 * knot.c looks at again: c may wake.
 */
RACY static bool is_hopeless(const struct co_stuck *w)
{
	struct co_chan *chan = (struct co_chan *)w->object;
	bool receives = w->co && w->co->waiter.queue == &chan->receivers;
	unsigned side = receives ? CO_CHAN_SENDS : CO_CHAN_RECEIVES;
	const struct co *d;
	uint32_t counted, found = 0;

	if (w->text ||
	    (w->kind != co_chan_element && w->kind != co_chan_room && w->kind != co_chan_taker) ||
	    !co_spm_shared(chan, sizeof(*chan)))
		return false;
	counted = co_atomic_load(count_of(chan, side), CO_RELAXED); /* stays if all sleep */
	for (unsigned i = 0; (d = w->member(i)); i++)
		found += counts_of(d, chan, side);
	return counted && found == counted;
}

CO_HOOKS = { .explain = is_hopeless };
