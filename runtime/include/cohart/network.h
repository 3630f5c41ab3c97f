/*
 * network.h - a circuit-switched network between cores: ports, switches, and transfers by pairs of
 * ends. The message libraries bfskn_f.h, bfskn.h and bupv.h are built on it; programs take those.
 *
 * Example: core 5 (NMPU03) sends to core 20 (NMPU33) by port 0 of both and two switches
 *	core 5                                       core 20
 *	co_net_switch_set(3, 1, 0);                  co_net_switch_set(15, 0, 1);
 *	e = co_net_port(CO_NET_SEND, 0);             e = co_net_port(CO_NET_RECV, 0);
 *	co_net_start(e, from, 8192);                 co_net_start(e, to, 8192);
 *	r = co_net_wait(e);                          r = co_net_wait(e);
 *
 * Core n is hart n; harts from 21 on are not on the network, and of a smaller machine the cores
 * that are not there are missing. A core has four ports, each of which sends and receives at the
 * same time: two *ends*. What leads where is a table of the chip (runtime/data/network/nm6408.def,
 * docs/nm6408.md). Boards of QEMU's have no such network, so harts stand in for it: the side that
 * starts last moves the words into the receiver's memory, or has the board's engine or a move hart
 * do it (cohart/dma.h), and neither side reads a word of the other's scratchpad.
 *
 * What nobody starts, or has no whole route, transfers nothing: the report of a deadlock says so,
 * with the names of ports and cores.
 *
 * Context: coroutine of the end's core, for what does not say otherwise.
 * Source: seed D.
 */
#ifndef COHART_NETWORK_H
#define COHART_NETWORK_H

#include <cohart/coroutine.h>
#include <cohart/detail/base.h>
#include <cohart/detail/cleanup.h>
#include <cohart/detail/waitq.h>

CO_BEGIN_C
#define CO_NET_CORES 21u
#define CO_NET_PORTS 4u
#define CO_NET_SWITCHES 16u
#define CO_NET_SWITCH_PORTS 4u
#define CO_NET_HOPS 2u /* the most switches of a route */

/* A switch of a route, and two of its ports. */
struct co_net_step {
	uint8_t number, in, out;
};

struct co_net_route {
	uint8_t hops; /* so many switches */
	uint8_t send_cp, recv_cp;
	struct co_net_step at[CO_NET_HOPS];
};

/* Cores that this machine has. Context: any. */
unsigned co_net_cores(void);

/* "CPU", "CPU2", "NMPU33". Context: any. */
const char *co_net_core_name(unsigned core);

/*
 * The route with the fewest switches.
 * @return 0; -ENETUNREACH: there is none; -EINVAL: no such cores, or the same one. Context: any.
 */
CO_MUST_CHECK int co_net_route(unsigned from, unsigned to, struct co_net_route *r);

enum co_net_way { CO_NET_SEND, CO_NET_RECV };

/* What one side has said of a transfer: where its words are. */
struct co_net_part {
	uintptr_t at;
	uint32_t words;
	uint32_t row,
		gap;     /* in words: so many, then so many left out; row 0: one after the other */
	uint32_t number; /* of that end's transfers */
	uintptr_t doorbell; /* of its hart */
	bool kept;          /* the sender keeps the route */
};

/* Ports and switches that hang together: those taken, and the waiters. The runtime's. */
struct co_net_channel {
	alignas(CO_LINE) struct co_a32 taken;
	struct co_waitq queue;
};

/* A route, as a part of a channel; taken, while the cleanup is in its coroutine's list. */
struct co_net_hold {
	struct co_net_channel *channel;
	uint32_t parts;
	struct co_cleanup taken;
};

/* One end, in its core's scratchpad. The runtime's. */
struct co_net_end {
	struct co_rest rest; /* word[0]: the number of the last transfer that is over */
	/* The other side writes these: its number, when it has been started, and what it said. */
	struct co_a32 offered;
	struct co_net_part theirs;
	struct co_a32 claimed; /* at the sending end: the transfer's number, when one side has it */
	struct co_a32 status;  /* of the last one that is over */
	struct co_a32 gone;    /* not 0: the other side's process is */
	/* The core's own. */
	struct co_net_part mine;
	struct co_aword other; /* struct co_net_end *; 0: no whole route */
	struct co_a32 waits;   /* 1: started, and has no route */
	uint8_t core, cp, way;
	bool kept;                /* the route is this side's: co_net_hold() */
	struct co_a32 via;        /* 1 + the core that carries a transfer without a route */
	struct co_net_hold route; /* of a pair with a route; channel NULL: none */
	/* If there is no route: have it carried; co_net_finish() is called in the end. */
	void (*carry)(struct co_net_end *send, struct co_net_end *recv);
};

/*
 * ---- Ports and switches, set by hand: nothing keeps two from using the same ----
 */

/* A core's ends, the receiving ones second; this core's. */
struct co_net_ports {
	struct co_net_end ends[2][CO_NET_PORTS];
};
extern __thread struct co_net_ports *co_net_own;

/* The caller has no ports, or not that one: end it, and say so. */
CO_NORETURN void co_net_no_port(void);

/* This core's port. @param cp  0..3 (asserted) */
static inline struct co_net_end *co_net_port(enum co_net_way way, unsigned cp)
{
	if (!co_net_own || cp >= CO_NET_PORTS)
		co_net_no_port();
	return &co_net_own->ends[way][cp];
}

/*
 * Words in rows, with so many left out between them; row 0: one after the other.
 * @param e  not started
 */
void co_net_shape(struct co_net_end *e, uint32_t row, uint32_t gap);

/*
 * Connect a port of a switch to another one: what comes in there goes out here. The connection that
 * led out here before ends.
 * @param number  0..15; in, out: 0..3 (asserted)
 * Context: coroutine of any core. With DEBUG=1 a port that is in use is asserted not to be.
 */
void co_net_switch_set(unsigned number, unsigned in, unsigned out);

/* The number of words that one end's owner moves by itself, without what stands for an engine. */
#define CO_NET_SMALL_WORDS 8u

/*
 * May the end be started with that? co_net_start() does not look.
 * @return 0; -EINVAL: no words, or a misaligned address; -EFAULT: memory that is not there, is a
 *         core's own, or is not to be written
 */
CO_MUST_CHECK int co_net_refuse(const struct co_net_end *e, const void *at, uint32_t words);

/*
 * Begin a transfer. It takes place when the other end has been started, too: both are over then.
 * @param at     aligned to 8 bytes, in memory that every hart may use
 * @param words  of 64 bits; the same at both ends
 * Order: release, to the other side. Cost: about 70 instructions, and the words, if the other end
 * has been started; no remote access that somebody waits for. A first one on a route looks for it.
 */
void co_net_start(struct co_net_end *e, const void *at, uint32_t words);

/*
 * @return -EINPROGRESS; 0: it is over; -EMSGSIZE: it is, and as many words have passed as the
 *         shorter side has named; -EHOSTDOWN: the other side's core is lost, or its process has
 * been ended by a fault: nothing that was received may be used; -EFAULT and others: as
 *         co_dma_check().
 * Context: any. Order: acquire, after anything but -EINPROGRESS.
 */
CO_MUST_CHECK int co_net_check(const struct co_net_end *e);

/*
 * Wait until it is over; when nothing has been started, or is not waited for, that is at once.
 * @return as co_net_check(); -ETIMEDOUT, -ECANCELED: it goes on.
 * Order: acquire.
 */
CO_MUST_CHECK int co_net_wait(struct co_net_end *e);
CO_MUST_CHECK int co_net_wait_until(struct co_net_end *e, uint64_t deadline);

/*
 * ---- Pairs of ends that share the network: the ports and switches of a route are taken for each
 *      transfer, and given back ----
 *
 * Both sides have come before anything is taken, and a route is taken whole or not at all: so
 * transfers never collide, and none holds a part while it waits for another. Those that wait for a
 * channel get it in the order in which they came, but for wide routes, which narrower ones may
 * overtake. A coroutine that is lost, or ended by a fault, gives its routes back by its cleanups.
 * Harts without compare-and-swap: a transfer panics.
 */

/*
 * Make a pair, for transfers from one core to another.
 * @param send, recv  zero-filled, in the windows of these cores
 * @param carry       what to do when both have been started, if the cores have no route
 * Context: any, before either is used.
 */
void co_net_pair(struct co_net_end *send, unsigned from, struct co_net_end *recv, unsigned to,
		 void (*carry)(struct co_net_end *send, struct co_net_end *recv));

/*
 * Take the route for all transfers to come, and give it back.
 * @param e  a sending end of a pair with a route, not started
 * @return 0; -ECANCELED. One that this core itself keeps a part of would wait for ever:
 *         co_net_overlaps().
 */
CO_MUST_CHECK int co_net_hold(struct co_net_end *e);
void co_net_release(struct co_net_end *e);

/* Have the routes of two pairs a port or a switch's output in common? Context: any. */
bool co_net_overlaps(const struct co_net_end *a, const struct co_net_end *b);

/*
 * Take back what was started.
 * @return 0; -EBUSY: it is not over, and both sides have been started; -EALREADY: it is over.
 */
CO_MUST_CHECK int co_net_withdraw(struct co_net_end *e);

/* Take the route of two cores. @return 0; -ENETUNREACH; -ECANCELED */
CO_MUST_CHECK int co_net_take(struct co_net_hold *h, unsigned from, unsigned to);
void co_net_give(struct co_net_hold *h);

/* For a carrier: the transfer of an end that was lost with its carrier is under way anew. */
void co_net_resume(struct co_net_end *recv);

/*
 * For a carrier: rows of either side, from a word on, as they lie one after the other.
 */
void co_net_gather(const struct co_net_part *p, uint32_t first, uint32_t words, uint64_t *to);
void co_net_scatter(const struct co_net_part *p, uint32_t first, uint32_t words,
		    const uint64_t *of);

/* For a carrier: it is over, the receiving end first. Context: any. */
void co_net_finish(struct co_net_end *send, struct co_net_end *recv, int status);

/*
 * Make a core's ports as they were at boot, for a new process: nothing is under way there. Context:
 * hart 0, while no process runs there.
 */
void co_net_return(unsigned core);

/*
 * This core's process has ended early: what others have started with it ends with -EHOSTDOWN, as it
 * does when its hart is lost. Context: any.
 */
void co_net_leave(unsigned core);

/* What an end does, in words: "port 0 of NMPU03 to NMPU33: the other side has not been started". */
const char *co_net_explain(const struct co_net_end *e, char *text, size_t bytes);
CO_END_C
#endif
