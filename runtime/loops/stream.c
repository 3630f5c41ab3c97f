/* stream.c - a coroutine that executes the steps of its queue in order. */
#include <cohart/stream.h>

#include "../core/core.h"
#include "parallel.h"

static void do_loop(struct co_stream *s, struct co_parallel *p)
{
	p->error = co_parallel_run(p);
	if (p->error && !s->error)
		s->error = p->error;
	co_counter_done(&p->ended); /* p belongs to its owner from here on */
}

static intptr_t run_stream(void *arg)
{
	struct co_stream *s = arg;
	struct co_step step;

	while (co_chan_recv(&s->steps, &step) == 0) {
		if (step.kind == CO_STEP_LOOP)
			do_loop(s, step.what);
		else if (step.kind == CO_STEP_SET)
			co_event_set(step.what);
		else
			(void)!co_event_wait(
				step.what); /* cancelled by the end of the program only */
	}
	return 0;
}

int co_stream_open(struct co_stream *s, const char *name)
{
	const struct co_attr attr = { .name = name ? name : "stream", .on = CO_ON_HART(co_hart()) };
	int r = co_chan_init(&s->steps, s->queue, sizeof(s->queue), sizeof(struct co_step));

	CO_ASSERT_OWN(r == 0);
	s->error = 0;
	return co_spawn(&s->runner, &attr, run_stream, s);
}

static int give_step(struct co_stream *s, int kind, void *what)
{
	const struct co_step step = { .kind = kind, .what = what };

	return co_chan_send(&s->steps, &step);
}

int co_stream_start(struct co_stream *s, struct co_parallel *p)
{
	int r = co_parallel_check(p);

	if (r)
		return r;
	p->streamed = true;
	co_counter_add(&p->ended, 1);
	r = give_step(s, CO_STEP_LOOP, p);
	if (r)
		co_counter_done(&p->ended);
	return r;
}

int co_stream_set(struct co_stream *s, struct co_event *e)
{
	CO_ASSERT_SHARED(e, sizeof(*e), "the event of a stream");
	return give_step(s, CO_STEP_SET, e);
}

int co_stream_await(struct co_stream *s, struct co_event *e)
{
	CO_ASSERT_SHARED(e, sizeof(*e), "the event of a stream");
	return give_step(s, CO_STEP_AWAIT, e);
}

int co_stream_close(struct co_stream *s)
{
	int r;

	co_chan_close(&s->steps);
	r = co_join(s->runner, NULL);
	return r ? r : s->error;
}
