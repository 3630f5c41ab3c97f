/*
 * cursor.c - the model of core/lf/link.h by itself: a side that sleeps in its queue is woken, and a
 * slot is not filled before it has been read. (The model of links sleeps in other ways most of the
 * time.)
 */
#include <string.h>

#include "core/lf/link.h"
#include "relacy/model.h"

#define DEPTH 2 /* at most */
#define MESSAGES 3

enum { RECEIVER, SENDER };

static struct {
	struct co_link_slot slot;
	uintptr_t msg;
} slots[DEPTH];
static struct co_a32 wake_sender;
static struct co_link_ack ack;
static uintptr_t depth;
static struct co_a32 lock[2]; /* of their queues */
static bool rung[2], asleep[2];

static void reset(uintptr_t k)
{
	memset(slots, 0, sizeof(slots));
	memset(&wake_sender, 0, sizeof(wake_sender));
	memset(&ack, 0, sizeof(ack));
	memset(lock, 0, sizeof(lock));
	memset(rung, 0, sizeof(rung));
	memset(asleep, 0, sizeof(asleep));
	depth = k;
}

BEFORE(one, reset(1))

BEFORE(two, reset(2))

/* What a queue does for its waiter: its lock is taken to enter and to wake. */
static void lock_queue(unsigned i)
{
	co_atomic_swap(&lock[i], 0, CO_ACQ_REL);
}

static void wake(unsigned i)
{
	lock_queue(i);
	rung[i] = true;
	if (asleep[i]) {
		asleep[i] = false;
		model_wake(i);
	}
}

static void sleep(unsigned i)
{
	model_step();
	if (!rung[i]) {
		asleep[i] = true;
		model_sleep(false);
	}
	rung[i] = false;
}

/* Each side as in comm/link/flow.c. */
static void send(struct co_link_cursor *l, uintptr_t number)
{
	while (!co_link_may_send(&ack, l, depth)) {
		lock_queue(SENDER);
		co_link_prepare_sleep(&wake_sender);
		if (co_link_full_now(&ack, l, depth))
			sleep(SENDER);
	}
	co_plain_store(&l->slot->msg[0], number);
	co_link_post(l);
	if (co_link_sleeps(&ack.wake))
		wake(RECEIVER);
}

static void receive(struct co_link_cursor *l, uintptr_t number)
{
	while (!co_link_came(l)) {
		lock_queue(RECEIVER);
		co_link_prepare_sleep(&ack.wake);
		if (!co_link_came_now(l))
			sleep(RECEIVER);
	}
	MODEL_CHECK(co_plain_load(&l->slot->msg[0]) == number);
	co_link_done(l, &ack);
	if (co_link_sleeps(&wake_sender))
		wake(SENDER);
}

static void both(unsigned i)
{
	struct co_link_cursor cursor;

	co_link_cursor_init(&cursor, slots, sizeof(slots[0]), depth);
	for (uintptr_t n = 1; n <= MESSAGES; n++) {
		if (i == SENDER)
			send(&cursor, n);
		else
			receive(&cursor, n);
	}
}

const struct model models[] = {
	{ "one under way", 2, one, both, .bound = 3 },
	{ "two under way", 2, two, both, .bound = 3 },
	{ 0 },
};
