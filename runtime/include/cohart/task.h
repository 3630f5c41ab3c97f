/*
 * task.h - hands task numbers to free workers, until none is left; a file records finished tasks.
 *
 * Example
 *	static int photon(void *arg, long task) { ... return 0; }
 *
 *	static struct co_tasks t = { .total = 100000, .file = "photons.tasks" };
 *	t.memory = malloc(co_tasks_bytes(t.total));
 *	int r = co_tasks_open(&t);          // finished tasks of the file are not done again
 *	if (r == 0)
 *		r = co_tasks_run(&t, photon, NULL);
 *	...	co_tasks_close(&t);
 *
 * or, in coroutines of one's own on any hart, instead of co_tasks_run():
 *
 *	while ((task = co_task_next(&t)) >= 0) {
 *		...
 *		co_task_done(&t, task);
 *	}
 *
 * (A task whose coroutine does not come back is done by a later co_tasks_run().)
 *
 * Each group has a pool of numbers, that fetches the next ones from the common pool before it is
 * empty; a hart whose group's pool is empty takes from another's. A number costs an atomic add.
 *
 * The file is appended to, in records with a checksum: a run that is killed, at any moment, leaves
 * a file from which the next run goes on. Tasks that were finished in the last `interval_us` are
 * done once more; with an interval of 0 a task is in the file when co_task_done() returns. When the
 * file cannot be written, stderr says so once, and each later look tries again.
 *
 * A task of co_tasks_run() whose coroutine a fault has ended, whose hart was lost, or whose body
 * returned an error is handed out again, CO_TASK_TRIES times in all; then it is given up.
 *
 * Context: coroutine, for every function that does not say otherwise. Source: seed E6.
 */
#ifndef COHART_TASK_H
#define COHART_TASK_H

#include <cohart/detail/base.h>
#include <cohart/parallel.h>

CO_BEGIN_C
#define CO_TASK_TRIES 3
#define CO_TASKS_MAX 0x1000000 /* in all */

struct co_task_pool;
struct co_task_worker;

/* Shared memory (asserted). Zero-filled is a good start. */
struct co_tasks {
	long total;           /* 1..CO_TASKS_MAX: tasks 0 to total - 1 */
	void *memory;         /* co_tasks_bytes(total), shared, aligned as malloc()'s */
	const char *file;     /* NULL: nothing is written down */
	uint32_t tag;         /* of the program's own: a file with another one is refused */
	uint64_t interval_us; /* between looks for tasks to write down; 0: at once */
	uint64_t progress_us; /* between lines that say how far it is, on stderr; 0: none */
	unsigned chunk;       /* numbers that a pool fetches at a time; 0: chosen */
	/* Which harts co_tasks_run() has workers on, each once. */
	struct co_scope scope;

	uint32_t words;         /* from here on the runtime's */
	struct co_aword *state; /* four bits a task */
	struct co_task_pool *pools;
	struct co_task_worker *workers; /* by member of the loop */
	struct co_aword next;           /* chunk that no pool has */
	struct co_a32 to_repeat;        /* tasks that wait to be tried again */
	unsigned each;                  /* numbers of a chunk */
	size_t chunks;                  /* number of chunks */
	long resumed;
	void *stream; /* FILE *; NULL: opened when something is to be written */
	uint32_t records, sum;
	int error;             /* of the last try to write the file */
	struct co *writer;     /* writes the file every interval_us */
	struct co_local local; /* of the opener: ends the writer */
	int (*body)(void *arg, long task);
	void *arg;
	struct co_parallel loop; /* the workers */
};

/* Bytes of memory for `total` tasks on this machine. Context: any. */
size_t co_tasks_bytes(long total);

/*
 * Begin, or go on from where the file says. Tasks can be had from here on.
 * @return 0; -EINVAL: total or memory makes no sense, or the file is of other tasks (another total
 *         or tag); -EBADMSG: it is no task log; stderr says which of these is wrong with the file;
 *         an error of fopen() (-ENOENT, -EIO, ...); -ENOBUFS: no free coroutine for the file.
 */
CO_MUST_CHECK int co_tasks_open(struct co_tasks *t);

/*
 * Do them all: body(arg, task) on every hart of t->scope. The body returns 0, or an error: it could
 * not do the task; other harts go on meanwhile. After a fault in it they end the tasks that they
 * are at, then all begin anew with the rest.
 * @return 0: all are done; -EIO: some were given up; -EINVAL: the scope has no hart, one twice, or
 * one that does not exist; -ENOBUFS: a hart has no coroutine to spare, or all of the scope are
 * lost; -ECANCELED: this coroutine was cancelled. After -ENOBUFS and -ECANCELED tasks that had
 * begun are done, the rest is not.
 */
CO_MUST_CHECK int co_tasks_run(struct co_tasks *t, int (*body)(void *arg, long task), void *arg);

/*
 * @return a task that is new, or that is to be tried again; negative: none is left.
 * Cost: an atomic add as a rule.
 */
long co_task_next(struct co_tasks *t);

/*
 * A task that was handed out is done. Not twice, and there is one of that number (asserted).
 * Order: release; with the file's record.
 */
void co_task_done(struct co_tasks *t, long task);

/*
 * A task that was handed out could not be done: let it be tried again. It is not done, nor given
 * back (asserted). @return false: it was tried CO_TASK_TRIES times
 */
bool co_task_failed(struct co_tasks *t, long task);

/* The first task after `after` (-1: of all; asserted) that was given up; negative: none. */
long co_task_given_up(const struct co_tasks *t, long after);

/* Number of tasks that are done, in earlier runs too. Cost: a look at total / 16 words. */
long co_tasks_done(const struct co_tasks *t);

/*
 * Record the finished tasks, and close the file. No task may be in work any more.
 * Context: with interval_us or progress_us, the coroutine that opened the tasks (asserted); any
 * coroutine after its end.
 * @return 0: all finished tasks are in it; why it could not be written: -EIO, -ENOSPC, ...
 */
CO_MUST_CHECK int co_tasks_close(struct co_tasks *t);
CO_END_C
#endif
