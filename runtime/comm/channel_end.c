/*
 * channel_end.c - who uses a channel, by count: the last one of a side closes it.
 */
#include <cohart/channel.h>
#include <cohart/coroutine.h>

static struct co_a32 *count_of(struct co_chan *c, unsigned side)
{
	return side == CO_CHAN_SENDS ? &c->bound_senders : &c->bound_receivers;
}

/* Returns whether it was the last one. */
static bool less(struct co_chan_end *e, unsigned side)
{
	/* acq_rel: what the others of the side did comes before the close; pairs with itself. */
	return e->sides & side && co_atomic_add(count_of(e->chan, side), -1u, CO_ACQ_REL) == 1;
}

static void let_go(struct co_tie *t, struct co *c)
{
	struct co_chan_end *e = (struct co_chan_end *)t; /* its first member */
	bool senders = less(e, CO_CHAN_SENDS);
	bool receivers = less(e, CO_CHAN_RECEIVES);

	(void)c;
	if (senders || receivers)
		co_chan_close(e->chan);
}

void co_chan_bind(struct co_chan_end *e, struct co_chan *c, unsigned sides)
{
	CO_ASSERT(e && c && sides && !(sides & ~(CO_CHAN_SENDS | CO_CHAN_RECEIVES)));
	e->chan = c;
	e->sides = sides;
	/* relaxed: counted before it counts down itself. */
	if (sides & CO_CHAN_SENDS)
		co_atomic_add(&c->bound_senders, 1, CO_RELAXED);
	if (sides & CO_CHAN_RECEIVES)
		co_atomic_add(&c->bound_receivers, 1, CO_RELAXED);
	co_tie_add(&e->tie, let_go);
}

void co_chan_unbind(struct co_chan_end *e)
{
	CO_ASSERT(e && co_tie_remove(&e->tie));
	let_go(&e->tie, co_self());
}
