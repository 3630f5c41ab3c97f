/*
 * mails.c - the ball as a message of one word from hart to hart: in a queue that is bound to its
 * tag, or in a mailbox.
 */
#include "game.h"

enum { TAG = 40, WORDS = 8 }; /* the ball to side s has the tag TAG + s */

static unsigned hart[2];
static struct co_counter entering;

static struct co_mailbox box[2];
static uintptr_t storage[2][CO_MAILBOX_WORDS(1, WORDS)];

static int reset(void)
{
	co_counter_add(&entering, 2);
	return 0;
}

/* Both sides know where the other one is before the first ball flies. */
static int meet(unsigned side)
{
	hart[side] = co_hart();
	co_counter_done(&entering);
	return co_counter_wait(&entering);
}

static int enter(unsigned side)
{
	int r = co_mail_bind(TAG + (int)side);

	return r ? r : meet(side);
}

static int send(unsigned side, uintptr_t ball)
{
	return co_mail_send(hart[!side], TAG + !side, &ball, 1);
}

static int recv(unsigned side, uintptr_t *ball)
{
	int n = co_mail_recv(TAG + (int)side, ball, 1, NULL);

	return n < 0 ? n : 0;
}

static void leave(unsigned side)
{
	int r = co_mail_unbind(TAG + (int)side);

	CO_ASSERT(r == 0); /* it is empty */
}

static int enter_box(unsigned side)
{
	int r = co_mailbox_open(&box[side], TAG + (int)side, storage[side],
				CO_MAILBOX_WORDS(1, WORDS));

	return r ? r : meet(side);
}

static int recv_box(unsigned side, uintptr_t *ball)
{
	int n = co_mailbox_recv(&box[side], ball, 1, NULL);

	return n < 0 ? n : 0;
}

static void leave_box(unsigned side)
{
	int r = co_mailbox_close(&box[side]);

	CO_ASSERT(r == 0);
}

const struct mechanism mail = { .name = "mail",
				.about = "a message, a queue of its own",
				.reset = reset,
				.enter = enter,
				.send = send,
				.recv = recv,
				.leave = leave };
const struct mechanism mailbox = { .name = "mailbox",
				   .about = "a message, one of many mailboxes",
				   .reset = reset,
				   .enter = enter_box,
				   .send = send,
				   .recv = recv_box,
				   .leave = leave_box };
