/*
 * lane.c - the model of lanes, which links, teams and messages have: messages arrive once and in
 * order, a slot is not filled before it has been read, and a side that sleeps is woken, in place or
 * in its queue.
 */
/* Sources: scheduler comm/lane/lane.c */
#include "comm/lane/lane.h"
#include "relacy/machine.h"

#define DEPTH 2 /* at most */

enum { RECEIVER, SENDER };
enum way { CALLED, QUEUED, BOTH }; /* both: in turn */

static struct {
	struct co_lane_slot slot;
	uintptr_t msg;
} slots[DEPTH];
static struct co_a32 wake_sender;
static struct co_lane_ack ack;
static struct co_waitq queue[2];
static struct co_lane_waiter waiter[2];
static uintptr_t depth, messages;
static enum way way;

static void reset(unsigned threads, uintptr_t k, uintptr_t n, enum way w)
{
	machine_reset(threads);
	memset(slots, 0, sizeof(slots));
	memset(&wake_sender, 0, sizeof(wake_sender));
	memset(&ack, 0, sizeof(ack));
	memset(queue, 0, sizeof(queue));
	for (unsigned i = 0; i < 2; i++) {
		struct co_hart *at = co_hart_at(i + 1);

		waiter[i] = (struct co_lane_waiter){ &queue[i], at, at->doorbell };
	}
	depth = k;
	messages = n;
	way = w;
}

BEFORE(called, reset(threads, 1, 3, CALLED))
BEFORE(called2, reset(threads, 2, 4, CALLED))
BEFORE(queued, reset(threads, 1, 3, QUEUED))
BEFORE(queued2, reset(threads, 2, 4, QUEUED))
BEFORE(both_ways, reset(threads, 1, 3, BOTH))

static bool ask_for_room(void *arg, uint32_t how)
{
	struct co_lane_cursor *l = arg;

	co_lane_ask(&wake_sender, how);
	return !co_lane_full_now(&ack, l->count, (uint32_t)depth);
}

static bool ask_for_message(void *arg, uint32_t how)
{
	struct co_lane_cursor *l = arg;

	co_lane_ask(&ack.wake, how);
	return co_lane_came_now(&l->slot->ready);
}

static void wait(unsigned i, struct co_lane_cursor *l)
{
	co_lane_ask_fn *ask = i == SENDER ? ask_for_room : ask_for_message;
	bool in_queue = way == QUEUED || (way == BOTH && (l->count & 1));

	MODEL_CHECK((in_queue ? co_lane_wait_queued(&queue[i], l, "", CO_FOREVER, ask, l)
			      : co_lane_wait(&queue[i], l, "", CO_FOREVER, ask, l)) == 0);
}

static void send(struct co_lane_cursor *l, uintptr_t number)
{
	while (!co_lane_has_room(&ack, l->count, (uint32_t)depth))
		wait(SENDER, l);
	co_plain_store(&l->slot->msg[0], number);
	co_lane_publish(&l->slot->ready);
	co_lane_cursor_next(l);
	co_lane_wake(&ack.wake, &waiter[RECEIVER]);
}

static void receive(struct co_lane_cursor *l, uintptr_t number)
{
	while (!co_lane_came(&l->slot->ready))
		wait(RECEIVER, l);
	MODEL_CHECK(co_plain_load(&l->slot->msg[0]) == number);
	co_lane_done(l, &ack);
	co_lane_wake(&wake_sender, &waiter[SENDER]);
}

static void both(unsigned i)
{
	struct co_lane_cursor cursor;

	co_lane_cursor_init(&cursor, slots, sizeof(slots[0]), depth);
	for (uintptr_t n = 1; n <= messages; n++) {
		if (i == SENDER)
			send(&cursor, n);
		else
			receive(&cursor, n);
	}
}

const struct model models[] = {
	{ "called, one under way", 2, called, both, .bound = 2 },
	{ "called, two under way", 2, called2, both, .bound = 2 },
	{ "queued, one under way", 2, queued, both, .bound = 2 },
	{ "queued, two under way", 2, queued2, both, .bound = 2 },
	{ "called and queued", 2, both_ways, both, .bound = 2 },
	{ 0 },
};
