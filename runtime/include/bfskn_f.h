/*
 * bfskn_f.h - level 1 of three message libraries for NM6408MP: cores, ports and switches by their
 * physical names. docs/nm6408.md has the network; bfskn.h and bupv.h are levels 2 and 3. A program
 * takes one of the three, and is linked with -lbfskn.
 *
 * Example: 8192 words, four and a gap of four, from NMPU03 to NMPU33
 *	on NMPU03                                    on NMPU33
 *	set_lc(LC03, 1, 0);                          set_lc(LC33, 0, 1);
 *	set_send_cp(CP0, _2D, 0x4, 0x4);             set_recv_cp(CP0, _2D, 0x4, 0x4);
 *	start_send(CP0, from, 8192);                 start_recv(CP0, to, 8192);
 *	wait_send_cp(CP0);                           wait_recv_cp(CP0);
 *
 * Functions have the names of the paper. Both spellings of it, recv and rcv, are there. Addresses
 * are pointers to memory that every hart may use, aligned to 8 bytes; lengths are in words of 64
 * bits, from 1 on. Nothing is checked, but by a build of the library with DEBUG=1, which ends a
 * coroutine that uses a port in use, sets a switch otherwise under a transfer, starts a port that
 * leads nowhere, with memory or a length that cannot be, or has lengths that differ.
 *
 * Context: a coroutine of the core whose port it is. Returns are 0 or a negative errno number.
 * Source: seed D1.
 */
#ifndef BFSKN_F_H
#define BFSKN_F_H

#include <cohart/barrier.h>
#include <cohart/network.h>

CO_BEGIN_C
enum { CP0, CP1, CP2, CP3 };
enum {
	LC00,
	LC01,
	LC02,
	LC03,
	LC10,
	LC11,
	LC12,
	LC13,
	LC20,
	LC21,
	LC22,
	LC23,
	LC30,
	LC31,
	LC32,
	LC33
};
enum { MDMAC0, MDMAC1, MDMAC2, MDMAC3, MDMAC_CPU, MDMACS }; /* of the clusters, and the centre's */

/*
 * Barriers of a cluster, of all cores, of all that manage, of all others: cohart/barrier.h.
 * @return as co_barrier_wait(). Context: a coroutine of each core of that kind.
 */
static inline int local_barrier(void)
{
	return co_barrier_group();
}

static inline int global_barrier(void)
{
	return co_barrier_all();
}

static inline int arm_barrier(void)
{
	return co_barrier_managers();
}

static inline int nm_barrier(void)
{
	return co_barrier_computes();
}

/*
 * What comes in at a port of a switch goes out at another, and nothing else goes out there. What
 * was started on the route that this ends begins with the next route of its port.
 * @param lc        LC00..LC33
 * @param from, to  0..3, not the same (asserted)
 * Context: a coroutine of any core. Cost: a mutex in main memory.
 */
static inline void set_lc(unsigned lc, unsigned from, unsigned to)
{
	co_net_switch_set(lc, from, to);
}

/*
 * How a port, CP0..CP3 (asserted), which is not at work, steps through memory: _1D; or _2D: `row`
 * words, not 0, then a gap of so many, again and again. Until it is set otherwise.
 */
static inline void set_send_cp(unsigned cp, enum bfskn_addressing how, uint32_t row, uint32_t gap)
{
	co_net_shape(co_net_port(CO_NET_SEND, cp), row, how == _2D ? gap : 0);
}

static inline void set_recv_cp(unsigned cp, enum bfskn_addressing how, uint32_t row, uint32_t gap)
{
	co_net_shape(co_net_port(CO_NET_RECV, cp), row, how == _2D ? gap : 0);
}

/*
 * Begin to send, to receive, by a port that is not at work. The memory is the port's until the
 * wait. Order, Cost: as co_net_start().
 */
static inline void start_send(unsigned cp, const void *from, uint32_t words)
{
	co_net_start(co_net_port(CO_NET_SEND, cp), from, words);
}

static inline void start_recv(unsigned cp, void *to, uint32_t words)
{
	co_net_start(co_net_port(CO_NET_RECV, cp), to, words);
}

/*
 * Is a port done with both of what was started?
 * @return 0; -EINPROGRESS; what co_net_check() says of the one it sends, or else receives
 * Order: acquire, after anything but -EINPROGRESS.
 */
static inline int check_cp(unsigned cp)
{
	int r = co_net_check(co_net_port(CO_NET_SEND, cp));

	return r ? r : co_net_check(co_net_port(CO_NET_RECV, cp));
}

/* Wait until it is done with the one, with the other. @return, Order: as co_net_wait() */
static inline int wait_send_cp(unsigned cp)
{
	return co_net_wait(co_net_port(CO_NET_SEND, cp));
}

static inline int wait_recv_cp(unsigned cp)
{
	return co_net_wait(co_net_port(CO_NET_RECV, cp));
}

/*
 * A memory-to-memory engine, which is seized from its start to the return of the wait.
 * @param engine  MDMAC0..MDMAC_CPU
 * @return start: 0; -EBUSY: a coroutine has it; -EINVAL: no such engine, no words, or both places
 *         overlap; -EFAULT: as co_dma_start(). check and wait: as co_dma_check() and co_dma_wait();
 *         -EINVAL: the caller has not seized it. After a wait, but for -ECANCELED, it is free.
 * Context: a coroutine of any core. Order: acquire, after the wait.
 */
int bfskn_start_mdmac(unsigned engine, const void *from, void *to, uint32_t words);
int bfskn_check_mdmac(unsigned engine);
int bfskn_wait_mdmac(unsigned engine);

#ifndef BFSKN_H
static inline int start_mdmac(unsigned engine, const void *from, void *to, uint32_t words)
{
	return bfskn_start_mdmac(engine, from, to, words);
}

static inline int check_mdmac(unsigned engine)
{
	return bfskn_check_mdmac(engine);
}

static inline int wait_mdmac(unsigned engine)
{
	return bfskn_wait_mdmac(engine);
}
#endif

#define set_rcv_cp set_recv_cp
#define start_rcv start_recv
#define wait_rcv_cp wait_recv_cp
CO_END_C
#endif
