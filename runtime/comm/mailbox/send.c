/*
 * send.c - messages to a hart's receive queues.
 *
 * The hart that gives room back, mostly the receiver, claims it for the sender that has waited
 * longest, and wakes that sender: no sender is overtaken, or woken in vain. A sender that has begun
 * to wait, or gives up, looks for room in this way, too, for the sender that has waited longest.
 *
 * A sender that finds the queue armed disarms it and notifies each party that it was armed for: the
 * first coroutine that waits for a message in the queue, the first coroutine that waits for a
 * message in any queue, and the leader of the queue's mailboxes or, without a leader, the hart, by
 * a message. Or it calls a receiver that sleeps in place, of which it reads nothing.
 */
#include <string.h>

#include <hal/alarm.h>

#include "../../core/hook.h"
#include "../../core/sched/wait_inline.h"
#include "../../fault/give_up.h"
#include "queue.h"

/* Claim room for the longest waiting sender and end its wait; NULL: no room, or no sender. */
static struct co_waiter *pick_sender(struct co_mail_queue *q)
{
	struct co_waiter *first = co_wait_lock(&q->senders), *w;

	while ((w = first)) {
		if (!claim_room(q, w->place)) {
			w = NULL;
			break;
		}
		first = co_waitq_unlink(w, w);
		if (co_token_take(w->token)) {
			await_room_no_more(q);
			break;
		}
		/* The sender's wait has just ended otherwise. */
		unclaim_room(q, w->place);
	}
	co_waitq_unlock(&q->senders, first);
	return w;
}

NOINLINE void co_mail_admit(struct co_mail_queue *q)
{
	struct co_waiter *w;

	while (co_waitq_any(&q->senders) && (w = pick_sender(q)))
		co_wake(w);
}

void co_mail_wake(struct co_mail_queue *q, uint32_t which)
{
	unsigned hart = hart_of(q);
	struct co_mailboxes *box = co_hart_var(mailboxes, hart);

	if (which & ARMED_TO_WAKE && co_waitq_known(&q->receivers))
		co_wake_known(&q->receivers);
	if (which & ARMED_FOR_ANY && co_waitq_known(&box->any))
		co_wake_known(&box->any);
}

static int call(struct co_hart *h)
{
	return co_call(h, h->doorbell);
}

static NOINLINE int notify_all(struct co_mail_queue *q, uint32_t armed)
{
	if (armed & ARMED_TO_CALL)
		call(co_hart_at(hart_of(q)));
	if (armed & ARMED_TO_POST)
		co_post(hart_of(q), &q->arrival);
	if (armed & ARMED_TO_LEAD)
		co_wake_known(&q->leader);
	co_mail_wake(q, armed);
	if (armed & ARMED_TO_RING)
		hal_alarm_ring(hart_of(q));
	return 0;
}

/* A message has been put on hart h. Returns 0, for tail calls. */
INLINE int notify_hart(struct co_hart *h, struct co_mail_queue *q)
{
	/*
	 * acq_rel: releases the message to coroutines that arm the queue afterwards, and acquires
	 * the entries of coroutines that have armed it before. One sender alone posts, when the
	 * arrival message is free. Pairs with arm().
	 */
	uint32_t armed = co_atomic_swap(&q->armed, 0, CO_ACQ_REL);

	if (armed == ARMED_TO_CALL)
		return call(h);
	if (armed == ARMED_TO_WAKE)
		return co_wake_known(&q->receivers);
	if (armed == ARMED_TO_LEAD)
		return co_wake_known(&q->leader);
	return armed ? notify_all(q, armed) : 0;
}

static int notify_receiver(struct co_mail_queue *q)
{
	return notify_hart(co_hart_at(hart_of(q)), q);
}

static inline void put_claimed(struct co_mail_queue *q, uint32_t head, const uintptr_t *words)
{
	unsigned n = HAL_MAILBOX_SIZE(head);
	uint32_t place;

	if (HAL_MAILBOX_EXISTS()) {
		(void)hal_mailbox_put(hart_of(q), index_of(q), head, words, true);
		return;
	}
	place = co_mailq_place(&q->messages, n);
	co_mailq_write(&q->messages, place, words, n);
	co_mailq_publish(&q->messages, place, head);
}

CO_HART_VAR(struct co_mailboxes, mailboxes);

static const char room[] = "room in a mailbox queue";

/* c was lost while it waited for room, or with room that it had not used: that goes back. */
static void give_back_room(struct co *c)
{
	/* relaxed: c's hart has stopped. */
	struct co_mail_queue *q = (struct co_mail_queue *)co_atomic_load(&c->waits_for, CO_RELAXED);
	uint32_t n = c->waiter.place;

	if (co_wait_kind(c) != room || !n || !co_lost_usable(q, sizeof(*q)))
		return;
	c->waiter.place = 0;
	if (c->wait_result) /* it had no room yet */
		await_room_no_more(q);
	else
		unclaim_room(q, n);
	if (co_lost_queue(&q->senders))
		co_mail_admit(q);
}

/*
 * The hart is lost: let no message in any more, and wake the senders that wait for room to see
 * that.
 */
static void hart_lost(unsigned hart)
{
	struct co_mailboxes *box = co_hart_var(mailboxes, hart);

	co_lost_each(hart, give_back_room);
	for (unsigned i = 0; co_hart_past(hart) && i < CO_MAIL_QUEUES; i++) {
		if (!box->shut)
			co_mailq_shut(&box->queue[i].messages);
		if (co_lost_queue(&box->queue[i].senders))
			co_wake_all(&box->queue[i].senders);
	}
	box->shut = co_hart_past(hart);
}

CO_HOOKS = { .hart_lost = hart_lost };

/* Wait until the caller has room for n words. */
static int wait_for_room(unsigned hart, struct co_mail_queue *q, unsigned n, uint64_t deadline)
{
	struct co_waiter *w = co_wait_prepare_inline(&q->senders, q, room, false, n);
	int r;

	await_room(q);
	co_mail_admit(q); /* look again; it may admit this sender */
	r = co_wait_commit(w, co_hart_past(hart) ? 0 : deadline);
	w->place = 0; /* the room is the caller's to give back: give_back_room() */
	if (r)        /* otherwise the giver of the room has done so */
		await_room_no_more(q);
	if (r != -ECANCELED && co_hart_past(hart))
		r = -EHOSTDOWN;
	if (r)
		co_mail_admit(q); /* the next one may need less */
	return r;
}

/*
 * The queue is the board's, or there is no room, or others wait for it, or the hart is lost.
 * Deadline 0: do not wait.
 */
static NOINLINE int send_later(struct co_mail_queue *q, uint32_t head, const uintptr_t *words,
			       uint64_t deadline)
{
	unsigned hart = hart_of(q);
	int r;

	if (co_hart_past(hart))
		return -EHOSTDOWN;
	if (HAL_MAILBOX_EXISTS() && !co_waitq_known(&q->senders) &&
	    !hal_mailbox_put(hart, index_of(q), head, words, false))
		return notify_receiver(q);
	co_mail_admit(q); /* the failed claim may have misled a waiting sender */
	if (!deadline)
		return -EAGAIN;
	r = wait_for_room(hart, q, HAL_MAILBOX_SIZE(head), deadline);
	if (r)
		return r;
	put_claimed(q, head, words);
	return notify_receiver(q);
}

/* A long message into the place that was taken for it. */
static NOINLINE int send_long(struct co_mail_queue *q, uint32_t head, const uintptr_t *words,
			      uint32_t place)
{
	co_mailq_write(&q->messages, place, words, HAL_MAILBOX_SIZE(head));
	co_mailq_publish(&q->messages, place, head);
	return notify_receiver(q);
}

/* All calls are last, so that nothing is saved for them. */
static NOINLINE int send_message(unsigned hart, int tag, const uintptr_t *words, unsigned n,
				 uint64_t deadline)
{
	uint32_t head = n | co_executor.hart << HEAD_SENDER_SHIFT | (uint32_t)tag << HEAD_TAG_SHIFT;
	struct co_hart *h = co_hart_at(hart);
	struct co_mail_queue *q;
	uint32_t place;

	if (hart >= co_machine.harts || (unsigned)tag > CO_MAIL_TAG_MAX || !n)
		return -EINVAL;
	if (n > CO_MAIL_WORDS)
		return -EMSGSIZE;
	/* A wild pointer faults here, before room is claimed. */
	(void)*(const volatile uintptr_t *)words;
	(void)*(const volatile uintptr_t *)&words[n - 1]; /* at most two pages */
	q = route(co_hart_var_of(mailboxes, h), (unsigned)tag);
	if (HAL_MAILBOX_EXISTS() || !co_mailq_claim(&q->messages, n))
		return send_later(q, head, words, deadline);
	place = co_mailq_place(&q->messages, n);
	if (!co_mailq_short(place, n))
		return send_long(q, head, words, place);
	co_mailq_fill(&q->messages.cell[place], words, n);
	co_mailq_publish(&q->messages, place, head);
	return notify_hart(h, q);
}

int co_mail_try_send(unsigned hart, int tag, const uintptr_t *words, unsigned n)
{
	return send_message(hart, tag, words, n, 0);
}

int co_mail_send_until(unsigned hart, int tag, const uintptr_t *words, unsigned n,
		       uint64_t deadline)
{
	if (!co_executor.current)
		return -EDEADLK;
	/* A deadline of 0 has passed, like any other in the past. */
	return send_message(hart, tag, words, n, deadline ? deadline : 1);
}

int co_mail_send(unsigned hart, int tag, const uintptr_t *words, unsigned n)
{
	return co_mail_send_until(hart, tag, words, n, CO_FOREVER);
}
