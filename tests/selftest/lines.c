/*
 * lines.c - lines of many coroutines, whole lines that the selftest then looks for.
 *
 * Every coroutine of every hart prints its lines in pieces, giving way between them. The run ends
 * in one of several ways, --case= says which; each has to put out what was written by then.
 */
#include <unistd.h>

#include <hal/alarm.h>
#include <hal/time.h>

#include "../../runtime/core/core.h"
#include "../../runtime/fault/alarm.h"
#include "../confined.h"

#define EACH 3
#define LINES 5
#define WIDE 400

static intptr_t chatter(void *arg)
{
	unsigned me = (unsigned)(intptr_t)arg;
	char wide[WIDE + 1];

	memset(wide, 'a' + (int)(me % 26), WIDE);
	wide[WIDE] = '\0';
	for (unsigned i = 0; i < LINES; i++) {
		printf("# say %u", me);
		co_pause();
		printf(" line %u", i);
		putchar(' ');
		fputs(wide, stdout);
		co_pause();
		fwrite(" end\n# and ", 1, 11, stdout);
		printf("%u too\n", me);
	}
	printf("# last line of %u", me); /* no newline: they go out when the coroutine ends */
	return 0;
}

TEST(chatter)
{
	test_spread(chatter, EACH * co_harts(), 0);
}

static intptr_t count_a_span(void *arg)
{
	for (int i = 0; i < 2; i++) {
		uint64_t now = co_now();

		co_stopwatch_stop("span", now - (co_after_us(5000) - now));
	}
	return 0;
}

TEST(stopwatch_table)
{
	co_stopwatch_reset();
	test_join(test_spawn_on(co_harts() - 1, count_a_span, NULL));
	co_stopwatch_print();
}

static void on_exit_line(void)
{
	printf("# handler on hart %u\n", co_hart());
}

static intptr_t leave(void *arg)
{
	printf("# unfinished, then exit");
	exit((int)(intptr_t)arg);
}

TEST(exit_from_a_compute_hart)
{
	FILE *f = fopen("/dev/stderr", "w");

	REQUIRE(f);
	CHECK_EQ(atexit(on_exit_line), 0);
	fputs("# to a file that nobody closes\n", f);
	printf("# unfinished line of main");
	test_join(test_spawn_on(co_harts() - 1, leave, (void *)7));
}

static intptr_t give_up(void *arg)
{
	printf("# unfinished, then abort");
	abort();
}

TEST(abort_on_a_compute_hart)
{
	test_join(test_spawn_on(co_harts() - 1, give_up, NULL));
}

static intptr_t echo(void *arg)
{
	char line[40];

	printf("# who is there? ");
	printf("%s", fgets(line, sizeof(line), stdin) ? line : "(nobody)\n");
	if (strcmp(co_board(), "host") == 0)
		return 0;                         /* whose library reads ahead */
	CHECK_EQ(read(STDIN_FILENO, line, 0), 0); /* which takes nothing */
	CHECK(read(STDIN_FILENO, line, 4) > 0);
	CHECK_EQ(line[0], 'a');
	return 0;
}

TEST(echo_of_standard_input)
{
	test_join(test_spawn_on(co_harts() - 1, echo, NULL));
}

TEST(terminals)
{
	CHECK_EQ(isatty(STDIN_FILENO), 1);
	CHECK_EQ(isatty(STDOUT_FILENO), 1);
	CHECK_EQ(isatty(57), 0);
}

TEST(terminal_to_read_from)
{
	CHECK_EQ(isatty(STDIN_FILENO), 1);
	CHECK_EQ(isatty(STDOUT_FILENO), 0);
}

TEST(watch_report)
{
	const struct co_inbox *inbox = &co_hart_at(co_harts() - 1)->inbox;
	uint64_t end = co_after_us(10000000);

	/* It has come up, and is about to sleep. */
	while (co_atomic_load(&inbox->idle, CO_RELAXED) == CO_BUSY && co_now() < end)
		CHECK_EQ(co_sleep_us(20000), 0);
	/* A report breaks a line that is half on the console, and leaves no gap if none is. */
	printf("# half a line");
	fflush(stdout);
	co_watch_report(0);
	co_watch_report(co_harts() - 1);
	printf(" goes on\n");
}

/* ---- Harts in each state, more coroutines on one than are listed ---- */

enum { MANY = 70 };
static struct co_a32 reported;
static struct co_event never;

/* A leaf: the interrupted place is here, and called from there. */
static NOINLINE void keep_hart(uint64_t end)
{
	while (!co_atomic_load(&reported, CO_RELAXED) && hal_time_now() < end)
		;
}

static intptr_t keeps_its_hart(void *arg)
{
	co_waypoint("at work");
	keep_hart(co_after_us(15000000));
	return (intptr_t)arg;
}

BODY(sleeps, co_sleep_us((uintptr_t)arg))
BODY(waits, co_event_wait(&never))

static struct co *begin_on(const char *name, unsigned hart, co_fn *fn, uintptr_t arg)
{
	const struct co_attr attr = { .name = name, .on = CO_ON_HART(hart), .stack = CO_STACK_4K };

	return test_spawn(&attr, fn, (void *)arg);
}

/* Hart 1 does not give way, hart 2 has a deadline, and the last one has many that wait. */
TEST(states_of_harts)
{
	struct co *due = begin_on("due", 1, sleeps, 1000000), *busy;
	struct co *late = begin_on("late", 2, sleeps, 3600000000u);
	unsigned many = co_harts() - 1;
	uint64_t then, end = co_after_us(15000000);

	REQUIRE(test_await_sleep(due));
	then = co_after_us(1000000); /* no earlier than the deadline of 'due' */
	busy = begin_on("busy", 1, keeps_its_hart, 5);
	for (unsigned i = 0; i < MANY; i++)
		begin_on("waiter", many, waits, 0);
	REQUIRE(test_await_sleep(late));
	while ((!co_hart_silent(1) && co_now() < end) || co_now() < then)
		CHECK_EQ(co_sleep_us(20000), 0);
	for (unsigned hart = 0; hart < 3; hart++)
		co_watch_report(hart);
	co_watch_stacks();
	co_atomic_store(&reported, 1, CO_RELAXED);
	CHECK_EQ(test_join(busy), 5);
	CHECK_EQ(test_join(due), 0);
	while (co_hart_silent(1) && co_now() < end)
		CHECK_EQ(co_sleep_us(20000), 0);
	co_cancel(late);
	CHECK_EQ(test_join(late), -ECANCELED);
	co_event_set(&never);
}

/* Hart 0 looks after the others, and its own alarm after hart 0. */
TEST(spins_on_hart_0)
{
	uint64_t end = co_after_us(5000000);

	if (!co_alarms())
		SKIP("no alarms on this board");
	while (!co_hart_silent(0) && co_now() < end)
		;
	CHECK(co_hart_silent(0));
	CHECK_EQ(co_sleep_us(1000), 0);
	CHECK(!co_hart_silent(0));
}

BODY(set_budget, co_watch_budget((uint64_t)(uintptr_t)arg))

/* With --watch=0: nobody is given up, but budgets are kept. */
TEST(no_watch)
{
	int fine;

	/* Somebody has rung, for nothing: no look comes of it. */
	if (co_alarms())
		hal_alarm_ring(0);
	CHECK_EQ(co_sleep_us(1000), 0);
	CHECK(co_look_next == CO_FOREVER);
	fine = co_watch_budget(20000);
	CHECK(fine == 0 || fine == -ENOTSUP);
	CHECK_EQ(co_watch_give_up(1000000), -ENOTSUP);
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, set_budget, (void *)10000)), fine);
	CHECK_EQ(co_watch_budget(5000), fine);
	CHECK_EQ(co_watch_budget(20000), fine);
	CHECK_EQ(co_watch_budget(0), fine);
}

static const char said[] = "# a confined coroutine says so\n";

static intptr_t says_so(void *arg)
{
	(void)arg;
	return co_user_print(said, sizeof(said) - 1);
}

TEST_IN_DOMAIN(confined_text)
{
	intptr_t result = -1;

	CHECK_EQ(confined(says_so, NULL, &result), 0);
	CHECK_EQ(result, 0);
}
