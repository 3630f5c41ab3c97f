/*
 * start_slot.c - the model of core/lf/start_slot.h: each coroutine that is handed over starts once,
 * with what its spawner wrote, whether by the place or by the inbox, and its hart does not sleep on
 * one.
 */
#include <string.h>

#include "core/lf/start_slot.h"
#include "relacy/model.h"

#define SPAWNERS 3

struct child {
	struct co_msg msg;
	int content;
	int starts;
};

static struct co_inbox inbox;
static struct co_outlet outlet;
static struct child child[SPAWNERS];
static struct co_a32 rung; /* the doorbell */
static bool asleep;
static struct co_a32 handed_over;
static unsigned started, spawners;

static void reset(unsigned threads)
{
	spawners = threads - 1;
	memset(&inbox, 0, sizeof(inbox));
	memset(child, 0, sizeof(child));
	memset(&rung, 0, sizeof(rung));
	memset(&handed_over, 0, sizeof(handed_over));
	asleep = false;
	started = 0;
	co_inbox_init(&inbox);
	outlet.oldest = &inbox.stub;
}

/* As in relacy/machine.c. */
static void ring(void)
{
	co_atomic_swap(&rung, 1, CO_ACQ_REL);
	if (asleep) {
		asleep = false;
		model_wake(0);
	}
}

/* As hand_over() in spawn.c. */
static void hand_over(struct child *c)
{
	co_plain_store(&c->content, 42);
	c = co_start_slot_give(&inbox, c);
	if (!c) {
		ring();
		return;
	}
	co_inbox_push(&inbox, &c->msg);
	if (co_inbox_sleeps(&inbox))
		ring();
}

static void start(struct child *c)
{
	MODEL_CHECK(co_plain_load(&c->content) == 42);
	MODEL_CHECK(!c->starts++);
	started++;
}

static void drain(void)
{
	struct co_msg *m;

	while ((m = co_inbox_take(&inbox, &outlet)))
		start((struct child *)m);
}

static void sleep(void)
{
	if (!co_atomic_add(&rung, 0, CO_RELAXED)) {
		asleep = true;
		model_sleep(false);
	}
	co_atomic_swap(&rung, 0, CO_ACQUIRE); /* hal_ipi_clear() */
}

static void wake(void)
{
	struct child *c;

	co_inbox_set_awake(&inbox);
	c = co_start_slot_take(&inbox);
	if (c)
		start(c);
}

/* As idle() in executor.c. */
static void idle(void)
{
	co_inbox_prepare_sleep(&inbox, &outlet, CO_IDLE, NULL);
	if (!co_inbox_ready(&inbox, &outlet) && !co_start_slot_full(&inbox))
		sleep();
	wake();
}

/* As co_hart_sleep() in park.h. */
static void sleep_at_once(void)
{
	if (outlet.oldest != &inbox.stub) {
		idle();
		return;
	}
	if (co_inbox_prepare_and_look(&inbox, CO_IDLE))
		sleep();
	wake();
}

/* As co_sleep_in_place() in park.h, and idle() if that finds something. */
static void rest_in_place(void)
{
	if (outlet.oldest == &inbox.stub) {
		if (co_inbox_prepare_and_look(&inbox, CO_IDLE))
			sleep();
		if (co_inbox_wake_and_look(&inbox))
			return;
	}
	idle();
}

static void start_all(void (*rest)(void))
{
	while (started < spawners) {
		drain();
		if (started == spawners)
			break;
		rest();
	}
	MODEL_CHECK(!co_start_slot_full(&inbox));
}

static void all(unsigned i)
{
	if (i == 0)
		start_all(idle);
	else
		hand_over(&child[i - 1]);
}

static void all_at_once(unsigned i)
{
	if (i == 0)
		start_all(sleep_at_once);
	else
		hand_over(&child[i - 1]);
}

static void all_in_place(unsigned i)
{
	if (i == 0)
		start_all(rest_in_place);
	else
		hand_over(&child[i - 1]);
}

/* A hart that stays awake finds what came while it slept, or gets a message. */
static void then_awake(unsigned i, bool in_place)
{
	struct child *c;

	if (i == 1) {
		hand_over(&child[0]);
		co_atomic_store(&handed_over, 1, CO_RELEASE);
		return;
	}
	if (co_inbox_prepare_and_look(&inbox, CO_IDLE) &&
	    co_atomic_add(&rung, 0, CO_RELAXED)) /* its sleep ends for no reason, too */
		co_atomic_swap(&rung, 0, CO_ACQUIRE);
	if (!in_place)
		co_inbox_set_awake(&inbox); /* as co_hart_sleep() in park.h */
	if (!in_place || !co_inbox_wake_and_look(&inbox)) {
		c = co_start_slot_take(&inbox);
		if (c)
			start(c);
	}
	while (!co_atomic_load(&handed_over, CO_ACQUIRE))
		model_yield();
	drain();
	MODEL_CHECK(started == 1);
}

static void in_place_and_awake(unsigned i)
{
	then_awake(i, true);
}

static void idle_and_awake(unsigned i)
{
	then_awake(i, false);
}

const struct model models[] = {
	{ "two spawners, one sleeper", 3, reset, all, .bound = 3 },
	{ "three spawners, one sleeper", 4, reset, all, .bound = 2 },
	{ "two spawners, one sleeper that looks at messages alone", 3, reset, all_at_once,
	  .bound = 3 },
	{ "two spawners, one sleeper in place", 3, reset, all_in_place, .bound = 3 },
	{ "a spawner, and a hart that stays awake", 2, reset, in_place_and_awake, .bound = 3 },
	{ "a spawner, and an idle hart that stays awake", 2, reset, idle_and_awake, .bound = 3 },
	{ 0 },
};
