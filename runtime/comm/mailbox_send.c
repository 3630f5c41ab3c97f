/*
 * mailbox_send.c - which queue a message goes to, and who waits at its door.
 *
 * Senders that find no room wait at the queue's door, in the receiver's scratchpad. Whoever makes
 * room claims it for the one that has waited longest, and wakes it then: nobody is overtaken, and
 * nobody is woken in vain. A sender that has entered the door looks for room in the same way, for
 * the first one there, as does one that gives up.
 */
#include <errno.h>

#include "../core/hook.h"
#include "../core/lost.h"
#include "handoff.h"
#include "mail.h"

_Static_assert(BOARD_MAX_HARTS <= 1 << (HEAD_TAG_SHIFT - HEAD_SENDER_SHIFT),
	       "a head names its sender");
_Static_assert(CO_MAIL_TAG_MAX < 1 << (32 - HEAD_TAG_SHIFT), "a head names its tag");

/* The queue is armed: its hart wants to be told of a message. 0, for who calls it last. */
static __attribute__((noinline)) int ring(struct co_mail_door *d)
{
	/* acquire: one sender alone posts, and the message is free by then; pairs with listen(). */
	if (co_atomic_swap(&d->armed, 0, CO_ACQUIRE))
		co_post(co_mail_hart(d), &d->arrival);
	return 0;
}

/* A message has been put. */
static inline int tell(struct co_mail_door *d)
{
	/* seq_cst: after the message; pairs with listen(). */
	return co_atomic_load(&d->armed, CO_SEQ_CST) ? ring(d) : 0;
}

/*
 * The sender that has waited longest, if there is room for it: the room is its own then, and its
 * wait has ended. NULL: nobody, or it needs more.
 */
static struct co_waiter *pick(struct co_mail_door *d)
{
	struct co_handoff h = co_handoff_lock(&d->senders);
	struct co_waiter *w;

	while ((w = h.first)) {
		if (!co_mail_claim(d, w->place)) {
			w = NULL;
			break;
		}
		if (co_handoff_take_first(&h))
			break;
		/* It has just given up. */
		co_mail_unclaim(d, w->place);
	}
	co_handoff_unlock(&h);
	return w;
}

void co_mail_admit(struct co_mail_door *d)
{
	struct co_waiter *w;

	while (co_waitq_any(&d->senders) && (w = pick(d)))
		co_wake(w);
}

/* Nobody makes room there any more. */
static __attribute__((noinline)) int why_not(struct co_mail_door *d)
{
	return co_hart_past(co_mail_hart(d)) ? -EHOSTDOWN : -EAGAIN;
}

static void turn_senders_away(unsigned hart)
{
	struct co_mailboxes *box = co_mailboxes_of(co_hart_at(hart), hart);

	for (unsigned q = 0; q < CO_MAIL_QUEUES; q++) {
		struct co_waitq *door = &box->door[q].senders;
		struct co_waiter *w;

		if (!co_lost_queue(door))
			continue;
		while ((w = co_waitq_pick(door))) {
			struct co *c = co_waiter_co(w);

			c->wait_result = -EHOSTDOWN;
			co_ready(c);
		}
	}
}

CO_HOOKS = { .hart_stopped = turn_senders_away };

/* Put a message into either kind of queue. */
static __attribute__((noinline)) int put_slow(struct co_mail_door *d, uint32_t head,
					      const uintptr_t *words, bool claimed)
{
	if (!co_mail_put(d, head, words, claimed))
		return tell(d);
	co_mail_admit(d); /* the try may have misled somebody */
	return why_not(d);
}

static __attribute__((noinline)) int refused(struct co_mail_door *d)
{
	co_mail_admit(d); /* as above */
	return why_not(d);
}

static bool is_sound(unsigned hart, int tag, unsigned n)
{
	return hart < co_machine.harts && (unsigned)tag <= CO_MAIL_TAG_MAX && n - 1 < CO_MAIL_WORDS;
}

static __attribute__((noinline)) int what_is_wrong(unsigned hart, int tag, unsigned n)
{
	if (hart >= co_machine.harts || (unsigned)tag > CO_MAIL_TAG_MAX || !n)
		return -EINVAL;
	return -EMSGSIZE;
}

static uint32_t head_of(int tag, unsigned n)
{
	return n | co_executor.hart << HEAD_SENDER_SHIFT | (uint32_t)tag << HEAD_TAG_SHIFT;
}

static inline struct co_mail_door *door_of(unsigned hart, int tag)
{
	struct co_mailboxes *box = co_mailboxes_of(co_hart_at(hart), hart);
	struct co_mail_door *d = &box->door[co_mail_route(box, (unsigned)tag)];

	CO_KEEP(d);
	return d;
}

static __attribute__((noinline)) int send_slow(unsigned hart, int tag, const uintptr_t *words,
					       unsigned n, uint64_t deadline)
{
	struct co_mail_door *d = door_of(hart, tag);
	struct co *self = co_executor.current;
	struct co_waiter *w;
	int r;

	self->waiter.place = n; /* for pick() */
	w = co_wait_prepare(&d->senders, d, "room in a mailbox queue");
	co_mail_admit(d); /* the look again: it may be this one that gets in */
	if (!co_hart_past(hart)) {
		r = co_handoff_sleep(deadline);
	} else {
		r = co_wait_withdraw(self) ? self->wait_result : -EHOSTDOWN;
	}
	if (r) {
		co_waitq_leave(w);
		co_mail_admit(d); /* the next one may need less */
		return r;
	}
	return put_slow(d, head_of(tag, n), words, true);
}

/* Over a board's own queues. */
static __attribute__((noinline)) int put_or_wait(unsigned hart, int tag, const uintptr_t *words,
						 unsigned n, uint64_t deadline)
{
	int r = put_slow(door_of(hart, tag), head_of(tag, n), words, false);

	return r == -EAGAIN ? send_slow(hart, tag, words, n, deadline) : r;
}

/* All calls are last, so that nothing is saved for them. */
static inline int send(unsigned hart, int tag, const uintptr_t *words, unsigned n,
		       uint64_t deadline, bool wait)
{
	struct co_mail_door *d;
	uint32_t head;

	if (!is_sound(hart, tag, n))
		return what_is_wrong(hart, tag, n);
	/* What is not there faults before room is claimed, which it would hold for ever. */
	(void)*(const volatile uintptr_t *)words;
	d = door_of(hart, tag);
	head = head_of(tag, n);
	/* relaxed: whoever waits goes first; one that is missed has come at the same moment. */
	if (co_waitq_known(&d->senders))
		return wait ? send_slow(hart, tag, words, n, deadline) : why_not(d);
	if (HAL_MAILBOX_EXISTS() && !wait)
		return put_slow(d, head, words, false);
	if (HAL_MAILBOX_EXISTS())
		return put_or_wait(hart, tag, words, n, deadline);
	if (!co_mailq_claim(&d->queue, n))
		return wait ? send_slow(hart, tag, words, n, deadline) : refused(d);
	co_mailq_put(&d->queue, head, words, n);
	return tell(d);
}

int co_mail_try_send(unsigned hart, int tag, const uintptr_t *words, unsigned n)
{
	return send(hart, tag, words, n, 0, false);
}

int co_mail_send_until(unsigned hart, int tag, const uintptr_t *words, unsigned n,
		       uint64_t deadline)
{
	if (!co_executor.current)
		return -EDEADLK;
	return send(hart, tag, words, n, deadline, true);
}

int co_mail_send(unsigned hart, int tag, const uintptr_t *words, unsigned n)
{
	return co_mail_send_until(hart, tag, words, n, CO_FOREVER);
}
