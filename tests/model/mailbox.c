/*
 * mailbox.c - the model of mailboxes: a message arrives once, whole, in its sender's order; who
 * waits for room or for a message is woken, and who gives up makes way for the next.
 */
/* Sources: scheduler core/sched/owner.c */
/* Sources: comm/mailbox/mailbox.c comm/mailbox/leave.c comm/mailbox/send.c */
#include <cohart/mailbox.h>

#include "relacy/machine.h"

#define WORK 5
#define NEWS 6
#define RECEIVER 1 /* the first thread's hart */
#define BIG 70     /* words: two do not fit in a queue */

static uintptr_t words[MODEL_THREADS][CO_MAIL_WORDS];
static uintptr_t storage[2][2 * 64];
static struct co_mailbox box[2];

static void reset(unsigned threads)
{
	machine_reset(threads);
	machine_expect();
	memset(box, 0, sizeof(box));
	co_executor_init(RECEIVER);
}

static void bound(unsigned threads)
{
	reset(threads);
	MODEL_CHECK(co_mail_bind(WORK) == 0);
}

static void boxes(unsigned threads)
{
	reset(threads);
	MODEL_CHECK(co_mailbox_open(&box[0], WORK, storage[0], 64) == 0);
	MODEL_CHECK(co_mailbox_open(&box[1], NEWS, storage[1], 64) == 0);
}

static int send_until(int tag, uintptr_t number, unsigned n, uint64_t deadline)
{
	uintptr_t *w = words[model_thread()];

	w[0] = number;
	w[n - 1] = n == 1 ? number : ~number;
	return co_mail_send_until(RECEIVER, tag, w, n, deadline);
}

static void send(int tag, uintptr_t number, unsigned n)
{
	MODEL_CHECK(send_until(tag, number, n, CO_FOREVER) == 0);
}

static struct co_mail look(int n, struct co_mail m, int tag)
{
	uintptr_t *w = words[model_thread()];

	MODEL_CHECK(n > 0 && m.size == (unsigned)n && m.tag == tag);
	MODEL_CHECK(w[n - 1] == (n == 1 ? w[0] : ~w[0]));
	return m;
}

static struct co_mail receive(int tag)
{
	struct co_mail m;
	int n = co_mail_recv(tag, words[model_thread()], CO_MAIL_WORDS, &m);

	return look(n, m, WORK);
}

/* Each sender's in the order sent. */
static void receive_all(unsigned n)
{
	uintptr_t last[MODEL_THREADS] = { 0 };

	while (n--) {
		struct co_mail m = receive(WORK);

		MODEL_CHECK(words[0][0] == last[m.sender - 1] + 1);
		last[m.sender - 1]++;
	}
}

static void one(unsigned i)
{
	if (i == 0) {
		receive_all(2);
	} else {
		send(WORK, 1, 2);
		send(WORK, 2, 1);
	}
}

static void two(unsigned i)
{
	if (i == 0) {
		receive_all(3);
	} else {
		send(WORK, 1, 1);
		if (i == 1)
			send(WORK, 2, 2);
	}
}

/* There is room for one message at a time. */
static void full(unsigned i)
{
	if (i == 0) {
		receive_all(3);
	} else {
		send(WORK, 1, BIG);
		if (i == 1)
			send(WORK, 2, BIG);
	}
}

/* A sender that waits for admission gives up: the next one, which needs less, is let in. */
static void late_sender(unsigned i)
{
	if (i == 0) {
		uintptr_t *w = words[0];

		do
			receive(WORK);
		while (w[0] != 2);
	} else if (i == 1) {
		int r;

		send(WORK, 1, BIG);
		machine_hasten();
		r = send_until(WORK, 3, BIG, MACHINE_DEADLINE);
		MODEL_CHECK(r == 0 || r == -ETIMEDOUT);
	} else {
		send(WORK, 2, BIG - 20);
	}
}

/* A sender that only tries holds room for a moment: who has looked meanwhile must hear of it. */
static void brief(unsigned i)
{
	if (i == 0) {
		unsigned come = 0;

		while (come < 2) {
			struct co_mail m = receive(WORK);

			come += m.sender == 2;
		}
	} else if (i == 1) {
		send(WORK, 1, BIG);
		send(WORK, 2, BIG);
	} else {
		uintptr_t *w = words[i];
		int r;

		w[0] = 3;
		w[BIG - 1] = ~w[0];
		r = co_mail_try_send(RECEIVER, WORK, w, BIG);
		MODEL_CHECK(r == 0 || r == -EAGAIN);
	}
}

/* The receiver gives up, and comes back. */
static void late_receiver(unsigned i)
{
	if (i == 0) {
		struct co_mail m;
		int n;

		machine_hasten();
		n = co_mail_recv_until(WORK, words[0], CO_MAIL_WORDS, &m, MACHINE_DEADLINE);
		MODEL_CHECK(n > 0 || n == -ETIMEDOUT);
		if (n < 0)
			receive(WORK);
		MODEL_CHECK(words[0][0] == 1);
	} else {
		send(WORK, 1, 2);
	}
}

/* From any queue. */
static void any(unsigned i)
{
	if (i == 0) {
		struct co_mail m = receive(CO_MAIL_ANY);

		MODEL_CHECK(m.sender == 2 && words[0][0] == 7);
	} else {
		send(WORK, 7, 1);
	}
}

/* Two tags over the catch-all queue: each comes to its own mailbox. */
static void demultiplex(unsigned i)
{
	if (i == 0) {
		for (unsigned b = 0; b < 2; b++) {
			struct co_mail m;
			int n = co_mailbox_recv(&box[b], words[0], CO_MAIL_WORDS, &m);

			look(n, m, b ? NEWS : WORK);
			MODEL_CHECK(words[0][0] == (b ? 2u : 1u));
		}
	} else {
		send(i == 1 ? NEWS : WORK, i == 1 ? 2 : 1, 2);
	}
}

/*
 * The same two by two coroutines of the receiver's hart: one leads, and takes the other's message,
 * or hands the lead on.
 */
static void demultiplex_each(unsigned i)
{
	static uintptr_t into[2][CO_MAIL_WORDS];
	struct co_mail m;

	if (i > 1) {
		send(i == 2 ? NEWS : WORK, i, 2);
		return;
	}
	MODEL_CHECK(co_mailbox_recv(&box[i], into[i], CO_MAIL_WORDS, &m) == 2);
	MODEL_CHECK(m.tag == (i ? NEWS : WORK) && into[i][0] == (i ? 2u : 3u));
}

OF_ONE_HART(one_leads, demultiplex_each, 0, 1)

/* Two receive from one queue: each gets one of the sender's two messages. */
static unsigned come[2];

static void receive_each(unsigned i)
{
	static uintptr_t into[2][CO_MAIL_WORDS];
	struct co_mail m;

	if (i > 1) {
		send(WORK, 1, 2);
		send(WORK, 2, 2);
		return;
	}
	MODEL_CHECK(co_mail_recv(WORK, into[i], CO_MAIL_WORDS, &m) == 2);
	come[i] = (unsigned)into[i][0];
}

OF_ONE_HART(two_receive, receive_each, 0, 1)

static void both_have_come(void)
{
	MODEL_CHECK(come[0] + come[1] == 3);
}

/* The leader gives up, and comes back: the message has come by then, or wakes it. */
static void late_leader(unsigned i)
{
	if (i == 0) {
		struct co_mail m;
		int n;

		machine_hasten();
		n = co_mailbox_recv_until(&box[0], words[0], CO_MAIL_WORDS, &m, MACHINE_DEADLINE);
		MODEL_CHECK(n > 0 || n == -ETIMEDOUT);
		if (n < 0)
			n = co_mailbox_recv(&box[0], words[0], CO_MAIL_WORDS, &m);
		look(n, m, WORK);
		MODEL_CHECK(words[0][0] == 1);
	} else {
		send(WORK, 1, 2);
	}
}

/* The mailbox's messages come by its leader, and by the arrival message where that runs. */
static void led(unsigned i)
{
	if (i == 0) {
		for (uintptr_t number = 1; number <= 3; number++) {
			struct co_mail m;
			int n = co_mailbox_recv(&box[0], words[0], CO_MAIL_WORDS, &m);

			look(n, m, WORK);
			MODEL_CHECK(words[0][0] == number);
		}
	} else {
		for (uintptr_t number = 1; number <= 3; number++)
			send(WORK, number, 1);
	}
}

/* ---- Progress: the receiver computes, and takes nothing but alarms ---- */

bool co_mail_alarm(bool can); /* comm/mailbox/queue.h */

static struct co_a32 rung;
static uintptr_t large[160];
static bool stopped; /* the receiver's thread is in model_sleep() */

bool co_alarms(void)
{
	return true;
}

void hal_alarm_ring(unsigned hart)
{
	MODEL_CHECK(hart == RECEIVER);
	/* acq_rel: as hal_ipi_ring(). */
	co_atomic_swap(&rung, 1, CO_ACQ_REL);
	if (stopped) {
		stopped = false;
		model_wake(0);
	}
}

static void progress(unsigned threads)
{
	rung = (struct co_a32){ 0 };
	stopped = false;
	reset(threads);
	MODEL_CHECK(co_mailbox_open(&box[0], WORK, large, 160) == 0);
	MODEL_CHECK(co_mail_progress(true) == 0);
}

static void take_alarm(void)
{
	while (!co_atomic_swap(&rung, 0, CO_ACQUIRE)) {
		stopped = true;
		model_sleep(false);
		stopped = false;
	}
	MODEL_CHECK(!co_mail_alarm(true));
}

/* No scheduling point until all has come; then they are received, and later ones as ever. */
static void computes(unsigned i)
{
	if (i) {
		send(WORK, 1, BIG);
		send(WORK, 2, BIG);
		send(WORK, 3, 1);
		return;
	}
	while (box[0].used < 2 * (BIG + 1) + 2)
		take_alarm();
	for (uintptr_t number = 1; number <= 3; number++) {
		struct co_mail m;
		int n = co_mailbox_try_recv(&box[0], words[0], CO_MAIL_WORDS, &m);

		look(n, m, WORK);
		MODEL_CHECK(words[0][0] == number);
	}
}

const struct model models[] = {
	{ "one sender", 2, bound, one, .bound = 2 },
	{ "two senders", 3, bound, two, .bound = 1 },
	{ "two senders, a full queue", 3, bound, full, .bound = 1 },
	{ "a late sender", 3, bound, late_sender, .bound = 1 },
	{ "a sender that only tries", 3, bound, brief, .bound = 2 },
	{ "a late receiver", 2, bound, late_receiver, .bound = 1 },
	{ "from any queue", 2, bound, any, .bound = 2 },
	{ "two mailboxes", 3, boxes, demultiplex, .bound = 1 },
	{ "two mailboxes, one of two leads", 3, boxes, one_leads, .bound = 2 },
	{ "two of a hart receive", 2, bound, two_receive, both_have_come, .bound = 2 },
	{ "a late leader", 2, boxes, late_leader, .bound = 1 },
	{ "one that computes", 2, progress, computes, .bound = 2 },
	{ "a leader again and again", 2, boxes, led, .bound = 2 },
	{ 0 },
};
