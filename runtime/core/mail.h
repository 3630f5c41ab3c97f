/* mail.h - what a hart's window keeps for mailboxes (comm/mailbox). Zero-filled is right. */
#ifndef COHART_MAIL_H
#define COHART_MAIL_H

#include <cohart/atomic.h>
#include <cohart/detail/waitq.h>
#include <hal/mailbox.h>

#include "lf/inbox.h"
#include "lf/mailbox.h"

#define CO_MAIL_QUEUES HAL_MAILBOX_QUEUES

struct co_mail_entry;
struct co_mailbox;

/* A receive queue. */
struct co_mail_queue {
	alignas(CO_LINE) struct co_waitq senders; /* wait for room; any hart writes */
	struct co_waitq receivers;                /* wait for a message; of this hart */
	struct co_waitq leader; /* waits for one in the mailbox `leads`, and hands out the others */
	struct co_a32 armed; /* what the next sender is to do; the hart sets it, senders clear it */
	uint16_t served;     /* open mailboxes that it fills; the hart's own, as what follows */
	uint16_t handled;    /* of them by a function */
	bool listening;      /* armed to post `arrival`, or that is under way */
	uint8_t rings;       /* what it is armed for besides, once co_mail_progress() has said so */
	struct co_mailbox *leads;
	struct co_msg arrival;
	struct co_mailq messages; /* unless the board has hardware queues */
};

struct co_mailboxes {
	/* Four times 16 bits: the tag that a queue is bound to, plus 1; or 0. Its hart writes. */
	alignas(CO_LINE) struct co_aword tags[sizeof(uint64_t) / sizeof(uintptr_t)];
	struct co_waitq any; /* receivers that wait for a message in any queue */
	struct co_mail_queue queue[CO_MAIL_QUEUES];
	/* From here on only the hart itself uses it. */
	uint8_t turn;                     /* the queue that the next look begins with */
	struct co_mail_queue *delivering; /* whose handlers are running, or NULL */
	struct co_mail_entry *open;       /* of each open mailbox: comm/mailbox/mailbox.c */
};

#endif
