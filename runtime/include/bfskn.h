/*
 * bfskn.h - level 2 of three message libraries for NM6408MP: processes by their numbers. Routes are
 * found in a table of the network and set once; nothing keeps two routes from sharing a port.
 * docs/nm6408.md describes the network; bfskn_f.h and bupv.h are levels 1 and 3.
 *
 * Example: 8192 words, four and a gap of four, from process 2 to process 4
 *	process 2                                    process 4
 *	send_path_on(4, _2D, 0x4, 0x4);              rcv_path_on(2, _2D, 0x4, 0x4);
 *	send_path(4, from, 8192);                    rcv_path(2, to, 8192);
 *	wait_send(4);                                wait_rcv(2);
 *
 * Example: the program; --tfx=2:NMPU03,4:NMPU33 at boot says where its processes are
 *	int main(int argc, char **argv)
 *	{
 *		return bfskn_load(argc, argv, 5, process) ? 1 : 0;
 *	}
 *
 * Addresses and lengths are as at level 1. Context: a process, but for bfskn_load().
 * Source: seed D2.
 */
#ifndef BFSKN_H
#define BFSKN_H

#include <errno.h>

#include <bfskn_f.h>
#include <cohart/sync.h>

CO_BEGIN_C
/* The function of a process, whose number is `id`: returns 0, or an error for the loader. */
typedef int bfskn_process(int id);

/*
 * Load a program: place its processes 0..n-1 on cores, run each as a coroutine there, and wait for
 * all of them. A word of the command line places them: --tfx=ITEM,... or --tfx=@FILE with a list of
 * items. An item is CORE, for the next process, or PROCESS:CORE; a core is a number or a name (CPU,
 * CPU0..3, NMPU00..33). A process without an item goes to the first free core, in the order of
 * processes. A process whose core is missing or lost goes to the free core that keeps most of its
 * routes to the program's cores, and a line says so.
 * @param n  1..21
 * @return 0: all have returned 0; else the result of the first process, by number, that has failed;
 *         -EINVAL: the items are invalid, a line has said why; -ENOSPC: fewer cores than processes;
 *         -EHOSTDOWN, -EFAULT: a core was lost, a fault has ended a process; -ENOMEM: no room in a
 *         scratchpad.
 * Context: a coroutine of hart 0; one load at a time, any number of loads in sequence.
 */
CO_MUST_CHECK int bfskn_load(int argc, char **argv, unsigned n, bfskn_process *process);

/*
 * The caller's number; the number of processes of the last load; the core of a process.
 * @return -1: there is no process. Context: any coroutine.
 */
int bfskn_id(void);
unsigned bfskn_processes(void);
int bfskn_core(unsigned process);

/*
 * The four barriers of level 1, for the processes that are loaded.
 * @return as co_barrier_wait(); -EINVAL: the caller does not belong to the barrier
 */
int bfskn_local_barrier(void);
int bfskn_global_barrier(void);
int bfskn_arm_barrier(void);
int bfskn_nm_barrier(void);
#define local_barrier bfskn_local_barrier
#define global_barrier bfskn_global_barrier
#define arm_barrier bfskn_arm_barrier
#define nm_barrier bfskn_nm_barrier

/*
 * Set this side's part of the route to a process, or from it, and how its port steps through memory
 * (bfskn_f.h).
 * @return 0; -EINVAL: the process does not exist or is the caller, or `how` or `row` is invalid;
 *         -ENETUNREACH: no route connects the cores. Nothing has changed on error.
 * Cost: as set_lc().
 */
int send_path_on(unsigned process, enum bfskn_addressing how, uint32_t row, uint32_t gap);
int rcv_path_on(unsigned process, enum bfskn_addressing how, uint32_t row, uint32_t gap);

/* The calling process's paths that are on; NULL: the path is off. */
extern __thread struct co_net_end *bfskn_paths[2][CO_NET_CORES];

static inline struct co_net_end *bfskn_path(enum co_net_way way, unsigned process)
{
	return process < CO_NET_CORES ? bfskn_paths[way][process] : NULL;
}

static inline int bfskn_start(struct co_net_end *e, const void *at, uint32_t words)
{
	if (!e)
		return -ENOTCONN;
	co_net_start(e, at, words);
	return 0;
}

/*
 * Begin to send or receive, on a path that is on and not at work. Addresses and lengths are checked
 * as at level 1.
 * @return 0; -ENOTCONN: the path is off. Order, Cost: as co_net_start().
 */
static inline int send_path(unsigned process, const void *from, uint32_t words)
{
	return bfskn_start(bfskn_path(CO_NET_SEND, process), from, words);
}

static inline int rcv_path(unsigned process, void *to, uint32_t words)
{
	return bfskn_start(bfskn_path(CO_NET_RECV, process), to, words);
}

static inline int bfskn_check(struct co_net_end *e)
{
	return e ? co_net_check(e) : -ENOTCONN;
}

static inline int bfskn_wait(struct co_net_end *e)
{
	return e ? co_net_wait(e) : -ENOTCONN;
}

/* @return, Order: as co_net_check(), co_net_wait(); -ENOTCONN: the path is not on */
static inline int check_send(unsigned process)
{
	return bfskn_check(bfskn_path(CO_NET_SEND, process));
}

static inline int check_rcv(unsigned process)
{
	return bfskn_check(bfskn_path(CO_NET_RECV, process));
}

static inline int wait_send(unsigned process)
{
	return bfskn_wait(bfskn_path(CO_NET_SEND, process));
}

static inline int wait_rcv(unsigned process)
{
	return bfskn_wait(bfskn_path(CO_NET_RECV, process));
}

#define recv_path_on rcv_path_on
#define recv_path rcv_path
#define check_recv check_rcv
#define wait_recv wait_rcv

/*
 * Begin to move words by a free memory-to-memory engine, preferably of the caller's cluster. If all
 * engines are busy, wait for the cluster's engine; a coroutine that has an engine does not wait,
 * since other coroutines may wait for its engine.
 * @return the engine's number, for check_mdmac() and wait_mdmac() of level 1; -EBUSY: all engines
 *         are busy, and the caller has one; -EINVAL, -EFAULT: as bfskn_start_mdmac(); -ECANCELED
 * Context: a coroutine of any core.
 */
int bfskn_seize_mdmac(const void *from, void *to, uint32_t words);
#define start_mdmac bfskn_seize_mdmac
#define check_mdmac bfskn_check_mdmac
#define wait_mdmac bfskn_wait_mdmac

/* BFSKN_MUTEX(m), a tournament lock: lock(&m); unlock(&m). At most six cores contend for a word. */
#define BFSKN_MONITORS 6
#define BFSKN_MUTEX(name) CO_TLOCK(name, CO_NET_CORES, BFSKN_MONITORS)

/* @return as co_tlock_lock(). unlock(): the caller has the mutex (asserted) */
int lock(struct co_tlock *mutex);
void unlock(struct co_tlock *mutex);
CO_END_C
#endif
