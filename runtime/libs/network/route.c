/*
 * route.c - routes that are shared: a route is taken whole, or not at all (cohart/network.h).
 *
 * Ports and switches that hang together are a channel: a bit for each sending port and each output
 * of a switch. (An output is wired to one receiving port, or to one other switch, and stands for
 * that.) To take a route is one atomic or: if none of its bits was set, it is taken; else the bits
 * that the or has set are cleared again, and the caller waits.
 *
 * Waiters are counted above the bits, and have turns, by a mutex, which goes to the longest waiter.
 * Only the waiter whose turn it is takes anything: a newcomer that finds others waiting queues up,
 * though its route may be free. So a waiter that has queued up is overtaken at most once by each
 * competitor.
 *
 * A core that takes one route again and again keeps it in between, in its own window, where it
 * takes it back by a swap. The waiter whose turn it is tells all cores on the channel that it wants
 * something, and takes the routes that they keep, by a swap, too; as long as a core knows of that,
 * it keeps nothing. A route is held while words move, and its holder waits for nothing of the
 * network: so each turn ends. tests/model/route.pml is this protocol.
 */
#include <errno.h>

#include <cohart/detail/wait.h>

#include "../../core/core.h"
#include "../../core/hook.h"
#include "../../core/sched/cleanup.h"
#include "network.h"

#define WAITER (1u << CO_NET_PARTS) /* in `taken`: one more waits */

static const char route_kind[] = "network route";

static void clear(struct co_net_channel *ch, uint32_t parts)
{
	/* seq_cst: before the look for the waiter; pairs with take_in_turn(). */
	if (co_atomic_and(&ch->taken, ~parts, CO_SEQ_CST) >= WAITER)
		co_wake_one(&ch->queue);
}

/* Take all of the parts, or none. */
static bool try_take(struct co_net_channel *ch, uint32_t parts)
{
	/* acquire: the last holder's writes; pairs with clear(). */
	uint32_t was = co_atomic_or(&ch->taken, parts, CO_ACQUIRE);

	if (!(was & parts) && was < WAITER)
		return true;
	if (parts & ~was)
		clear(ch, parts & ~was);
	return false;
}

/* try_take() for the waiter whose turn it is. */
static bool take_now(struct co_net_channel *ch, uint32_t parts)
{
	/* seq_cst: after the entry into the queue; pairs with clear(). */
	uint32_t was = co_atomic_or(&ch->taken, parts, CO_SEQ_CST);

	/* relaxed: nobody else waits for bits that were set for a moment. */
	if (was & parts)
		co_atomic_and(&ch->taken, ~parts | (was & parts), CO_RELAXED);
	return !(was & parts);
}

/* Count a waiter out. */
static void wait_no_more(struct co_net_channel *ch)
{
	/* release: after its cleanup; pairs with nothing but the end of its hart. */
	co_atomic_add(&ch->taken, -WAITER, CO_RELEASE);
}

/* The coroutine that waits for it is lost. */
static void wait_ends_early(struct co_cleanup *c, struct co *of, enum co_cleanup_why why)
{
	(void)of;
	(void)why;
	wait_no_more(co_container_of(c, struct co_net_hold, taken)->channel);
}

/* The coroutine that has taken it is lost. */
void co_net_give_early(struct co_cleanup *c, struct co *of, enum co_cleanup_why why)
{
	struct co_net_hold *h = co_container_of(c, struct co_net_hold, taken);

	(void)of;
	(void)why;
	clear(h->channel, h->parts);
}

/*
 * Tell all cores on the channel that they are to keep nothing, while it is h's turn. `named` is no
 * more than has been counted: if the hart is lost in the middle, no core loses the count of another
 * waiter.
 */
static void want(struct co_net_hold *h)
{
	uint32_t cores = co_net_cores_of(h->channel);

	for (unsigned core = 0; core < CO_NET_CORES; core++) {
		struct co_net_ports *p = cores >> core & 1 ? co_net_ports_of(core) : NULL;

		/* seq_cst: before the look at the kept routes; pairs with co_net_keep(). */
		if (p)
			co_atomic_add(&p->wanted, 1, CO_SEQ_CST);
		/* release: after the count; pairs with want_no_more(), of a lost one on hart 0. */
		co_atomic_store(&h->named, core + 1, CO_RELEASE);
		if (p)
			co_net_keep_nothing(core);
	}
}

static void want_no_more(struct co_net_hold *h)
{
	uint32_t cores = co_net_cores_of(h->channel);
	/* acquire: pairs with want(). */
	uint32_t core = co_atomic_load(&h->named, CO_ACQUIRE);

	while (core--) {
		struct co_net_ports *p = cores >> core & 1 ? co_net_ports_of(core) : NULL;

		/* relaxed: the add is a release, and comes later. */
		co_atomic_store(&h->named, core, CO_RELAXED);
		if (p)
			co_atomic_add(&p->wanted, (uint32_t)-1, CO_SEQ_CST);
	}
}

static void want_ends_early(struct co_cleanup *c, struct co *of, enum co_cleanup_why why)
{
	want_no_more(co_container_of(c, struct co_net_hold, taken));
	wait_ends_early(c, of, why);
}

/* Both end a holder that is still counted as a waiter; the second, while it is its turn. */
static void taken_ends_early(struct co_cleanup *c, struct co *of, enum co_cleanup_why why)
{
	co_net_give_early(c, of, why);
	wait_ends_early(c, of, why);
}

static void turn_ends_early(struct co_cleanup *c, struct co *of, enum co_cleanup_why why)
{
	co_net_give_early(c, of, why);
	want_ends_early(c, of, why);
}

static int await_parts(struct co_net_hold *h)
{
	struct co_net_channel *ch = h->channel;

	for (;;) {
		struct co_waiter *w = co_wait_prepare(&ch->queue, ch, route_kind);
		int r;

		if (take_now(ch, h->parts)) {
			h->taken.run = turn_ends_early;
			(void)co_wait_abandon(w);
			return 0;
		}
		r = co_wait_commit(w, CO_FOREVER);
		if (r)
			return r;
	}
}

/* Wait for a turn, and take it. Returns 0 or -ECANCELED. */
static NOINLINE int take_in_turn(struct co_net_hold *h)
{
	struct co_net_channel *ch = h->channel;
	int r;

	/*
	 * seq_cst: from here on no newcomer takes anything. The count is changed outside of the
	 * cleanup at both ends: a waiter that is lost in between is counted for ever, and all have
	 * turns; if it were counted out twice, another waiter would not be woken.
	 */
	co_atomic_add(&ch->taken, WAITER, CO_SEQ_CST);
	co_cleanup_push(co_executor.current, &h->taken, wait_ends_early);
	r = co_mutex_lock(&ch->turn);
	if (!r || r == -EOWNERDEAD) { /* the parts of a lost one are given back by itself */
		/* relaxed, here and below: this hart's own, or read once it has stopped. */
		co_atomic_store(&h->named, 0, CO_RELAXED);
		h->taken.run = want_ends_early;
		want(h);
		r = await_parts(h);
		h->taken.run = r ? wait_ends_early : taken_ends_early;
		want_no_more(h);
		co_mutex_unlock(&ch->turn);
	}
	if (r)
		(void)co_cleanup_search(co_executor.current, &h->taken);
	else
		h->taken.run = co_net_give_early;
	wait_no_more(ch);
	return r;
}

/* If it returns 0, its cleanup is in the coroutine's list. */
int co_net_take_route(struct co_net_hold *h)
{
	if (!try_take(h->channel, h->parts))
		return take_in_turn(h);
	co_cleanup_push(co_executor.current, &h->taken, co_net_give_early);
	return 0;
}

void co_net_give(struct co_net_hold *h)
{
	CO_ASSERT_THAT(co_cleanup_search(co_executor.current, &h->taken),
		       "a route that is given back was taken");
	clear(h->channel, h->parts);
}

/* ---- Routes that are kept ---- */

void co_net_keep_nothing(unsigned core)
{
	struct co_net_ports *p = co_net_ports_of(core);

	for (unsigned way = 0; way < 2; way++) {
		struct co_aword *at = &p->kept[way].hold;
		/* seq_cst: after it was said to be wanted; pairs with co_net_keep(). */
		struct co_net_hold *h =
			co_atomic_load(at, CO_SEQ_CST)
				? (struct co_net_hold *)co_atomic_swap(at, 0, CO_SEQ_CST)
				: NULL;

		if (h)
			clear(h->channel, h->parts);
	}
}

int co_net_take_kept(struct co_net_hold *h, unsigned way)
{
	struct co_net_kept *k = &co_net_own->kept[way];

	if (co_net_take_back(h, way))
		return 0;
	if (k->last != h || k->times > 1)
		k->times = 0; /* another; or somebody else has wanted it */
	k->last = h;
	return co_net_take_route(h);
}

void co_net_keep(struct co_net_hold *h, unsigned way)
{
	struct co_net_kept *k = &co_net_own->kept[way];
	struct co_net_hold *before;

	/* Not after one time: a core that sends to many in turn would only hinder others. */
	if (k->last != h || ++k->times < 2) {
		co_net_give(h);
		return;
	}
	CO_ASSERT_THAT(co_cleanup_search(co_executor.current, &h->taken),
		       "a route that is kept was taken");
	/* seq_cst: before the look whether it is wanted; pairs with want(). */
	before = (struct co_net_hold *)co_atomic_swap(&k->hold, (uintptr_t)h, CO_SEQ_CST);
	if (before)
		clear(before->channel, before->parts);
	if (co_atomic_load(&co_net_own->wanted, CO_SEQ_CST))
		co_net_keep_nothing(co_executor.hart);
}

int co_net_take(struct co_net_hold *h, unsigned from, unsigned to)
{
	int r = co_net_hold_fill(h, from, to);

	return r ? r : co_net_take_route(h);
}

static bool blame_route(const struct co_stuck *w)
{
	const struct co_net_channel *ch = (const struct co_net_channel *)w->object;
	struct co_text *t = w->text;
	uint32_t taken;

	if (!t || w->kind != route_kind)
		return false;
	/* relaxed: for reports. */
	taken = co_atomic_load(&ch->taken, CO_RELAXED);
	co_text_add(t, "a part of it is taken, for what is sent by");
	for (unsigned part = 0; part < CO_NET_PARTS; part++) {
		const char *name = taken >> part & 1 ? co_net_part_name(ch, part) : NULL;

		if (name)
			co_text_add(t, " %s", name);
	}
	return true;
}

CO_HOOKS = { .explain = blame_route };
