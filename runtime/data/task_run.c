/*
 * task_run.c - a worker on each compute hart, until all tasks are done.
 *
 * A worker that ends in a task, by a fault or with its hart, hands the task back; on a hart that
 * lives another worker takes its place at once. When all have ended and there is something to be
 * tried again, there is another round.
 */
#include <errno.h>

#include "task.h"

static intptr_t work(void *arg);

static int start_worker(struct co_tasks *t, unsigned hart)
{
	const struct co_attr attr = { .name = "tasks", .on = CO_ON_HART(hart) };

	return co_batch_spawn(&t->workers, &attr, work, &t->seats[hart], NULL);
}

/* It ends before there are no more tasks. */
static void worker_died(struct co *c, int why)
{
	struct co_task_seat *seat = c->at_end_arg;
	long task = seat->held;

	if (task < 0)
		return;
	seat->held = -1;
	if (!co_task_in(seat->tasks->done, task))
		(void)co_task_failed(seat->tasks, task);
	/* If there is no room, the others do what is left, in another round if need be. */
	if (why != -EHOSTDOWN)
		(void)!start_worker(seat->tasks, c->hart);
}

static intptr_t work(void *arg)
{
	struct co *me = co_executor.current;
	struct co_task_seat *seat = arg;
	struct co_tasks *t = seat->tasks;

	seat->held = -1;
	me->at_end = worker_died;
	me->at_end_arg = seat;
	me->quirks |= CO_QUIRK_AT_END;
	while (!co_atomic_load(&t->stop, CO_RELAXED)) { /* a hint, as in loops */
		long task = co_task_next(t);
		int r;

		if (task < 0)
			break;
		seat->held = task;
		r = t->body(t->arg, task);
		if (r == 0)
			co_task_done(t, task);
		else
			(void)co_task_failed(t, task);
		seat->held = -1;
	}
	me->quirks &= (uint8_t)~CO_QUIRK_AT_END;
	return 0;
}

/* A worker on each compute hart. @return how many there are */
static unsigned start_round(struct co_tasks *t)
{
	unsigned n = 0;

	for (unsigned hart = 0; hart < co_machine.harts; hart++) {
		if (!(co_hart_role(hart) & CO_ROLE_COMPUTE))
			continue;
		t->seats[hart].tasks = t;
		n += start_worker(t, hart) == 0;
	}
	return n;
}

/*
 * Nobody works: what is not done, nor to be tried again, nor given up, was in the hands of one who
 * did not come to say so.
 */
static void find_lost(struct co_tasks *t)
{
	for (long task = 0; task < t->total; task++) {
		if (!co_task_in(t->done, task) && !co_task_in(t->again, task) &&
		    !co_task_in(t->saved, task))
			(void)co_task_failed(t, task);
	}
}

int co_tasks_run(struct co_tasks *t, int (*body)(void *arg, long task), void *arg)
{
	bool canceled = false;

	CO_ASSERT(t && body && t->words);
	t->body = body;
	t->arg = arg;
	co_atomic_store(&t->stop, 0, CO_RELAXED); /* the spawns publish it */
	do {
		if (!start_round(t))
			return -EAGAIN;
		/* -EFAULT, -EHOSTDOWN: of workers, whose tasks are others' by now. */
		canceled = co_batch_join(&t->workers) == -ECANCELED;
		if (canceled) {
			co_atomic_store(&t->stop, 1, CO_RELAXED);
			co_counter_wait_shielded(&t->workers.running);
		} else if (co_tasks_done(t) < t->total) {
			find_lost(t);
		}
		/* acquire: pairs with co_task_failed(). */
	} while (!canceled && co_atomic_load(&t->to_repeat, CO_ACQUIRE));
	if (t->file)
		co_task_file_catch_up(t);
	if (co_tasks_done(t) == t->total)
		return 0;
	return canceled ? -ECANCELED : -EIO;
}
