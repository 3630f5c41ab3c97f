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
static bool rung, asleep;
static unsigned started, spawners;

static void reset(unsigned threads)
{
	spawners = threads - 1;
	memset(&inbox, 0, sizeof(inbox));
	memset(child, 0, sizeof(child));
	rung = asleep = false;
	started = 0;
	co_inbox_init(&inbox);
	outlet.oldest = &inbox.stub;
}

/* A doorbell: it hands over nothing but the ring. */
static void ring(void)
{
	model_step();
	rung = true;
	if (asleep) {
		asleep = false;
		model_wake(0);
	}
}

/* As hand_over() in coroutine.c. */
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

static void prepare(enum co_idle kind)
{
	model_step();
	rung = false;
	co_inbox_prepare_sleep(&inbox, &outlet, kind, NULL);
}

static void sleep(void)
{
	model_step();
	if (!rung) {
		asleep = true;
		model_sleep(false);
	}
}

/* As idle() in executor.c and co_rest(). */
static void idle(void)
{
	struct child *c;

	prepare(CO_IDLE);
	if (!co_inbox_ready(&inbox, &outlet) && !co_start_slot_full(&inbox))
		sleep();
	co_inbox_set_awake(&inbox);
	c = co_start_slot_take(&inbox);
	if (c)
		start(c);
}

static void start_all(void)
{
	while (started < spawners) {
		drain();
		if (started == spawners)
			break;
		idle();
	}
	MODEL_CHECK(!co_start_slot_full(&inbox));
}

static void all(unsigned i)
{
	if (i == 0)
		start_all();
	else
		hand_over(&child[i - 1]);
}

const struct model models[] = {
	{ "two spawners, one sleeper", 3, reset, all, .bound = 3 },
	{ "three spawners, one sleeper", 4, reset, all, .bound = 2 },
	{ 0 },
};
