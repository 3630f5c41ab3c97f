/* test_irq.c - interrupt lines of devices, as coroutines wait for them. */
#include <hal/board.h>
#include <hal/console.h>
#include <hal/irq.h>

#include "faulty.h"
#include "line.h"

/* A PC has none. */
extern typeof(hal_irq_listen) hal_irq_listen __attribute__((weak));

static struct co_irq irq; /* of the case that runs */
static unsigned number;
static uintptr_t base;
static const struct line *line;

#define SECONDS_US 10000000

static void need_line(void)
{
	line = find_line(&number, &base);
	if (!line)
		SKIP("no device of this board raises a line when it is to");
	line->lower(base);
}

static void open_line(unsigned hart)
{
	need_line();
	REQUIRE_EQ(co_irq_open(number, hart, &irq), 0);
}

static int wait_soon(void)
{
	return co_irq_wait_until(&irq, co_after_us(SECONDS_US));
}

static unsigned last_hart(void)
{
	/* Where all lines go to one hart, it is hart 0. */
	static struct co_irq probe;
	int r;

	need_line();
	r = co_irq_open(number, co_harts() - 1, &probe);
	if (r == 0)
		co_irq_close(&probe);
	else
		CHECK_EQ(r, -ENOTSUP);
	return r ? 0 : co_harts() - 1;
}

TEST(a_line_that_comes_wakes_the_coroutine_that_waits)
{
	open_line(0);
	for (int i = 0; i < 3; i++) {
		line->raise(base);
		CHECK_EQ(wait_soon(), 0);
		line->lower(base);
	}
	CHECK_EQ(co_irq_wait_until(&irq, co_after_us(2000)), -ETIMEDOUT);
	co_irq_close(&irq);
}

BODY(raise_later, (test_sleep_us(2000), line->raise(base), 0))

TEST(a_hart_that_sleeps_is_woken)
{
	struct co *c;

	open_line(0);
	c = test_spawn_on(co_harts() - 1, raise_later, NULL);
	CHECK_EQ(wait_soon(), 0);
	line->lower(base);
	CHECK_EQ(test_join(c), 0);
	co_irq_close(&irq);
}

BODY(wait_there, wait_soon())

TEST(a_line_of_one_hart_is_waited_for_on_another)
{
	struct co *c;

	open_line(last_hart());
	c = test_spawn_on(co_harts() > 2 ? 1 : co_harts() - 1, wait_there, NULL);
	test_sleep_us(1000);
	line->raise(base);
	CHECK_EQ(test_join(c), 0);
	line->lower(base);
	co_irq_close(&irq);
}

TEST(a_line_comes_once_until_its_device_is_served)
{
	open_line(0);
	line->raise(base);
	CHECK_EQ(wait_soon(), 0);
	/* It is still raised, and masked: no storm, and no second wake. */
	for (int i = 0; i < 10; i++) {
		test_sleep_us(200);
		CHECK_EQ(co_irq_try_wait(&irq), -EAGAIN);
	}
	co_irq_done(&irq);
	/* It comes again, since nobody has lowered it; in QEMU's PLIC not before it is raised anew.
	 */
	if (strcmp(line->compatible, "google,goldfish-rtc") != 0 &&
	    strcmp(line->compatible, "sifive,uart0") != 0)
		CHECK_EQ(wait_soon(), 0);
	line->lower(base);
	co_irq_done(&irq);
	test_sleep_us(1000);
	CHECK_EQ(co_irq_try_wait(&irq), -EAGAIN);
	co_irq_close(&irq);
}

static intptr_t open_it_too(void *unused)
{
	static struct co_irq second;

	return co_irq_open(number, 0, &second);
}

TEST(a_line_has_one_opener)
{
	open_line(0);
	CHECK_EQ(open_it_too(NULL), -EBUSY);
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, open_it_too, NULL)), -EBUSY);
	co_irq_close(&irq);
	REQUIRE_EQ(co_irq_open(number, last_hart(), &irq), 0);
	co_irq_close(&irq);
}

TEST(lines_that_cannot_be_opened)
{
	need_line();
	CHECK_EQ(co_irq_open(1u << 20, 0, &irq), -EINVAL);
	CHECK_EQ(co_irq_open(number, co_harts(), &irq), -EINVAL);
	CHECK_EQ(co_irq_open(hal_console_line, 0, &irq), -EBUSY);
}

TEST(lines_of_the_runtime_are_no_programs_on_any_hart)
{
	unsigned last = last_hart();

	need_line();
	hal_irq_listen(hal_console_line, true);
	CHECK_EQ(hal_line_open(hal_console_line, last, false), -EBUSY);
	hal_irq_listen(hal_console_line, false);
}

TEST(a_driver_that_settles_its_interrupt_leaves_the_line)
{
	open_line(0);
	line->raise(base);
	hal_irq_listen(hal_console_line, false);
	CHECK_EQ(wait_soon(), 0);
	line->lower(base);
	co_irq_close(&irq);
}

TEST(the_most_urgent_of_two_lines_is_found_first)
{
	struct co_device_info d;

	if (co_device_find("sifive,gpio0", 0, &d) || d.ranges < 1 || d.lines < 2)
		SKIP("no device of this board has two lines that a program can raise");
	for (unsigned i = 0; i < 2; i++)
		REQUIRE_EQ(hal_line_open(d.line[i], 0, false), 0);
	CHECK_EQ(hal_line_priority(d.line[1], 6), 0);
	/* A pin that is low raises its line while that is enabled. */
	*line_reg((uintptr_t)d.range[0].registers, 0x30) = 3;
	CHECK(!hal_line_take(d.line[0]));
	CHECK(hal_line_take(d.line[1]));
	CHECK(hal_line_take(d.line[0]));
	*line_reg((uintptr_t)d.range[0].registers, 0x30) = 0;
	for (unsigned i = 0; i < 2; i++)
		hal_line_close(d.line[i]);
}

TEST(a_line_that_was_claimed_while_it_was_closed_comes_again)
{
#ifdef BOARD_PLIC_BASE
	const unsigned context = 2 * (unsigned)hal_board.hwid[0] + !test_hart0_has_no_map();
	volatile uint32_t *claim = line_reg(BOARD_PLIC_BASE, 0x200004 + 0x1000 * context);
	volatile uint32_t *enabled;

	/* A claim between the two writes of hal_line_close(), which its hart may make. */
	open_line(0);
	co_irq_close(&irq);
	enabled = line_reg(BOARD_PLIC_BASE, 0x2000 + 0x80 * context + 4 * (number / 32));
	*enabled |= 1u << number % 32;
	line->raise(base);
	CHECK_EQ(*claim, number);
	*enabled &= ~(1u << number % 32);
	line->lower(base);
	open_line(0);
	line->raise(base);
	CHECK_EQ(wait_soon(), 0);
	line->lower(base);
	co_irq_close(&irq);
#else
	SKIP("no PLIC");
#endif
}

TEST(closing_ends_the_waits_of_others)
{
	struct co *c;

	open_line(0);
	c = test_spawn_on(co_harts() - 1, wait_there, NULL);
	test_sleep_us(1000);
	co_irq_close(&irq);
	CHECK_EQ(test_join(c), -ECANCELED);
	CHECK_EQ(co_irq_try_wait(&irq), -ECANCELED);
}

/* Serve the line, and say that it is served when that is about to close. */
static struct co_a32 served;

static intptr_t serve_once(void *spins)
{
	int r = wait_soon();

	line->lower(base);
	co_atomic_store(&served, 1, CO_RELEASE);
	for (intptr_t left = (intptr_t)spins; left; left--)
		__asm__ volatile("");
	co_irq_done(&irq);
	return r;
}

TEST(a_line_that_is_closed_while_it_is_served_can_be_opened_again)
{
	struct test_random r = test_random(7);

	for (unsigned i = 0; i < 400; i++) {
		struct co *c;

		open_line(0); /* -EBUSY: the last one was unmasked when it was closed */
		co_atomic_store(&served, 0, CO_RELAXED);
		c = test_spawn_on(co_harts() - 1, serve_once,
				  (void *)(uintptr_t)test_below(&r, 3000));
		line->raise(base);
		while (!co_atomic_load(&served, CO_ACQUIRE))
			co_pause();
		for (unsigned left = test_below(&r, 3000); left; left--)
			__asm__ volatile("");
		co_irq_close(&irq);
		CHECK_EQ(test_join(c), 0);
	}
}

TEST(a_cancel_ends_the_wait_alone)
{
	struct co *c;

	open_line(0);
	c = test_spawn_on(0, wait_there, NULL);
	test_sleep_us(500);
	co_cancel(c);
	CHECK_EQ(test_join(c), -ECANCELED);
	line->raise(base);
	CHECK_EQ(wait_soon(), 0);
	line->lower(base);
	co_irq_close(&irq);
}

static intptr_t open_and_leave(void *how)
{
	int r = co_irq_open(number, (unsigned)last_hart(), &irq);

	if (how)
		co_panic("with a line that is open");
	return r;
}

static void ends_with_its_opener(void *how)
{
	struct co *c, *waits;

	need_line();
	c = test_spawn_on(co_harts() - 1, open_and_leave, how);
	if (how)
		CHECK_EQ(co_join(c, NULL), -EFAULT);
	else
		CHECK_EQ(test_join(c), 0);
	line->raise(base); /* is masked */
	test_sleep_us(500);
	REQUIRE_EQ(co_irq_open(number, 0, &irq), 0);
	waits = test_spawn_on(0, wait_there, NULL);
	CHECK_EQ(test_join(waits), 0);
	line->lower(base);
	co_irq_close(&irq);
}

TEST(a_line_ends_with_the_coroutine_that_opened_it)
{
	ends_with_its_opener(NULL);
}

TEST_FAULTY(a_line_ends_with_a_fault_of_its_opener)
{
	ends_with_its_opener(&irq);
}

TEST(select_waits_for_a_line_beside_a_channel)
{
	CO_CHANNEL(chan, int, 1);
	int x = 0;
	struct co_case cases[] = { CO_CASE_RECV(&chan, &x), { 0 } };
	struct co *c;

	open_line(0);
	cases[1] = co_case_irq(&irq);
	CHECK_EQ(co_select_until(cases, 2, co_after_us(1000)), -ETIMEDOUT);
	c = test_spawn_on(co_harts() - 1, raise_later, NULL);
	CHECK_EQ(co_select_until(cases, 2, co_after_us(SECONDS_US)), 1);
	CHECK_EQ(cases[1].result, 0);
	line->lower(base);
	CHECK_EQ(test_join(c), 0);
	CHECK_EQ(co_chan_send(&chan, &(int){ 7 }), 0);
	CHECK_EQ(co_select_until(cases, 2, co_after_us(SECONDS_US)), 0);
	CHECK_EQ(x, 7);
	line->raise(base); /* the select before has let it come again */
	CHECK_EQ(co_select_until(cases, 2, co_after_us(SECONDS_US)), 1);
	line->lower(base);
	co_irq_close(&irq);
}

TEST(priorities_are_the_controllers)
{
	int r;

	open_line(0);
	r = co_irq_priority(&irq, 1u << 20);
	CHECK(r == -EINVAL || r == -ENOTSUP);
	if (co_irq_priority(&irq, 6)) /* no PLIC */
		CHECK_EQ(co_irq_priority(&irq, 0x50), r == -ENOTSUP ? r : 0);
	line->raise(base);
	CHECK_EQ(wait_soon(), 0);
	line->lower(base);
	co_irq_close(&irq);
}

/* A line that comes just when its hart is about to sleep, or has just fallen asleep. */
static struct co_a32 rounds;

static intptr_t raise_each(void *seed)
{
	struct test_random r = test_random((unsigned)(intptr_t)seed);
	uint32_t n = co_atomic_load(&rounds, CO_RELAXED);

	for (uint32_t i = 0; i < n; i++) {
		unsigned spins = 0;

		/* More than i: a line has come twice. */
		while (co_atomic_load(&served, CO_ACQUIRE) < i) {
			if (++spins % 64 == 0)
				co_pause();
		}
		for (unsigned left = test_below(&r, 600); left; left--)
			__asm__ volatile("");
		line->raise(base);
	}
	return 0;
}

static void race(unsigned seed)
{
	enum { ROUNDS = 400 };
	struct co *c;

	co_atomic_store(&rounds, ROUNDS, CO_RELAXED);
	co_atomic_store(&served, 0, CO_RELAXED);
	c = test_spawn_on(co_harts() - 1, raise_each, (void *)(intptr_t)seed);
	for (unsigned i = 0; i < ROUNDS; i++) {
		if (!CHECK_EQ(wait_soon(), 0))
			break;
		line->lower(base);
		co_irq_done(&irq);
		co_atomic_store(&served, i + 1, CO_RELEASE);
	}
	CHECK_EQ(test_join(c), 0);
	co_irq_close(&irq);
}

TEST(no_line_is_lost_while_its_hart_falls_asleep)
{
	open_line(0);
	race(1);
	open_line(last_hart() ? 1 : 0);
	race(2);
}

/* ---- Handlers ---- */

static struct co_a32 came; /* how often the handler has run */

static bool count_and_lower(void *unused)
{
	(void)unused;
	line->lower(base);
	co_atomic_add(&came, 1, CO_RELAXED);
	return false;
}

static bool lower_and_wake(void *unused)
{
	(void)count_and_lower(unused);
	return true;
}

static void open_handled(unsigned hart, co_irq_fn *handler)
{
	int r;

	need_line();
	co_atomic_store(&came, 0, CO_RELAXED);
	r = co_irq_handler(number, hart, handler, NULL, &irq);
	if (r == -ENOTSUP)
		SKIP("no hart of this board takes interrupts");
	REQUIRE_EQ(r, 0);
}

static unsigned came_now(void)
{
	return co_atomic_load(&came, CO_RELAXED);
}

/* Without a scheduling point. */
static bool comes_while_it_computes(unsigned times)
{
	uint64_t deadline = co_after_us(SECONDS_US);

	while (came_now() < times && co_now() < deadline)
		;
	return came_now() == times;
}

TEST(a_handler_interrupts_code_that_reaches_no_scheduling_point)
{
	open_handled(0, count_and_lower);
	for (unsigned i = 1; i <= 5; i++) {
		line->raise(base);
		CHECK(comes_while_it_computes(i));
	}
	CHECK_EQ(co_irq_wait_until(&irq, co_after_us(1000)), -ETIMEDOUT);
	co_irq_close(&irq);
}

TEST(a_handler_wakes_a_waiter)
{
	open_handled(0, lower_and_wake);
	for (unsigned i = 1; i <= 5; i++) {
		line->raise(base);
		CHECK_EQ(wait_soon(), 0);
		CHECK_EQ(came_now(), i);
	}
	co_irq_close(&irq);
}

TEST(a_handler_wakes_a_waiter_of_another_hart)
{
	struct co *c;

	open_handled(last_hart(), lower_and_wake);
	c = test_spawn_on(0, wait_there, NULL);
	test_sleep_us(1000);
	line->raise(base);
	CHECK_EQ(test_join(c), 0);
	CHECK_EQ(came_now(), 1);
	co_irq_close(&irq);
}

/* The handler comes wherever the hart is: in switches, wakes, sends, sleeps. */
static intptr_t exchange(void *chan)
{
	unsigned n = 0, x;

	while (co_chan_recv(chan, &x) == 0 && x)
		n += x;
	return n;
}

enum { LINES = 300 };

static intptr_t raise_at_random(void *unused)
{
	struct test_random r = test_random(11);

	(void)unused;
	for (unsigned i = 1; i <= LINES; i++) {
		line->raise(base);
		while (came_now() < i)
			co_pause();
		for (unsigned left = test_below(&r, 1000); left; left--)
			__asm__ volatile("");
	}
	return came_now();
}

TEST(a_handler_comes_anywhere_in_the_runtime)
{
	CO_CHANNEL(chan, unsigned, 2);
	struct co *c, *raises;
	unsigned sent = 0;

	open_handled(0, count_and_lower);
	c = test_spawn_on(0, exchange, &chan);
	raises = test_spawn_on(co_harts() - 1, raise_at_random, NULL);
	for (; came_now() < LINES; sent++) {
		CHECK_EQ(co_chan_send(&chan, &(unsigned){ 1 }), 0);
		if (sent % 8 == 0)
			test_sleep_us(10);
	}
	CHECK_EQ(test_join(raises), LINES);
	CHECK_EQ(co_chan_send(&chan, &(unsigned){ 0 }), 0);
	CHECK_EQ(test_join(c), sent);
	co_irq_close(&irq);
}

/* It comes again in the trap of the first one, of which it waits for the end. */
static bool raise_again(void *unused)
{
	(void)count_and_lower(unused);
	if (came_now() < 5)
		line->raise(base);
	return false;
}

TEST(a_line_that_comes_in_a_handler_comes_after_it)
{
	open_handled(0, raise_again);
	line->raise(base);
	CHECK(comes_while_it_computes(5));
	co_irq_close(&irq);
}

static struct co_a32 in_handler;

static bool take_long(void *unused)
{
	(void)unused;
	line->lower(base);
	co_atomic_store(&in_handler, 1, CO_RELAXED);
	for (unsigned left = 100000; left; left--)
		__asm__ volatile("");
	co_atomic_store(&in_handler, 2, CO_RELAXED);
	return false;
}

TEST(the_close_waits_for_a_handler_on_another_hart)
{
	if (!last_hart())
		SKIP("lines come to hart 0 alone");
	for (unsigned i = 0; i < 5; i++) {
		co_atomic_store(&in_handler, 0, CO_RELAXED);
		open_handled(last_hart(), take_long);
		line->raise(base);
		test_await(&in_handler, 1 + i % 2);
		co_irq_close(&irq);
		CHECK_EQ(co_atomic_load(&in_handler, CO_RELAXED), 2);
		/* The next opener's line comes: it is not masked by the last one's hart. */
		open_line(0);
		line->raise(base);
		CHECK_EQ(wait_soon(), 0);
		line->lower(base);
		co_irq_close(&irq);
	}
}

TEST(no_wake_of_a_handler_is_lost_while_its_hart_falls_asleep)
{
	open_handled(0, lower_and_wake);
	race(1);
	open_handled(last_hart() ? 1 : 0, lower_and_wake);
	race(2);
}

static intptr_t raise_while_open(void *unused)
{
	(void)unused;
	while (!co_atomic_load(&served, CO_ACQUIRE)) {
		line->raise(base);
		co_pause();
	}
	return 0;
}

TEST(no_handler_runs_after_the_close)
{
	struct co *c;

	co_atomic_store(&served, 0, CO_RELAXED);
	open_handled(last_hart(), count_and_lower);
	co_irq_close(&irq);
	c = test_spawn_on(co_harts() > 2 ? 1 : 0, raise_while_open, NULL);
	for (unsigned i = 0; i < 100; i++) {
		unsigned n = came_now(), hart = i % 3 ? last_hart() : 0;

		line->lower(base); /* in QEMU's PLIC it does not come before it is raised anew */
		REQUIRE_EQ(co_irq_handler(number, hart, count_and_lower, NULL, &irq), 0);
		while (i % 2 == 0 && came_now() == n)
			co_pause();
		co_irq_close(&irq);
		n = came_now();
		for (unsigned left = 20; left; left--)
			co_pause();
		CHECK_EQ(came_now(), n);
	}
	co_atomic_store(&served, 1, CO_RELEASE);
	CHECK_EQ(test_join(c), 0);
	line->lower(base);
}

TEST(a_handler_of_a_line_that_cannot_be_opened)
{
	need_line();
	if (co_irq_handler(number, 0, count_and_lower, NULL, &irq) == -ENOTSUP)
		SKIP("no hart of this board takes interrupts");
	co_irq_close(&irq);
	CHECK_EQ(co_irq_handler(1u << 20, 0, count_and_lower, NULL, &irq), -EINVAL);
	CHECK_EQ(co_irq_handler(number, co_harts(), count_and_lower, NULL, &irq), -EINVAL);
	CHECK_EQ(co_irq_handler(hal_console_line, 0, count_and_lower, NULL, &irq), -EBUSY);
}
