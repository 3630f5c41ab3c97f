/*
 * task.h - the state of tasks, and pools of their numbers. task.c hands tasks out and runs them,
 * file.c writes down which are done, log.c knows the format of that file.
 */
#ifndef COHART_LOOPS_TASK_H
#define COHART_LOOPS_TASK_H

#include <cohart/task.h>

#include "../../core/core.h"

/*
 * A task's state is four bits of co_tasks.state; 0: it has not failed, and may not have been begun.
 * Only the coroutine that has the task changes it, but for CO_TASK_AGAIN, which is taken out by the
 * worker that gets the task, and CO_TASK_WRITTEN.
 */
#define CO_TASK_FAILURES 3u /* number of failures; at CO_TASK_TRIES it is given up */
#define CO_TASK_DONE 4u
#define CO_TASK_AGAIN 8u   /* not done: it is to be tried again */
#define CO_TASK_WRITTEN 8u /* done: it is in the file */
_Static_assert(CO_TASK_TRIES == CO_TASK_FAILURES, "failures are counted in two bits");

#define CO_TASK_BITS 4u
#define CO_TASKS_A_WORD (CO_WORD_BITS / CO_TASK_BITS)
/* These bits for all tasks of a word. */
#define CO_TASKS_ALL(bits) (UINTPTR_MAX / 15 * (bits))

static inline struct co_aword *co_task_word(const struct co_tasks *t, long task)
{
	return &t->state[(size_t)task / CO_TASKS_A_WORD];
}

/* These bits for one task, at its place in the word. */
static inline uintptr_t co_task_mask(long task, unsigned bits)
{
	return (uintptr_t)bits << (size_t)task % CO_TASKS_A_WORD * CO_TASK_BITS;
}

/* relaxed: for the coroutine that has the task, or for counts. */
static inline unsigned co_task_state(const struct co_tasks *t, long task)
{
	uintptr_t word = co_atomic_load(co_task_word(t, task), CO_RELAXED);

	return word >> (size_t)task % CO_TASKS_A_WORD * CO_TASK_BITS & 15;
}

/*
 * A group's numbers: a chunk's, from `offset` on. The word has both, so a single add takes a
 * number. The taker of the number after the chunk's last brings the next chunk.
 */
struct co_task_pool {
	alignas(CO_LINE) struct co_aword word; /* chunk << HALF | offset */
	struct co_aword ahead;                 /* the next chunk + 1; 0: not here yet */
};

/* A worker of co_tasks_run(). */
struct co_task_worker {
	alignas(CO_LINE) long held; /* the task it has; -1: none */
};

/* file.c: read the file, if there is one, and begin to write. Returns as co_tasks_open(). */
int co_task_file_open(struct co_tasks *t);
/* Write finished tasks that are not in the file yet. */
void co_task_file_catch_up(struct co_tasks *t);

#endif
