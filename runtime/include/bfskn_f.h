/*
 * bfskn_f.h - level 1 of three message libraries for NM6408MP: cores, ports and switches by their
 * physical names. docs/nm6408.md describes the network; bfskn.h and bupv.h are levels 2 and 3. A
 * program uses one of the three, and is linked with -lbfskn.
 *
 * Example: 8192 words, four and a gap of four, from NMPU03 to NMPU33
 *	on NMPU03                                    on NMPU33
 *	set_lc(LC03, 1, 0);                          set_lc(LC33, 0, 1);
 *	set_send_cp(CP0, _2D, 0x4, 0x4);             set_recv_cp(CP0, _2D, 0x4, 0x4);
 *	start_send(CP0, from, 8192);                 start_recv(CP0, to, 8192);
 *	wait_send_cp(CP0);                           wait_recv_cp(CP0);
 *
 * Functions have the names of the paper, in both its spellings, recv and rcv. Addresses are
 * pointers to memory that every hart may use, aligned to 8 bytes; lengths are in words of 64 bits,
 * from 1 on. Only a build of the library with DEBUG=1 checks calls: it ends a coroutine that uses a
 * port in use, changes a switch during a transfer, starts a port that leads nowhere or with an
 * invalid address or length, or whose length differs from its peer's.
 *
 * Context: a coroutine of the core whose port it is. Returns are 0 or a negative errno number.
 * Source: seed D1.
 */
#ifndef BFSKN_F_H
#define BFSKN_F_H

#include <bfskn_shape.h>
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
enum { MDMAC0, MDMAC1, MDMAC2, MDMAC3, MDMAC_CPU, MDMACS }; /* by cluster; the centre's */

/*
 * Barriers of the caller's cluster, of all cores, of all management harts, of all compute harts:
 * cohart/barrier.h.
 * @return as co_barrier_wait(). Context: a coroutine of each core that belongs to the barrier.
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
 * Set a switch: words that come in at port `from` go out at port `to`, and no other words go out
 * there. A transfer that was started on the route that this ends begins with its port's next route.
 * @param lc        LC00..LC33
 * @param from, to  0..3, different (asserted)
 * Context: a coroutine of any core. Cost: a mutex in main memory.
 */
static inline void set_lc(unsigned lc, unsigned from, unsigned to)
{
	co_net_switch_set(lc, from, to);
}

/*
 * Set how a port, CP0..CP3 (asserted), which is not at work, steps through memory, until the next
 * call. _1D: consecutive words; _2D: `row` words, not 0, then `gap` words left out, repeated.
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
 * Begin to send, or to receive, by a port that is not at work. The port uses the memory until the
 * wait has returned. Order, Cost: as co_net_start().
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
 * Is a port done with its transfers of both directions?
 * @return 0; else the result of co_net_check() for the send, or, if that is 0, for the receive
 * Order: acquire, after anything but -EINPROGRESS.
 */
static inline int check_cp(unsigned cp)
{
	int r = co_net_check(co_net_port(CO_NET_SEND, cp));

	return r ? r : co_net_check(co_net_port(CO_NET_RECV, cp));
}

/* Wait until a port's send, or its receive, is done. @return, Order: as co_net_wait() */
static inline int wait_send_cp(unsigned cp)
{
	return co_net_wait(co_net_port(CO_NET_SEND, cp));
}

static inline int wait_recv_cp(unsigned cp)
{
	return co_net_wait(co_net_port(CO_NET_RECV, cp));
}

/*
 * Start a memory-to-memory engine, look at it, wait for it. Its starter has it until the wait has
 * returned.
 * @param engine  MDMAC0..MDMAC_CPU
 * @return start: 0; -EBUSY: a coroutine has the engine; -EINVAL: the engine does not exist, no
 *         words, or source and destination overlap; -EFAULT: as co_dma_start(). Check and wait: as
 *         co_dma_check() and co_dma_wait(); -EINVAL: the caller does not have the engine. A wait
 *         frees the engine, unless it returns -ECANCELED.
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
