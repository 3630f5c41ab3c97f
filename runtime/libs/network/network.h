/* network.h - the interface between the files of this folder. */
#ifndef COHART_NETWORK_ROOM_H
#define COHART_NETWORK_ROOM_H

#include <cohart/network.h>
#include <hal/network.h>

#include "../../core/core.h"
#include "../../core/lf/rest.h"
#include "../../core/sched/cleanup.h"

/* Find the core's port that a switch's port leads to. Returns the port; -1: it leads to no core. */
int co_net_port_from(unsigned number, unsigned port, unsigned *core);

/* Find the port of a core, or of a switch, that a core's port leads to. False: it leads nowhere. */
bool co_net_peer(unsigned core, unsigned port, unsigned *other, unsigned *other_port,
		 bool *by_switch);

/* The switch's port that a switch's port leads to. False: none. */
bool co_net_switch_peer(unsigned number, unsigned port, unsigned *other, unsigned *other_port);

/* Begin e's transfer, on behalf of its core: e has been started, and is connected to `other`. */
void co_net_meet(struct co_net_end *e, struct co_net_end *other);

/* Find a core's end, as its process has it; NULL: the core is not there. */
struct co_net_end *co_net_end_of(unsigned core, enum co_net_way way, unsigned cp);

/* Note e's next transfer. Of a port: on its core, or under the lock of the switches. */
static inline void co_net_say(struct co_net_end *e, const void *at, uint32_t words)
{
	uint32_t number = co_net_next(e);

	e->mine.at = (uintptr_t)at;
	e->mine.words = words;
	e->mine.number = number;
	/* relaxed: the core's own; a search for lost transfers reads it after the offer. */
	co_atomic_store(&e->rest.value, number, CO_RELAXED);
}

/*
 * co_net_say(), and find e's peer, as switches are set: under one lock, so that nothing is said of
 * the transfer before. Returns the peer; NULL: e begins when it has one, or is over since its peer
 * is gone.
 */
struct co_net_end *co_net_start_anew(struct co_net_end *e, const void *at, uint32_t words);

/*
 * Begin e's transfer again: a switch was set otherwise in the middle of its start, and the caller
 * has e's offer. One end at a time, so that no two take offers from each other without end.
 */
void co_net_begin_anew(struct co_net_end *e);

/* Take the peer's offer, or the caller's own back. False: somebody else has it. Order: acq_rel. */
#ifdef CO_NO_CAS
bool co_net_take_offer(struct co_a32 *at);
#else
static inline bool co_net_take_offer(struct co_a32 *at)
{
	/* acq_rel: pairs with offer(), and with a competitor for the offer. */
	return co_atomic_swap(at, 0, CO_ACQ_REL) != 0;
}
#endif

/* co_net_check() of an end whose peer is `other`; NULL: it has no peer. */
int co_net_check_with(const struct co_net_end *e, const struct co_net_end *other);

#define CO_NET_PARTS 16u /* bits of a channel; above them it counts its waiters */

/*
 * The ports and switches of a route as bits of a channel: that of a pair of switches is at the core
 * next to the first, a direct wire's at the sending core. 0: there is no route.
 */
uint32_t co_net_parts(const struct co_net_route *r, unsigned from, unsigned *home, bool *direct);

/* ---- port.c: where ports are hardware ---- */

/* Is e the end of a hardware port? False for an end of a pair. */
static inline bool co_net_is_hardware(const struct co_net_end *e)
{
	return HAL_NETWORK_EXISTS() && !e->route.channel && !e->carry;
}

/* Ready this core's, if there are any. False: they are of no use. Context: boot. */
bool co_net_ports_ready(unsigned core);

/* Start e's port with the transfer noted by co_net_say(). Context: its core. */
void co_net_port_start(struct co_net_end *e);

/* co_net_check() of a hardware port's end. On its core it asks the port. */
int co_net_port_check(struct co_net_end *e);

/* The words that e's port had left to move, a moment ago. Context: any. */
uint32_t co_net_port_left(const struct co_net_end *e);

/* End all transfers of this core's ports: their process is gone. */
void co_net_ports_stop(void);

/* co_net_ports_stop() for another core, by a coroutine there. Context: coroutine. */
void co_net_ports_stop_at(unsigned core);

/*
 * Have both cores' ports move the words of a pair's transfer, over a route that is taken. Returns
 * as co_net_check() of a port. Context: a coroutine of either core, with a stack in main memory.
 */
int co_net_move_by_ports(const struct co_net_end *send, const struct co_net_end *recv);

/* Fill in the route of two cores. Returns 0 or -ENETUNREACH. */
int co_net_hold_fill(struct co_net_hold *h, unsigned from, unsigned to);

/* A core's ports; NULL: it is not there. */
struct co_net_ports *co_net_ports_of(unsigned core);

/* The cores that a channel's parts lead to, as bits; that channel at a core. */
uint32_t co_net_cores_of(const struct co_net_channel *ch);
uint32_t co_net_cores_at(unsigned home, bool direct);

/*
 * co_net_take_route() and co_net_give() for a route that this core's processes take again and
 * again: it may be kept in between, and be taken by others in spite of that. Cost, if it is kept:
 * two swaps in this core's window.
 */
int co_net_take_kept(struct co_net_hold *h, unsigned way);
void co_net_keep(struct co_net_hold *h, unsigned way);

/* Give back the routes that a core keeps. Context: any. */
void co_net_keep_nothing(unsigned core);

/* The cleanup of a coroutine that has a route. */
void co_net_give_early(struct co_cleanup *c, struct co *of, enum co_cleanup_why why);

/* Take h back, if this core keeps it; co_net_put_back() is next. Cost: a swap. */
static inline bool co_net_take_back(struct co_net_hold *h, unsigned way)
{
	struct co_aword *at = &co_net_own->kept[way].hold;

	/* acq_rel: this core has it, or another party took it; pairs with co_net_keep_nothing(). */
	if ((struct co_net_hold *)co_atomic_load(at, CO_RELAXED) != h ||
	    !co_atomic_swap(at, 0, CO_ACQ_REL))
		return false;
	co_cleanup_push(co_executor.current, &h->taken, co_net_give_early);
	return true;
}

/* Nothing has waited in between. */
static inline void co_net_put_back(struct co_net_hold *h, unsigned way)
{
	CO_ASSERT_OWN(co_cleanup_pop(co_executor.current, &h->taken));
	/* seq_cst, both: kept before the look whether it is wanted; pairs with want(). */
	co_atomic_store(&co_net_own->kept[way].hold, (uintptr_t)h, CO_SEQ_CST);
	if (co_atomic_load(&co_net_own->wanted, CO_SEQ_CST))
		co_net_keep_nothing(co_executor.hart);
}

/* The core that sends by that part of a channel at that core; NULL: the part is no sending port. */
const char *co_net_sender_name(unsigned home, bool direct, unsigned part);

/* co_net_sender_name() for a part of ch. */
const char *co_net_part_name(const struct co_net_channel *ch, unsigned part);

/* co_net_take() with h filled in, by a coroutine of this core. Returns 0 or -ECANCELED. */
int co_net_take_route(struct co_net_hold *h);

/* End a transfer that cannot come about, at this end. */
void co_net_fail(struct co_net_end *e, int status);

/* A core is lost: end recv's transfer if the core was in charge of it. Context: hart 0. */
void co_net_carrier_lost(struct co_net_end *recv, unsigned core);

#endif
