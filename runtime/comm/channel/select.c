/* select.c - one wait on several objects: each is tried, then waited for in all their queues. */
#include <cohart/select.h>

#include "../../core/core.h"
#include "../../core/lf/waitq.h"
#include "channel.h"

int co_case_recv(struct co_case *c)
{
	return co_chan_try_recv(c->object, c->data);
}

int co_case_send(struct co_case *c)
{
	return co_chan_try_send(c->object, c->data);
}

bool co_case_can_recv(struct co_case *c)
{
	struct co_chan *chan = c->object;

	return chan->recv_claim == CO_CLAIM_MEET ? co_chan_meet_can_recv(chan)
						 : co_chan_can_recv(chan);
}

bool co_case_can_send(struct co_case *c)
{
	struct co_chan *chan = c->object;

	return chan->send_claim == CO_CLAIM_MEET ? co_chan_meet_can_send(chan)
						 : co_chan_can_send(chan);
}

static bool can_join(struct co_case *c)
{
	return co_has_ended(c->object);
}

static int try_join(struct co_case *c)
{
	return can_join(c) ? co_join(c->object, c->data) : -EAGAIN;
}

struct co_case co_case_join(struct co *c, intptr_t *result)
{
	CO_ASSERT(c && c != co_self() && !c->batch && !co_waitq_waits(&c->joiner));
	return (struct co_case){ try_join, can_join, &c->joiner, c, result, 0 };
}

static bool any_ended(struct co_case *c)
{
	return co_batch_any_ended(c->object);
}

static int try_join_any(struct co_case *c)
{
	return co_batch_try_join_any(c->object, c->data);
}

struct co_case co_case_batch(struct co_batch *b, struct co_child **child)
{
	CO_ASSERT(b && child);
	return (struct co_case){ try_join_any, any_ended, &b->any, b, child, 0 };
}

/* Try the cases from `first` on. Returns the first that succeeds, or -EAGAIN. */
static int try_from(struct co_case *cases, unsigned n, unsigned first)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned k = (first + i) % n;
		int r = cases[k].attempt(&cases[k]);

		if (r != -EAGAIN) {
			cases[k].result = r;
			return (int)k;
		}
	}
	return -EAGAIN;
}

static unsigned next_turn(void)
{
	static _Thread_local unsigned turn;

	return turn++;
}

int co_select_try(struct co_case *cases, unsigned n)
{
	CO_ASSERT(n && n <= CO_WAIT_ANY_MAX);
	return try_from(cases, n, next_turn());
}

static bool any_changed(struct co_case *cases, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (cases[i].look(&cases[i]))
			return true;
	}
	return false;
}

/*
 * Sleep until a hint. Returns its case's number, or -EAGAIN if something has changed already. A
 * hint takes precedence over a change and a cancel: it may have come with an element.
 */
static int sleep_on(struct co_case *cases, unsigned n, uint64_t deadline)
{
	struct co_wait_any any;
	struct co_waitq *queues[CO_WAIT_ANY_MAX];
	unsigned i = 0;

	do
		queues[i] = cases[i].queue;
	while (++i < n);
	if (co_wait_any_prepare(&any, queues, n, cases[0].object, "one of several, the first"))
		return -ENOMEM;
	return co_wait_any_commit(&any, any_changed(cases, n), deadline);
}

/* A hint may be unused, or stand for more than one change: pass it on. */
static void pass_on(struct co_case *c)
{
	if (co_waitq_any(c->queue) && c->look(c))
		co_wake_one(c->queue);
}

int co_select_until(struct co_case *cases, unsigned n, uint64_t deadline)
{
	int done = co_select_try(cases, n);

	while (done == -EAGAIN) {
		int hint = sleep_on(cases, n, deadline);

		if (hint == -ENOMEM)
			return -EAGAIN;
		done = try_from(cases, n, hint >= 0 ? (unsigned)hint : next_turn());
		if (hint >= 0)
			pass_on(&cases[hint]);
		else if (hint != -EAGAIN)
			return done >= 0 ? done : hint;
	}
	return done;
}
