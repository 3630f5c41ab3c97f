/*
 * mailbox_send.c - which queue a message goes to, and who waits for room there.
 *
 * A sender that makes room, or the receiver, claims it for the sender that has waited longest, and
 * wakes that one then: nobody is overtaken, and nobody is woken in vain. A sender that has begun to
 * wait looks for room in the same way, for the first one there, as does one that gives up.
 */
#include "../../core/hook.h"
#include "../../core/lost.h"
#include "../handoff.h"
#include "mailbox.h"

_Static_assert(BOARD_MAX_HARTS <= 1 << (HEAD_TAG_SHIFT - HEAD_SENDER_SHIFT),
	       "a head names its sender");
_Static_assert(CO_MAIL_TAG_MAX < 1 << (32 - HEAD_TAG_SHIFT), "a head names its tag");

/* A message has been put: one sender posts the arrival, if the receiver wants to be told. */
static inline void notify_receiver(unsigned hart, struct co_mail_queue *q)
{
	/*
	 * seq_cst: after the message; pairs with listen(). acquire: one sender alone posts, and
	 * the arrival message is free by then; pairs with listen().
	 */
	if (co_atomic_load(&q->armed, CO_SEQ_CST) && co_atomic_swap(&q->armed, 0, CO_ACQUIRE))
		co_post(hart, &q->arrival);
}

/*
 * The sender that has waited longest, if there is room for it: the room is its own then, and its
 * wait has ended. NULL: nobody, or it needs more.
 */
static struct co_waiter *pick_sender(struct co_mail_queue *q)
{
	struct co_handoff h = co_handoff_lock(&q->senders);
	struct co_waiter *w;

	while ((w = h.first)) {
		if (!co_mail_claim(q, w->place)) {
			w = NULL;
			break;
		}
		if (co_handoff_take_first(&h))
			break;
		/* It has just given up. */
		co_mail_unclaim(q, w->place);
	}
	co_handoff_unlock(&h);
	return w;
}

void co_mail_admit(struct co_mail_queue *q)
{
	struct co_waiter *w;

	while (co_waitq_any(&q->senders) && (w = pick_sender(q)))
		co_wake(w);
}

/* Nobody makes room there any more: the senders look whether their receiver is lost. */
static void turn_senders_away(unsigned hart)
{
	struct co_mailboxes *box = co_mailboxes_of(co_hart_at(hart), hart);

	for (unsigned i = 0; i < CO_MAIL_QUEUES; i++) {
		struct co_waitq *senders = &box->queue[i].senders;

		if (co_lost_queue(senders)) {
			struct co_handoff h = co_handoff_lock(senders);

			co_handoff_give_all(&h);
		}
	}
}

CO_HOOKS = { .hart_stopped = turn_senders_away };

/* Wait until room for n words is the caller's. */
static int wait_for_room(unsigned hart, struct co_mail_queue *q, unsigned n, uint64_t deadline)
{
	struct co_waiter *w;
	int r;

	co_executor.current->waiter.place = n; /* for pick_sender() */
	w = co_wait_prepare(&q->senders, q, "room in a mailbox queue");
	co_mail_admit(q); /* the look again: it may be this one that gets in */
	r = co_handoff_sleep(co_hart_past(hart) ? 0 : deadline);
	if (r != -ECANCELED && co_hart_past(hart))
		r = -EHOSTDOWN;
	if (r) {
		co_waitq_leave(w);
		co_mail_admit(q); /* the next one may need less */
	}
	return r;
}

static int what_is_wrong(unsigned hart, int tag, unsigned n)
{
	if (hart >= co_machine.harts || (unsigned)tag > CO_MAIL_TAG_MAX || !n)
		return -EINVAL;
	return n > CO_MAIL_WORDS ? -EMSGSIZE : 0;
}

static inline int send_message(unsigned hart, int tag, const uintptr_t *words, unsigned n,
			       uint64_t deadline, bool wait)
{
	uint32_t head = n | co_executor.hart << HEAD_SENDER_SHIFT | (uint32_t)tag << HEAD_TAG_SHIFT;
	int r = what_is_wrong(hart, tag, n);
	struct co_mailboxes *box;
	struct co_mail_queue *q;

	if (r)
		return r;
	/* What is not there faults before room is claimed, which it would hold for ever. */
	(void)*(const volatile uintptr_t *)words;
	(void)*(const volatile uintptr_t *)&words[n - 1]; /* it spans two pages at most */
	box = co_mailboxes_of(co_hart_at(hart), hart);
	q = &box->queue[co_mail_route(box, (unsigned)tag)];
	/* Those that wait go first; one that is missed has come at the same moment. */
	r = co_waitq_known(&q->senders) ? -EAGAIN : co_mail_put(q, head, words, false);
	if (r) {
		co_mail_admit(q); /* the try may have misled one that waits */
		if (!wait)
			return co_hart_past(hart) ? -EHOSTDOWN : -EAGAIN;
		r = wait_for_room(hart, q, n, deadline);
		if (r)
			return r;
		(void)co_mail_put(q, head, words, true);
	}
	notify_receiver(hart, q);
	return 0;
}

int co_mail_try_send(unsigned hart, int tag, const uintptr_t *words, unsigned n)
{
	return send_message(hart, tag, words, n, 0, false);
}

int co_mail_send_until(unsigned hart, int tag, const uintptr_t *words, unsigned n,
		       uint64_t deadline)
{
	if (!co_executor.current)
		return -EDEADLK;
	return send_message(hart, tag, words, n, deadline, true);
}

int co_mail_send(unsigned hart, int tag, const uintptr_t *words, unsigned n)
{
	return co_mail_send_until(hart, tag, words, n, CO_FOREVER);
}
