/* timer.c - a function that is called at a time, by a coroutine that waits until then. */
#include <errno.h>

#include <cohart/hart.h>
#include <cohart/timer.h>

#include "../../core/core.h"

static const char key;

static intptr_t run_timer(void *arg)
{
	struct co_timer *t = arg;

	while (co_event_wait_until(&t->stopped, t->next) == -ETIMEDOUT) {
		uint64_t missed = t->period ? (co_now() - t->next) / t->period : 0;

		if (!t->fn(t->arg, missed) || !t->period ||
		    __builtin_add_overflow(t->next, (missed + 1) * t->period, &t->next))
			break;
	}
	return 0;
}

/* A cancel of the caller does not cut it short: the timer's memory may be about to go. */
static int stop(struct co_timer *t)
{
	co_event_set(&t->stopped);
	co_counter_wait_shielded(&t->runner.running);
	t->local.end = NULL; /* is_running() */
	return co_batch_join(&t->runner);
}

/* Cancel a call that waits for an object of this coroutine. A lost hart has both coroutines. */
static void end_timer(struct co_local *l, struct co *of, enum co_cleanup_why why)
{
	struct co_timer *t = co_container_of(l, struct co_timer, local);

	(void)of;
	if (why == CO_CLEANUP_HOST_DOWN)
		return;
	co_batch_cancel(&t->runner);
	(void)!stop(t);
}

/* Memory that was never a timer's may hold anything, but not both of these. */
static bool is_running(const struct co_timer *t)
{
	return t->local.key == &key && t->local.end == end_timer;
}

int co_timer_start(struct co_timer *t, const struct co_attr *attr, uint64_t when,
		   uint64_t period_us, co_timer_fn *fn, void *arg)
{
	struct co_attr own = attr ? *attr : (struct co_attr){ .name = NULL };
	int r;

	CO_ASSERT_THAT(fn, "a timer is given a function to call");
	CO_ASSERT_THAT(!is_running(t), "a timer that is started was stopped before, if it ran");
	if (own.on && own.on != CO_ON_HART(co_hart()))
		return -EINVAL;
	own.on = CO_ON_HART(co_hart());
	own.name = own.name ? own.name : "timer";
	*t = (struct co_timer){ .fn = fn, .arg = arg, .next = when, .period = co_ticks(period_us) };
	r = co_batch_spawn(&t->runner, &own, run_timer, t, NULL);
	if (r == 0)
		co_local_add(&t->local, &key, end_timer);
	return r;
}

int co_timer_stop(struct co_timer *t)
{
	CO_ASSERT_THAT(co_cleanup_remove(&t->local.cleanup),
		       "the caller has started the timer, and has not stopped it");
	return stop(t);
}
