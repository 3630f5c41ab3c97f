/* wiring.c - which port of the network leads where, and the table of routes (seed D: TRS). */
#include <errno.h>

#include <cohart/network.h>
#include <hal/network_wires.h>

#include "../../core/core.h"
#include "../../core/hook.h"
#include "network.h"

enum { SWITCHES_FROM = HAL_NETWORK_SWITCHES_FROM, PLACES = HAL_NETWORK_PLACES };
_Static_assert(CO_NET_CORES == HAL_NETWORK_CORES, "programs see the chip's");
_Static_assert(CO_NET_PORTS == HAL_NETWORK_PORTS, "programs see the chip's");
_Static_assert(CO_NET_SWITCHES == HAL_NETWORK_SWITCHES, "programs see the chip's");
_Static_assert(CO_NET_SWITCH_PORTS == HAL_NETWORK_SWITCH_PORTS, "programs see the chip's");

/* Places. */
#define CP(core, port) HAL_NETWORK_AT_CORE(core, port)
#define SWITCH(number, port) HAL_NETWORK_AT_SWITCH(number, port)

static uint8_t leads_to[PLACES]; /* written before main() */
static struct co_net_route routes[CO_NET_CORES][CO_NET_CORES];

unsigned co_net_cores(void)
{
	return co_machine.harts < CO_NET_CORES ? co_machine.harts : CO_NET_CORES;
}

const char *co_net_core_name(unsigned core)
{
	static const char *const names[CO_NET_CORES] = {
		"CPU",    "CPU0",   "NMPU00", "NMPU01", "NMPU02", "NMPU03", "CPU1",
		"NMPU10", "NMPU11", "NMPU12", "NMPU13", "CPU2",   "NMPU20", "NMPU21",
		"NMPU22", "NMPU23", "CPU3",   "NMPU30", "NMPU31", "NMPU32", "NMPU33",
	};

	return core < CO_NET_CORES ? names[core] : "no core";
}

static bool is_core(unsigned place)
{
	return place < SWITCHES_FROM;
}

static bool is_switch(unsigned place)
{
	return place >= SWITCHES_FROM && place < HAL_NETWORK_LINKS_FROM;
}

/* The place at the far end of a place's wire; PLACES: nothing. */
static unsigned over_there(unsigned place)
{
	return place < PLACES && leads_to[place] ? leads_to[place] - 1u : PLACES;
}

int co_net_port_from(unsigned number, unsigned port, unsigned *core)
{
	unsigned place = over_there(SWITCH(number, port));

	if (!is_core(place))
		return -1;
	*core = place / CO_NET_PORTS;
	return (int)(place % CO_NET_PORTS);
}

bool co_net_peer(unsigned core, unsigned port, unsigned *other, unsigned *other_port,
		 bool *by_switch)
{
	unsigned place = over_there(CP(core, port));

	*by_switch = is_switch(place);
	if (!is_core(place) && !is_switch(place))
		return false;
	place -= *by_switch ? SWITCHES_FROM : 0;
	*other = place / CO_NET_PORTS;
	*other_port = place % CO_NET_PORTS;
	return true;
}

bool co_net_switch_peer(unsigned number, unsigned port, unsigned *other, unsigned *other_port)
{
	unsigned place = over_there(SWITCH(number, port));

	if (!is_switch(place))
		return false;
	*other = (place - SWITCHES_FROM) / CO_NET_SWITCH_PORTS;
	*other_port = (place - SWITCHES_FROM) % CO_NET_SWITCH_PORTS;
	return true;
}

/* Follow all ways from a place, through `more` switches at most, to a core; true: r has one. */
static bool follow(unsigned place, unsigned to, unsigned more, struct co_net_route *r)
{
	unsigned number, in;

	if (is_core(place)) {
		r->recv_cp = (uint8_t)(place % CO_NET_PORTS);
		return place / CO_NET_PORTS == to && !more;
	}
	if (!is_switch(place) || !more)
		return false;
	number = (place - SWITCHES_FROM) / CO_NET_SWITCH_PORTS;
	in = (place - SWITCHES_FROM) % CO_NET_SWITCH_PORTS;
	for (unsigned out = 0; out < CO_NET_SWITCH_PORTS; out++) {
		if (out == in || !follow(over_there(SWITCH(number, out)), to, more - 1, r))
			continue;
		r->at[r->hops - more] =
			(struct co_net_step){ (uint8_t)number, (uint8_t)in, (uint8_t)out };
		return true;
	}
	return false;
}

static void find_wires(unsigned from, unsigned to, struct co_net_route *r)
{
	for (r->hops = 0; r->hops <= CO_NET_HOPS; r->hops++) {
		for (unsigned cp = 0; cp < CO_NET_PORTS && from != to; cp++) {
			r->send_cp = (uint8_t)cp;
			if (follow(over_there(CP(from, cp)), to, r->hops, r))
				return;
		}
	}
}

static void find_routes(void)
{
	hal_network_wire(leads_to);
	for (unsigned from = 0; from < CO_NET_CORES; from++) {
		for (unsigned to = 0; to < CO_NET_CORES; to++)
			find_wires(from, to, &routes[from][to]);
	}
}

int co_net_route(unsigned from, unsigned to, struct co_net_route *r)
{
	if (from >= CO_NET_CORES || to >= CO_NET_CORES || from == to)
		return -EINVAL;
	if (routes[from][to].hops > CO_NET_HOPS)
		return -ENETUNREACH;
	*r = routes[from][to];
	return 0;
}

/* ---- Channels ---- */

/* Bits: outputs of two switches, then the senders into their ports. */
enum { SENDING_FROM = 2 * CO_NET_SWITCH_PORTS };
_Static_assert(SENDING_FROM + 2 * CO_NET_SWITCH_PORTS <= CO_NET_PARTS, "a channel has a bit each");

/* The first switch of the two that are joined, or the only one. */
static unsigned first_of(unsigned number)
{
	unsigned other = number, port;

	for (unsigned i = 0; i < CO_NET_SWITCH_PORTS; i++) {
		if (co_net_switch_peer(number, i, &other, &port))
			break;
	}
	return other < number ? other : number;
}

static unsigned bit_of(unsigned number, unsigned port)
{
	return CO_NET_SWITCH_PORTS * (number != first_of(number)) + port;
}

uint32_t co_net_parts(const struct co_net_route *r, unsigned from, unsigned *home, bool *direct)
{
	uint32_t parts = 0;

	*direct = !r->hops;
	*home = from;
	if (!r->hops)
		return 1u << r->send_cp;
	*home = HAL_NETWORK_NODE(first_of(r->at[0].number) / 4, first_of(r->at[0].number) % 4);
	parts = 1u << (SENDING_FROM + bit_of(r->at[0].number, r->at[0].in));
	for (unsigned i = 0; i < r->hops; i++)
		parts |= 1u << bit_of(r->at[i].number, r->at[i].out);
	return parts;
}

/* The switch next to a node; of two that are joined, the switch at whose node their channel is. */
static unsigned switch_at(unsigned node)
{
	unsigned n = node - HAL_NETWORK_NODE(0, 0);

	return n / 5 * 4 + n % 5;
}

static uint32_t cores_at_switch(unsigned number)
{
	uint32_t cores = 0;
	unsigned core;

	for (unsigned port = 0; port < CO_NET_SWITCH_PORTS; port++) {
		if (co_net_port_from(number, port, &core) >= 0)
			cores |= 1u << core;
	}
	return cores;
}

uint32_t co_net_cores_at(unsigned home, bool direct)
{
	unsigned number = switch_at(home), other, port;
	uint32_t cores = 1u << home;
	bool by_switch;

	for (unsigned i = 0; i < CO_NET_PORTS; i++) {
		if (direct && co_net_peer(home, i, &other, &port, &by_switch) && !by_switch)
			cores |= 1u << other;
		if (!direct && co_net_switch_peer(number, i, &other, &port))
			cores |= cores_at_switch(other);
	}
	return direct ? cores : cores | cores_at_switch(number);
}

const char *co_net_sender_name(unsigned home, bool direct, unsigned part)
{
	unsigned number = switch_at(home), port = part % CO_NET_SWITCH_PORTS, core, other;

	if (direct)
		return co_net_core_name(home);
	if (part < SENDING_FROM)
		return NULL;
	for (unsigned i = 0; part - SENDING_FROM >= CO_NET_SWITCH_PORTS && i < CO_NET_SWITCH_PORTS;
	     i++) {
		unsigned there;

		if (co_net_switch_peer(number, i, &other, &there)) {
			number = other;
			break;
		}
	}
	return co_net_port_from(number, port, &core) < 0 ? NULL : co_net_core_name(core);
}

CO_HOOKS = { .machine_up = find_routes };
