/*
 * task_file.c - what is finished, written down: a clerk looks now and then which tasks are done and
 * not written down yet, and appends them, runs of neighbours as one record.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

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
	unsigned char record[AT_ONCE][CO_TASK_LOG_RECORD];
};

static void write_page(struct co_tasks *t, struct page *p)
{
	size_t n = p->n * (size_t)CO_TASK_LOG_RECORD;

	p->n = 0;
	if (!n || t->error)
		return;
	errno = 0;
	if (fwrite(p->record, 1, n, t->stream) != n || fflush(t->stream) != 0) {
		t->error = errno ? -errno : -EIO;
		fprintf(stderr,
			"cohart: %s: cannot be written (error %d): what is finished from "
			"here on is not written down\n",
			t->file, -t->error);
	}
}

static void put(struct co_tasks *t, struct page *p, long first, long count)
{
	struct co_task_log log = log_of(t);

	co_task_log_put(&log, t->records++, (uint32_t)first, (uint32_t)count, p->record[p->n++]);
	if (p->n == AT_ONCE)
		write_page(t, p);
}

/* Done, and not written down yet, of a word of tasks; they are from here on. */
static uintptr_t finished(struct co_tasks *t, size_t w)
{
	/* acquire: pairs with co_task_done(). */
	uintptr_t now = co_atomic_load(&t->done[w], CO_ACQUIRE);

	now &= ~co_atomic_load(&t->saved[w], CO_RELAXED);
	if (now)
		co_atomic_or(&t->saved[w], now, CO_RELAXED);
	return now;
}

static void write_down(struct co_tasks *t, struct page *p)
{
	long first = 0;
	long count = 0;

	for (size_t w = 0; w < t->words; w++) {
		uintptr_t now = finished(t, w);

		if (!now && !count)
			continue;
		for (unsigned b = 0; b < CO_WORD_BITS; b++) {
			long task = (long)(w * CO_WORD_BITS + b);

			if (!(now >> b & 1)) {
				if (count)
					put(t, p, first, count);
				count = 0;
				continue;
			}
			if (!count)
				first = task;
			count++;
		}
	}
	if (count)
		put(t, p, first, count);
	write_page(t, p);
}

void co_task_file_catch_up(struct co_tasks *t)
{
	static struct page page; /* the lock is for it and the stream */
	static struct co_mutex one_writes;

	int r;

	/* A cancel does not spare it; who died in it may have left a page. */
	while ((r = co_mutex_lock(&one_writes)) && r != -EOWNERDEAD)
		co_yield();
	page.n = 0;
	write_down(t, &page);
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

	if (fread(bytes, 1, CO_TASK_LOG_HEAD, f) != CO_TASK_LOG_HEAD)
		return ferror(f) ? -EIO : 0;
	if (co_task_log_open(&log, bytes)) {
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
	return CO_TASK_LOG_HEAD + (long)t->records * CO_TASK_LOG_RECORD;
}

static int begin_file(struct co_tasks *t)
{
	unsigned char head[CO_TASK_LOG_HEAD];
	struct co_task_log log = log_of(t);
	FILE *f = fopen(t->file, "wb");

	if (!f)
		return errno ? -errno : -EIO;
	co_task_log_begin(&log, head);
	t->sum = log.sum;
	t->records = 0;
	t->stream = f;
	if (fwrite(head, 1, sizeof(head), f) == sizeof(head) && fflush(f) == 0)
		return 0;
	fclose(f);
	t->stream = NULL;
	return -EIO;
}

/* Go on after the last whole record: what is there is written over. */
static int go_on(struct co_tasks *t, long at)
{
	FILE *f = fopen(t->file, "r+b");

	if (!f)
		return errno ? -errno : -EIO;
	if (fseek(f, at, SEEK_SET) != 0) {
		fclose(f);
		return -EIO;
	}
	t->stream = f;
	return 0;
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

static intptr_t serve(void *arg)
{
	struct co_tasks *t = arg;
	uint64_t write_us = t->stream && t->interval_us ? t->interval_us : UINT64_MAX;
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
	FILE *f;

	errno = 0;
	f = fopen(t->file, "rb");
	if (f) {
		at = read_file(t, f);
		fclose(f);
	} else if (errno != ENOENT) {
		return errno ? -errno : -EIO;
	}
	if (at < 0)
		return (int)at;
	return at ? go_on(t, at) : begin_file(t);
}

int co_task_file_open(struct co_tasks *t)
{
	const struct co_attr attr = { .name = "clerk of tasks", .on = CO_ON_HART(co_hart()) };
	int r = t->file ? open_file(t) : 0;

	if (r || !((t->stream && t->interval_us) || t->progress_us))
		return r;
	r = co_spawn(&t->clerk, &attr, serve, t);
	if (r && t->stream)
		fclose(t->stream);
	if (r)
		t->stream = NULL;
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
	if (!t->stream)
		return t->error;
	co_task_file_catch_up(t);
	if (fclose(t->stream) != 0 && !t->error)
		t->error = errno ? -errno : -EIO;
	t->stream = NULL;
	return t->error;
}
