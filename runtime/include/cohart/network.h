/*
 * network.h - a circuit-switched network between cores: ports, switches, and transfers by pairs of
 * ends. Message libraries are built on it, and programs use a library (docs/nm6408.md).
 *
 * Example: core 5 (NMPU03) sends to core 20 (NMPU33) by port 0 of both and two switches
 *	core 5                                       core 20
 *	co_net_switch_set(3, 1, 0);                  co_net_switch_set(15, 0, 1);
 *	e = co_net_port(CO_NET_SEND, 0);             e = co_net_port(CO_NET_RECV, 0);
 *	co_net_start(e, from, 8192);                 co_net_start(e, to, 8192);
 *	r = co_net_wait(e);                          r = co_net_wait(e);
 *
 * Core n is hart n; harts from 21 on are not on the network, and a smaller machine has only the
 * first of the cores. A core has four ports, each of which sends and receives at once: two *ends*.
 * A table of the chip says which ports are connected (hal/include/hal/nm6408.def, docs/nm6408.md).
 * Where a driver has such ports (hal/network.h) they move the words. QEMU's boards have none, so
 * harts stand in: the side that starts last moves the words into the receiver's memory, or has the
 * board's engine or a move hart do it (cohart/dma.h), and neither side reads a word of its peer's
 * scratchpad.
 *
 * An end that has not been started, or has no whole route, transfers nothing: the report of a
 * deadlock says so, with the names of ports and cores.
 *
 * Context: coroutine of the end's core, for every function that does not say otherwise.
 * Source: seed D.
 */
#ifndef COHART_NETWORK_H
#define COHART_NETWORK_H

#include <cohart/coroutine.h>
#include <cohart/detail/base.h>
#include <cohart/detail/cleanup.h>
#include <cohart/detail/waitq.h>
#include <cohart/sync.h>

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
	uint8_t hops; /* number of switches */
	uint8_t send_cp, recv_cp;
	struct co_net_step at[CO_NET_HOPS];
};

/* Cores that this machine has. Context: any. */
unsigned co_net_cores(void);

/* "CPU", "CPU2", "NMPU33". Context: any. */
const char *co_net_core_name(unsigned core);

/*
 * The route with the fewest switches.
 * @return 0; -ENETUNREACH: there is no route; -EINVAL: a core does not exist, or both are one.
 *         Context: any.
 */
CO_MUST_CHECK int co_net_route(unsigned from, unsigned to, struct co_net_route *r);

enum co_net_way { CO_NET_SEND, CO_NET_RECV };

/* One side's part of a transfer: where its words are. */
struct co_net_part {
	uintptr_t at;
	uint32_t words;
	uint32_t row, gap;  /* words of a row, and words left out after it; row 0: contiguous */
	uint32_t number;    /* the transfer's, at its end */
	uintptr_t doorbell; /* of its hart */
};

/*
 * Ports and switches that hang together: the set of taken ones, the coroutines that wait for a
 * turn, and the coroutine that has the turn. The runtime's.
 */
struct co_net_channel {
	alignas(CO_LINE) struct co_a32 taken;
	struct co_waitq queue;
	struct co_mutex turn;
};

/* A route, as a part of a channel; taken, while the cleanup is in its coroutine's list. */
struct co_net_hold {
	struct co_net_channel *channel;
	uint32_t parts;
	struct co_a32 named; /* cores before this number have been asked to keep no route */
	struct co_cleanup taken;
};

/* One end, in its core's scratchpad. The runtime's. */
struct co_net_end {
	/* word[0]: the number of the last transfer that is over; `stop`: look at `gone`. */
	struct co_rest rest;
	/*
	 * The peer writes its part when it is started, then its transfer's number into `offered`.
	 */
	struct co_a32 offered;
	struct co_net_part theirs;
	struct co_a32 claimed; /* at the sending end: the transfer's number, when one side has it */
	struct co_a32 status;  /* of the last one that is over */
	/* Is the peer's process gone? 0: no; 1: look at its core; 2: yes, a route ago. */
	struct co_a32 gone;
	struct co_a32 charge; /* a transfer's number, and its mover: co_net_charge() */
	/* At a receiving end: the sender of the charged transfer; of a port, its peer. */
	struct co_aword sender;
	/* The core's own. */
	struct co_net_part mine;
	struct co_aword other; /* struct co_net_end *; 0: no whole route */
	struct co_a32 waits;   /* 1: started, and has no route */
	uint8_t core, cp, way;
	int before;               /* status of the transfer before, for a library */
	struct co_net_hold route; /* of a pair with a route; channel NULL: none */
	/* If there is no route: have it carried; co_net_finish() is called in the end. */
	void (*carry)(struct co_net_end *send, struct co_net_end *recv);
};

/*
 * Whether no transfer is under way, and the status of the last one. The runtime's: co_net_check().
 */
static inline bool co_net_is_over(const struct co_net_end *e)
{
	/* acquire: the words and the status; pairs with end_at(). relaxed: the core's own. */
	return co_atomic_load(&e->rest.word[0], CO_ACQUIRE) ==
	       co_atomic_load(&e->rest.value, CO_RELAXED);
}

static inline int co_net_status(const struct co_net_end *e)
{
	/* relaxed: the look has acquired it. */
	return (int)co_atomic_load(&e->status, CO_RELAXED);
}

/* The number of the end's next transfer: never 0. */
static inline uint32_t co_net_next(const struct co_net_end *e)
{
	uint32_t number = e->mine.number + 1;

	return number + !number;
}

/*
 * ---- Ports and switches, set by hand: nothing keeps two cores from using one switch port ----
 */

/*
 * The route that a core has taken last, in either way: it is kept, until somebody wants a part of
 * it. The runtime's.
 */
struct co_net_kept {
	struct co_aword hold; /* struct co_net_hold *, whose parts nobody else has; 0: none */
	struct co_net_hold *last;
	unsigned times; /* that it was taken in a row */
};

/* A core's ends, the receiving ones second; this core's. */
struct co_net_ports {
	struct co_net_end ends[2][CO_NET_PORTS];
	struct co_net_kept kept[2];
	struct co_a32 wanted;   /* number of takers that want a part: > 0: nothing is kept */
	struct co_batch movers; /* coroutines that wait for an engine */
};
extern __thread struct co_net_ports *co_net_own;

/* End the caller, which has no ports, or asked for a port that does not exist; say so. */
CO_NORETURN void co_net_no_port(void);

/* This core's port. @param cp  0..3 (asserted) */
static inline struct co_net_end *co_net_port(enum co_net_way way, unsigned cp)
{
	if (!co_net_own || cp >= CO_NET_PORTS)
		co_net_no_port();
	return &co_net_own->ends[way][cp];
}

/*
 * Take the words of all transfers to come in rows of `row` words, with `gap` words left out between
 * rows; row 0 or gap 0: contiguous words.
 * @param e  not started
 */
void co_net_shape(struct co_net_end *e, uint32_t row, uint32_t gap);

/*
 * Connect a switch's port `in` to its port `out`: words that come in by `in` go out by `out`. The
 * connection that led to `out` before ends: a transfer that was started on it, and has not met its
 * peer, begins with the next route of its port; one that has met its peer goes on.
 * @param number  0..15; in, out: 0..3, not equal (asserted)
 * Context: coroutine of any core. With DEBUG=1 a port that is in use is asserted not to be.
 * Cost: a mutex in main memory.
 */
void co_net_switch_set(unsigned number, unsigned in, unsigned out);

/* The most words that the side that starts last moves by itself, without an engine or move hart. */
#define CO_NET_SMALL_WORDS 2u

/*
 * May the end be started with these words? co_net_start() does not look.
 * @return 0; -EINVAL: no words, or a misaligned address; -EFAULT: memory that is not there, is a
 *         core's own, or is not to be written
 */
CO_MUST_CHECK int co_net_refuse(const struct co_net_end *e, const void *at, uint32_t words);

/*
 * Begin a transfer. It takes place when the peer has been started, too: both are over then.
 * @param at     aligned to 8 bytes, in memory that every hart may use
 * @param words  of 64 bits; as many as at the peer
 * Order: release, to the peer. Cost: about 70 instructions, and the words, if the peer has been
 * started; no remote access that somebody waits for. A first one on a route looks for it.
 */
void co_net_start(struct co_net_end *e, const void *at, uint32_t words);

/*
 * @return -EINPROGRESS; 0: it is over; -EMSGSIZE: it is, and as many words have passed as the
 *         shorter side has named; -EHOSTDOWN: the peer's core is lost, or its process has been
 *         ended by a fault, or a core that carried or moved the words is lost: nothing that was
 *         received may be used; -EFAULT and others: as
 *         co_dma_check().
 * Context: any; on its core it asks a port that is hardware. Order: acquire, after anything but
 * -EINPROGRESS.
 */
CO_MUST_CHECK int co_net_check(struct co_net_end *e);

/*
 * Wait until the end's transfer is over; return at once if none is under way.
 * @return as co_net_check(); -ETIMEDOUT, -ECANCELED: it goes on.
 * Order: acquire.
 */
CO_MUST_CHECK int co_net_wait(struct co_net_end *e);
CO_MUST_CHECK int co_net_wait_until(struct co_net_end *e, uint64_t deadline);

/*
 * ---- Pairs of ends that share the network: the ports and switches of a route are taken for each
 *      transfer, and given back ----
 *
 * Both sides have come before anything is taken, and a route is taken whole or not at all, and held
 * while words move: so transfers never collide, and none holds a part while it waits for anything
 * else. Coroutines that wait for a channel get it in turn. A coroutine that is lost, or ended by a
 * fault, gives its routes back by its cleanups.
 */

/*
 * Make a pair, for transfers from one core to another.
 * @param send, recv  zero-filled, in the windows of these cores; they stay there until
 *                    co_net_return() of both
 * @param carry       called when both have been started, if the cores have no route
 * Context: a coroutine, before either is used.
 */
void co_net_pair(struct co_net_end *send, unsigned from, struct co_net_end *recv, unsigned to,
		 void (*carry)(struct co_net_end *send, struct co_net_end *recv));

/*
 * Take back a transfer that was started.
 * @return 0: it is over, with -ECANCELED; -EBUSY: it is not over, and both sides have been started,
 * or it has no whole route; -EALREADY: it is over.
 */
CO_MUST_CHECK int co_net_withdraw(struct co_net_end *e);

/*
 * Take the route of two cores, and give it back. A coroutine that has a route waits for nothing
 * that needs another route.
 * @param h  not taken, in memory that every hart may use, until it is given back
 * @return 0; -ENETUNREACH: they have none; -EINVAL: as co_net_route(); -ECANCELED: cancelled in the
 *         wait for it. Nothing is taken then.
 * Context: coroutine; co_net_give(): the coroutine that took it. Order: acquire, and release. Cost:
 * an atomic each, if nobody else wants a part of it.
 */
CO_MUST_CHECK int co_net_take(struct co_net_hold *h, unsigned from, unsigned to);
void co_net_give(struct co_net_hold *h);

/*
 * For a carrier: core `by` moves a transfer that both sides have started from now on. Until it has
 * finished the transfer, or is lost, neither end is notified, even if its peer is gone: the memory
 * of both is in use. Context: any.
 */
void co_net_charge(struct co_net_end *send, struct co_net_end *recv, unsigned by);

/*
 * For a carrier: copy words of one side's rows, from word `first` on, to or from contiguous memory.
 * Context: any, while the carrier is in charge.
 */
void co_net_gather(const struct co_net_part *p, uint32_t first, uint32_t words, uint64_t *to);
void co_net_scatter(const struct co_net_part *p, uint32_t first, uint32_t words,
		    const uint64_t *of);

/*
 * For a carrier: end the transfer, and notify the receiving end, then the sending one. The call of
 * a carrier that is not in charge any more, since it was taken for lost, does nothing.
 * @param by      the carrier's core
 * @param status  result of both ends, but -EHOSTDOWN if the process of one side is gone
 * Context: any.
 */
void co_net_finish(struct co_net_end *send, struct co_net_end *recv, unsigned by, int status);

/*
 * Wait for engines that still move transfers of this core's ends, and end the transfers of its
 * ports where ports are hardware. Context: coroutine.
 */
void co_net_settle(unsigned core);

/*
 * Make a core's ports as they were at boot, for a new process: nothing is under way there. Context:
 * coroutine, while no process runs there.
 */
void co_net_return(unsigned core);

/* Whether the core's process has ended early, or its hart is lost. Order: seq_cst. Context: any. */
bool co_net_is_gone(unsigned core);

/*
 * Say that this core's process has ended early: transfers that its peers have started with it end
 * with -EHOSTDOWN, as they do when its hart is lost. Context: any.
 */
void co_net_leave(unsigned core);

/*
 * Describe what an end is doing, in words: "port 0 of NMPU03, which sends 3 words to NMPU33, which
 * has not started to". @return text, cut to `bytes`; 128 are enough. Context: any.
 */
const char *co_net_explain(const struct co_net_end *e, char *text, size_t bytes);
CO_END_C
#endif
