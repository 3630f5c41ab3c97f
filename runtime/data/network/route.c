/*
 * route.c - routes that are shared: a route is taken whole, or not at all (cohart/network.h).
 *
 * Ports and switches that hang together are a channel: a bit for each sending port and each output
 * of a switch. (An output is wired to one receiving port, or to one other switch, and stands for
 * that.) To take a route is one atomic or: if none of its bits was set, it is taken; else the bits
 * that it has set are cleared again, and it waits.
 *
 * WANTED says that there may be a queue: a newcomer that finds it joins the queue, though what it
 * wants may be free. A route that is given back wakes the first, whose turn it is: it takes its
 * route and wakes the next, or goes back to the front. tests/model/route.pml is this protocol.
 */
#include <errno.h>

#include <cohart/detail/wait.h>

#include "../../core/cleanup.h"
#include "../../core/core.h"
#include "../../core/hook.h"
#include "network.h"

#define WANTED (1u << 31)

static const char route_kind[] = "network route";

/* Wake the first that waits, or take back that there is a queue. */
static void wake_next(struct co_net_channel *ch)
{
	if (co_wake_one(&ch->queue))
		return;
	/* seq_cst: one that has entered before is found now, one that enters later says so anew. */
	co_atomic_and(&ch->taken, ~WANTED, CO_SEQ_CST);
	co_wake_one(&ch->queue);
}

static void clear(struct co_net_channel *ch, uint32_t parts)
{
	/* seq_cst: before the look for waiters; pairs with co_net_take_route(). */
	if (co_atomic_and(&ch->taken, ~parts, CO_SEQ_CST) & WANTED)
		wake_next(ch);
}

/* Take all of the parts, or none. `turn`: though others may wait. */
static bool try_take(struct co_net_channel *ch, uint32_t parts, bool turn)
{
	/* seq_cst: after the entry into the queue; pairs with clear(). */
	uint32_t was = co_atomic_or(&ch->taken, parts, CO_SEQ_CST);

	if (!(was & parts) && (turn || !(was & WANTED)))
		return true;
	if (parts & ~was)
		clear(ch, parts & ~was);
	return false;
}

/* Wait for a turn, and take it. Returns 0 or -ECANCELED. */
static NOINLINE int take_in_turn(struct co_net_channel *ch, uint32_t parts)
{
	struct co_waiter *w = co_wait_prepare(&ch->queue, ch, route_kind);
	bool turn = false;

	for (;;) {
		/* seq_cst: after the entry, before the look: pairs with clear() and wake_next(). */
		bool first = !(co_atomic_or(&ch->taken, WANTED, CO_SEQ_CST) & WANTED);
		int r;

		if ((turn || first) && try_take(ch, parts, true)) {
			(void)co_wait_abandon(w);
			break;
		}
		r = co_wait_commit(w, CO_FOREVER);
		if (r)
			return r;
		turn = true;
		if (try_take(ch, parts, true))
			break;
		w = co_wait_prepare_front(&ch->queue, ch, route_kind);
	}
	wake_next(ch);
	return 0;
}

/* The coroutine that has taken it ends early. */
static void give_early(struct co_cleanup *c, struct co *of, enum co_cleanup_why why)
{
	struct co_net_hold *h = co_container_of(c, struct co_net_hold, taken);

	(void)of;
	(void)why;
	clear(h->channel, h->parts);
}

int co_net_take_route(struct co_net_hold *h)
{
	int r = 0;

	if (!try_take(h->channel, h->parts, false))
		r = take_in_turn(h->channel, h->parts);
	if (!r)
		co_cleanup_push(co_executor.current, &h->taken, give_early);
	return r;
}

void co_net_give(struct co_net_hold *h)
{
	CO_ASSERT_THAT(co_cleanup_search(co_executor.current, &h->taken),
		       "a route that is given back was taken");
	clear(h->channel, h->parts);
}

int co_net_take(struct co_net_hold *h, unsigned from, unsigned to)
{
	int r = co_net_hold_fill(h, from, to);

	return r ? r : co_net_take_route(h);
}

bool co_net_overlaps(const struct co_net_end *a, const struct co_net_end *b)
{
	return a->route.channel && a->route.channel == b->route.channel &&
	       a->route.parts & b->route.parts;
}

int co_net_hold(struct co_net_end *e)
{
	int r = co_net_take_route(&e->route);

	e->kept = !r;
	return r;
}

void co_net_release(struct co_net_end *e)
{
	CO_ASSERT_THAT(e->kept, "a route that is released was held");
	e->kept = false;
	co_net_give(&e->route);
}

static bool blame(const char *kind, uintptr_t object, char *text, size_t bytes)
{
	const struct co_net_channel *ch = (const struct co_net_channel *)object;
	struct co_text t = { text, bytes, 0 };
	uint32_t taken;

	if (kind != route_kind)
		return false;
	/* relaxed: for reports. */
	taken = co_atomic_load(&ch->taken, CO_RELAXED);
	co_text_add(&t, "a part of it is taken, for what is sent by");
	for (unsigned part = 0; part < 31; part++) {
		const char *name = taken >> part & 1 ? co_net_part_name(ch, part) : NULL;

		if (name)
			co_text_add(&t, " %s", name);
	}
	return true;
}

CO_HOOKS = { .blame = blame };
