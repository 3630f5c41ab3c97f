/*
 * mailbox.h - short messages from hart to hart, sorted by tag as they arrive.
 *
 * Example
 *	enum { WORK = 7 };
 *	...
 *	int r = co_mail_bind(WORK);                        // on the receiving hart
 *	r = co_mail_send(3, WORK, (uintptr_t[]){ a, b }, 2);  // from any hart to hart 3
 *	uintptr_t words[CO_MAIL_WORDS];
 *	int n = co_mail_recv(WORK, words, CO_MAIL_WORDS, NULL); // on hart 3: n is 2
 *
 * Each hart has four queues that it binds to tags of its own choice, and a catch-all queue for
 * every other tag. A queue holds messages of CO_MAIL_WORDS words in all, of pointer size, and lies
 * in the hart's own scratchpad. A message arrives whole, and messages of one sender to one queue
 * arrive in the order sent. Senders to a full queue wait, first come, first served. Nothing is
 * lost: a message that is not received stays, and holds back the later messages of its queue.
 *
 * Any number of struct co_mailbox may be open on a hart besides, each with a tag and storage of its
 * own, or with a function that takes its messages: each scheduling point of the hart hands the
 * messages that have arrived in its queues to their mailboxes.
 * Source: seeds C5, C6.
 */
#ifndef COHART_MAILBOX_H
#define COHART_MAILBOX_H

#include <cohart/detail/base.h>
#include <cohart/detail/waitq.h>
#include <cohart/select.h>
#include <cohart/time.h>

CO_BEGIN_C
#define CO_MAIL_WORDS 128     /* words of the largest message, and of a queue */
#define CO_MAIL_TAGGED 4      /* queues that can be bound, a hart */
#define CO_MAIL_TAG_MAX 16383 /* tags are 0..CO_MAIL_TAG_MAX */

/* In place of a tag, for receivers. */
#define CO_MAIL_OTHER (-1) /* from the catch-all queue */
#define CO_MAIL_ANY (-2)   /* from any queue, each in turn */

/* Size, sender and tag of a message. */
struct co_mail {
	uint16_t size;   /* words, 1..CO_MAIL_WORDS */
	uint16_t sender; /* hart */
	uint16_t tag;
};

/*
 * Give a tag a queue of its own on this hart. Messages that came before are in the catch-all queue.
 * @return 0; -EINVAL: the tag is out of range; -EEXIST: it has one, or a mailbox is open for it;
 *         -EBUSY: all CO_MAIL_TAGGED are bound.
 * Context: any, for its own hart.
 */
CO_MUST_CHECK int co_mail_bind(int tag);

/*
 * Unbind the tag. No coroutine may send to the tag any more when this is called.
 * @return 0; -ENOENT: it is not bound; -EBUSY: messages are in the queue, a coroutine waits for
 *         one, or a mailbox is open for the tag.
 * Context: any, for its own hart.
 */
CO_MUST_CHECK int co_mail_unbind(int tag);

/*
 * Send a message. Waits while the receiver's queue has no room.
 * @param hart   the receiver, this hart included
 * @param words  n of them; the caller's again on return
 * @param n      1..CO_MAIL_WORDS
 * @return 0; -EINVAL: hart or tag is out of range, or n is 0; -EMSGSIZE: n is too large;
 *         -ECANCELED; -ETIMEDOUT (_until) at the deadline, also one that has passed, if there still
 *         is no room; -EAGAIN (_try_) if there is no room, or other senders wait for it; -EDEADLK:
 *         a call that may wait, in a handler; -EHOSTDOWN: the receiving hart is lost
 *         (docs/faults.md). On error nothing is sent.
 * Context: coroutine; _try_: also handlers. Order: release; paired with the receiver's acquire.
 * Cost: 1 remote read, 3 remote atomics, n + 1 remote writes, and 1 read and 2 writes more if the
 * receiver sleeps in place; about 65 instructions for a word, 5 for each further one.
 */
CO_MUST_CHECK int co_mail_send(unsigned hart, int tag, const uintptr_t *words, unsigned n);
CO_MUST_CHECK int co_mail_send_until(unsigned hart, int tag, const uintptr_t *words, unsigned n,
				     uint64_t deadline);
CO_MUST_CHECK int co_mail_try_send(unsigned hart, int tag, const uintptr_t *words, unsigned n);

/*
 * Take the oldest message of a queue of this hart. Waits while the queue is empty.
 * @param tag    bound on this hart, or CO_MAIL_OTHER, or CO_MAIL_ANY. Messages of an open mailbox
 *               are not received here
 * @param words  where the message goes; untouched on error
 * @param max    the most words to receive
 * @param m      NULL: not wanted; untouched on error
 * @return the number of words; -EINVAL: the tag is out of range; -ENOENT: the tag is not bound on
 *         this hart; -EMSGSIZE: the message is larger than max, and stays; -ECANCELED, -ETIMEDOUT,
 *         -EDEADLK as co_mail_send(); -EAGAIN (_try_): there is no message.
 * Context: as co_mail_send(). Order: acquire; paired with the sender's release. Cost: nothing
 * remote; as many instructions as sending.
 */
CO_MUST_CHECK int co_mail_recv(int tag, uintptr_t *words, unsigned max, struct co_mail *m);
CO_MUST_CHECK int co_mail_recv_until(int tag, uintptr_t *words, unsigned max, struct co_mail *m,
				     uint64_t deadline);
CO_MUST_CHECK int co_mail_try_recv(int tag, uintptr_t *words, unsigned max, struct co_mail *m);

/*
 * Let messages come into this hart's mailboxes while it computes (true), or at its scheduling
 * points alone (false, the default). With true, a hart whose coroutine is in a long loop accepts as
 * many messages as its mailboxes have storage for, not only as many as its queues hold. The sender
 * of a message for a queue where nobody is about to look rings the hart's alarm (docs/faults.md).
 * It interrupts the program's own code; in the runtime or a library it comes again some
 * microseconds later. Mailboxes with a function get their messages at scheduling points as ever,
 * and the messages behind these in their queue wait with them: a bound queue keeps the rest apart.
 * @return 0; -ENOTSUP: this board has no alarms.
 * Context: coroutine, for its own hart. Cost: nothing in sends and receives that ring nobody; else
 * a device write for the sender, and a trap for the receiver, which then takes all that has come.
 */
CO_MUST_CHECK int co_mail_progress(bool on);

struct co_mailbox;
struct co_mail_queue;

/*
 * Takes a message that has arrived: it reads words of the message by co_mail_read(), and the
 * message is gone when it returns. It runs outside of any coroutine and cannot wait: co_mail_send()
 * in it returns -EDEADLK. It does not open or close mailboxes.
 */
typedef void co_mail_fn(struct co_mailbox *box, const struct co_mail *m);

/*
 * A mailbox, in memory that may be private to its hart. Programs may read `arg` and `dropped`; all
 * other fields are the runtime's.
 *
 * It belongs to its hart, and stays open when the coroutine that opened it returns, unless it or
 * its storage lies on the stack of a coroutine that ends, whoever opened it: this closes it, and
 * its messages are gone. A fault closes all mailboxes that the coroutine has opened, or that lie in
 * its scratchpad memory. Receivers that wait in it then get -EOWNERDEAD, in a select as the result
 * of its case.
 */
struct co_mailbox {
	void *arg;        /* for the handler */
	unsigned dropped; /* messages so far that were larger than the storage */
	bool ended;       /* closed by the end of a coroutine */
	co_mail_fn *fn;
	uintptr_t *storage;
	unsigned words;       /* of storage */
	unsigned first, used; /* the oldest message's place; words that are taken */
	uint16_t tag;
	uint16_t hart;
	struct co_waitq queue;      /* receivers */
	struct co_mail_queue *from; /* fills it */
};

/* Words of storage for `count` messages of `size` words. */
#define CO_MAILBOX_WORDS(size, count) (((size) + 1u) * (unsigned)(count))

/*
 * Open a mailbox on this hart: messages with its tag go to its storage as they arrive. While the
 * storage is full, they stay in their queue with all later messages of that queue, and in the end
 * the senders wait: give a mailbox storage for all messages that may be under way, or a bound
 * queue.
 * @param tag      bound to a queue, or not: then it shares the catch-all queue with all other
 *                 unbound tags
 * @param storage  used until it is closed, and written here; it holds each message and one word
 *                 more. A message that can never fit is dropped when it is handed out, and counted
 *                 in box->dropped. NULL: take it from the part of the window that boot has set
 *                 apart for mailboxes (--spm=mailboxes:4K)
 * @return 0; -EINVAL: box is NULL, the tag is out of range, less than 2 words, storage that is
 *         misaligned or reaches beyond all addresses, or NULL where the window has no part for
 *         mailboxes, or box or storage is on a stack of another hart's coroutine, or in another
 *         hart's window; -ENOMEM: the part has no room, or the public scratchpad no 64 bytes for a
 *         note; -EBUSY: it is open already; -EEXIST: another mailbox is open for the tag.
 * Context: coroutine, for its own hart.
 */
CO_MUST_CHECK int co_mailbox_open(struct co_mailbox *box, int tag, uintptr_t *storage,
				  unsigned words);

/*
 * Open a mailbox with a function that takes the messages, and no storage. `arg` is for the
 * function: box->arg.
 * @return as co_mailbox_open(); -EINVAL also if there is no function.
 * Context: coroutine, for its own hart.
 */
CO_MUST_CHECK int co_mailbox_handle(struct co_mailbox *box, int tag, co_mail_fn *fn, void *arg);

/*
 * Words from..from+n-1 of the message, which has that many (asserted).
 * Context: in the co_mail_fn to which m was given, alone.
 */
void co_mail_read(const struct co_mail *m, unsigned from, uintptr_t *words, unsigned n);

/*
 * Take the oldest message out of a mailbox. Waits while the mailbox is empty.
 * @return as co_mail_recv(); -EOWNERDEAD: the end of a coroutine has closed it.
 * Context: as co_mail_recv(); the hart that opened it (asserted), and neither a mailbox with a
 * handler nor a closed one (asserted).
 */
CO_MUST_CHECK int co_mailbox_recv(struct co_mailbox *box, uintptr_t *words, unsigned max,
				  struct co_mail *m);
CO_MUST_CHECK int co_mailbox_recv_until(struct co_mailbox *box, uintptr_t *words, unsigned max,
					struct co_mail *m, uint64_t deadline);
CO_MUST_CHECK int co_mailbox_try_recv(struct co_mailbox *box, uintptr_t *words, unsigned max,
				      struct co_mail *m);

/*
 * Close it: later messages with its tag stay in the queue they come through.
 * @return 0; -EBUSY: messages are in it, or a coroutine waits for one.
 * Context: coroutine, on the hart that opened it (asserted).
 */
CO_MUST_CHECK int co_mailbox_close(struct co_mailbox *box);

/*
 * Cases of co_select(), each with a receive descriptor. A case's result is that of co_mail_recv()
 * or co_mailbox_recv(); size, sender and tag of the message are in desc->mail.
 *
 * Example
 *	struct co_mail_desc d = { .tag = WORK, .words = words, .max = CO_MAIL_WORDS };
 *	struct co_case cases[] = { CO_CASE_MAIL(&d), CO_CASE_RECV(&quit, &done) };
 */
struct co_mail_desc {
	int tag; /* as for co_mail_recv(); a mailbox has its own */
	unsigned max;
	uintptr_t *words;
	struct co_mail mail;
};

#define CO_CASE_MAIL(desc)                                                                  \
	{                                                                                   \
		co_case_mail, co_case_mail_came, co_mail_waiters((desc)->tag), (desc), 0, 0 \
	}
#define CO_CASE_MAILBOX(box, desc)                                                     \
	{                                                                              \
		co_case_mailbox, co_case_mailbox_came, &(box)->queue, (box), (desc), 0 \
	}

/* The functions that the macros name. */
int co_case_mail(struct co_case *c);
bool co_case_mail_came(struct co_case *c);
struct co_waitq *co_mail_waiters(int tag);
int co_case_mailbox(struct co_case *c);
bool co_case_mailbox_came(struct co_case *c);
CO_END_C
#endif
