/*
 * task_file.c - what is finished, written down: a clerk looks now and then which tasks are done and
 * not written down yet, and appends them, runs of neighbours as one record.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <cohart/mutex.h>

#include "task.h"
#include "task_log.h"

#define AT_ONCE 64 /* records that are written together */

static struct co_task_log log_of(const struct co_tasks *t)
{
	return (struct co_task_log){ .total = (uint32_t)t->total, .tag = t->tag, .sum = t->sum };
}

/* ---- Writing ---- */

/* Records that are about to be written; static: one writes at a time, and stacks are small. */
struct page {
	unsigned n;
	struct run {
		uint32_t first, count;
	} run[AT_ONCE];
	unsigned char record[AT_ONCE][CO_TASK_LOG_RECORD];
};

static long end_of(const struct co_tasks *t)
{
	return CO_TASK_LOG_HEAD + (long)t->records * CO_TASK_LOG_RECORD;
}

/* Calls of the C library's that fail do not all say why: -errno tells, and is never 0. */
static FILE *open_as(const struct co_tasks *t, const char *mode)
{
	errno = EIO;
	return fopen(t->file, mode);
}

static int write_out(FILE *f, const void *bytes, size_t n)
{
	errno = EIO;
	if (fwrite(bytes, 1, n, f) != n)
		return -errno;
	return fflush(f) == 0 ? 0 : -errno;
}

/* Open it where the next record goes: what is there is written over. */
static int go_on(struct co_tasks *t)
{
	FILE *f = open_as(t, "r+b");

	if (!f)
		return -errno;
	if (fseek(f, end_of(t), SEEK_SET) != 0) {
		fclose(f);
		return -EIO;
	}
	t->stream = f;
	return 0;
}

/* Nobody knows what has got into the file: the next writer opens it where whole records end. */
static void let_go(struct co_tasks *t)
{
	FILE *f = t->stream;

	t->stream = NULL;
	if (f)
		fclose(f);
}

/* @return 0; an error: the tasks of the page are still to be written down */
static int write_page(struct co_tasks *t, struct page *p)
{
	size_t bytes = p->n * (size_t)CO_TASK_LOG_RECORD;
	int r = 0;

	if (!bytes)
		return 0;
	if (!t->stream)
		r = go_on(t);
	if (r == 0)
		r = write_out(t->stream, p->record, bytes);
	if (r) {
		let_go(t);
		return r;
	}
	t->records += p->n; /* first: tasks that are there twice do no harm */
	for (unsigned i = 0; i < p->n; i++) {
		for (uint32_t task = 0; task < p->run[i].count; task++) {
			long which = (long)p->run[i].first + (long)task;

			/* relaxed: who writes looks, under the lock. */
			co_atomic_or(&t->saved[co_task_word(which)], co_task_bit(which),
				     CO_RELAXED);
		}
	}
	p->n = 0;
	return 0;
}

static int put(struct co_tasks *t, struct page *p, long first, long count)
{
	struct co_task_log log = log_of(t);

	p->run[p->n] = (struct run){ (uint32_t)first, (uint32_t)count };
	co_task_log_put(&log, t->records + p->n, (uint32_t)first, (uint32_t)count, p->record[p->n]);
	return ++p->n == AT_ONCE ? write_page(t, p) : 0;
}

/* Done, and not written down yet, of a word of tasks. */
static uintptr_t finished(const struct co_tasks *t, size_t w)
{
	/* acquire: pairs with co_task_done(). */
	return co_atomic_load(&t->done[w], CO_ACQUIRE) & ~co_atomic_load(&t->saved[w], CO_RELAXED);
}

static int write_down(struct co_tasks *t, struct page *p)
{
	long first = 0;
	long count = 0;
	int r;

	for (size_t w = 0; w < t->words; w++) {
		uintptr_t now = finished(t, w);

		if (!now && !count)
			continue;
		for (unsigned b = 0; b < CO_WORD_BITS; b++) {
			if (now >> b & 1) {
				if (!count++)
					first = (long)(w * CO_WORD_BITS + b);
			} else if (count) {
				r = put(t, p, first, count);
				if (r)
					return r;
				count = 0;
			}
		}
	}
	r = count ? put(t, p, first, count) : 0;
	return r ? r : write_page(t, p);
}

/* The first error is said, and that it goes on. */
static void note_error(struct co_tasks *t, int error)
{
	if (error && !t->error)
		fprintf(stderr,
			"cohart: %s: cannot be written (error %d): what is finished is not "
			"written down until it can be\n",
			t->file, -error);
	if (!error && t->error)
		fprintf(stderr, "cohart: %s: can be written again\n", t->file);
	t->error = error;
}

void co_task_file_catch_up(struct co_tasks *t)
{
	static struct page page; /* the lock is for it, the streams, */
	static struct co_tasks *whose;
	static struct co_mutex one_writes;

	int r;

	/* A cancel does not spare it. */
	while ((r = co_mutex_lock(&one_writes)) && r != -EOWNERDEAD)
		co_yield();
	if (whose)
		let_go(whose); /* a fault has ended who wrote: maybe in the middle of a record */
	whose = t;
	page.n = 0;
	note_error(t, write_down(t, &page));
	whose = NULL;
	co_mutex_unlock(&one_writes);
}

/* ---- Reading ---- */

/* Take down what a record says. @return tasks that no record before it had */
static long note(struct co_tasks *t, uint32_t first, uint32_t count)
{
	long new = 0;

	for (long task = (long)first; task < (long)first + (long)count; task++) {
		size_t w = co_task_word(task);

		new += !co_task_in(t->done, task);
		co_atomic_or(&t->done[w], co_task_bit(task), CO_RELAXED);
		co_atomic_or(&t->saved[w], co_task_bit(task), CO_RELAXED);
	}
	return new;
}

/* @return where the next record goes; 0: there is not even a head; an error */
static long read_file(struct co_tasks *t, FILE *f)
{
	unsigned char bytes[CO_TASK_LOG_HEAD];
	struct co_task_log log;
	uint32_t first, count;
	size_t n = fread(bytes, 1, CO_TASK_LOG_HEAD, f);

	if (n < CO_TASK_LOG_HEAD && ferror(f))
		return -EIO;
	if (n < CO_TASK_LOG_HEAD && co_task_log_begins(bytes, n))
		return 0;
	if (n < CO_TASK_LOG_HEAD || co_task_log_open(&log, bytes)) {
		fprintf(stderr,
			"cohart: %s: this is no file of finished tasks: give another name\n",
			t->file);
		return -EBADMSG;
	}
	if (log.total != (uint32_t)t->total || log.tag != t->tag) {
		fprintf(stderr,
			"cohart: %s: of %lu tasks with the tag %lu, not of %ld with %lu: remove it "
			"to begin anew\n",
			t->file, (unsigned long)log.total, (unsigned long)log.tag, t->total,
			(unsigned long)t->tag);
		return -EINVAL;
	}
	t->sum = log.sum;
	t->records = 0;
	while (fread(bytes, 1, CO_TASK_LOG_RECORD, f) == CO_TASK_LOG_RECORD &&
	       co_task_log_get(&log, t->records, bytes, &first, &count) == 0) {
		t->resumed += note(t, first, count);
		t->records++;
	}
	if (ferror(f))
		return -EIO; /* what could not be read may be whole: it is not written over */
	return end_of(t);
}

static int begin_file(struct co_tasks *t)
{
	unsigned char head[CO_TASK_LOG_HEAD];
	struct co_task_log log = log_of(t);
	FILE *f = open_as(t, "wb");
	int r;

	if (!f)
		return -errno;
	co_task_log_begin(&log, head);
	t->sum = log.sum;
	t->records = 0;
	t->stream = f;
	r = write_out(f, head, sizeof(head));
	if (r)
		let_go(t);
	return r;
}

/* ---- The clerk ---- */

static void tell(struct co_tasks *t)
{
	long done = co_tasks_done(t);

	fprintf(stderr,
		"tasks: %ld of %ld done (%ld %%), %ld of them in earlier runs, %lu to be "
		"tried again\n",
		done, t->total, done * 100 / t->total, t->resumed,
		(unsigned long)co_atomic_load(&t->to_repeat, CO_RELAXED));
}

/* How often the clerk writes; 0: never. */
static uint64_t interval_of(const struct co_tasks *t)
{
	return t->file ? t->interval_us : 0;
}

static intptr_t serve(void *arg)
{
	struct co_tasks *t = arg;
	uint64_t write_us = interval_of(t) ? interval_of(t) : UINT64_MAX;
	uint64_t tell_us = t->progress_us ? t->progress_us : UINT64_MAX;
	uint64_t next_write = co_after_us(write_us);
	uint64_t next_tell = co_after_us(tell_us);

	while (co_sleep_until(next_write < next_tell ? next_write : next_tell) == 0) {
		uint64_t now = co_now();

		if (now >= next_write) {
			co_task_file_catch_up(t);
			next_write = co_after_us(write_us);
		}
		if (now >= next_tell) {
			tell(t);
			next_tell = co_after_us(tell_us);
		}
	}
	return 0;
}

/* Read the file, if there is one, and open it for more. */
static int open_file(struct co_tasks *t)
{
	long at = 0;
	FILE *f = open_as(t, "rb");

	if (f) {
		at = read_file(t, f);
		fclose(f);
	} else if (errno != ENOENT) {
		return -errno;
	}
	if (at < 0)
		return (int)at;
	return at ? go_on(t) : begin_file(t);
}

int co_task_file_open(struct co_tasks *t)
{
	const struct co_attr attr = { .name = "clerk of tasks", .on = CO_ON_HART(co_hart()) };
	int r = t->file ? open_file(t) : 0;

	if (r || !(interval_of(t) || t->progress_us))
		return r;
	r = co_spawn(&t->clerk, &attr, serve, t);
	if (r)
		let_go(t);
	return r;
}

int co_tasks_close(struct co_tasks *t)
{
	CO_ASSERT(t && t->words);
	if (t->clerk) {
		co_cancel(t->clerk);
		while (co_join(t->clerk, NULL) == -ECANCELED)
			co_yield(); /* it is about to end */
		t->clerk = NULL;
	}
	if (!t->file)
		return 0;
	co_task_file_catch_up(t);
	errno = EIO; /* as in open_as() */
	if (t->stream && fclose(t->stream) != 0)
		t->error = -errno; /* the first one: else it was let go of */
	t->stream = NULL;
	return t->error;
}
