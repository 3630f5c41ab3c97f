/* mail.h - what a hart's window keeps for mailboxes (comm/mailbox.c). Zero-filled is right. */
#ifndef COHART_MAIL_H
#define COHART_MAIL_H

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#include <cohart/atomic.h>
#include <cohart/detail/waitq.h>
#include <hal/mailbox.h>

#include "lf/inbox.h"
#include "lf/mailbox.h"

#define CO_MAIL_QUEUES HAL_MAILBOX_QUEUES

struct co_mailbox;

/* A receive queue. */
struct co_mail_queue {
	alignas(CO_LINE) struct co_waitq senders; /* senders that wait for room; any hart writes */
	/* 1: the sender of the next message posts `arrival`. The hart sets it, senders clear it. */
	struct co_a32 armed;
	bool listening; /* armed, or `arrival` is under way; the hart's own */
	struct co_msg arrival;
	struct co_mailq messages; /* unless the board has hardware queues */
};

struct co_mailboxes {
	/* Four times 16 bits: the tag that a queue is bound to, plus 1; or 0. Its hart writes. */
	alignas(CO_LINE) struct co_aword tags[sizeof(uint64_t) / sizeof(uintptr_t)];
	struct co_mail_queue queue[CO_MAIL_QUEUES];
	/* From here on only the hart itself uses it. */
	alignas(CO_LINE) struct co_waitq
		receivers[CO_MAIL_QUEUES + 1]; /* the last one: for any queue */
	uint16_t served[CO_MAIL_QUEUES];       /* open mailboxes that a queue fills */
	uint8_t turn;                          /* the queue that the next look begins with */
	bool delivering;                       /* handlers are running */
	struct co_mailbox *open;
};

#endif
