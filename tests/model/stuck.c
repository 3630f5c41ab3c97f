/*
 * stuck.c - the model of fault/stuck.c: no false alarm while harts wake each other, a true one when
 * they wait for each other. The search runs on a thread of its own, at any moment, again and again.
 */
/* Sources: scheduler fault/stuck.c comm/channel/channel*.c comm/barrier/barrier.c */
/* Sources: comm/barrier/shape.c */
#include <setjmp.h>
#include <stdlib.h>

#include <cohart/barrier.h>
#include <cohart/channel.h>
#include <hal/host.h>

#include "comm/barrier/barrier.h"
#include "fault/fault.h"
#include "relacy/machine.h"

#define HARTS 3 /* that work, at most; the thread behind them looks */

static unsigned harts;
static struct co_a32 turn;
static struct co_waitq queue[HARTS];
static struct co_msg message[HARTS];
static struct co_barrier barrier;
static struct co_barrier_member members[HARTS];
static struct co_chan there, back;
static uint64_t slot[2][2 * CO_CHAN_BYTES(sizeof(uint64_t), 1) / sizeof(uint64_t)];
static unsigned messages; /* the first hart's */
static bool declared, works;
static jmp_buf after_look;

/* What a report would use. */
const char *co_role_name(unsigned role)
{
	return "";
}

/* A deadlock's begins so. */
void co_report(const char *format, ...)
{
	if (!strstr(format, "deadlock"))
		return;
	declared = true;
	longjmp(after_look, 1);
}

void co_trace_list(unsigned hart, unsigned most)
{
}

void co_aside(void (*fn)(void))
{
	fn();
}

bool co_block_in_place(unsigned hart, const struct co *c)
{
	return true;
}

/* For the list that follows a deadlock's line. */
void co_note_places(void)
{
}

/* A debugger's. */
void co_debug_stop(const char *why)
{
}

void co_debug_end(void)
{
}

_Noreturn void hal_host_exit(int code)
{
	abort();
}

static void look(void)
{
	if (!setjmp(after_look))
		co_stuck_look();
}

static void reset(unsigned threads)
{
	harts = threads - 1;
	machine_reset(harts);
	memset(&turn, 0, sizeof(turn));
	memset(queue, 0, sizeof(queue));
	memset(message, 0, sizeof(message));
	memset(members, 0, sizeof(members));
	barrier = (struct co_barrier){ .members = harts,
				       .shift = CO_BARRIER_CENTRAL_SHIFT,
				       .first = members,
				       .stride = sizeof(members[0]) };
	MODEL_CHECK(co_chan_init_as(&there, slot[0], sizeof(slot[0]) / 2, sizeof(uint64_t), CO_SPSC,
				    CO_CLAIM_DEFAULT) == 0);
	MODEL_CHECK(co_chan_init_as(&back, slot[1], sizeof(slot[1]) / 2, sizeof(uint64_t), CO_SPSC,
				    CO_CLAIM_DEFAULT) == 0);
	messages = 0;
	declared = works = false;
	/* All are awake: it forgets what it saw in the schedule before this one. */
	look();
}

/* At any moments. */
static void watch(void)
{
	for (unsigned n = 0; n < 2; n++)
		look();
	MODEL_CHECK(!declared);
}

static void wait_for(unsigned value)
{
	unsigned i = model_thread();

	while (co_atomic_load(&turn, CO_SEQ_CST) < value) {
		struct co_waiter *w = co_wait_prepare(&queue[i], NULL, "a turn");

		if (co_atomic_load(&turn, CO_SEQ_CST) >= value)
			co_wait_abandon(w);
		else
			MODEL_CHECK(co_wait_commit(w, CO_FOREVER) == 0);
	}
}

static void set_turn(unsigned value, unsigned whose)
{
	co_atomic_store(&turn, value, CO_SEQ_CST);
	co_wake_one(&queue[whose]);
}

/* To and fro: there always is a message, or a hart at work. */
static void ping_pong(unsigned i, unsigned first)
{
	if (i == harts) {
		watch();
		return;
	}
	if (i == first) {
		set_turn(1, !first);
		wait_for(2);
		set_turn(3, !first);
		wait_for(4);
	} else {
		wait_for(1);
		set_turn(2, first);
		wait_for(3);
		set_turn(4, first);
	}
}

static void first_begins(unsigned i)
{
	ping_pong(i, 0);
}

static void second_begins(unsigned i)
{
	ping_pong(i, 1);
}

static void read_message(struct co_msg *m)
{
	if (++messages == HARTS - 1)
		co_wake_one(&queue[0]);
}

/* The first hart may sleep while a message is being linked before one that it has seen. */
static void two_messages(unsigned i)
{
	if (i == harts) {
		watch();
		return;
	}
	if (i) {
		message[i].run = read_message;
		co_post(1, &message[i]);
		wait_for(1);
		return;
	}
	while (messages < HARTS - 1)
		MODEL_CHECK(co_wait_commit(co_wait_prepare(&queue[0], NULL, "messages"),
					   CO_FOREVER) == 0);
	for (unsigned k = 1; k < HARTS; k++)
		set_turn(1, k);
}

/* Each waits for the other. When that has been said, they are let go. */
static void deadlock(unsigned i)
{
	if (i == harts) {
		while (!declared) {
			look();
			model_yield();
		}
		MODEL_CHECK(!works);
		for (unsigned k = 0; k < harts; k++)
			set_turn(1, k);
		return;
	}
	works = true;
	model_step();
	works = false;
	wait_for(1);
}

/* They sleep in place from the second time on. The first to have done goes on by other means. */
static void meet(unsigned i)
{
	if (i == harts) {
		watch();
		return;
	}
	for (unsigned e = 0; e < 3; e++)
		MODEL_CHECK(co_barrier_wait(&barrier, i) == 0);
	if (i) {
		set_turn(1, 0);
		wait_for(2);
	} else {
		wait_for(1);
		set_turn(2, 1);
	}
}

/* Each member hangs on the one before it: the second one rests first below, then above. */
static void reset_chain(unsigned threads)
{
	reset(threads);
	barrier.shift = 0;
}

static void meet_in_a_chain(unsigned i)
{
	if (i == harts) {
		watch();
		return;
	}
	for (unsigned e = 0; e < 2; e++)
		MODEL_CHECK(co_barrier_wait(&barrier, i) == 0);
}

/* Words to and fro: each sleeps in place in the other's turn. */
static void words(unsigned i)
{
	uint64_t x = 0;

	if (i == harts) {
		watch();
		return;
	}
	for (uint64_t n = 1; n <= 2; n++) {
		if (i == 0)
			MODEL_CHECK(co_chan_send(&there, &n) == 0);
		MODEL_CHECK(co_chan_recv(i ? &there : &back, &x) == 0 && x == n);
		if (i)
			MODEL_CHECK(co_chan_send(&back, &n) == 0);
	}
}

/* After a word each waits for one of the other's. */
static void no_word(unsigned i)
{
	uint64_t x = 0;

	if (i == harts) {
		while (!declared) {
			look();
			model_yield();
		}
		MODEL_CHECK(!works);
		co_chan_close(&there);
		co_chan_close(&back);
		return;
	}
	works = true;
	model_step();
	if (i == 0)
		MODEL_CHECK(co_chan_send(&there, &(uint64_t){ 1 }) == 0);
	else
		MODEL_CHECK(co_chan_recv(&there, &x) == 0 && x == 1);
	works = false;
	MODEL_CHECK(co_chan_recv(i ? &there : &back, &x) == -EPIPE);
}

/* One does not come the second time: it waits to be notified that the other one has been found. */
static void missing(unsigned i)
{
	if (i == harts) {
		while (!declared) {
			look();
			model_yield();
		}
		MODEL_CHECK(!works);
		set_turn(1, 1);
		return;
	}
	for (unsigned e = 0; e < 3; e++) {
		works = true;
		model_step();
		works = false;
		if (i && e == 2)
			wait_for(1);
		MODEL_CHECK(co_barrier_wait(&barrier, i) == 0);
	}
}

const struct model models[] = {
	{ "no false alarm", 3, reset, first_begins, .bound = 2 },
	{ "nor if the other one begins", 3, reset, second_begins, .bound = 2 },
	{ "nor with two messages", 4, reset, two_messages, .bound = 2 },
	{ "nor at a barrier", 3, reset, meet, .bound = 2 },
	{ "nor at a chain of three", 4, reset_chain, meet_in_a_chain, .bound = 2 },
	{ "one at a barrier", 3, reset, missing, .bound = 1 },
	{ "a true one", 3, reset, deadlock, .bound = 1 },
	{ "nor at a channel", 3, reset, words, .bound = 2 },
	{ "two at channels", 3, reset, no_word, .bound = 1 },
	{ 0 },
};
