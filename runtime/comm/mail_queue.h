/*
 * mail_queue.h - the queue behind a door: the board's, or one in the receiver's scratchpad.
 *
 * The functions are those of hal/mailbox.h, which says what they do; the door stands for hart and
 * queue.
 */
#ifndef COHART_COMM_MAIL_QUEUE_H
#define COHART_COMM_MAIL_QUEUE_H

#include <errno.h>

#include <cohart/spm.h>
#include <hal/mailbox.h>

#include "../core/core.h"

_Static_assert(HAL_MAILBOX_WORDS == CO_MAILQ_WORDS, "both kinds hold the same");

/* Keep a sum in a register: else the compiler adds up the address of each field behind it anew. */
#define CO_KEEP(p) __asm__ volatile("" : "+r"(p))

static inline unsigned co_mail_hart(const struct co_mail_door *d)
{
	return (unsigned)co_hart_owning(d);
}

static inline unsigned co_mail_index(const struct co_mail_door *d)
{
	unsigned hart = co_mail_hart(d);

	return (unsigned)(d - co_mailboxes_of(co_hart_at(hart), hart)->door);
}

static inline int co_mail_put(struct co_mail_door *d, uint32_t head, const uintptr_t *words,
			      bool claimed)
{
	if (HAL_MAILBOX_EXISTS())
		return hal_mailbox_put(co_mail_hart(d), co_mail_index(d), head, words, claimed);
	if (!claimed && !co_mailq_claim(&d->queue, HAL_MAILBOX_SIZE(head)))
		return -EAGAIN;
	co_mailq_put(&d->queue, head, words, HAL_MAILBOX_SIZE(head));
	return 0;
}

static inline bool co_mail_claim(struct co_mail_door *d, unsigned n)
{
	if (HAL_MAILBOX_EXISTS())
		return hal_mailbox_claim(co_mail_hart(d), co_mail_index(d), n);
	while (co_mailq_room(&d->queue, n)) {
		if (co_mailq_claim(&d->queue, n))
			return true;
	}
	return false;
}

static inline void co_mail_unclaim(struct co_mail_door *d, unsigned n)
{
	if (HAL_MAILBOX_EXISTS())
		hal_mailbox_unclaim(co_mail_hart(d), co_mail_index(d), n);
	else
		co_mailq_unclaim(&d->queue, n);
}

static inline uint32_t co_mail_get(struct co_mail_door *d, uintptr_t *words, unsigned max)
{
	uint32_t head;
	uint32_t n;

	if (HAL_MAILBOX_EXISTS())
		return hal_mailbox_get(co_mail_index(d), words, max);
	head = co_mailq_peek(&d->queue);
	n = HAL_MAILBOX_SIZE(head);
	if (head && n <= max) {
		co_mailq_read(&d->queue, 0, words, n);
		co_mailq_drop(&d->queue, n);
	}
	return head;
}

static inline uint32_t co_mail_look(struct co_mail_door *d)
{
	if (HAL_MAILBOX_EXISTS())
		return hal_mailbox_look(co_mail_index(d));
	return co_mailq_look(&d->queue);
}

static inline void co_mail_copy(struct co_mail_door *d, unsigned from, uintptr_t *words, unsigned n)
{
	if (HAL_MAILBOX_EXISTS())
		hal_mailbox_read(co_mail_index(d), from, words, n);
	else
		co_mailq_read(&d->queue, from, words, n);
}

static inline void co_mail_drop(struct co_mail_door *d)
{
	if (HAL_MAILBOX_EXISTS())
		hal_mailbox_drop(co_mail_index(d));
	else
		co_mailq_drop(&d->queue, HAL_MAILBOX_SIZE(co_mailq_peek(&d->queue)));
}

#endif
