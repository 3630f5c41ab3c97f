/* test_confined.c - coroutines without privilege: what they may do, and that they are ended
 * otherwise. */
#include <hal/alarm.h>
#include <hal/board.h>
#include <hal/guard.h>
#include <hal/host.h>
#include <hal/time.h>

#include "../runtime/sandbox/confined.h"
#include "confined.h"
#include "line.h"

static uintptr_t not_shared = 4711;
static _Thread_local int own = 7;

TEST_IN_DOMAIN(a_confined_coroutine_returns_its_result)
{
	intptr_t result = 0;

	CHECK_EQ(confined(adds, (void *)41, &result), 0);
	CHECK_EQ(result, 42);
}

static intptr_t works(void *arg)
{
	struct shared *s = arg;
	static const char *const constants[] = { "nought", "one", "two" };
	volatile double x = 2;

	s->word++;
	s->answer[0] = read_only[0];
	memcpy(s->text, constants[s->word + 1], 4);
	own++;
	if (co_user_pause() || co_user_sleep_us(100))
		return -1;
	x *= 1.5;
	s->answer[1] = co_user_print("# confined\n", 11);
	co_user_exit(own + (intptr_t)co_user_hart() * 100 + (x == 3 ? 10000 : 0));
}

TEST_IN_DOMAIN(it_has_what_is_shared_and_constants_and_thread_locals_of_its_own)
{
	intptr_t result = 0;

	own = 100;
	read_only[0] = 5; /* read-only for others */
	CHECK_EQ(confined(works, &block[0], &result), 0);
	CHECK_EQ(result, 10000 + (co_harts() - 1) * 100 + 8);
	CHECK_EQ(own, 100);
	CHECK_EQ(block[0].word, 1);
	CHECK_EQ(block[0].answer[0], 5);
	CHECK_EQ(block[0].answer[1], 0);
	CHECK_STR((char *)block[0].text, "two");
}

/* ---- What it must not do ---- */

enum { LOADS, STORES, JUMPS, OVERFLOWS, MAPS, SETS_THE_TIMER, TRAPS, LEAVES_THE_EMULATOR };

static int deep(volatile int *above, int n)
{
	volatile int here[64] = { 0 };

	here[n % 64] = *above;
	return n ? deep(here, n - 1) + here[0] : 0;
}

static intptr_t sins(void *arg)
{
	struct shared *s = arg;

	switch (s->what) {
	case LOADS:
		return *(volatile unsigned char *)s->address;
	case STORES:
		*(volatile unsigned char *)s->address = 1;
		return 1;
	case JUMPS:
		((void (*)(void))s->address)();
		return 1;
	case OVERFLOWS:
		return deep(&(int){ 1 }, 1000000);
	case MAPS:
		hal_map_activate(0);
		return 1;
	case SETS_THE_TIMER:
		hal_time_wake_never();
		return 1;
	case TRAPS:
		__builtin_trap();
	case LEAVES_THE_EMULATOR:
		hal_host_exit(0);
	}
	return 2;
}

/* It is ended, it alone, and its domain and its hart go on. */
static void must_fault(unsigned what, uintptr_t address, const char *name)
{
	struct co_domain_use before, after;
	intptr_t result = 1;

	block[0].what = what;
	block[0].address = address;
	co_domain_use(&domain, &before);
	if (!CHECK_EQ(confined(sins, &block[0], &result), -EFAULT) || !CHECK_EQ(result, 1))
		printf("# %s was not refused\n", name);
	co_domain_use(&domain, &after);
	CHECK_EQ(after.faults, before.faults + 1);
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, adds, (void *)1)), 2);
	CHECK_EQ(confined(adds, (void *)2, &result), 0);
	CHECK_EQ(result, 3);
}

static void must_not_touch(const void *p, const char *name)
{
	must_fault(LOADS, (uintptr_t)p, name);
	must_fault(STORES, (uintptr_t)p, name);
	must_fault(JUMPS, (uintptr_t)p, name);
}

BODY(where_thread_locals_are, (intptr_t)&own)

TEST_IN_DOMAIN_FAULTY(memory_that_was_not_shared_is_out_of_reach)
{
	int on_mains_stack = 1;
	unsigned last = co_harts() - 1;
	const unsigned char *window;

	window = co_spm_base(last);
	must_not_touch(NULL, "page zero");
	must_not_touch(&not_shared, "the program's data");
	must_not_touch(&on_mains_stack, "main's stack");
	must_not_touch(&domain, "the domain");
	must_not_touch(memory, "page tables");
	must_not_touch(co_confined_at(&domain, 0), "its own registers");
	must_not_touch(co_confined_at(&domain, 1), "another's registers");
	must_not_touch(window, "a hart's control block");
	must_not_touch((void *)test_join(test_spawn_on(last, where_thread_locals_are, NULL)),
		       "a hart's thread-locals");
	must_not_touch(co_spm_base(0), "another hart's scratchpad");
	must_not_touch((void *)hal_board.devices[0].base, "a device");
	must_not_touch((void *)(UINTPTR_MAX - 7), "the end of addresses");
	must_not_touch(&block[1], "what lies behind");
	CHECK_EQ(not_shared, 4711);
	CHECK_EQ(on_mains_stack, 1);
}

TEST_IN_DOMAIN_FAULTY(code_and_constants_are_not_written_and_data_is_not_executed)
{
	static const int constant = 3;

	must_fault(STORES, (uintptr_t)adds, "a store to code");
	must_fault(STORES, (uintptr_t)co_pause, "a store to the runtime's code");
	must_fault(STORES, (uintptr_t)&constant, "a store to constants");
	must_fault(STORES, (uintptr_t)read_only, "a store to what is shared to be read");
	must_fault(JUMPS, (uintptr_t)&constant, "a jump to constants");
	must_fault(JUMPS, (uintptr_t)block[0].text, "a jump to shared memory");
	must_fault(JUMPS, co_confined_stack_top(&domain, 0) - 64, "a jump to a stack");
	CHECK_EQ(read_only[0], 5);
}

TEST_IN_DOMAIN_FAULTY(what_is_privileged_is_refused)
{
	must_fault(OVERFLOWS, 0, "a stack overflow");
	must_fault(MAPS, 0, "a change of page tables");
#ifndef BOARD_SBI /* there it is a call, which a confined coroutine makes to the runtime */
	must_fault(SETS_THE_TIMER, 0, "a write to the timer");
#endif
	must_fault(TRAPS, 0, "an illegal instruction");
	must_fault(LEAVES_THE_EMULATOR, 0, "a call of the emulator");
	must_fault(JUMPS, (uintptr_t)co_pause, "a call of the runtime");
	must_fault(JUMPS, (uintptr_t)co_panic, "the runtime's own code");
}

/* ---- Calls ---- */

static const char constants[] = "#\n a constant, behind the code";

static intptr_t calls_badly(void *arg)
{
	struct shared *s = arg;
	intptr_t *a = s->answer;
	const char *last = (const char *)s + sizeof(*s) - 4;

	*a++ = co_user_print(NULL, 4);
	*a++ = co_user_print((const char *)s->address, 4);
	*a++ = co_user_print(last, 4);
	*a++ = co_user_print(last, 5);
	*a++ = co_user_print((const char *)UINTPTR_MAX - 3, 8);
	*a++ = co_user_print(last, UINTPTR_MAX);
	*a++ = co_user_print(last, CO_USER_PRINT_BYTES + 1);
	*a++ = (intptr_t)hal_user_call(4711, 0, 0, 0, 0);
	*a++ = (intptr_t)hal_user_call(CO_USER_AWAIT, 0, 0, 0, 0);
	*a++ = (intptr_t)hal_user_call(CO_USER_AWAIT, UINTPTR_MAX, UINTPTR_MAX, 0, 0);
	*a++ = (intptr_t)hal_user_call(CO_USER_WAKE, 32, 0, 0, 0);
	*a++ = (intptr_t)hal_user_call(CO_USER_CLOSE, 1, 0, 0, 0);
	/* Where an answer goes must be its own to write. */
	*a++ = (intptr_t)hal_user_call(CO_USER_AFTER, 1, s->address, 0, 0);
	*a++ = (intptr_t)hal_user_call(CO_USER_AFTER, 1, (uintptr_t)read_only, 0, 0);
	*a++ = (intptr_t)hal_user_call(CO_USER_AFTER, 1, (uintptr_t)constants, 0, 0);
	*a++ = (intptr_t)hal_user_call(CO_USER_AFTER, 1, (uintptr_t)last, 0, 0);
	*a++ = (intptr_t)hal_user_call(CO_USER_AFTER, 1, (uintptr_t)(last - 4), 0, 0);
	/* And what is read, to read. */
	*a++ = co_user_print((const char *)read_only, 2);
	*a++ = co_user_print(constants, 2);
	return 0;
}

TEST_IN_DOMAIN(calls_with_bad_arguments_fail_and_change_nothing)
{
	static const int want[] = { -EFAULT, -EFAULT, 0,       -EFAULT, -EFAULT, -E2BIG,  -E2BIG,
				    -ENOSYS, -EINVAL, -EINVAL, -EINVAL, -EINVAL, -EFAULT, -EFAULT,
				    -EFAULT, -EFAULT, 0,       0,       0 };
	intptr_t result = 1;

	block[0].address = (uintptr_t)&not_shared;
	memcpy(read_only, "#\n", 2);
	memcpy((char *)&block[0] + sizeof(block[0]) - 4, "# \n", 4);
	CHECK_EQ(confined(calls_badly, &block[0], &result), 0);
	CHECK_EQ(result, 0);
	for (unsigned i = 0; i < sizeof(want) / sizeof(*want); i++) {
		if (!CHECK_EQ(block[0].answer[i], want[i]))
			printf("# call %u\n", i);
	}
	CHECK_EQ(not_shared, 4711);
	CHECK_EQ(memcmp(read_only, "#\n\0\0\0\0\0\0", 8), 0);
}

static intptr_t spins(void *arg)
{
	while (arg)
		__asm__ volatile("");
	return 0;
}

/* Calls come back before a timer that began anew with each would ring. */
static intptr_t calls_for_ever(void *arg)
{
	while (arg)
		(void)!co_user_hart();
	return 0;
}

static intptr_t yields_for_ever(void *arg)
{
	while (arg)
		(void)!co_user_pause();
	return 0;
}

static intptr_t sleeps_for_ever(void *arg)
{
	while (arg)
		(void)!co_user_sleep_us(10);
	return 0;
}

/* An end that there is not: refused at once. */
static intptr_t waits_badly_for_ever(void *arg)
{
	while (arg)
		(void)hal_user_call(CO_USER_AWAIT, UINTPTR_MAX, 0, 0, 0);
	return 0;
}

static void holds_up_nobody_and_ends_when_cancelled(co_fn *fn)
{
	intptr_t result = 0;
	struct co *c;

	begin();
	c = start(fn, &block[0]);
	test_sleep_us(3000);
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, adds, (void *)1)), 2);
	CHECK_EQ(co_domain_end(&domain), -EBUSY);
	CHECK_EQ(co_domain_share(&domain, read_only, sizeof(read_only), CO_READ), -EBUSY);
	co_cancel(c);
	/* Five hundred times what it is given, for a PC that is busy. */
	REQUIRE_EQ(co_join_until(c, &result, co_after_us(500 * CO_CONFINED_GRACE_US)), 0);
	CHECK_EQ(result, -ECANCELED);
	end();
}

static unsigned number;
static uintptr_t base;
static const struct line *line;
static struct co_a32 came;

static bool count_and_lower(void *unused)
{
	(void)unused;
	line->lower(base);
	co_atomic_add(&came, 1, CO_RELEASE);
	return false;
}

TEST(a_handler_interrupts_one_that_never_gives_way)
{
	static struct co_irq irq;
	intptr_t result = 0;
	struct co *c;
	int r;

	line = find_line(&number, &base);
	if (!line)
		SKIP("no device of this board raises a line when it is to");
	line->lower(base);
	r = co_irq_handler(number, co_harts() - 1, count_and_lower, NULL, &irq);
	if (r == -ENOTSUP)
		SKIP("no hart of this board takes interrupts");
	REQUIRE_EQ(r, 0);
	begin();
	c = start(spins, &block[0]);
	test_sleep_us(1000);
	for (unsigned i = 1; i <= 3; i++) {
		line->raise(base);
		test_await(&came, i);
	}
	co_cancel(c);
	REQUIRE_EQ(co_join_until(c, &result, co_after_us(500 * CO_CONFINED_GRACE_US)), 0);
	co_irq_close(&irq);
	end();
}

TEST(one_that_never_gives_way_holds_up_nobody_and_ends_when_cancelled)
{
	holds_up_nobody_and_ends_when_cancelled(spins);
}

TEST(so_does_one_that_calls_and_does_not_listen)
{
	holds_up_nobody_and_ends_when_cancelled(calls_for_ever);
	holds_up_nobody_and_ends_when_cancelled(yields_for_ever);
	holds_up_nobody_and_ends_when_cancelled(sleeps_for_ever);
	holds_up_nobody_and_ends_when_cancelled(waits_badly_for_ever);
}

/* One that listens ends by itself, with a result of its own. */
static intptr_t hears_its_cancel(void *arg)
{
	struct shared *s = arg;
	int r = 0;

	while (!r)
		r = s->what ? co_user_sleep_us(10) : co_user_pause();
	s->answer[0] = r;
	return 77;
}

TEST_IN_DOMAIN(one_that_listens_hears_a_cancel_and_ends_by_itself)
{
	intptr_t result = 0;

	for (unsigned i = 0; i < 2; i++) {
		struct co *c;

		block[0].what = i;
		c = start(hears_its_cancel, &block[0]);
		test_sleep_us(1000);
		co_cancel(c);
		CHECK_EQ(co_join(c, &result), 0);
		CHECK_EQ(result, 77);
		CHECK_EQ(block[0].answer[0], -ECANCELED);
	}
}

/* It works on for some slices once it has heard its cancel. */
static intptr_t tidies_up(void *arg)
{
	int r = 0;
	uint64_t end;

	while (!r)
		r = co_user_pause();
	end = co_user_after_us(3 * CO_CONFINED_SLICE_US);
	while (co_user_after_us(0) < end)
		;
	return 77;
}

/* A busy PC may take all the time that it has: so it has some turns. */
static bool tidies_up_in_time(void)
{
	intptr_t result = 0;

	for (unsigned turn = 0; turn < 100 && result != 77; turn++) {
		struct co *c = start(tidies_up, NULL);

		test_sleep_us(1000);
		co_cancel(c);
		CHECK_EQ(co_join(c, &result), 0);
		CHECK(result == 77 || result == -ECANCELED);
	}
	return result == 77;
}

TEST_IN_DOMAIN(one_that_listens_has_time_to_tidy_up_whoever_was_in_its_place)
{
	for (unsigned i = 0; i < 3; i++) {
		struct co_domain_use use;

		CHECK(tidies_up_in_time());
		co_domain_use(&domain, &use);
		CHECK_EQ(use.alive, 0);
	}
}

static intptr_t asks_for_a_time(void *arg)
{
	*(uint64_t *)((struct shared *)arg)->text = co_user_after_us(1000);
	return co_user_print((const char *)arg + sizeof(struct shared) - CO_USER_PRINT_BYTES,
			     CO_USER_PRINT_BYTES);
}

TEST_IN_DOMAIN(it_has_the_time_of_others_and_prints_as_much_as_it_may)
{
	uint64_t before = co_after_us(1000);
	uint64_t *got = (uint64_t *)block[0].text;

	memset((char *)&block[0] + sizeof(block[0]) - CO_USER_PRINT_BYTES, '\n',
	       CO_USER_PRINT_BYTES);
	CHECK_EQ(test_join(start(asks_for_a_time, &block[0])), 0);
	CHECK(*got >= before && *got <= co_after_us(1000));
}

/* Registers of all kinds survive what comes between. */
static intptr_t sums(void *arg)
{
	struct shared *s = arg;
	double x = 0;
	uintptr_t n = 0;

	for (unsigned i = 0; i < 600000; i++) {
		n = n * 3 + i;
		x += 0.5;
	}
	return (intptr_t)n == s->answer[0] && x == 300000;
}

TEST_IN_DOMAIN(two_that_never_give_way_share_their_hart_unharmed)
{
	struct co_domain_use use;
	struct co *c[3];
	uintptr_t n = 0;

	for (unsigned i = 0; i < 600000; i++)
		n = n * 3 + i;
	block[0].answer[0] = (intptr_t)n;
	for (unsigned i = 0; i < 3; i++)
		c[i] = start(sums, &block[0]);
	test_join_all(c, 3, 1);
	co_domain_use(&domain, &use);
	CHECK_EQ(use.changes, 1);
	CHECK_EQ(use.alive, 0);
	CHECK(use.interrupts > 0);
}

static intptr_t crosses(void *arg)
{
	struct shared *s = arg;
	intptr_t n = 0;

	/* Another hart writes it. */
	while (!*(volatile uintptr_t *)&s->word) {
		if (co_user_hart() != (unsigned)s->answer[0])
			return -1;
		*(volatile intptr_t *)&s->answer[1] = ++n;
	}
	return n;
}

/* One that has come takes no other interrupt's place. */
TEST_IN_DOMAIN(alarm_leaves_confined_code_interruptible)
{
	struct co *c = start(spins, &block[0]);
	intptr_t result = 0;

	test_sleep_us(3000);
	hal_alarm_ring(co_harts() - 1);
	test_sleep_us(3000);
	co_cancel(c);
	REQUIRE_EQ(co_join_until(c, &result, co_after_us(500 * CO_CONFINED_GRACE_US)), 0);
	CHECK_EQ(result, -ECANCELED);
}

/* An alarm is masked by nobody: not while stacks, vectors and tables are on their way either. */
TEST_IN_DOMAIN(alarms_come_at_any_moment_of_a_crossing)
{
	struct co *c;

	block[0].answer[0] = (intptr_t)co_harts() - 1;
	c = start(crosses, &block[0]);
	AWAIT(*(volatile intptr_t *)&block[0].answer[1]); /* it has begun */
	for (unsigned i = 0; i < 20000; i++) {
		hal_alarm_ring(co_harts() - 1);
		if (i % 256 == 0)
			co_pause();
		for (volatile unsigned spin = i % 97; spin; spin--)
			;
	}
	test_sleep_us(1000);
	block[0].word = 1;
	CHECK(test_join(c) > 0);
}
