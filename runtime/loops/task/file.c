/* file.c - the checkpoint writer: it appends finished tasks to the file from time to time. */
#include <stdio.h>

#include <cohart/sync.h>

#include "log.h"
#include "task.h"

#define AT_ONCE 64 /* most records in one write */

static struct co_task_log log_of(const struct co_tasks *t)
{
	return (struct co_task_log){ .total = (uint32_t)t->total, .tag = t->tag, .sum = t->sum };
}

/* Mark tasks as being in the file. */
static void set_written(struct co_tasks *t, long first, long count)
{
	/* relaxed: only the writer reads it, under the lock. */
	for (long task = first; task < first + count; task++)
		co_atomic_or(co_task_word(t, task),
			     co_task_mask(task, CO_TASK_DONE | CO_TASK_WRITTEN), CO_RELAXED);
}

/* ---- Writing ---- */

/* Records to be written; static, since there is one writer at a time and stacks are small. */
struct page {
	unsigned n;
	struct run {
		long first, count;
	} run[AT_ONCE];
	unsigned char record[AT_ONCE][CO_TASK_LOG_RECORD];
};

static long end_of(const struct co_tasks *t)
{
	return CO_TASK_LOG_HEAD + (long)t->records * CO_TASK_LOG_RECORD;
}

/* errno is EIO first, since not every failing call of the C library sets it. */
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

/* Seek to the next record's place; bytes that lie there are overwritten. */
static int append_to(struct co_tasks *t, FILE *f)
{
	if (!f)
		return -errno;
	if (fseek(f, end_of(t), SEEK_SET) != 0) {
		fclose(f);
		return -EIO;
	}
	t->stream = f;
	return 0;
}

/* After an error: the next write opens the file again, after its last whole record. */
static void close_stream(struct co_tasks *t)
{
	FILE *f = t->stream;

	t->stream = NULL;
	if (f)
		fclose(f);
}

/* Returns 0, or an error: then the tasks of the page are not in the file yet. */
static int write_page(struct co_tasks *t, struct page *p)
{
	size_t bytes = p->n * (size_t)CO_TASK_LOG_RECORD;
	int r = 0;

	if (!bytes)
		return 0;
	if (!t->stream)
		r = append_to(t, open_as(t, "r+b"));
	if (r == 0)
		r = write_out(t->stream, p->record, bytes);
	if (r) {
		close_stream(t);
		return r;
	}
	t->records += p->n; /* first, since a task in the file twice does no harm */
	for (unsigned i = 0; i < p->n; i++)
		set_written(t, p->run[i].first, p->run[i].count);
	p->n = 0;
	return 0;
}

static int add_run(struct co_tasks *t, struct page *p, long first, long count)
{
	struct co_task_log log = log_of(t);

	p->run[p->n] = (struct run){ first, count };
	co_task_log_put(&log, t->records + p->n, (uint32_t)first, (uint32_t)count, p->record[p->n]);
	return ++p->n == AT_ONCE ? write_page(t, p) : 0;
}

static int write_down(struct co_tasks *t, struct page *p)
{
	long first = 0, count = 0;
	int r;

	for (size_t w = 0; w < t->words; w++) {
		/* acquire: pairs with co_task_done(). */
		uintptr_t word = co_atomic_load(&t->state[w], CO_ACQUIRE);
		/* DONE where WRITTEN, which is the bit above it, is not set. */
		uintptr_t now = word & CO_TASKS_ALL(CO_TASK_DONE) & ~(word >> 1);

		if (!now && !count)
			continue;
		for (long i = 0; i < (long)CO_TASKS_A_WORD; i++) {
			if (now & co_task_mask(i, CO_TASK_DONE)) {
				if (!count++)
					first = (long)(w * CO_TASKS_A_WORD) + i;
			} else if (count) {
				r = add_run(t, p, first, count);
				if (r)
					return r;
				count = 0;
			}
		}
	}
	r = count ? add_run(t, p, first, count) : 0;
	return r ? r : write_page(t, p);
}

/* Report the first error, and that the run goes on. */
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
	static struct co_mutex one_writes; /* guards the records and the streams */
	static struct page page;
	static struct co_tasks *whose;
	int r;

	/* Even if cancelled. */
	while ((r = co_mutex_lock(&one_writes)) && r != -EOWNERDEAD)
		co_pause();
	if (whose)
		close_stream(whose); /* the last writer has faulted, maybe inside a record */
	whose = t;
	page.n = 0;
	note_error(t, write_down(t, &page));
	whose = NULL;
	co_mutex_unlock(&one_writes);
}

/* ---- Reading ---- */

/* Returns 0; 1: there is no head; or an error. */
static int read_file(struct co_tasks *t, FILE *f)
{
	unsigned char bytes[CO_TASK_LOG_HEAD];
	struct co_task_log log;
	uint32_t first, count;
	size_t n = fread(bytes, 1, CO_TASK_LOG_HEAD, f);

	if (n < CO_TASK_LOG_HEAD && ferror(f))
		return -EIO;
	if (n < CO_TASK_LOG_HEAD && co_task_log_begins(bytes, n))
		return 1;
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
		set_written(t, (long)first, (long)count);
		t->records++;
	}
	return ferror(f) ? -EIO : 0; /* whole records may follow, so do not overwrite */
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
		close_stream(t);
	return r;
}

/* ---- The checkpoint writer ---- */

static void print_progress(struct co_tasks *t)
{
	long done = co_tasks_done(t);

	fprintf(stderr,
		"tasks: %ld of %ld done (%ld %%), %ld of them in earlier runs, %lu to be tried again\n",
		done, t->total, done * 100 / t->total, t->resumed,
		(unsigned long)co_atomic_load(&t->to_repeat, CO_RELAXED));
}

/* How often it writes; 0: never. */
static uint64_t interval_of(const struct co_tasks *t)
{
	return t->file ? t->interval_us : 0;
}

static intptr_t write_checkpoints(void *arg)
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
			print_progress(t);
			next_tell = co_after_us(tell_us);
		}
	}
	return 0;
}

/* Read the file, if there is one, and open it for more. */
static int open_file(struct co_tasks *t)
{
	FILE *f = open_as(t, "r+b");
	int r;

	if (!f)
		return errno == ENOENT ? begin_file(t) : -errno;
	r = read_file(t, f);
	t->resumed = co_tasks_done(t);
	if (r == 0)
		return append_to(t, f);
	fclose(f);
	return r < 0 ? r : begin_file(t);
}

static const char key;

static void stop_writer(struct co_tasks *t)
{
	co_cancel(t->writer);
	while (co_join(t->writer, NULL) == -ECANCELED)
		co_pause(); /* it is about to end */
	t->writer = NULL;
}

/* Who opened the tasks ends. A lost hart has both coroutines. */
static void end_writer(struct co_local *l, struct co *of, enum co_cleanup_why why)
{
	(void)of;
	if (why != CO_CLEANUP_HOST_DOWN)
		stop_writer(co_container_of(l, struct co_tasks, local));
}

int co_task_file_open(struct co_tasks *t)
{
	const struct co_attr attr = { .name = "checkpoint writer", .on = CO_ON_HART(co_hart()) };
	int r = t->file ? open_file(t) : 0;

	if (r || !(interval_of(t) || t->progress_us))
		return r;
	r = co_spawn(&t->writer, &attr, write_checkpoints, t);
	if (r)
		close_stream(t);
	else
		co_local_add(&t->local, &key, end_writer);
	return r;
}

int co_tasks_close(struct co_tasks *t)
{
	CO_ASSERT_THAT(t && t->words, "co_tasks_close() is given tasks that are open");
	if (t->writer) {
		CO_ASSERT_THAT(co_cleanup_remove(&t->local.cleanup),
			       "tasks with a file or progress lines are closed by who opened them");
		stop_writer(t);
	}
	if (!t->file)
		return 0;
	co_task_file_catch_up(t);
	errno = EIO; /* as in open_as() */
	if (t->stream && fclose(t->stream) != 0)
		t->error = -errno; /* after an earlier error the stream is closed */
	t->stream = NULL;
	return t->error;
}
