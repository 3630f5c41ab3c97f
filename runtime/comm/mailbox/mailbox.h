/*
 * mailbox.h - what the files of mailboxes share: a hart's receive queues. Behind each is a queue of
 * the board's, or one of core/lf/mailbox.h in the receiver's scratchpad.
 */
#ifndef COHART_COMM_MAILBOX_H
#define COHART_COMM_MAILBOX_H

#include <errno.h>

#include <cohart/mailbox.h>
#include <cohart/spm.h>
#include <hal/mailbox.h>

#include "../../core/core.h"

_Static_assert(HAL_MAILBOX_WORDS == CO_MAILQ_WORDS, "both kinds hold the same");

/* A message's head, as hal/mailbox.h wants it: size, sender, tag. */
#define HEAD_SENDER_SHIFT 8
#define HEAD_TAG_SHIFT 18

static inline unsigned co_mail_head_tag(uint32_t head)
{
	return head >> HEAD_TAG_SHIFT;
}

static inline struct co_mail co_mail_describe(uint32_t head, unsigned queue)
{
	return (struct co_mail){
		.size = HAL_MAILBOX_SIZE(head),
		.sender = head >> HEAD_SENDER_SHIFT &
			  ((1u << (HEAD_TAG_SHIFT - HEAD_SENDER_SHIFT)) - 1),
		.tag = (uint16_t)co_mail_head_tag(head),
		.queue = (uint16_t)queue,
	};
}

static inline struct co_mailboxes *co_mail_mine(void)
{
	return co_mailboxes_of(co_executor.self, co_executor.hart);
}

#define CO_MAIL_LANES (sizeof(uintptr_t) / sizeof(uint16_t)) /* tags in a word */

/* The queue that a tag's messages go to. */
static inline unsigned co_mail_route(struct co_mailboxes *box, unsigned tag)
{
	for (unsigned q = 0; q < CO_MAIL_TAGGED; q += CO_MAIL_LANES) {
		/* relaxed: a tag is bound before its senders are told of it. */
		uintptr_t tags = co_atomic_load(&box->tags[q / CO_MAIL_LANES], CO_RELAXED);

		for (unsigned i = 0; i < CO_MAIL_LANES; i++, tags >>= 16) {
			if ((uint16_t)tags == tag + 1)
				return q + i;
		}
	}
	return CO_MAIL_TAGGED;
}

/* ---- The messages of a queue, as hal/mailbox.h says ---- */

static inline unsigned co_mail_hart(const struct co_mail_queue *q)
{
	return (unsigned)co_hart_owning(q);
}

static inline unsigned co_mail_index(const struct co_mail_queue *q)
{
	unsigned hart = co_mail_hart(q);

	return (unsigned)(q - co_mailboxes_of(co_hart_at(hart), hart)->queue);
}

static inline int co_mail_put(struct co_mail_queue *q, uint32_t head, const uintptr_t *words,
			      bool claimed)
{
	if (HAL_MAILBOX_EXISTS())
		return hal_mailbox_put(co_mail_hart(q), co_mail_index(q), head, words, claimed);
	if (!claimed && !co_mailq_claim(&q->messages, HAL_MAILBOX_SIZE(head)))
		return -EAGAIN;
	co_mailq_put(&q->messages, head, words, HAL_MAILBOX_SIZE(head));
	return 0;
}

static inline bool co_mail_claim(struct co_mail_queue *q, unsigned n)
{
	if (HAL_MAILBOX_EXISTS())
		return hal_mailbox_claim(co_mail_hart(q), co_mail_index(q), n);
	while (co_mailq_room(&q->messages, n)) {
		if (co_mailq_claim(&q->messages, n))
			return true;
	}
	return false;
}

static inline void co_mail_unclaim(struct co_mail_queue *q, unsigned n)
{
	if (HAL_MAILBOX_EXISTS())
		hal_mailbox_unclaim(co_mail_hart(q), co_mail_index(q), n);
	else
		co_mailq_unclaim(&q->messages, n);
}

/* mailbox_send.c: give room to senders that wait for it, as far as it goes. Context: any hart. */
void co_mail_admit(struct co_mail_queue *q);

/* These for the receiving hart, which names its queue. */
static inline uint32_t co_mail_look(struct co_mailboxes *box, unsigned q)
{
	return HAL_MAILBOX_EXISTS() ? hal_mailbox_look(q) : co_mailq_look(&box->queue[q].messages);
}

static inline void co_mail_copy(struct co_mailboxes *box, unsigned q, unsigned from,
				uintptr_t *words, unsigned n)
{
	if (HAL_MAILBOX_EXISTS())
		hal_mailbox_read(q, from, words, n);
	else
		co_mailq_read(&box->queue[q].messages, from, words, n);
}

/* Drop the oldest message, of n words. */
static inline void co_mail_drop(struct co_mailboxes *box, unsigned q, unsigned n)
{
	if (HAL_MAILBOX_EXISTS())
		hal_mailbox_drop(q);
	else
		co_mailq_drop(&box->queue[q].messages, n);
	if (co_waitq_any(&box->queue[q].senders))
		co_mail_admit(&box->queue[q]);
}

/* ---- mailbox.c ---- */

/* Hand on what has arrived, and be told of what comes next. */
void co_mail_serve(struct co_mailboxes *box, unsigned q);

/* Wait until c's attempt succeeds. @return  its result; -ETIMEDOUT; -ECANCELED; -EDEADLK */
int co_mail_wait(struct co_case *c, const char *what, uint64_t deadline);

/* What a receiving call returns, and hands on in *m, unless that is NULL. */
static inline int co_mail_received(int r, const struct co_mail_desc *d, struct co_mail *m)
{
	if (r >= 0 && m)
		*m = d->mail;
	return r;
}

/* ---- mailbox_open.c ---- */

/* The mailbox that is open for a tag on this hart; NULL: none. */
struct co_mailbox *co_mail_find(struct co_mailboxes *box, unsigned tag);
/* Hand the queue's oldest messages to their mailboxes, up to one that has none, or a full one. */
void co_mail_deliver(struct co_mailboxes *box, unsigned q);

#endif
