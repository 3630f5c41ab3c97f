/*
 * flags.c - the ball in plain memory, and only the news of it: events, signals, barriers.
 */
#include <string.h>

#include "game.h"

static struct {
	alignas(CO_LINE) uintptr_t ball; /* written by this side, then signalled */
	struct co_event event;
	struct co_signal signal;
} post[2];

static int reset(void)
{
	memset(post, 0, sizeof(post));
	return 0;
}

static int send_event(unsigned side, uintptr_t ball)
{
	post[side].ball = ball;
	co_event_set(&post[side].event);
	return 0;
}

static int recv_event(unsigned side, uintptr_t *ball)
{
	int r = co_event_wait(&post[!side].event);

	if (r)
		return r;
	co_event_clear(&post[!side].event);
	*ball = post[!side].ball;
	return 0;
}

static int send_signal(unsigned side, uintptr_t ball)
{
	post[side].ball = ball;
	co_signal_send(&post[side].signal);
	return 0;
}

static int recv_signal(unsigned side, uintptr_t *ball)
{
	int r = co_signal_wait(&post[!side].signal);

	if (r == 0)
		*ball = post[!side].ball;
	return r;
}

/* Both come to the barrier when the ball changes sides. */
CO_BARRIER(net, 2);

static int send_barrier(unsigned side, uintptr_t ball)
{
	post[side].ball = ball;
	return co_barrier_wait(&net, side);
}

static int recv_barrier(unsigned side, uintptr_t *ball)
{
	int r = co_barrier_wait(&net, side);

	if (r == 0)
		*ball = post[!side].ball;
	return r;
}

const struct mechanism event = { .name = "event",
				 .about = "set, wait, drop; the ball in main memory",
				 .reset = reset,
				 .send = send_event,
				 .recv = recv_event };
const struct mechanism signal_ = { .name = "signal",
				   .about = "send, wait; the ball in main memory",
				   .reset = reset,
				   .send = send_signal,
				   .recv = recv_signal };
const struct mechanism barrier = { .name = "barrier",
				   .about = "of two members; the ball in main memory",
				   .reset = reset,
				   .send = send_barrier,
				   .recv = recv_barrier };
