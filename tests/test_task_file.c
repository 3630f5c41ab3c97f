/*
 * test_task_file.c - the file of finished tasks: what is no such file is refused, what is damaged
 * is gone on from where it is whole, and what cannot be written down is when it can be.
 */
#include "../runtime/core/core.h"
#include "../runtime/loops/task/log.h"
#include "../runtime/loops/task/task.h"
#include "files.h"

#define TOTAL 192 /* whole words of tasks */
#define TAG 77

static struct co_tasks t;
static struct co_a32 did[TOTAL]; /* how often */
static void *memory;

static void set_up(void)
{
	if (!memory)
		memory = malloc(co_tasks_bytes(TOTAL));
	REQUIRE(memory);
	memset(did, 0, sizeof(did));
	t = (struct co_tasks){ .total = TOTAL, .tag = TAG, .memory = memory, .file = file_name() };
}

/* Opened, with a checkpoint writer that does not come before the end. */
static void open_slow(void)
{
	set_up();
	t.interval_us = 60000000;
	REQUIRE_EQ(co_tasks_open(&t), 0);
}

/* The file, with these bytes and no others. */
static void make_file(const void *bytes, size_t n)
{
	FILE *f = fopen(file_name(), "wb");

	REQUIRE(f);
	CHECK_EQ(fwrite(bytes, 1, n, f), n);
	CHECK_EQ(fclose(f), 0);
}

static int work(void *arg, long task)
{
	co_atomic_add(&did[task], 1, CO_RELAXED);
	return 0;
}

/* A run does all that is not done, once, and the next finds it all. */
static void check_goes_on(long done)
{
	long n = 0;

	REQUIRE_EQ(co_tasks_open(&t), 0);
	CHECK_EQ(co_tasks_done(&t), done);
	CHECK_EQ(co_tasks_run(&t, work, NULL), 0);
	CHECK_EQ(co_tasks_close(&t), 0);
	for (unsigned i = 0; i < TOTAL; i++)
		n += co_atomic_load(&did[i], CO_RELAXED);
	CHECK_EQ(n, TOTAL - done);
	REQUIRE_EQ(co_tasks_open(&t), 0);
	CHECK_EQ(co_tasks_done(&t), TOTAL);
	CHECK_EQ(co_tasks_close(&t), 0);
	CHECK_EQ(remove(file_name()), 0);
}

/* The same after a run of this program's, by one that writes at once. */
static void check_another_goes_on(long done)
{
	memset(did, 0, sizeof(did));
	t.interval_us = 0;
	check_goes_on(done);
}

/* Refused, and the file is as it was. */
static void check_refused(const void *bytes, size_t n, int error)
{
	char got[CO_TASK_LOG_HEAD + 1];
	FILE *f;

	make_file(bytes, n);
	CHECK_EQ(co_tasks_open(&t), error);
	f = fopen(file_name(), "rb");
	REQUIRE(f);
	CHECK_EQ(fread(got, 1, sizeof(got), f), n);
	CHECK_EQ(memcmp(got, bytes, n), 0);
	CHECK_EQ(fclose(f), 0);
}

/* A head of these numbers. */
static struct co_task_log make_head(unsigned char head[CO_TASK_LOG_HEAD], uint32_t total,
				    uint32_t tag)
{
	struct co_task_log log = { .total = total, .tag = tag };

	co_task_log_begin(&log, head);
	return log;
}

TEST(what_is_no_file_of_these_tasks_is_refused_and_kept)
{
	unsigned char head[CO_TASK_LOG_HEAD];

	set_up();
	check_refused("a letter", 8, -EBADMSG);
	check_refused("a letter that is as long as heads", CO_TASK_LOG_HEAD, -EBADMSG);
	make_head(head, TOTAL + 1, TAG);
	check_refused(head, sizeof(head), -EINVAL);
	make_head(head, TOTAL, TAG + 1);
	check_refused(head, sizeof(head), -EINVAL);
	make_head(head, TOTAL, TAG);
	head[16]++; /* records of another size */
	check_refused(head, sizeof(head), -EBADMSG);
	head[16]--;
	head[20]++; /* its sum */
	check_refused(head, sizeof(head), -EBADMSG);
	CHECK_EQ(remove(file_name()), 0);
	t.file = "/tmp"; /* a folder */
	CHECK_EQ(co_tasks_open(&t), -EISDIR);
	t.file = "/etc/passwd/tasks";
	CHECK_EQ(co_tasks_open(&t), -ENOTDIR);
	t.file = "/nowhere/at/all";
	CHECK_EQ(co_tasks_open(&t), -ENOENT);
}

TEST(a_file_that_ends_in_its_head_is_begun_anew)
{
	unsigned char head[CO_TASK_LOG_HEAD];

	make_head(head, TOTAL, TAG);
	for (unsigned n = 0; n < CO_TASK_LOG_HEAD; n += 5) {
		set_up();
		make_file(head, n);
		check_goes_on(0);
	}
}

/* The head, a good record of tasks 10 to 19, these, and what would be good behind a good one. */
static size_t make_records(unsigned char *to, uint32_t place, uint32_t first, uint32_t count)
{
	struct co_task_log log = make_head(to, TOTAL, TAG);

	to += CO_TASK_LOG_HEAD;
	co_task_log_put(&log, 0, 10, 10, to);
	co_task_log_put(&log, place, first, count, to + CO_TASK_LOG_RECORD);
	co_task_log_put(&log, 2, 30, 10, to + 2 * CO_TASK_LOG_RECORD);
	return CO_TASK_LOG_HEAD + 3 * CO_TASK_LOG_RECORD;
}

TEST(a_file_ends_at_the_first_record_that_is_not_whole)
{
	static const struct {
		uint32_t place, first, count;
		long done; /* what the file says then */
	} record[] = {
		{ 1, 15, 10, 25 }, /* good; some are there twice */
		{ 1, TOTAL - 1, 1, 21 },
		{ 7, 20, 10, 10 }, /* another place's, */
		{ 1, 20, 0, 10 },  /* of no tasks, */
		{ 1, TOTAL, 1, 10 },
		{ 1, TOTAL - 1, 2, 10 }, /* and of tasks that there are not */
		{ 1, UINT32_MAX, UINT32_MAX, 10 },
	};
	unsigned char file[CO_TASK_LOG_HEAD + 3 * CO_TASK_LOG_RECORD];
	size_t n = 0;

	for (unsigned i = 0; i < sizeof(record) / sizeof(record[0]); i++) {
		set_up();
		n = make_records(file, record[i].place, record[i].first, record[i].count);
		make_file(file, n);
		check_goes_on(record[i].done);
	}
	/* Each of its bytes turned, and each place where it may have been cut. */
	for (unsigned i = 0; i < CO_TASK_LOG_RECORD; i++) {
		make_records(file, 1, 20, 10);
		file[CO_TASK_LOG_HEAD + CO_TASK_LOG_RECORD + i] ^= 0x10;
		set_up();
		make_file(file, i % 2 ? n : CO_TASK_LOG_HEAD + CO_TASK_LOG_RECORD + i);
		REQUIRE_EQ(co_tasks_open(&t), 0);
		CHECK_EQ(co_tasks_done(&t), 10);
		CHECK_EQ(co_tasks_close(&t), 0);
	}
	check_goes_on(10);
}

static int every_second(void *arg, long task)
{
	(void)work(arg, task);
	return task % 2 ? 0 : -ENXIO;
}

TEST(many_records_are_written_down_at_once)
{
	open_slow();
	CHECK_EQ(co_tasks_run(&t, every_second, NULL), -EIO);
	CHECK_EQ(co_tasks_close(&t), 0);
	check_another_goes_on(TOTAL / 2);
}

static int twice_in_vain(void *arg, long task)
{
	return task == 5 && co_atomic_add(&did[task], 1, CO_RELAXED) < 2 ? -ENXIO : 0;
}

TEST(what_is_done_at_the_last_try_is_not_given_up)
{
	set_up();
	REQUIRE_EQ(co_tasks_open(&t), 0);
	CHECK_EQ(co_tasks_run(&t, twice_in_vain, NULL), 0);
	CHECK_EQ(co_atomic_load(&did[5], CO_RELAXED), CO_TASK_TRIES);
	CHECK_EQ(co_task_given_up(&t, -1), -1);
	CHECK_EQ(co_tasks_close(&t), 0);
	check_another_goes_on(TOTAL);
}

/* From here on the file's device is full, or the stream may not be written. */
static bool break_stream(const char *name, const char *mode)
{
	CHECK_EQ(fclose(t.stream), 0);
	t.stream = fopen(name, mode);
	return t.stream;
}

/* Records are written by 64. */
static int every_second_of_the_last(void *arg, long task)
{
	return task < TOTAL - 128 ? -ENXIO : every_second(arg, task);
}

TEST(what_a_full_device_did_not_take_is_written_down_later)
{
	for (unsigned i = 0; i < 3; i++) {
		set_up();
		t.interval_us = i ? 60000000 : 0; /* one by one; many at the end */
		REQUIRE_EQ(co_tasks_open(&t), 0);
		if (!break_stream("/dev/full", "r+b"))
			SKIP("this host has no device that is full");
		CHECK_EQ(co_tasks_run(&t, i < 2 ? every_second : every_second_of_the_last, NULL),
			 -EIO);
		CHECK_EQ(t.error, i ? -ENOSPC : 0);
		CHECK_EQ(co_tasks_close(&t), 0);
		check_another_goes_on(i < 2 ? TOTAL / 2 : 64);
	}
}

TEST(what_a_stream_did_not_take_is_written_down_by_another)
{
	open_slow();
	REQUIRE(break_stream(file_name(), "rb"));
	CHECK_EQ(co_tasks_run(&t, every_second, NULL), -EIO);
	CHECK(t.error == -EIO || t.error == -EBADF); /* not each library says why */
	CHECK_EQ(co_tasks_close(&t), 0);
	check_another_goes_on(TOTAL / 2);
}

TEST(a_device_that_does_not_take_the_last_bytes_is_reported)
{
	set_up();
	REQUIRE_EQ(co_tasks_open(&t), 0);
	CHECK_EQ(co_tasks_run(&t, work, NULL), 0);
	if (!break_stream("/dev/full", "r+b"))
		SKIP("this host has no device that is full");
	CHECK_EQ(fputc(7, t.stream), 7);
	CHECK_EQ(co_tasks_close(&t), -ENOSPC);
	check_another_goes_on(TOTAL);
}

TEST(who_wants_to_hear_of_progress_needs_no_file)
{
	for (unsigned i = 0; i < 2; i++) {
		set_up();
		t.file = i ? file_name() : NULL;
		t.progress_us = 60000000;
		REQUIRE_EQ(co_tasks_open(&t), 0);
		CHECK(t.writer);
		CHECK_EQ(co_tasks_run(&t, work, NULL), 0);
		CHECK_EQ(co_tasks_close(&t), 0);
		CHECK_EQ(co_tasks_done(&t), TOTAL);
		CHECK_EQ(remove(file_name()) == 0, i > 0);
	}
}

TEST(a_file_that_stays_away_is_reported_at_the_end)
{
	set_up();
	REQUIRE_EQ(co_tasks_open(&t), 0);
	if (!break_stream("/dev/full", "r+b"))
		SKIP("this host has no device that is full");
	CHECK_EQ(remove(file_name()), 0);
	CHECK_EQ(co_tasks_run(&t, work, NULL), 0); /* all are done, and that is not written down */
	CHECK_EQ(co_tasks_close(&t), -ENOENT);
	CHECK_EQ(co_tasks_done(&t), TOTAL);
	check_another_goes_on(0);
}

static void do_all(struct co_tasks *of)
{
	for (long task; (task = co_task_next(of)) >= 0;)
		co_task_done(of, task);
}

static intptr_t close_canceled(void *arg)
{
	open_slow();
	do_all(&t);
	while (!co_canceled())
		co_pause();
	return co_tasks_close(&t);
}

TEST(a_cancel_does_not_keep_a_file_from_being_closed)
{
	struct co *c;

	set_up();
	c = test_spawn_on(co_hart(), close_canceled, NULL);
	co_cancel(c);
	CHECK_EQ(test_join(c), 0);
	check_another_goes_on(TOTAL);
}

static struct co_tasks other;
static struct co_a32 begun, go;

static intptr_t closes_other(void *arg)
{
	co_atomic_store(&begun, 1, CO_RELEASE); /* paired with test_await() */
	while (!co_atomic_load(&go, CO_RELAXED))
		co_pause();
	return co_tasks_close(&other);
}

/* On hart 0, which serves files: the other stays in the middle of its until this gives way. */
static intptr_t closes_meanwhile(void *arg)
{
	const struct co *c = arg;
	uint64_t end = co_after_us(10000000);

	CHECK(co_canceled());
	co_atomic_store(&go, 1, CO_RELAXED);
	while (!co_sleeps(c) && co_now() < end)
		hal_cpu_relax();
	CHECK(co_sleeps(c));
	return co_tasks_close(&t);
}

TEST(a_cancel_does_not_keep_a_file_from_being_closed_while_another_is_written)
{
	static char name[140];
	static void *more;
	struct co *c, *by;

	if (co_harts() == 1 || !is_library_ours())
		SKIP("it takes a hart that waits for another's files");
	set_up();
	snprintf(name, sizeof(name), "%s-other", file_name());
	if (!more)
		more = malloc(co_tasks_bytes(TOTAL));
	other = (struct co_tasks){ .total = TOTAL, .memory = more, .file = name };
	REQUIRE_EQ(co_tasks_open(&t), 0);
	REQUIRE_EQ(co_tasks_open(&other), 0);
	other.interval_us =
		60000000; /* what is done is written at the end, and not by its checkpoint writer */
	do_all(&other);
	do_all(&t);
	co_atomic_store(&begun, 0, CO_RELAXED);
	co_atomic_store(&go, 0, CO_RELAXED);
	by = test_spawn_on(co_harts() - 1, closes_other, NULL);
	REQUIRE(test_await(&begun, 1));
	c = test_spawn_on(0, closes_meanwhile, by);
	co_cancel(c);
	CHECK_EQ(test_join(c), 0);
	CHECK_EQ(test_join(by), 0);
	check_another_goes_on(TOTAL);
	REQUIRE_EQ(co_tasks_open(&other), 0);
	CHECK_EQ(co_tasks_done(&other), TOTAL);
	CHECK_EQ(co_tasks_close(&other), 0);
	CHECK_EQ(remove(name), 0);
}

static intptr_t write_and_die(void *arg)
{
	co_task_done(&t, co_task_next(&t)); /* the interval is long: it is not written yet */
	t.state = arg;                      /* where nothing is: so it ends while it writes */
	co_task_file_catch_up(&t);
	return 0;
}

TEST_FAULTY(who_dies_while_writing_leaves_the_file_to_others)
{
	struct co_aword *state;
	struct co *c;

	if (!is_library_ours())
		SKIP("the boards do, and sanitizers let nobody fault");
	open_slow();
	state = t.state;
	c = test_spawn_on(co_harts() - 1, write_and_die, (void *)(uintptr_t)0x23458);
	CHECK_EQ(co_join(c, NULL), -EFAULT);
	t.state = state;
	CHECK_EQ(co_tasks_done(&t), 1);
	CHECK_EQ(co_tasks_close(&t), 0);
	check_goes_on(1);
}
