/* stream.c - a coroutine that executes the steps of its queue in order. */
#include <errno.h>

#include <cohart/stream.h>

#include "../core/core.h"
#include "parallel.h"

static const char key;

static void do_loop(struct co_stream *s, struct co_parallel *p)
{
	p->error = co_parallel_run(p);
	if (p->error && !s->error)
		s->error = p->error;
	co_counter_done(&p->ended); /* p belongs to its owner from here on */
}

static void do_step(struct co_stream *s, const struct co_step *step)
{
	if (step->kind == CO_STEP_LOOP)
		do_loop(s, step->what);
	else if (step->kind == CO_STEP_SET)
		co_event_set(step->what);
	else
		(void)!co_event_wait(step->what); /* cancelled with the stream only */
}

static void refuse_step(const struct co_step *step)
{
	struct co_parallel *p = step->what;

	if (step->kind != CO_STEP_LOOP)
		return;
	p->error = -ECANCELED;
	co_counter_done(&p->ended);
}

static intptr_t run_stream(void *arg)
{
	struct co_stream *s = arg;
	struct co_step step;
	int r;

	while (!co_canceled() && co_chan_recv(&s->steps, &step) == 0)
		do_step(s, &step);
	/*
	 * It was cancelled, or all is done. In a closed channel a sender may have its slot, and not
	 * have filled it yet; it is not closed if the run ends.
	 */
	while ((r = co_chan_try_recv(&s->steps, &step)) == 0 ||
	       (r != -EPIPE && co_chan_closed(&s->steps))) {
		if (r == 0)
			refuse_step(&step);
		else
			co_pause();
	}
	return 0;
}

/* A lost hart has both coroutines. */
static void end_stream(struct co_local *l, struct co *of, enum co_cleanup_why why)
{
	struct co_stream *s = co_container_of(l, struct co_stream, local);

	(void)of;
	if (why == CO_CLEANUP_HOST_DOWN)
		return;
	co_batch_cancel(&s->runner);
	co_chan_close(&s->steps);
	co_counter_wait_shielded(&s->runner.running);
	(void)!co_batch_join(&s->runner);
}

int co_stream_open(struct co_stream *s, const char *name)
{
	const struct co_attr attr = { .name = name ? name : "stream", .on = CO_ON_HART(co_hart()) };
	int r = co_chan_init(&s->steps, s->queue, sizeof(s->queue), sizeof(struct co_step));

	CO_ASSERT_OWN(r == 0);
	s->error = 0;
	s->runner = (struct co_batch){ .last = { 0 } };
	r = co_batch_spawn(&s->runner, &attr, run_stream, s, NULL);
	if (r == 0)
		co_local_add(&s->local, &key, end_stream);
	return r;
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

	CO_ASSERT_THAT(co_cleanup_remove(&s->local.cleanup),
		       "the caller has opened the stream, and has not closed it");
	co_chan_close(&s->steps);
	r = co_batch_join(&s->runner);
	if (r == -ECANCELED)
		co_local_add(&s->local, &key, end_stream); /* it is to be closed again */
	return r ? r : s->error;
}
