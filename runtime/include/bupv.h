/*
 * bupv.h - level 3 of three message libraries for NM6408MP: a program needs to know nothing of the
 * network. Routes are built when both sides have come, and transfers do not collide; transfers
 * between cores without a route go by way of further cores. docs/nm6408.md; bfskn_f.h and bfskn.h
 * are levels 1 and 2. A program uses one of the three, and is linked with -lbfskn.
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
 * aligned to 8 bytes. A call stores its result in V1, too; any V may be NULL. Names are from the
 * paper; types, and details that the paper leaves open, are chosen here. A call that returns an
 * error has changed nothing; errors of waits are an exception.
 *
 * Context: a process, in the coroutine that runs it, but for MP_load(). Source: seed D3.
 */
#ifndef BUPV_H
#define BUPV_H

#include <bfskn_shape.h>
#include <cohart/network.h>
#include <cohart/sync.h>

CO_BEGIN_C
/* Zero-filled: not set. In memory that every hart may use, and not moved while it is in use. */
struct MP_event_s {
	struct co_event event;
	struct co_net_end *end; /* of a transfer, or NULL */
	uint32_t number;
	int engine; /* 1 + the MDMAC of an MP_move(); 0: none */
	int *errors;
};
#define MP_event struct MP_event_s
#define MP_SIGNALS 8 /* of each process: 0..7 */

/*
 * Place and run process(id), id 0..n-1: bfskn_load() for programs of this level.
 * @return as bfskn_load(). Context: as bfskn_load().
 */
CO_MUST_CHECK int MP_load(int argc, char **argv, unsigned n, int (*process)(int id));

/*
 * Begin and end the use of the library, in each process. MP_finalize() names each transfer of this
 * process that is not over, and takes it back, or waits for it if its peer has begun it, too; and
 * turns paths off. For a process that returns without MP_finalize() the library prints a line, and
 * calls it.
 * @return 0; -EPERM: this is no process of MP_load(), or it has not called MP_init();
 *         MP_finalize(): how many transfers it has named
 */
int MP_init(void);
int MP_finalize(void);

/* @return the caller's number; -1: it is no process. Context: any coroutine. */
int MP_my_ID(void);

/* Barriers. @return as bfskn_global_barrier() and its kin in bfskn.h */
int MP_local_barrier(void);
int MP_global_barrier(void);
int MP_arm_barrier(void);
int MP_nm_barrier(void);

/*
 * Send to a process, or receive from a process. The call may return before the transfer is over; if
 * the peer has begun it already, the transfer may take place within the call.
 * @param v1  0; -EINVAL: the process does not exist or is the caller, no words, or a misaligned
 *            address; -EFAULT: no memory, or memory that not every hart may use; -EBUSY: a transfer
 *            with that process in that direction is not over; -EPERM: the caller is no process, or
 *            has not called MP_init()
 * @param v2  once V3 has been waited for: 0; -EMSGSIZE: lengths differ, the shorter length has been
 *            moved; -EHOSTDOWN: the peer's core is lost, or a fault has ended its process, or a
 *            core that carried or moved the words is lost: received words must not be used, and no
 *            more are written; -ENETUNREACH: no living core can
 *            carry the transfer; -ECANCELED: it was taken back
 * @param v3  an event, set when the words are sent, or received
 * @param v4  an event, set when the peer has received the words
 * @return as V1
 * Order: release, to the peer; acquire, in the wait for V3.
 * Cost: docs/nm6408.md; a route is taken by two atomics, in the window of a core beside it.
 */
int MP_send(unsigned process, const void *from, uint32_t words, int *v1, int *v2, MP_event *v3,
	    MP_event *v4);
int MP_recv(unsigned process, void *to, uint32_t words, int *v1, int *v2, MP_event *v3);

/*
 * Turn a path on or off: it sets how this side of all transfers with a process steps through memory
 * (bfskn_f.h). A path holds no port and no switch between transfers: each transfer takes its route
 * only while its words move, with a path or without, so that none waits for an idle path.
 * @param how  _1D: consecutive words; _2D: `row` words, not 0, then `gap` words left out, repeated
 * @return 0; -EPERM: as MP_send(); -EINVAL: as MP_send(), or invalid `how` or `row`; -EALREADY: the
 *         path is on; -ENOTCONN: it is not on; -EBUSY: a transfer with that process in that
 *         direction is not over
 */
int MP_send_path_on(unsigned process, int how, uint32_t row, uint32_t gap);
int MP_recv_path_on(unsigned process, int how, uint32_t row, uint32_t gap);
int MP_send_path_off(unsigned process);
int MP_recv_path_off(unsigned process);
/* @return 1: it is on; 0: it is not; -EPERM, -EINVAL */
int MP_send_path_check(unsigned process);
int MP_recv_path_check(unsigned process);
/* Send or receive on a path. @return as MP_send(), MP_recv(); -ENOTCONN, also in V1: it is off */
int MP_send_path(unsigned process, const void *from, uint32_t words, int *v1, int *v2, MP_event *v3,
		 MP_event *v4);
int MP_recv_path(unsigned process, void *to, uint32_t words, int *v1, int *v2, MP_event *v3);

/*
 * Move memory by a free MDMAC, which is the caller's until V3 has been waited for, checked as over,
 * or dropped, or the process ends. Without V3 the call waits for the move; if that wait is
 * cancelled, V2 is -ECANCELED, and the move goes on. A caller that has no MDMAC waits for a free
 * one.
 * @param v1  0; -EPERM; -EINVAL: no words, or source and destination overlap; -EFAULT: as
 *            co_dma_start(); -EBUSY: no MDMAC is free, and the caller has one
 * @param v2  once V3 has been waited for, or without V3: as co_dma_check()
 * @return as V1; -ECANCELED: cancelled while it waited for an MDMAC
 */
int MP_move(void *to, const void *from, uint32_t words, int *v1, int *v2, MP_event *v3);

/*
 * Signals, by number, 0..MP_SIGNALS-1: each signal that is sent is received once. MP_drop_signal()
 * forgets all signals of its number that have come.
 * @param signals  n different signals, n from 1 to MP_SIGNALS
 * @return 0; -EINVAL: invalid signal, process or n, or the caller is no process of MP_load(); a
 *         wait: as co_signal_wait(); MP_wait_any_signal(): the signal that has come;
 *         MP_drop_signal(): how many had come
 * Order: the sender's writes before the send are seen after the wait.
 */
int MP_send_signal(unsigned process, unsigned signal);
int MP_broadcast_signal(unsigned signal); /* to all processes but the caller */
int MP_wait_signal(unsigned signal);
int MP_wait_any_signal(const unsigned *signals, unsigned n);
int MP_drop_signal(unsigned signal);

/*
 * Events: set until dropped; the event of a transfer is set when the transfer is over. To drop the
 * event of a move waits for the move. An event has its transfer's status until two later transfers
 * with that process, in that direction, have begun.
 * @return the status of its transfer, as V2; 0 for an event that MP_set_event() has set; -ESTALE:
 *         two later transfers have begun; MP_check_event(): -EINPROGRESS: not set;
 *         MP_wait_event(): -ECANCELED: cancelled, the transfer goes on
 */
void MP_set_event(MP_event *e);
int MP_wait_event(MP_event *e);
int MP_check_event(MP_event *e);
void MP_drop_event(MP_event *e);

/*
 * Mutexes: MP_MUTEX(m), a tournament lock; at most six cores contend for a word.
 * @return as co_tlock_lock(). MP_unlock(): the caller has the mutex (asserted)
 */
#define MP_MUTEX(name) CO_TLOCK(name, CO_NET_CORES, 6)
int MP_lock(struct co_tlock *mutex);
void MP_unlock(struct co_tlock *mutex);

/*
 * Translate an address of a process to a global address, which is valid on all cores: `local` in
 * the caller's scratchpad becomes that place in the scratchpad of the process's core; any other
 * address stays as it is. MP_put() and MP_get() copy to and from global addresses, and return when
 * the copy is done.
 * @return the global address; NULL: the process does not exist, or not every hart may use the
 *         memory; MP_put(), MP_get(): as co_dma_copy(); -EINVAL also for no words
 */
void *MP_global_address(unsigned process, const void *local);
int MP_put(void *global, const void *from, uint32_t words);
int MP_get(void *to, const void *global, uint32_t words);

/*
 * MP_check_send_wait(), MP_check_recv_wait(): count the transfers that this process has begun and
 * that are not over. MP_check_extrn_...(): count the transfers that other processes have begun with
 * this process and that it has not begun (maybe out of date). MP_drop_...(): take back the transfer
 * with a process; its events end with -ECANCELED.
 * @return the count, 0 if the caller is no process; MP_drop_...(): 0; -EPERM; -EINVAL; -EALREADY:
 *         no transfer is under way; -EBUSY: too late, both sides have come
 */
int MP_check_send_wait(void);
int MP_check_recv_wait(void);
int MP_check_extrn_send_wait(void);
int MP_check_extrn_recv_wait(void);
int MP_drop_send_wait(unsigned process);
int MP_drop_recv_wait(unsigned process);
CO_END_C
#endif
