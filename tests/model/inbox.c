/* inbox.c - the model of core/lf/inbox.h: nothing is lost or out of order, or left to a sleeper. */
#include <string.h>

#include "core/lf/inbox.h"
#include "relacy/model.h"

#define PRODUCERS 3
#define EACH 2

struct parcel {
	struct co_msg msg;
	unsigned from;
	unsigned number;
	int content;
};

static struct co_inbox inbox[2];
static struct co_outlet outlet[2];
static struct parcel parcel[PRODUCERS][EACH];
static struct co_a32 rung[2]; /* the doorbells */
static bool asleep[2];
static unsigned taken;
static bool (*prepare)(unsigned i); /* how consumers go to sleep */

/* As idle() in executor.c. True: nothing is there. */
static bool prepare_long(unsigned i)
{
	co_inbox_prepare_sleep(&inbox[i], &outlet[i], CO_IDLE, NULL);
	return !co_inbox_ready(&inbox[i], &outlet[i]);
}

/* As co_hart_sleep() in park.h. */
static bool prepare_rest(unsigned i)
{
	if (outlet[i].oldest != &inbox[i].stub)
		return prepare_long(i);
	return co_inbox_prepare_and_look(&inbox[i], CO_IDLE);
}

static void reset(unsigned threads)
{
	memset(inbox, 0, sizeof(inbox));
	memset(parcel, 0, sizeof(parcel));
	memset(rung, 0, sizeof(rung));
	memset(asleep, 0, sizeof(asleep));
	taken = 0;
	prepare = prepare_long;
	for (unsigned i = 0; i < 2; i++) {
		co_inbox_init(&inbox[i]);
		outlet[i].oldest = &inbox[i].stub;
	}
}

static void reset_rest(unsigned threads)
{
	reset(threads);
	prepare = prepare_rest;
}

/* As in relacy/machine.c. */
static void ring(unsigned i)
{
	co_atomic_swap(&rung[i], 1, CO_ACQ_REL);
	if (asleep[i]) {
		asleep[i] = false;
		model_wake(i);
	}
}

static void post(unsigned to, struct parcel *p)
{
	co_inbox_push(&inbox[to], &p->msg);
	if (co_inbox_sleeps(&inbox[to]))
		ring(to);
}

static void sleep(unsigned i)
{
	if (prepare(i)) {
		if (!co_atomic_add(&rung[i], 0, CO_RELAXED)) {
			asleep[i] = true;
			model_sleep(false);
		}
		co_atomic_swap(&rung[i], 0, CO_ACQUIRE); /* hal_ipi_clear() */
	}
	co_inbox_set_awake(&inbox[i]);
}

static struct parcel *receive(unsigned i)
{
	struct co_msg *m;

	while (!(m = co_inbox_take(&inbox[i], &outlet[i])))
		sleep(i);
	return (struct parcel *)m;
}

static void produce(unsigned who, unsigned to)
{
	for (unsigned i = 0; i < EACH; i++) {
		struct parcel *p = &parcel[who][i];

		co_plain_store(&p->from, who);
		co_plain_store(&p->number, i);
		co_plain_store(&p->content, 42);
		post(to, p);
	}
}

static void consume(unsigned n)
{
	unsigned next[PRODUCERS] = { 0 };

	for (taken = 0; taken < n; taken++) {
		struct parcel *p = receive(0);
		unsigned from = co_plain_load(&p->from);

		MODEL_CHECK(co_plain_load(&p->number) == next[from]);
		MODEL_CHECK(co_plain_load(&p->content) == 42);
		next[from]++;
		/* It is the receiver's again. */
		co_plain_store(&p->content, 0);
	}
	MODEL_CHECK(!co_inbox_take(&inbox[0], &outlet[0]));
}

static void two(unsigned i)
{
	if (i == 0)
		consume(2 * EACH);
	else
		produce(i - 1, 0);
}

static void three(unsigned i)
{
	if (i == 0)
		consume(3 * EACH);
	else
		produce(i - 1, 0);
}

/* One message goes to and fro between two inboxes, while a third hart posts to the first. */
static void round_trip(unsigned i)
{
	struct parcel *p;

	if (i == 0) {
		co_plain_store(&parcel[0][0].content, 1);
		post(1, &parcel[0][0]);
		for (unsigned n = 0; n < 2; n++) {
			p = receive(0);
			if (p == &parcel[0][0])
				MODEL_CHECK(co_plain_load(&p->content) == 2);
			else
				MODEL_CHECK(co_plain_load(&p->content) == 3);
		}
	} else if (i == 1) {
		p = receive(1);
		MODEL_CHECK(co_plain_load(&p->content) == 1);
		co_plain_store(&p->content, 2);
		post(0, p);
	} else {
		co_plain_store(&parcel[2][0].content, 3);
		post(0, &parcel[2][0]);
	}
}

/* A consumer that is awake and only glances: what it sees it can take, sooner or later. */
static void glance(unsigned i)
{
	struct co_msg *m = NULL;

	if (i) {
		co_plain_store(&parcel[0][0].content, 42);
		post(0, &parcel[0][0]);
		return;
	}
	while (!m) {
		if (co_inbox_glance(&outlet[0]))
			m = co_inbox_take(&inbox[0], &outlet[0]);
		if (!m)
			model_yield();
	}
	MODEL_CHECK(co_plain_load(&((struct parcel *)m)->content) == 42);
}

const struct model models[] = {
	{ "two producers, one sleeper", 3, reset, two, .bound = 2 },
	{ "three producers, one sleeper", 4, reset, three, .bound = 1 },
	{ "two producers, one at rest", 3, reset_rest, two, .bound = 2 },
	{ "a message goes round", 3, reset, round_trip, .bound = 2 },
	{ "a glance", 2, reset, glance, .bound = 3 },
	{ 0 },
};
