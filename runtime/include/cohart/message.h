/*
 * message.h - messages between the members of a team: by rank and tag, of any length, blocking or
 * not.
 *
 * Example: each member of a ring passes a number on
 *	static int pass(struct co_member *me, void *arg)
 *	{
 *		unsigned n = co_member_ranks(me), left = (co_member_rank(me) + n - 1) % n;
 *		struct co_message_info got;
 *		long mine = co_member_rank(me), theirs;
 *		int r = co_message_send(me, (co_member_rank(me) + 1) % n, 7, 0, &mine,
 *					sizeof(mine));
 *
 *		if (r == 0)
 *			r = co_message_recv(me, left, 7, 0, &theirs, sizeof(theirs), &got);
 *		return r;
 *	}
 *	...
 *	int r = co_team_run(&team, pass, NULL);
 *
 * A receive names a rank, or CO_ANY_RANK, a tag, or CO_ANY_TAG, and a context, a number that keeps
 * messages of several libraries apart; it gets the first message that matches, in the order sent by
 * its sender. Receives are served in the order in which they have begun.
 *
 * How a message goes:
 *	short  up to CO_MESSAGE_SHORT bytes: in one line with its flag, written into the receiver's
 *	       scratchpad; a sender has CO_MESSAGE_LINES of them there, as long as there is room
 *	       for its window: CO_MESSAGE_FEW_WINDOWS are, or 1 + log2 n for n members, of
 *	       CO_MESSAGE_WINDOWS at most
 *	kept   up to CO_MESSAGE_KEPT bytes, or short and without a free line: the sender keeps a
 *	       copy, and the receiver fetches it. Copies take co_message_kept_most() bytes in all,
 *	       the first CO_MESSAGE_KEPT_NEAR of the sender's scratchpad, the rest of main memory
 *	long   the receiver fetches it from where it is, and a blocking send waits for that
 * A line says where a kept or long message is; without a free line it goes on a list, under a lock.
 *
 * A message of CO_MESSAGE_MOVED bytes or more that is kept or fetched is copied by the mover of
 * this hart (cohart/dma.h), if the image has one: other coroutines of the hart run meanwhile. The
 * member itself copies memory that the mover cannot reach, or fails to move.
 *
 * So nothing is lost, memory is bounded, and a member that sends more than its receivers take
 * waits. Messages with other tags that were sent earlier never keep a message from being received.
 *
 * Messages move on while both members are inside a call of this file, whichever it is: a member
 * that computes fetches nothing.
 *
 * Only the member uses the sends and receives that it has begun, from its coroutine, or from a
 * coroutine of its hart that its coroutine waits for. When the team breaks (team.h), or a send is
 * cancelled, all calls end with -EOWNERDEAD.
 * Sources: seeds E7, C2.
 */
#ifndef COHART_MESSAGE_H
#define COHART_MESSAGE_H

#include <cohart/atomic.h>
#include <cohart/detail/base.h>
#include <cohart/team.h>

CO_BEGIN_C
#define CO_ANY_RANK UINT32_MAX
#define CO_ANY_TAG UINT32_MAX

#define CO_MESSAGE_SHORT 48
#define CO_MESSAGE_LINES 4
#define CO_MESSAGE_WINDOWS 12
#define CO_MESSAGE_FEW_WINDOWS 7
#define CO_MESSAGE_KEPT 2048
#define CO_MESSAGE_KEPT_NEAR 8192
#define CO_MESSAGE_MOVED 128 /* an engine begins in the time of two words of main memory */

/* A message that has come. */
struct co_message_info {
	uint32_t rank, tag; /* of its sender; as the sender gave it */
	size_t bytes;       /* the number that was sent */
};

/*
 * A send or a receive that is under way. Zero-filled: not under way, waits pass it over. For a send
 * it is in memory that every hart may use (asserted). All of it is the runtime's.
 */
struct co_message {
	struct co_a32 state;
	uint32_t kind;
	uint32_t rank, tag, context;
	int error;
	void *data;
	size_t bytes;
	struct co_message_info got;
	struct co_message *next;
	void *own;                /* the copy that the receiver is to fetch */
	struct co_port_out *list; /* the sender's of the rank on whose list it is; NULL: on none */
};

/*
 * The bytes that a member's kept messages take at most, 128 of each beside its own: the main memory
 * of the option --eager=KIB (by default a fourth of libc's heap divided by the harts), and
 * CO_MESSAGE_KEPT_NEAR. There are fewer where memory is used up.
 * Context: any.
 */
size_t co_message_kept_most(void);

/*
 * Send, and wait until `data` may be changed.
 * @param to    a rank; the caller's own, too
 * @param data  copied first if it lies in the private part of a scratchpad
 * @return 0: it is in a line, kept or fetched; -EINVAL: `to` is no rank, the tag is CO_ANY_TAG, or
 *         no memory has that number of bytes; -ENOMEM: no room in this hart's scratchpad for a
 *         member's kept messages, or for data that has to be copied; -EOWNERDEAD; -ECANCELED: this
 *         coroutine was cancelled, and the team is broken.
 * Context: the member's coroutine. Order: the receiver sees all that the sender wrote before.
 * Cost: a remote write for each 8 bytes, one for tag and bytes, one for the flag, and nothing else
 * remote, if it is short.
 */
CO_MUST_CHECK int co_message_send(struct co_member *me, unsigned to, uint32_t tag, uint32_t context,
				  const void *data, size_t bytes);

/* Send, and wait until the message has been received. */
CO_MUST_CHECK int co_message_send_sync(struct co_member *me, unsigned to, uint32_t tag,
				       uint32_t context, const void *data, size_t bytes);

/*
 * Receive.
 * @param from  a rank, or CO_ANY_RANK
 * @param tag   or CO_ANY_TAG
 * @param data  of `room` bytes
 * @param got   its sender, tag and size; NULL: the caller knows. Untouched on errors but -EMSGSIZE
 * @return 0; -EMSGSIZE: it had more bytes, the first `room` of which are in data; -EINVAL: `from`
 *         is no rank; -ENOMEM: as co_message_send(); -EOWNERDEAD; -ECANCELED: nothing was received.
 * Context: the member's coroutine. Order: sees all that the sender wrote before it sent.
 * Cost: a remote write if it was short.
 */
CO_MUST_CHECK int co_message_recv(struct co_member *me, unsigned from, uint32_t tag,
				  uint32_t context, void *data, size_t room,
				  struct co_message_info *got);

/*
 * ---- Without waiting ----
 *
 * Begin a send or a receive. Until it has ended, `m` and `data` are left alone: a wait or a test
 * must say so, once.
 * @param m  not under way
 * @return 0: it is under way, or done; -EINVAL, -ENOMEM, -EOWNERDEAD: it has not begun.
 */
CO_MUST_CHECK int co_message_send_start(struct co_member *me, unsigned to, uint32_t tag,
					uint32_t context, const void *data, size_t bytes,
					struct co_message *m);
/* Begin a send that ends when the message has been received. */
CO_MUST_CHECK int co_message_send_sync_start(struct co_member *me, unsigned to, uint32_t tag,
					     uint32_t context, const void *data, size_t bytes,
					     struct co_message *m);
CO_MUST_CHECK int co_message_recv_start(struct co_member *me, unsigned from, uint32_t tag,
					uint32_t context, void *data, size_t room,
					struct co_message *m);

/*
 * Look whether it has ended. Other coroutines of this hart run if it has not.
 * @return -EINPROGRESS; else as the blocking call would, 0 if m was not under way. After a receive
 *         m->got has sender, tag and size.
 * Context: the coroutine that has begun it.
 */
CO_MUST_CHECK int co_message_test(struct co_member *me, struct co_message *m);

/*
 * For a coroutine that has begun many sends and receives: co_message_progress() lets all of them
 * move on, once; co_message_ended() only looks at one. After it says true, m is waited for or
 * tested as ever.
 * @return co_message_progress(): 0; -EOWNERDEAD.
 * Context: as co_message_test(). Other coroutines of this hart run only while a mover copies a
 * message.
 */
CO_MUST_CHECK int co_message_progress(struct co_member *me);
bool co_message_ended(const struct co_message *m);
/* Is m neither under way nor to be waited for? */
static inline bool co_message_idle(const struct co_message *m)
{
	/* relaxed: the caller has begun m, and its hart alone makes it idle. */
	return co_atomic_load(&m->state, CO_RELAXED) == 0;
}

/*
 * Wait for one, for all, or for the first to end.
 * @param m      n of them
 * @param which  index of the first that has ended; n: none is under way, nothing to wait for
 * @return as the blocking call would, of several the first error; -ECANCELED: this coroutine was
 *         cancelled, and the sends and receives go on, or the receive was cancelled
 *         (co_message_cancel()).
 */
CO_MUST_CHECK int co_message_wait(struct co_member *me, struct co_message *m);
CO_MUST_CHECK int co_message_wait_all(struct co_member *me, struct co_message *const m[],
				      unsigned n);
CO_MUST_CHECK int co_message_wait_any(struct co_member *me, struct co_message *const m[],
				      unsigned n, unsigned *which);

/*
 * Withdraw a receive: it ends with -ECANCELED.
 * @return 0; -EBUSY: it has ended otherwise, or is a send. In each case it must still be waited
 *         for, or tested.
 */
CO_MUST_CHECK int co_message_cancel(struct co_member *me, struct co_message *m);

/*
 * ---- Before receiving ----
 *
 * Wait until there is a message that a receive would get, or look for one (_try_), and leave it.
 * @return 0; -EAGAIN (_try_): there is no message; else as co_message_recv().
 */
CO_MUST_CHECK int co_message_probe(struct co_member *me, unsigned from, uint32_t tag,
				   uint32_t context, struct co_message_info *got);
CO_MUST_CHECK int co_message_try_probe(struct co_member *me, unsigned from, uint32_t tag,
				       uint32_t context, struct co_message_info *got);

/*
 * Wait until there is a message that a receive would get, or the first of n sends and receives has
 * ended, for a caller that then looks again. Entries of m that are not under way are passed over.
 * @return 0: a message is there, or one has ended; else as co_message_recv().
 */
CO_MUST_CHECK int co_message_probe_or_any(struct co_member *me, unsigned from, uint32_t tag,
					  uint32_t context, struct co_message *const m[],
					  unsigned n);

/* A message that co_message_recv_claimed() alone will get. */
struct co_message_claim {
	struct co_message_info info;
	struct co_port_window *window; /* the runtime's, as the rest */
	uint32_t line;
	struct co_message *from;
};

/*
 * Probe for a message, as co_message_probe() does, and claim it: no other receive gets it. It is
 * received by co_message_recv_claimed(), once; until then its sender may have to wait.
 */
CO_MUST_CHECK int co_message_claim(struct co_member *me, unsigned from, uint32_t tag,
				   uint32_t context, struct co_message_claim *claim);
CO_MUST_CHECK int co_message_try_claim(struct co_member *me, unsigned from, uint32_t tag,
				       uint32_t context, struct co_message_claim *claim);

/* @return 0, -EMSGSIZE, -EOWNERDEAD as co_message_recv(). */
CO_MUST_CHECK int co_message_recv_claimed(struct co_member *me, struct co_message_claim *claim,
					  void *data, size_t room);
CO_END_C
#endif
