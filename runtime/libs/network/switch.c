/*
 * switch.c - the ports and switches of the network, connections by hand, and cores that are gone.
 *
 * A core's ends and channels, which keep two transfers from using one port or switch, lie in its
 * window; the channel of switch ij lies in that of NMPUij, which is next to the switch. The
 * switches' registers are in main memory.
 */
#include <errno.h>
#include <string.h>

#include <cohart/sync.h>

#include "../../core/core.h"
#include "../../core/hook.h"
#include "../../core/lf/rest.h"
#include "../../core/lost.h"
#include "network.h"

enum { PAIRS_MOST = 2 * CO_NET_CORES };

/* The ports and channels of a core. */
struct core {
	struct co_net_ports ports;
	struct co_net_channel direct;   /* its wires to other cores */
	struct co_net_channel switches; /* the switch next to it, and the switch joined to that */
};

static struct core *cores[CO_NET_CORES]; /* in windows; NULL: it is not there */
__thread struct co_net_ports *co_net_own;
static struct co_net_channel of_missing[CO_NET_CORES]; /* switches next to no core */
static struct co_a32 gone[CO_NET_CORES];
static struct co_aword pairs[CO_NET_CORES][PAIRS_MOST]; /* struct co_net_end *: of each core */

/* Of an output: 1 + the input that is connected to it; 0: none. Under `setting`. */
static uint8_t comes_from[CO_NET_SWITCHES][CO_NET_SWITCH_PORTS];
static struct co_mutex setting;

static void init_end(struct co_net_end *e, unsigned core, unsigned cp, enum co_net_way way)
{
	e->mine.doorbell = co_hart_at(core)->doorbell;
	e->core = (uint8_t)core;
	e->cp = (uint8_t)cp;
	e->way = (uint8_t)way;
	co_rest_expect(&e->rest, 0, 1);
}

static void boot_core(unsigned hart)
{
	struct core *c = hart < CO_NET_CORES ? co_spm_alloc(sizeof(*c), CO_LINE) : NULL;

	if (!c)
		return;
	memset(c, 0, sizeof(*c));
	for (unsigned cp = 0; cp < CO_NET_PORTS; cp++) {
		init_end(&c->ports.ends[CO_NET_SEND][cp], hart, cp, CO_NET_SEND);
		init_end(&c->ports.ends[CO_NET_RECV][cp], hart, cp, CO_NET_RECV);
	}
	if (!co_net_ports_ready(hart)) {
		co_spm_free(c);
		return;
	}
	co_net_own = &c->ports;
	cores[hart] = c; /* published by `online` */
}

struct co_net_end *co_net_end_of(unsigned core, enum co_net_way way, unsigned cp)
{
	return core < CO_NET_CORES && cores[core] ? &cores[core]->ports.ends[way][cp] : NULL;
}

struct co_net_ports *co_net_ports_of(unsigned core)
{
	return cores[core] ? &cores[core]->ports : NULL;
}

void co_net_no_port(void)
{
	co_panic("%s: a core of the network has the ports 0 to 3, this is none of those",
		 co_net_own ? "no such port" : "this hart has no ports");
}

void co_net_shape(struct co_net_end *e, uint32_t row, uint32_t gap)
{
#ifdef CO_DEBUG
	CO_ASSERT_THAT(row || !gap, "a row has words");
#endif
	e->mine.row = gap ? row : 0;
	e->mine.gap = gap;
	e->mine.words = 0; /* the next buffer is checked anew */
}

/* ---- Routes by hand ---- */

/* Where a switch's input goes out; -1: nowhere. */
static int output_of(unsigned number, unsigned in)
{
	for (unsigned out = 0; out < CO_NET_SWITCH_PORTS; out++) {
		if (comes_from[number][out] == in + 1)
			return (int)out;
	}
	return -1;
}

/*
 * From a switch's input on to a receiving end, or from its output back to a sending one; NULL: it
 * leads nowhere, as switches are set.
 */
static struct co_net_end *find_end(enum co_net_way way, unsigned number, unsigned port)
{
	for (unsigned hops = 0; hops < CO_NET_HOPS; hops++) {
		int next = way == CO_NET_RECV ? output_of(number, port)
					      : comes_from[number][port] - 1;
		unsigned core;
		int cp;

		if (next < 0)
			return NULL;
		cp = co_net_port_from(number, (unsigned)next, &core);
		if (cp >= 0)
			return co_net_end_of(core, way, (unsigned)cp);
		if (!co_net_switch_peer(number, (unsigned)next, &number, &port))
			return NULL;
	}
	return NULL;
}

/* Is its other side gone? Under `setting`. */
static void note_gone(struct co_net_end *e, const struct co_net_end *other)
{
	/* seq_cst: before the look, so that it covers no later word of mark_gone(). */
	co_atomic_store(&e->gone, 0, CO_SEQ_CST);
	/* relaxed: a core that is gone has published all. */
	if (!co_net_is_gone(other->core))
		return;
	co_atomic_store(&e->gone, 1, CO_RELAXED);
	if (co_net_is_hardware(e))
		co_ring(e->mine.doorbell);
}

static void connect(struct co_net_end *a, struct co_net_end *b)
{
	/*
	 * seq_cst, both: before the looks, so that a core that leaves finds the connection, or is
	 * found gone; pairs with mark_gone(). An offer that was made meanwhile stays: its side
	 * looks.
	 */
	co_atomic_store(&a->other, (uintptr_t)b, CO_SEQ_CST);
	co_atomic_store(&b->other, (uintptr_t)a, CO_SEQ_CST);
	note_gone(a, b);
	note_gone(b, a);
}

/*
 * e's route is not whole any more. If e has offered, and nobody has taken the offer, its transfer
 * begins with e's next route; but if its peer is gone, the transfer is over.
 */
static void unroute(struct co_net_end *e, struct co_net_end *other)
{
	bool offered = co_net_take_offer(&other->offered);
	int r = co_net_check_with(e, other);

	if (co_net_is_hardware(e)) {
		/* It stays started, and its core ends it if the peer is gone. */
		co_atomic_store(&e->gone, r == -EHOSTDOWN ? 2 : 0, CO_RELAXED);
		co_ring(e->mine.doorbell);
		return;
	}
	if (r == -EHOSTDOWN)
		co_net_fail(e, r);
	else if (offered && r == -EINPROGRESS)
		co_atomic_store(&e->waits, 1, CO_RELAXED); /* under the lock */
	/* relaxed: it has no other side. */
	co_atomic_store(&e->gone, 0, CO_RELAXED);
}

static void disconnect(struct co_net_end *e)
{
	struct co_net_end *other = e ? (struct co_net_end *)co_atomic_load(&e->other, CO_RELAXED)
				     : NULL;

	if (!other)
		return;
	/* seq_cst, both: before the looks for offers; pairs with offer(). */
	co_atomic_store(&other->other, 0, CO_SEQ_CST);
	co_atomic_store(&e->other, 0, CO_SEQ_CST);
	unroute(e, other);
	unroute(other, e);
}

/* Was it started before it had a route? Under `setting`. */
static void start_late(struct co_net_end *e, struct co_net_end *other)
{
	/* relaxed: under the lock. */
	if (!co_atomic_load(&e->waits, CO_RELAXED))
		return;
	co_atomic_store(&e->waits, 0, CO_RELAXED);
	if (co_net_is_gone(other->core) || co_net_is_gone(e->core))
		co_net_fail(e, -EHOSTDOWN);
	else
		co_net_meet(e, other);
}

/*
 * Lock `setting`, even if cancelled: the caller hears of that in its next wait. Owners wait for
 * nothing.
 */
static void take_setting(void)
{
	struct co *self = co_executor.current;
	uint32_t cancelled = 0;
	int r;

	do {
		self->shielded = true;
		/* relaxed: a flag. */
		cancelled |= co_atomic_swap(&self->cancel, 0, CO_RELAXED);
		r = co_mutex_lock(&setting);
	} while (r == -ECANCELED);
	self->shielded = false;
	if (cancelled)
		co_atomic_store(&self->cancel, 1, CO_RELAXED);
	CO_ASSERT_THAT(!r || r == -EOWNERDEAD, "one that sets a switch does not set another");
}

void co_net_switch_set(unsigned number, unsigned in, unsigned out)
{
	struct co_net_end *from, *to;
	int was;

	CO_ASSERT_THAT(number < CO_NET_SWITCHES && in < CO_NET_SWITCH_PORTS &&
			       out < CO_NET_SWITCH_PORTS && in != out,
		       "a switch is LC00 to LC33, and connects two of its ports");
	take_setting();
	was = output_of(number, in);
	if (was != (int)out || comes_from[number][out] != in + 1) {
		struct co_net_end *old = find_end(CO_NET_SEND, number, out);

#ifdef CO_DEBUG
		if (old && co_net_check(old) == -EINPROGRESS)
			co_panic("LC%u%u is set otherwise: %s sends through it", number / 4,
				 number % 4, co_net_core_name(old->core));
#endif
		disconnect(old);
		if (was >= 0) {
			disconnect(find_end(CO_NET_SEND, number, (unsigned)was));
			comes_from[number][was] = 0;
		}
		comes_from[number][out] = (uint8_t)(in + 1);
	}
	if (HAL_NETWORK_EXISTS())
		hal_network_switch(number, in, out);
	from = find_end(CO_NET_SEND, number, out);
	to = find_end(CO_NET_RECV, number, in);
	if (from && to && (struct co_net_end *)co_atomic_load(&from->other, CO_RELAXED) != to) {
		connect(from, to);
		start_late(from, to);
		start_late(to, from);
	}
	co_mutex_unlock(&setting);
}

/* Find the peer of e, which has been started to no effect. Under `setting`. */
static struct co_net_end *find_route(struct co_net_end *e)
{
	struct co_net_end *other, *found;
	unsigned to, port;
	bool by_switch;

	/* relaxed: under the lock. */
	other = found = (struct co_net_end *)co_atomic_load(&e->other, CO_RELAXED);
	if (!other && co_net_peer(e->core, e->cp, &to, &port, &by_switch)) {
		enum co_net_way there = e->way == CO_NET_SEND ? CO_NET_RECV : CO_NET_SEND;

		other = by_switch ? find_end(there, to, port) : co_net_end_of(to, there, port);
		if (other)
			connect(e, other);
	}
#ifdef CO_DEBUG
	if (!other && (!co_net_peer(e->core, e->cp, &to, &port, &by_switch) ||
		       (!by_switch && !co_net_end_of(to, CO_NET_SEND, port))))
		co_panic("port %u of %s leads to no core that is there", (unsigned)e->cp,
			 co_net_core_name(e->core));
#endif
	co_atomic_store(&e->waits, !other && !co_net_is_hardware(e), CO_RELAXED);
	if (!other)
		return NULL;
	note_gone(e, other);
	if (co_net_is_gone(other->core))
		return NULL;
	if (!found)
		start_late(other, e);
	return other;
}

void co_net_begin_anew(struct co_net_end *e)
{
	bool nested = co_mutex_owner(&setting) == co_self();
	struct co_net_end *other = NULL;

	if (!nested)
		take_setting();
	/* unroute() may have ended it meanwhile. */
	if (co_net_check(e) == -EINPROGRESS)
		other = find_route(e);
	if (other)
		co_net_meet(e, other);
	if (!nested)
		co_mutex_unlock(&setting);
}

struct co_net_end *co_net_start_anew(struct co_net_end *e, const void *at, uint32_t words)
{
	struct co_net_end *other;

	take_setting();
	co_net_say(e, at, words);
	other = find_route(e);
	co_mutex_unlock(&setting);
	if (co_net_is_hardware(e)) {
		co_net_port_start(e);
		return NULL;
	}
	return other;
}

/* ---- Pairs ---- */

int co_net_hold_fill(struct co_net_hold *h, unsigned from, unsigned to)
{
	struct co_net_route r;
	bool direct;
	unsigned home;
	int failed = co_net_route(from, to, &r);

	if (failed)
		return failed;
	h->parts = co_net_parts(&r, from, &home, &direct);
	h->channel = !cores[home] ? &of_missing[home]
		     : direct     ? &cores[home]->direct
				  : &cores[home]->switches;
	return 0;
}

/* The core that a channel is at. Returns whether it is that of the core's direct wires. */
static bool is_direct(const struct co_net_channel *ch, unsigned *home)
{
	for (*home = 0; *home < CO_NET_CORES; ++*home) {
		const struct core *c = cores[*home];

		if (c && (ch == &c->direct || ch == &c->switches))
			return ch == &c->direct;
	}
	*home = (unsigned)(ch - of_missing);
	return false;
}

uint32_t co_net_cores_of(const struct co_net_channel *ch)
{
	unsigned home;
	bool direct = is_direct(ch, &home);

	return co_net_cores_at(home, direct);
}

const char *co_net_part_name(const struct co_net_channel *ch, unsigned part)
{
	unsigned home;
	bool direct = is_direct(ch, &home);

	return co_net_sender_name(home, direct, part);
}

void co_net_pair(struct co_net_end *send, unsigned from, struct co_net_end *recv, unsigned to,
		 void (*carry)(struct co_net_end *send, struct co_net_end *recv))
{
	struct co_net_route r;
	bool routed = !co_net_route(from, to, &r);

	init_end(send, from, routed ? r.send_cp : 0, CO_NET_SEND);
	init_end(recv, to, routed ? r.recv_cp : 0, CO_NET_RECV);
	if (routed) {
		(void)co_net_hold_fill(&send->route, from, to);
		(void)co_net_hold_fill(&recv->route, from, to);
	} else {
		send->carry = recv->carry = carry;
	}
	/* release: pairs with for_each_end(). */
	co_atomic_store(&pairs[from][to], (uintptr_t)send, CO_RELEASE);
	co_atomic_store(&pairs[to][CO_NET_CORES + from], (uintptr_t)recv, CO_RELEASE);
	connect(send, recv);
}

/* ---- Cores that are gone ---- */

bool co_net_is_gone(unsigned core)
{
	/* seq_cst: pairs with co_net_leave(). */
	return co_atomic_load(&gone[core], CO_SEQ_CST) != 0;
}

/* Mark e if its peer is of `core`, whose process is gone: e's owner looks at that. */
static void mark_gone(struct co_net_end *e, unsigned core)
{
	/* seq_cst: after the core was marked; pairs with connect(). */
	const struct co_net_end *other =
		(const struct co_net_end *)co_atomic_load(&e->other, CO_SEQ_CST);

	if (!other || other->core != core)
		return;
	/* seq_cst: all that the core has done; pairs with co_net_check() and note_gone(). */
	co_atomic_store(&e->gone, 1, CO_SEQ_CST);
	co_rest_stop(&e->rest, 1);
	co_ring(e->mine.doorbell);
}

/* Every end there is: of ports, and of pairs. */
static void for_each_end(void (*what)(struct co_net_end *e, unsigned core), unsigned core)
{
	for (unsigned i = 0; i < CO_NET_CORES; i++) {
		for (unsigned k = 0; cores[i] && k < 2 * CO_NET_PORTS; k++)
			what(&cores[i]->ports.ends[k % 2][k / 2], core);
		for (unsigned k = 0; k < PAIRS_MOST; k++) {
			/* acquire: the pair; pairs with co_net_pair(). */
			struct co_net_end *e =
				(struct co_net_end *)co_atomic_load(&pairs[i][k], CO_ACQUIRE);

			if (e)
				what(e, core);
		}
	}
}

void co_net_leave(unsigned core)
{
	/* seq_cst: pairs with connect(). */
	co_atomic_store(&gone[core], 1, CO_SEQ_CST);
	if (HAL_NETWORK_EXISTS() && core == co_executor.hart)
		co_net_ports_stop();
	for_each_end(mark_gone, core);
}

void co_net_settle(unsigned core)
{
	if (!cores[core])
		return;
	/* A lost core's are over, or taken for lost with it. */
	(void)!co_batch_join(&cores[core]->ports.movers);
	co_net_ports_stop_at(core);
	co_net_keep_nothing(core);
}

void co_net_return(unsigned core)
{
	co_net_ports_stop_at(core);
	take_setting();
	for (unsigned k = 0; cores[core] && k < 2 * CO_NET_PORTS; k++) {
		struct co_net_end *e = &cores[core]->ports.ends[k % 2][k / 2];

		disconnect(e);
		/* relaxed, all: the start of the process publishes them. */
		co_atomic_store(&e->rest.word[0], co_rest_value(&e->rest), CO_RELAXED);
		co_atomic_store(&e->offered, 0, CO_RELAXED);
		co_atomic_store(&e->waits, 0, CO_RELAXED);
		co_atomic_store(&e->gone, 0, CO_RELAXED);
	}
	for (unsigned k = 0; k < PAIRS_MOST; k++)
		co_atomic_store(&pairs[core][k], 0, CO_RELAXED);
	co_atomic_store(&gone[core], 0, CO_RELAXED);
	co_mutex_unlock(&setting);
}

static uint64_t left, waiting;

static void add_what_is_left(struct co_net_end *e, unsigned core)
{
	uint32_t words;

	(void)core;
	if (!co_net_is_hardware(e) || co_net_is_over(e) || co_hart_lost(e->core))
		return;
	words = co_net_port_left(e);
	left += words;
	/* relaxed: it has been rung, and is about to stop the port. */
	waiting += !words || co_atomic_load(&e->gone, CO_RELAXED);
}

/* Have ports moved words since the last look, or has a hart a finished transfer to hear of? */
static bool goes_on(const struct co_stuck *w)
{
	uint64_t before = left;

	if (w->kind || !HAL_NETWORK_EXISTS())
		return false;
	left = waiting = 0;
	for_each_end(add_what_is_left, 0);
	return waiting || left != before;
}

static void end_carried(struct co_net_end *e, unsigned core)
{
	if (e->way == CO_NET_RECV)
		co_net_carrier_lost(e, core);
}

static void hart_lost(unsigned hart)
{
	if (hart >= CO_NET_CORES || !cores[hart] || !co_hart_notified(hart))
		return;
	co_net_leave(hart);
	for_each_end(end_carried, hart);
}

CO_HOOKS = { .hart_boot = boot_core, .hart_lost = hart_lost, .explain = goes_on };
