/*
 * mail.h - what the files of mailboxes know of each other.
 */
#ifndef COHART_COMM_MAIL_H
#define COHART_COMM_MAIL_H

#include <cohart/mailbox.h>

#include "../core/core.h"
#include "mail_queue.h"

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

/* mailbox_send.c */
/* Let in those who wait at a door and for whom there is room now. Context: any hart. */
void co_mail_admit(struct co_mail_door *d);
/* It has stopped: those who wait at its doors are told. Context: hart 0. */

/* mailbox.c */
/* Hand on what has arrived: to mailboxes, or to one that waits; and be told of what comes next. */
void co_mail_serve(struct co_mailboxes *box, unsigned queue);

/* mailbox_open.c */
/* The mailbox that is open for a tag on this hart; NULL: none. */
struct co_mailbox *co_mail_find(struct co_mailboxes *box, unsigned tag);
/* Hand the queue's oldest messages to their mailboxes, up to one that has none, or a full one. */
void co_mail_deliver(struct co_mailboxes *box, unsigned queue);

#endif
