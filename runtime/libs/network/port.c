/*
 * port.c - ports that are hardware (hal/network.h).
 *
 * A port's registers are written on its core alone. Its interrupt ends that hart's sleep, and the
 * executor asks then; so does a check. If the peer's process is gone, the hart is rung, and stops
 * the port.
 * The ends of pairs are still memory: both sides meet in them, the route is taken, and then a
 * coroutine on each core has its port move the words.
 */
#include <errno.h>

#include "../../core/core.h"
#include "../../core/hook.h"
#include "network.h"

static _Thread_local struct co_device device;
static _Thread_local bool looking; /* it is counted in co_executor.devices */
static _Thread_local bool rings;   /* and in `ringing` */

static bool has_lost_its_partner(const struct co_net_end *e)
{
	/* acquire: pairs with mark_gone(). */
	uint32_t gone = co_atomic_load(&e->gone, CO_ACQUIRE);
	/* relaxed: whom, a moment ago. */
	const struct co_net_end *other =
		(const struct co_net_end *)co_atomic_load(&e->other, CO_RELAXED);

	return gone > 1 || (gone && other && co_net_is_gone(other->core));
}

static void look_at_port(struct co_net_end *e)
{
	int r = hal_network_check(e->core, (enum hal_network_way)e->way, e->cp);

	if (r == -EINPROGRESS && has_lost_its_partner(e)) {
		hal_network_stop(e->core, (enum hal_network_way)e->way, e->cp);
		r = -EHOSTDOWN;
	}
	if (r != -EINPROGRESS)
		co_net_fail(e, r);
}

static void look_on(bool on)
{
	if (looking == on)
		return;
	looking = on;
	co_executor.devices += on ? 1 : -1;
	if (rings)
		co_executor.ringing += on ? 1 : -1;
	co_attend(&co_executor);
}

static bool look_at_ports(struct co_executor *x)
{
	bool more = false;

	(void)x;
	for (unsigned k = 0; k < 2 * CO_NET_PORTS; k++) {
		struct co_net_end *e = &co_net_own->ends[k % 2][k / 2];

		if (!co_net_is_over(e))
			look_at_port(e);
		more |= !co_net_is_over(e);
	}
	look_on(more);
	return false;
}

bool co_net_ports_ready(unsigned core)
{
	int r;

	if (!HAL_NETWORK_EXISTS())
		return true;
	r = hal_network_init(core);
	rings = r == 0;
	if (r < 0) {
		co_report("cohart: this board's network ports do not answer");
		return false;
	}
	co_device_add(&device, look_at_ports);
	return true;
}

uint32_t co_net_port_left(const struct co_net_end *e)
{
	return hal_network_left(e->core, (enum hal_network_way)e->way, e->cp);
}

void co_net_port_start(struct co_net_end *e)
{
	const struct hal_network_block b = { e->mine.at, e->mine.words, e->mine.row, e->mine.gap };
	enum hal_network_way way = (enum hal_network_way)e->way;
	int r;

	look_on(true); /* before: a model may end the caller in the middle of that */
	r = hal_network_start(e->core, way, e->cp, &b);
	if (r == -EBUSY) { /* who started it waits no more, and is not heard of */
		hal_network_stop(e->core, way, e->cp);
		r = hal_network_start(e->core, way, e->cp, &b);
	}
	if (r) {
		co_net_fail(e, r);
		return;
	}
	look_at_port(e);
}

int co_net_port_check(struct co_net_end *e)
{
	if (e->core == co_executor.hart)
		look_at_port(e);
	return co_net_is_over(e) ? co_net_status(e) : -EINPROGRESS;
}

void co_net_ports_stop(void)
{
	for (unsigned k = 0; co_net_own && k < 2 * CO_NET_PORTS; k++) {
		struct co_net_end *e = &co_net_own->ends[k % 2][k / 2];

		hal_network_stop(e->core, (enum hal_network_way)e->way, e->cp);
		if (!co_net_is_over(e))
			co_net_fail(e, -EHOSTDOWN);
	}
}

static intptr_t stop_ports(void *arg)
{
	(void)arg;
	co_net_ports_stop();
	return 0;
}

void co_net_ports_stop_at(unsigned core)
{
	const struct co_attr there = { .name = "network ports", .on = CO_ON_HART(core) };
	struct co_batch b = { 0 };

	/* A lost core has no ports that anybody may use again. */
	if (HAL_NETWORK_EXISTS() && !co_batch_spawn(&b, &there, stop_ports, NULL, NULL))
		(void)!co_batch_join(&b);
}

/* One side of a pair's transfer, by the port of its core. */
struct side {
	const struct co_net_end *end;
	uint32_t words;
};

static intptr_t by_port(void *arg)
{
	const struct side *s = arg;
	const struct co_net_part *p = &s->end->mine;
	struct co_net_end *e = co_net_port((enum co_net_way)s->end->way, s->end->cp);

	co_net_shape(e, p->row, p->gap);
	co_net_start(e, (const void *)p->at, s->words);
	return co_net_wait(e);
}

int co_net_move_by_ports(const struct co_net_end *send, const struct co_net_end *recv)
{
	uint32_t words = send->mine.words < recv->mine.words ? send->mine.words : recv->mine.words;
	bool sends = send->core == co_executor.hart;
	struct side near = { sends ? send : recv, words }, far = { sends ? recv : send, words };
	const struct co_attr there = { .name = "network transfer",
				       .on = CO_ON_HART(far.end->core) };
	struct co_batch other = { 0 };
	struct co_net_route route;
	intptr_t result = 0;
	int r = co_net_route(send->core, recv->core, &route), failed;

	for (unsigned i = 0; !r && i < route.hops; i++)
		co_net_switch_set(route.at[i].number, route.at[i].in, route.at[i].out);
	if (!r)
		r = co_batch_spawn(&other, &there, by_port, &far, &result);
	if (r)
		return r;
	r = (int)by_port(&near);
	failed = co_batch_join(&other);
	return r ? r : failed ? failed : (int)result;
}
