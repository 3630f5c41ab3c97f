/*
 * bupv.h - level 3 of three message libraries for NM6408MP: nothing to know of the network. Routes
 * are built when both sides have come, and nothing collides; cores without a route reach each other
 * by way of others. docs/nm6408.md; bfskn_f.h and bfskn.h are levels 1 and 2. A program takes one
 * of the three, and is linked with -lbfskn.
 *
 * Example
 *	process 2                                    process 4
 *	int v1, v2;                                  int v1, v2;
 *	static MP_event v3, v4;                      static MP_event v3;
 *
 *	MP_send(4, buffer, N, &v1, &v2, &v3, &v4);   MP_recv(2, buffer, N, &v1, &v2, &v3);
 *	... meanwhile                                ... meanwhile
 *	MP_wait_event(&v3);                          MP_wait_event(&v3);
 *
 * Lengths are in words of 64 bits, addresses are pointers to memory that every hart may use,
 * aligned to 8 bytes. What a call returns is also in V1; any V may be NULL. Names are the paper's,
 * types and what it leaves open are chosen here. Where a call returns an error other than those of
 * a wait, nothing has changed.
 *
 * Context: a process, in the coroutine that runs it, but for MP_load(). Source: seed D3.
 */
#ifndef BUPV_H
#define BUPV_H

#include <cohart/network.h>
#include <cohart/sync.h>

CO_BEGIN_C
/* Zero-filled: not set. In memory that every hart may use, and not moved while it is in use. */
struct MP_event_s {
	struct co_event event;
	struct co_net_end *end; /* of a transfer, or NULL */
	uint32_t number;
	int engine; /* 1 + that of MP_move(); 0: none */
	int *errors;
};
#define MP_event struct MP_event_s
#define MP_SIGNALS 8 /* of each process: 0..7 */

/*
 * bfskn_load() for programs of this level: places and runs process(id), 0..n-1.
 * @return as bfskn_load(). Context: as bfskn_load().
 */
CO_MUST_CHECK int MP_load(int argc, char **argv, unsigned n, int (*process)(int id));

/*
 * Begin and end the use of the library, in each process. MP_finalize() names what this process has
 * sent or wants to receive and the other side has not matched, and takes it back; what is under way
 * it waits for; paths go off. A process that returns without it has a line say so, and the same
 * done.
 * @return 0; -EPERM: this is no process of MP_load(), or it has not begun; MP_finalize(): how many
 * it has named
 */
int MP_init(void);
int MP_finalize(void);

/* @return the caller's number; -1: no process. Context: any coroutine. */
int MP_my_ID(void);

/* Barriers. @return as bfskn_global_barrier() and its kin in bfskn.h */
int MP_local_barrier(void);
int MP_global_barrier(void);
int MP_arm_barrier(void);
int MP_nm_barrier(void);

/*
 * Send to a process, receive from one. The call returns before the transfer is over, unless both
 * sides have come, when it may take place within it.
 * @param v1  0; -EINVAL: no such process, the caller itself, no words, a misaligned address;
 *            -EFAULT: memory that is not there, or that others must not use; -EBUSY: one with that
 *            process in that direction is not over; -EPERM: this is no process, or it has not begun
 * @param v2  once V3 has been waited for: 0; -EMSGSIZE: lengths differ, and the shorter has passed;
 *            -EHOSTDOWN: the other's core is lost, or its process was ended by a fault: nothing
 *            that was received may be used, and nothing is written any more; -ENETUNREACH: no
 *            living core can carry it; -ECANCELED: it was taken back
 * @param v3  an event: it is sent, or received
 * @param v4  an event: it has been received
 * @return as V1
 * Order: release, to the other side; acquire, in the wait for V3.
 * Cost: docs/nm6408.md; a route is taken by two atomics, in the window of a core beside it.
 */
int MP_send(unsigned process, const void *from, uint32_t words, int *v1, int *v2, MP_event *v3,
	    MP_event *v4);
int MP_recv(unsigned process, void *to, uint32_t words, int *v1, int *v2, MP_event *v3);

/*
 * A path is how this side of all transfers with a process steps through its memory (bfskn_f.h),
 * until it goes off. It holds no port and no switch between transfers: each takes its route for as
 * long as its words move, with a path or without, so that none can wait for ever for one that is
 * idle.
 * @param how  _1D; _2D: `row` words, not 0, then a gap of so many, again and again
 * @return 0; -EPERM; -EINVAL as above, or no such steps; -EALREADY: it is on; -ENOTCONN: it is not
 *         on; -EBUSY: a transfer with that process in that direction is not over
 */
int MP_send_path_on(unsigned process, int how, uint32_t row, uint32_t gap);
int MP_recv_path_on(unsigned process, int how, uint32_t row, uint32_t gap);
int MP_send_path_off(unsigned process);
int MP_recv_path_off(unsigned process);
/* @return 1: it is on; 0: it is not; -EPERM, -EINVAL */
int MP_send_path_check(unsigned process);
int MP_recv_path_check(unsigned process);
/* As MP_send() and MP_recv(), on a path. @return as these; -ENOTCONN, also in V1: it is not on */
int MP_send_path(unsigned process, const void *from, uint32_t words, int *v1, int *v2, MP_event *v3,
		 MP_event *v4);
int MP_recv_path(unsigned process, void *to, uint32_t words, int *v1, int *v2, MP_event *v3);

/*
 * Move memory by a free MDMAC, which is the caller's until V3 has been waited for, checked as over,
 * or dropped, or its process ends. Without V3 it is over when the call returns.
 * @param v1  0; -EPERM; -EINVAL: no words, or both places overlap; -EFAULT: as co_dma_start();
 *            -EBUSY: no MDMAC is free, and the caller has one; without one it waits
 * @param v2  once V3 has been waited for, or without V3: as co_dma_check()
 * @return as V1; -ECANCELED: cancelled while it waited for an MDMAC
 */
int MP_move(void *to, const void *from, uint32_t words, int *v1, int *v2, MP_event *v3);

/*
 * Signals, by number, 0..MP_SIGNALS-1: each one that is sent is received once. MP_drop_signal()
 * forgets those that have come.
 * @param signals  n different ones, n from 1 to MP_SIGNALS
 * @return 0; -EINVAL: no such signal, process, or number of them, or this is no process of
 *         MP_load(); a wait: as co_signal_wait(); MP_wait_any_signal(): which one has come;
 *         MP_drop_signal(): how many had come
 * Order: what was written before a send is seen after the wait.
 */
int MP_send_signal(unsigned process, unsigned signal);
int MP_broadcast_signal(unsigned signal); /* to all others */
int MP_wait_signal(unsigned signal);
int MP_wait_any_signal(const unsigned *signals, unsigned n);
int MP_drop_signal(unsigned signal);

/*
 * Events: set until dropped; those of a transfer are set when it is over. To drop one of a move
 * waits for the move. One whose transfer was followed by another with the same process says what
 * became of it as long as that is the last one but one.
 * @return what became of it: as V2, or 0 of one that was set; -ESTALE: two transfers have followed;
 *         MP_check_event(): -EINPROGRESS: it is not set; MP_wait_event(): -ECANCELED: it goes on
 */
void MP_set_event(MP_event *e);
int MP_wait_event(MP_event *e);
int MP_check_event(MP_event *e);
void MP_drop_event(MP_event *e);

/*
 * Mutexes: MP_MUTEX(m); at most six cores meet at a word of one.
 * @return as co_tlock_lock(). MP_unlock(): the caller has it (asserted)
 */
#define MP_MUTEX(name) CO_TLOCK(name, CO_NET_CORES, 6)
int MP_lock(struct co_tlock *mutex);
void MP_unlock(struct co_tlock *mutex);

/*
 * The address by which all processes find what a process has at `local`: in a scratchpad the same
 * place of its core's, else local itself. MP_put() and MP_get() copy to and from such addresses,
 * and have done so when they return.
 * @return NULL: no such process, or memory that is its core's alone; MP_put(), MP_get(): 0;
 * -EINVAL: no words; as co_dma_copy()
 */
void *MP_global_address(unsigned process, const void *local);
int MP_put(void *global, const void *from, uint32_t words);
int MP_get(void *to, const void *global, uint32_t words);

/*
 * How many transfers this process has begun that are not over; and others with it, that it has not
 * matched (a moment ago). MP_drop_...: take back what was begun with a process: its events hear
 * -ECANCELED.
 * @return so many, 0 if this is no process; MP_drop_...: 0; -EPERM; -EINVAL; -EALREADY: nothing is
 *         under way; -EBUSY: too late, both sides have come
 */
int MP_check_send_wait(void);
int MP_check_recv_wait(void);
int MP_check_extrn_send_wait(void);
int MP_check_extrn_recv_wait(void);
int MP_drop_send_wait(unsigned process);
int MP_drop_recv_wait(unsigned process);
CO_END_C
#endif
