/*
 * test_faults.c - injected faults: rings that get lost are only late, and what fails says so and
 * leaves nothing behind. For a build with FAULTS=1.
 *
 * Topologies: 1x(1+2+1)
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "use.h"

#ifdef CO_FAULTS

#define MOST 1000 /* calls that can fail in what is tried here */

static char path[64]; /* of a file that is not there yet */

static void name_file(void)
{
	snprintf(path, sizeof(path), "/tmp/cohart-faults-%llx", (unsigned long long)co_now());
}

/* Send back what comes, and end with a number below 0. */
static intptr_t echo(void *arg)
{
	struct co_chan **c = arg;
	int n;

	do {
		REQUIRE_EQ(co_chan_recv(c[0], &n), 0);
		REQUIRE_EQ(co_chan_send(c[1], &n), 0);
	} while (n >= 0);
	return n;
}

/* That many messages to the last hart and back. Returns microseconds. */
static uint64_t ping(int turns)
{
	CO_CHANNEL(there, int, 1);
	CO_CHANNEL(back, int, 1);
	static struct co_chan *both[2];
	uint64_t start = co_now();
	struct co *c;
	int n;

	both[0] = &there;
	both[1] = &back;
	c = test_spawn_on(co_harts() - 1, echo, both);
	for (int i = turns - 2; i >= -1; i--) {
		REQUIRE_EQ(co_chan_send(&there, &i), 0);
		REQUIRE_EQ(co_chan_recv(&back, &n), 0);
		CHECK_EQ(n, i);
	}
	CHECK_EQ(test_join(c), -1);
	return co_us(co_now() - start);
}

BODY(answer, arg)

/* A wait that ends in place takes no message; a call of hart 0 does. */
static intptr_t call_often(void *arg)
{
	for (int i = 0; i < 200; i++)
		CHECK_EQ(co_proxy_call(answer, NULL), 0);
	return (intptr_t)arg;
}

TEST(injected_faults_happen_and_messages_arrive)
{
	uint32_t before[] = { co_inject_count(CO_INJECT_DOORBELL),
			      co_inject_count(CO_INJECT_SPURIOUS),
			      co_inject_count(CO_INJECT_WAKE) };

	if (co_harts() == 1)
		SKIP("a hart that is alone rings nobody");
	co_inject_rate(CO_INJECT_DOORBELL, 50);
	co_inject_rate(CO_INJECT_SPURIOUS, 50);
	co_inject_rate(CO_INJECT_WAKE, 8);
	printf("# 2000 turns took %llu us\n", (unsigned long long)ping(2000));
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, call_often, NULL)), 0);
	CHECK(co_inject_count(CO_INJECT_DOORBELL) > before[0]);
	CHECK(co_inject_count(CO_INJECT_SPURIOUS) > before[1]);
	CHECK(co_inject_count(CO_INJECT_WAKE) > before[2]);
	printf("# lost rings %u, rings for nothing %u, late looks %u\n",
	       (unsigned)co_inject_count(CO_INJECT_DOORBELL),
	       (unsigned)co_inject_count(CO_INJECT_SPURIOUS),
	       (unsigned)co_inject_count(CO_INJECT_WAKE));
}

TEST(where_every_ring_is_lost_the_watch_rings_again)
{
	enum { TURNS = 40 };
	uint64_t us;

	if (co_harts() == 1)
		SKIP("a hart that is alone rings nobody");
	co_inject_rate(CO_INJECT_DOORBELL, 1);
	us = ping(TURNS);
	co_inject_rate(CO_INJECT_DOORBELL, 0);
	printf("# %u us for a message and its answer\n", (unsigned)(us / TURNS));
	CHECK(us / TURNS < 200000);
}

static intptr_t come_after_a_while(void *arg)
{
	test_sleep_us(20000);
	return co_barrier_wait(arg, 1);
}

/* But for hart 0, which looks itself. */
TEST(hart_0_sees_who_comes_to_a_barrier_though_the_ring_was_lost)
{
	CO_BARRIER(b, 2);
	uint64_t start = co_now();
	struct co *c;

	if (co_harts() == 1)
		SKIP("a hart that is alone rings nobody");
	co_inject_rate(CO_INJECT_SPURIOUS, 0);
	co_inject_rate(CO_INJECT_DOORBELL, 1);
	c = test_spawn_on(co_harts() - 1, come_after_a_while, &b);
	CHECK_EQ(co_barrier_wait_until(&b, 0, co_after_us(5000000)), 0);
	co_inject_rate(CO_INJECT_DOORBELL, 0);
	CHECK(co_us(co_now() - start) < 2000000);
	CHECK_EQ(test_join(c), 0);
}

BODY(nothing, arg)

/* A little of all that allocates, tidy about what it gets. Returns the first error. */
static int use_memory(void)
{
	static int a[64], b[64];
	struct co_batch batch = { 0 };
	void *p = co_spm_alloc(100, 16);
	struct co *c;
	int r = p ? 0 : -ENOMEM, joined;

	for (unsigned i = 0; i < co_harts() && !r; i++)
		r = co_batch_spawn(&batch, &(struct co_attr){ .on = CO_ON_HART(i) }, nothing, NULL,
				   NULL);
	joined = co_batch_join(&batch);
	CHECK_EQ(joined, 0);
	if (!r)
		r = co_spawn(&c, &(struct co_attr){ .stack = CO_STACK_MAIN }, nothing, a);
	if (!r)
		CHECK_EQ(test_join(c), (intptr_t)a);
	if (!r)
		r = co_dma_copy(a, b, sizeof(a));
	if (p)
		co_spm_free(p);
	return r;
}

/* Control blocks that are free, each with its stack, of all harts. */
static unsigned free_blocks(void)
{
	unsigned n = 0;

	for (unsigned hart = 0; hart < co_harts(); hart++)
		n += use_of(hart).blocks;
	return n;
}

TEST(each_allocation_may_fail_and_nothing_leaks)
{
	size_t room;
	unsigned blocks, n = 1;

	REQUIRE_EQ(use_memory(), 0);
	REQUIRE_EQ(co_sleep_us(20000), 0); /* all blocks are given back by then */
	room = co_spm_largest();
	blocks = free_blocks();
	for (; n < MOST; n++) {
		uint32_t before = co_inject_count(CO_INJECT_MEMORY);
		int r;

		co_inject_nth(CO_INJECT_MEMORY, n);
		r = use_memory();
		if (co_inject_count(CO_INJECT_MEMORY) == before)
			break;
		CHECK(r == 0 || r == -ENOMEM || r == -ENOBUFS);
		for (unsigned i = 0; i < 1000 && free_blocks() != blocks; i++)
			CHECK_EQ(co_sleep_us(1000), 0);
		CHECK_EQ(free_blocks(), blocks);
		CHECK_EQ(co_spm_largest(), room);
	}
	co_inject_nth(CO_INJECT_MEMORY, 0);
	printf("# %u allocations failed in turn\n", n - 1);
	CHECK(n > co_harts() && n < MOST);
}

TEST(a_transfer_that_fails_says_so)
{
	static unsigned char from[5000], to[5000];

	memset(from, 7, sizeof(from));
	co_inject_nth(CO_INJECT_DMA, 1);
	CHECK_EQ(co_dma_copy(to, from, sizeof(to)), -EIO);
	CHECK_EQ(to[0], 0);
	CHECK_EQ(co_dma_copy(to, from, sizeof(to)), 0);
	CHECK_EQ(memcmp(to, from, sizeof(to)), 0);
}

/* Write and read a file, each step of which may fail. Returns 0 or an errno number. */
static int use_file(void)
{
	char got[5] = "";
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct stat st = { .st_size = 0 };
	int err;

	if (fd < 0)
		return errno;
	err = write(fd, "abc", 3) == 3 ? 0 : errno;
	if (!err && (fstat(fd, &st) || st.st_size != 3))
		err = errno;
	if (!err && lseek(fd, -3, SEEK_END) != 0)
		err = errno;
	if (!err && (read(fd, got, 4) != 3 || read(fd, got + 3, 1) != 0))
		err = errno;
	if (!err && strcmp(got, "abc") != 0)
		err = EILSEQ;
	if (close(fd) && !err)
		err = errno;
	return err;
}

static int append_to_file(void)
{
	int fd = open(path, O_WRONLY | O_APPEND);
	int err;

	if (fd < 0)
		return errno;
	err = write(fd, "d", 1) == 1 ? 0 : errno;
	if (close(fd) && !err)
		err = errno;
	return err;
}

static intptr_t fail_files(void *arg)
{
	unsigned n = 1;

	for (; n < MOST; n++) {
		uint32_t before = co_inject_count(CO_INJECT_FILE);
		int err;

		co_inject_nth(CO_INJECT_FILE, n);
		err = use_file();
		if (!err)
			err = append_to_file();
		if (co_inject_count(CO_INJECT_FILE) == before)
			break;
		CHECK_EQ(err, EIO);
	}
	co_inject_nth(CO_INJECT_FILE, 0);
	return (intptr_t)arg + n - 1;
}

TEST(a_file_call_that_fails_says_so_on_any_hart)
{
	if (hal_board.is_process)
		SKIP("there files are the host's own library's");
	name_file();
	/* Two for a position from the end, and for the end itself; three for what is appended. */
	CHECK_EQ(fail_files(NULL), 14);
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, fail_files, NULL)), 14);
	CHECK_EQ(use_file(), 0);
	remove(path);
}

/* What could not be put out is reported, though it can be a moment later. */
static void close_late(void)
{
	FILE *f;

	name_file();
	f = fopen(path, "w");
	REQUIRE(f);
	CHECK(fputs("late", f) >= 0);
	errno = 0;
	co_inject_nth(CO_INJECT_FILE, 1);
	CHECK_EQ(fclose(f), EOF);
	CHECK_EQ(errno, EIO);
	remove(path);
}

static intptr_t fail_the_rest(void *arg)
{
	struct timeval t = { .tv_sec = 5 };
	char c = 'x';

	close_late();

	errno = 0;
	co_inject_nth(CO_INJECT_FILE, 1);
	CHECK_EQ(gettimeofday(&t, NULL), -1);
	CHECK_EQ(errno, EIO);
	CHECK_EQ(t.tv_sec, 5);
	CHECK_EQ(gettimeofday(&t, NULL), 0);
	CHECK(t.tv_sec > 5);
	errno = 0;
	co_inject_nth(CO_INJECT_FILE, 1);
	CHECK_EQ(read(STDIN_FILENO, &c, 1), -1);
	CHECK_EQ(errno, EIO);
	CHECK_EQ(c, 'x');
	CHECK_EQ(read(STDIN_FILENO, &c, 1), 0);
	co_inject_nth(CO_INJECT_FILE, 1);
	CHECK_EQ(fgetc(stdin), EOF);
	CHECK(ferror(stdin) && !feof(stdin));
	clearerr(stdin);
	return (intptr_t)arg;
}

TEST(a_stream_a_clock_and_a_console_that_fail_say_so_on_any_hart)
{
	if (hal_board.is_process)
		SKIP("there all are the host's own library's");
	CHECK_EQ(fail_the_rest(NULL), 0);
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, fail_the_rest, NULL)), 0);
}

static struct co_tasks t;

/* Those of the file, which may be there already. */
static void make_tasks(long total, uint64_t interval_us)
{
	name_file();
	t = (struct co_tasks){ .total = total,
			       .file = path,
			       .interval_us = interval_us,
			       .memory = malloc(co_tasks_bytes(total)) };
	REQUIRE(t.memory);
}

static void forget_tasks(void)
{
	free(t.memory);
	remove(path);
}

static int no_work(void *arg, long task)
{
	return task < 0;
}

/* While the n-th call of the host's for a file fails. Returns false: there are fewer. */
static bool open_while_one_fails(uint32_t n, int *r)
{
	uint32_t before = co_inject_count(CO_INJECT_FILE);

	co_inject_nth(CO_INJECT_FILE, n);
	*r = co_tasks_open(&t);
	co_inject_nth(CO_INJECT_FILE, 0);
	return co_inject_count(CO_INJECT_FILE) != before;
}

TEST(a_file_of_tasks_that_cannot_be_read_is_not_begun_anew)
{
	unsigned n = 1, failed = 0;
	bool more = true;

	if (hal_board.is_process)
		SKIP("there files are the host's own library's");
	make_tasks(100, 0);
	REQUIRE_EQ(co_tasks_open(&t), 0);
	CHECK_EQ(co_tasks_run(&t, no_work, NULL), 0);
	CHECK_EQ(co_tasks_close(&t), 0);
	for (; n < MOST && more; n++) {
		int r;

		more = open_while_one_fails(n, &r);
		if (r && more) {
			CHECK_EQ(r, -EIO);
			failed++;
			continue;
		}
		/* A file that has been read is closed, whatever the host says to that. */
		CHECK_EQ(r, 0);
		CHECK_EQ(co_tasks_done(&t), 100);
		CHECK_EQ(co_tasks_close(&t), 0);
	}
	CHECK(failed > 2 && n < MOST);
	forget_tasks();
}

TEST(a_file_of_tasks_that_cannot_be_begun_is_begun_when_it_can_be)
{
	unsigned n = 1;

	if (hal_board.is_process)
		SKIP("there files are the host's own library's");
	make_tasks(100, 0);
	for (; n < MOST; n++) {
		int r;

		if (!open_while_one_fails(n, &r)) {
			CHECK_EQ(r, 0);
			break;
		}
		CHECK_EQ(r, -EIO);
		REQUIRE_EQ(co_tasks_open(&t), 0);
		CHECK_EQ(co_tasks_run(&t, no_work, NULL), 0);
		CHECK_EQ(co_tasks_close(&t), 0);
		CHECK_EQ(remove(path), 0);
	}
	CHECK(n > 2 && n < MOST);
	CHECK_EQ(co_tasks_close(&t), 0);
	forget_tasks();
}

/* Each tenth one breaks the next file call. */
static int breaks_the_file(void *arg, long task)
{
	if (task % 10 == 4)
		co_inject_nth(CO_INJECT_FILE, 1 + (uint32_t)task / 10 % 4);
	return 0;
}

TEST(what_could_not_be_written_down_is_when_it_can_be)
{
	if (hal_board.is_process)
		SKIP("there files are the host's own library's");
	for (uint64_t us = 0; us <= 300; us += 300) {
		make_tasks(200, us);
		REQUIRE_EQ(co_tasks_open(&t), 0);
		CHECK_EQ(co_tasks_run(&t, breaks_the_file, NULL), 0);
		co_inject_nth(CO_INJECT_FILE, 0);
		CHECK_EQ(co_tasks_close(&t), 0);
		REQUIRE_EQ(co_tasks_open(&t), 0);
		CHECK_EQ(co_tasks_done(&t), 200);
		CHECK_EQ(co_tasks_close(&t), 0);
		forget_tasks();
	}
}

#else

TEST(injected_faults)
{
	SKIP("make test T=faults FAULTS=1");
}

#endif
