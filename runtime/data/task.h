/*
 * task.h - the parts of tasks: numbers (task.c), the file (task_file.c), who does them
 * (task_run.c).
 */
#ifndef COHART_DATA_TASK_H
#define COHART_DATA_TASK_H

#include <cohart/task.h>

#include "../core/core.h"

/*
 * A group's numbers: those of a chunk from `offset` on. The word has both, so that one add takes a
 * number; who takes the one after the last brings the next chunk.
 */
struct co_task_pool {
	alignas(CO_LINE) struct co_aword word; /* chunk << HALF | offset */
	struct co_aword ahead;                 /* the next chunk + 1; 0: it is not here yet */
	struct co_a32 fetching;                /* somebody brings that */
};

/* What a worker of co_tasks_run() is at; read by others when its hart is lost. */
struct co_task_seat {
	alignas(CO_LINE) struct co_tasks *tasks;
	long held; /* -1: none */
};

/* A set of tasks is a bit each. */
static inline uintptr_t co_task_bit(long task)
{
	return (uintptr_t)1 << (unsigned long)task % CO_WORD_BITS;
}

static inline size_t co_task_word(long task)
{
	return (size_t)task / CO_WORD_BITS;
}

/* Is it one of them? relaxed: for who has handed it out, or counts. */
static inline bool co_task_in(const struct co_aword *set, long task)
{
	return co_atomic_load(&set[co_task_word(task)], CO_RELAXED) & co_task_bit(task);
}

/* task_file.c: read what is there and begin to write. @return as co_tasks_open() */
int co_task_file_open(struct co_tasks *t);
/* Write down what is finished and not written yet. */
void co_task_file_catch_up(struct co_tasks *t);

#endif
