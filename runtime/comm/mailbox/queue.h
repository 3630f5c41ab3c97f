/*
 * queue.h - a hart's receive queues, for senders and the hart itself: which tag goes where, the
 * messages, which the board (hal/mailbox.h) or lf/mailbox.h keeps, and the hart to notify.
 */
#ifndef COHART_COMM_MAILBOX_QUEUE_H
#define COHART_COMM_MAILBOX_QUEUE_H

#include <cohart/mailbox.h>
#include <hal/mailbox.h>

#include "../../core/core.h"
#include "../../core/hart_var.h"
#include "../../comm/lf/mailbox.h"

#define CO_MAIL_QUEUES HAL_MAILBOX_QUEUES

struct co_mailbox;

/* A receive queue. */
struct co_mail_queue {
	alignas(CO_LINE) struct co_waitq senders; /* wait for room; any hart writes */
	struct co_waitq receivers;                /* wait for a message; of this hart */
	struct co_waitq leader; /* waits for a message in `leads`, and hands out all */
	struct co_a32 armed; /* ARMED_...: the next sender's duties; the hart sets, senders clear */
	uint16_t served;  /* open mailboxes that it fills; `served` to `leads` are the hart's own */
	uint16_t handled; /* of them by a function */
	bool listening;   /* armed to post `arrival`, or that is under way */
	uint8_t rings;    /* ARMED_TO_RING, once co_mail_progress() has said so; else 0 */
	struct co_mailbox *leads;
	struct co_msg arrival;
	struct co_mailq messages; /* unless the board has hardware queues */
};

/*
 * A coroutine whose end may close a mailbox: it has opened it, or the mailbox or its storage lies
 * in its stack or scratchpad memory.
 */
#define CO_MAIL_USERS 3
struct co_mail_user {
	struct co_local local; /* in the end list of the coroutine `key`; NULL: in none */
	struct co_mail_entry *of;
};

/*
 * The entry of an open mailbox, which may lie in frames that its coroutine has left without a
 * close.
 */
struct co_mail_entry {
	struct co_mail_entry *next; /* of this hart's */
	struct co_mailbox *box;
	struct co_mail_queue *from; /* fills it */
	const uintptr_t *storage;
	struct co_mail_user user[CO_MAIL_USERS];
	unsigned tag;
	bool handled;
};

struct co_mailboxes {
	/* Four times 16 bits: the tag that a queue is bound to, plus 1; or 0. Its hart writes. */
	alignas(CO_LINE) struct co_aword tags[sizeof(uint64_t) / sizeof(uintptr_t)];
	struct co_waitq any; /* receivers that wait for a message in any queue */
	struct co_mail_queue queue[CO_MAIL_QUEUES];
	/* From here on only the hart itself uses it. */
	uint8_t turn;                     /* the queue that the next look begins with */
	struct co_mail_queue *delivering; /* whose handlers are running, or NULL */
	struct co_mail_entry *open;       /* of each open mailbox */
	bool shut;                        /* it is lost, and its queues are shut: hart 0's */
};
CO_HART_EXTERN(struct co_mailboxes, mailboxes);

/* A message's head, as hal/mailbox.h wants it: size, sender, tag. */
#define HEAD_SENDER_SHIFT 8
#define HEAD_TAG_SHIFT 18

_Static_assert(HAL_MAILBOX_WORDS == CO_MAILQ_WORDS, "both kinds of queues hold the same");
_Static_assert(HAL_MAILBOX_WORDS == CO_MAIL_WORDS, "the page for people says what is true");
_Static_assert(CO_MAIL_TAGGED + 1 == CO_MAIL_QUEUES, "the last queue is the catch-all");
_Static_assert(BOARD_MAX_HARTS <= 1 << (HEAD_TAG_SHIFT - HEAD_SENDER_SHIFT),
	       "a head names its sender");
_Static_assert(CO_MAIL_TAG_MAX < 1 << (32 - HEAD_TAG_SHIFT), "a head names its tag");

static inline unsigned tag_of(uint32_t head)
{
	return head >> HEAD_TAG_SHIFT;
}

static inline struct co_mail describe_mail(uint32_t head)
{
	return (struct co_mail){
		.size = HAL_MAILBOX_SIZE(head),
		.sender = head >> HEAD_SENDER_SHIFT &
			  ((1u << (HEAD_TAG_SHIFT - HEAD_SENDER_SHIFT)) - 1),
		.tag = (uint16_t)tag_of(head),
	};
}

static inline struct co_mailboxes *mine(void)
{
	return co_hart_var_of(mailboxes, co_executor.self);
}

/* mailbox.c: the hook for the alarm (core/hook.h). */
bool co_mail_alarm(bool can);
/* Take the mailbox out that `link` leads to, without a look at it. Context: its hart. */
void co_mail_take_out(struct co_mail_entry **link);

/* leave.c */
/* Enter e in the end lists of its users, which may be equal or NULL; take it out. */
void co_mail_users_add(struct co_mail_entry *e, struct co *const users[CO_MAIL_USERS]);
void co_mail_users_remove(struct co_mail_entry *e);

/* send.c */
/* Give free room to waiting senders. Context: any hart. */
void co_mail_admit(struct co_mail_queue *q);
/*
 * There is a message: wake the first receiver of q, and the first receiver from any queue, if
 * `which` has its bit. The receivers' entries are acquired.
 */
void co_mail_wake(struct co_mail_queue *q, uint32_t which);

/* ---- Tags ---- */

#define TAGS (sizeof(uintptr_t) / sizeof(uint16_t)) /* tags in a word */

/* The queue that is bound to a tag, or NULL. An unbound one looks as if bound to -1. */
INLINE struct co_mail_queue *bound(struct co_mailboxes *box, unsigned tag)
{
	for (unsigned q = 0; q < CO_MAIL_TAGGED; q += TAGS) {
		/* relaxed: a tag is bound before its senders are notified of it. */
		uintptr_t tags = co_atomic_load(&box->tags[q / TAGS], CO_RELAXED);

		for (unsigned i = 0; i < TAGS; i++, tags >>= 16) {
			if ((uint16_t)tags == tag + 1)
				return &box->queue[q + i];
		}
	}
	return NULL;
}

/* The queue that a tag's messages go to. */
INLINE struct co_mail_queue *route(struct co_mailboxes *box, unsigned tag)
{
	struct co_mail_queue *q = bound(box, tag);

	return q ? q : &box->queue[CO_MAIL_TAGGED];
}

/* ---- The messages of a queue: the board's (hal/mailbox.h), or one of lf/mailbox.h ---- */

static inline unsigned hart_of(const struct co_mail_queue *q)
{
	return (unsigned)co_hart_owning(q);
}

static inline unsigned index_of(const struct co_mail_queue *q)
{
	return (unsigned)(q - co_hart_var(mailboxes, hart_of(q))->queue);
}

/* Claim room for n words: for the sender that has waited longest, or where no sender waits. */
static inline bool claim_room(struct co_mail_queue *q, unsigned n)
{
	if (HAL_MAILBOX_EXISTS())
		return hal_mailbox_claim(hart_of(q), index_of(q), n);
	while (co_mailq_room(&q->messages, n)) {
		if (co_mailq_claim_next(&q->messages, n))
			return true;
	}
	return false;
}

/* A sender has entered q's `senders`, to wait for room; and has left them. */
static inline void await_room(struct co_mail_queue *q)
{
	if (!HAL_MAILBOX_EXISTS())
		co_mailq_await(&q->messages);
}

static inline void await_room_no_more(struct co_mail_queue *q)
{
	if (!HAL_MAILBOX_EXISTS())
		co_mailq_await_no_more(&q->messages);
}

static inline void unclaim_room(struct co_mail_queue *q, unsigned n)
{
	if (HAL_MAILBOX_EXISTS())
		hal_mailbox_unclaim(hart_of(q), index_of(q), n);
	else
		co_mailq_unclaim(&q->messages, n);
}

/* The head of the oldest message; 0: q is empty. Here and below: for the receiving hart. */
static inline uint32_t oldest(struct co_mail_queue *q)
{
	return HAL_MAILBOX_EXISTS() ? hal_mailbox_look(index_of(q)) : co_mailq_look(&q->messages);
}

static inline void copy_oldest(struct co_mail_queue *q, unsigned from, uintptr_t *words, unsigned n)
{
	if (HAL_MAILBOX_EXISTS())
		hal_mailbox_read(index_of(q), from, words, n);
	else
		co_mailq_read(&q->messages, from, words, n);
}

/* Drop the oldest message, of n words. */
static inline void drop_oldest(struct co_mail_queue *q, unsigned n)
{
	if (HAL_MAILBOX_EXISTS())
		hal_mailbox_drop(index_of(q));
	else
		co_mailq_drop(&q->messages, n);
	if (co_waitq_any(&q->senders))
		co_mail_admit(q);
}

/* The bits of `armed`: each is for a party that the next sender notifies. */
#define ARMED_TO_WAKE 1u  /* receivers of the queue */
#define ARMED_FOR_ANY 2u  /* receivers from any queue */
#define ARMED_TO_LEAD 4u  /* the leader */
#define ARMED_TO_POST 8u  /* the arrival message, which is not under way */
#define ARMED_TO_RING 16u /* the alarm: its hart may be computing */
#define ARMED_TO_CALL 32u /* the hart, on which a receiver of the queue sleeps in place */

#endif
