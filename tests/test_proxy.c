/*
 * test_proxy.c - work handed to hart 0 from every hart.
 *
 * Topologies: 2x(1+2) nm6408
 */
#include <cohart/detail/cleanup.h>
#include <cohart/proxy.h>

#include "../runtime/core/core.h"
#include "../runtime/io/print_ring.h"
#include "faulty.h"

#define CALLS 50
#define PER_HART 3
#define HARTS_MAX 512

/* What a call brings along, in memory that every hart may use. */
struct errand {
	int in;
	int out;
	unsigned hart;
	int set_errno;
};

static intptr_t run_errand(void *arg)
{
	struct errand *e = arg;

	e->out = e->in * 2;
	e->hart = co_hart();
	if (e->set_errno)
		errno = e->set_errno;
	return e->in + 1;
}

/* An errand from a hart's public scratchpad, on it. */
static intptr_t call_once(void *arg)
{
	struct errand *e = co_spm_alloc(sizeof(*e), 8);

	REQUIRE(e);
	*e = (struct errand){ .in = (int)(intptr_t)arg, .hart = 999 };
	errno = 7;
	CHECK_EQ(co_proxy_call(run_errand, e), (intptr_t)arg + 1);
	CHECK_EQ(e->out, 2 * (intptr_t)arg);
	CHECK_EQ(e->hart, 0);
	CHECK_EQ(errno, 7);
	e->set_errno = EDOM;
	CHECK_EQ(co_proxy_call(run_errand, e), (intptr_t)arg + 1);
	CHECK_EQ(errno, EDOM);
	co_spm_free(e);
	return 0;
}

TEST(a_call_runs_on_hart_0_and_brings_result_and_errno_back)
{
	for (unsigned hart = 0; hart < co_harts(); hart++)
		CHECK_EQ(test_join(test_spawn_on(hart, call_once, (void *)(intptr_t)(hart + 5))),
			 0);
}

BODY(whoami, co_hart())

TEST(on_hart_0_a_call_is_a_plain_call)
{
	struct errand on_the_stack = { .in = 20 };

	CHECK_EQ(co_proxy_call(run_errand, &on_the_stack), 21);
	CHECK_EQ(on_the_stack.out, 40);
	CHECK_EQ(co_proxy_call(whoami, NULL), 0);
}

BODY(nested, co_proxy_call(whoami, NULL) == 0 ? (intptr_t)arg : -1)

BODY(call_nested, co_proxy_call(nested, (void *)nested))

TEST(a_served_function_may_call_on)
{
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, call_nested, NULL)), (intptr_t)nested);
}

/* Touched by the server alone, so without atomics. */
static unsigned served;
static struct {
	unsigned next;
	unsigned out_of_order;
} from[HARTS_MAX * PER_HART];

struct ticket {
	unsigned who;
	unsigned number;
};

static intptr_t take_ticket(void *arg)
{
	const struct ticket *t = arg;

	served++;
	if (from[t->who].next != t->number)
		from[t->who].out_of_order++;
	from[t->who].next = t->number + 1;
	return (intptr_t)served;
}

static intptr_t customer(void *arg)
{
	struct ticket *t = co_spm_alloc(sizeof(*t), 8);
	intptr_t last = 0;

	REQUIRE(t);
	t->who = (unsigned)(intptr_t)arg;
	for (t->number = 0; t->number < CALLS; t->number++) {
		intptr_t now = co_proxy_call(take_ticket, t);

		CHECK(now > last);
		last = now;
	}
	co_spm_free(t);
	return CALLS;
}

TEST(calls_from_all_harts_are_each_served_once_and_in_order)
{
	unsigned n = co_harts() * PER_HART;

	served = 0;
	memset(from, 0, sizeof(from));
	test_spread(customer, n, CALLS);
	for (unsigned i = 0; i < n; i++)
		CHECK_EQ(from[i].out_of_order, 0);
	CHECK_EQ(served, n * CALLS);
}

static intptr_t canceled(void *arg)
{
	while (!co_canceled())
		co_pause();
	for (int i = 0; i < 10; i++)
		CHECK_EQ(co_proxy_call(whoami, NULL), 0);
	CHECK_EQ(co_sleep_us(10), -ECANCELED);
	return 17;
}

TEST(a_cancel_does_not_cut_a_call_short)
{
	struct co *c = test_spawn_on(co_harts() - 1, canceled, NULL);

	test_sleep_us(100);
	co_cancel(c);
	CHECK_EQ(test_join(c), 17);
}

static intptr_t busy(void *arg)
{
	uint64_t until = co_after_us(2000);

	while (co_now() < until)
		;
	return 1;
}

BODY(call_busy, co_proxy_call(busy, NULL))

static intptr_t cancel_it(void *c)
{
	co_cancel(c);
	return 0;
}

TEST(a_cancel_in_the_middle_of_a_call_lets_it_end)
{
	unsigned hart = co_harts() - 1;
	struct co *caller = test_spawn_on(hart, call_busy, NULL);

	/* On the caller's own hart, so it runs while the caller waits for its answer. */
	test_join(test_spawn_on(hart, cancel_it, caller));
	CHECK_EQ(test_join(caller), 1);
}

static struct co_mutex kept;

static intptr_t fail_there(void *arg)
{
	int r = co_mutex_lock(&kept);

	CO_ASSERT(r && co_hart() != 0);
	return 0;
}

static intptr_t fault_there(void *arg)
{
	*(volatile uintptr_t *)arg = 1;
	return 0;
}

/* Where faults are signals that end the program, assertions alone are contained. */
static intptr_t ask_badly(void *arg)
{
	static uintptr_t *volatile nowhere;

	return arg && strcmp(co_board(), "host") != 0 ? co_proxy_call(fault_there, nowhere)
						      : co_proxy_call(fail_there, NULL);
}

/* What calls hold lies on the server's stack: down to that depth, or to the stack's end. */
static struct co_a32 holds, run_well, run_badly;

struct held {
	struct co_cleanup cleanup;
	uintptr_t mark[2];
};

static void let_go(struct co_cleanup *c, struct co *of, enum co_cleanup_why why)
{
	const struct held *h = (const struct held *)c;
	char text[256];
	bool whole;

	snprintf(text, sizeof(text), "%s", co_name(of)); /* it uses some stack */
	CHECK_STR(text, "proxy");
	whole = h->mark[0] == WILD && h->mark[1] == ~(uintptr_t)WILD;
	co_atomic_add(whole && why == CO_CLEANUP_FAULT ? &run_well : &run_badly, 1, CO_RELAXED);
}

static void fault_again(struct co_cleanup *c, struct co *of, enum co_cleanup_why why)
{
	CO_ASSERT(wild == 0);
}

static void (*at_fault)(struct co_cleanup *, struct co *, enum co_cleanup_why) = let_go;
static bool damages; /* the list */

__attribute__((noinline)) static intptr_t hold_there(void *depth)
{
	struct held h = { .mark = { WILD, ~(uintptr_t)WILD } };
	intptr_t sum = 0;

	co_cleanup_add(&h.cleanup, at_fault);
	if (damages)
		h.cleanup.next = (uintptr_t)wild;
	co_atomic_add(&holds, 1, CO_RELAXED);
	if (depth)
		sum = hold_there((char *)depth - 1);
	CO_ASSERT(wild == 0);
	co_cleanup_remove(&h.cleanup); /* never, but h is in use until here */
	return sum + (intptr_t)h.mark[0];
}

BODY(ask_to_hold, co_proxy_call(hold_there, arg))

static void hold_to(uintptr_t depth)
{
	CHECK_EQ(co_join(test_spawn_on(co_harts() - 1, ask_to_hold, (void *)depth), NULL), -EFAULT);
	CHECK_EQ(co_atomic_load(&run_badly, CO_RELAXED), 0);
	CHECK_EQ(co_atomic_load(&run_well, CO_RELAXED), co_atomic_load(&holds, CO_RELAXED));
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, call_nested, NULL)), (intptr_t)nested);
}

TEST_FAULTY(what_a_call_held_is_let_go_of_before_the_servers_stack_is_used_again)
{
	if (co_harts() == 1)
		SKIP("calls are plain calls there");
	for (uintptr_t depth = 0; depth < 30; depth++)
		hold_to(depth);
}

TEST_FAULTY(so_is_what_a_call_held_that_has_no_stack_left)
{
	unsigned before = co_stacks_free(CO_STACK_MAIN);

	if (co_harts() == 1 || hal_board.is_process || test_hart0_has_no_map())
		SKIP("calls are plain calls, or no guard page is below hart 0's stacks");
	for (unsigned i = 0; i < 3; i++)
		hold_to(UINTPTR_MAX);
	CHECK_EQ(co_stacks_free(CO_STACK_MAIN), before);
}

/* It lets go of nothing more, and begins anew; with a stack of its own, and no other one lost. */
TEST_FAULTY(a_server_that_faults_while_it_cleans_up_goes_on)
{
	unsigned before = co_stacks_free(CO_STACK_MAIN);

	if (co_harts() == 1 || hal_board.is_process || test_hart0_has_no_map())
		SKIP("as above");
	for (unsigned i = 0; i < 4; i++) {
		uintptr_t depth = i < 2 ? i : UINTPTR_MAX;

		at_fault = i == 3 ? let_go : fault_again;
		damages = i == 3;
		CHECK_EQ(co_join(test_spawn_on(co_harts() - 1, ask_to_hold, (void *)depth), NULL),
			 -EFAULT);
		CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, call_nested, NULL)),
			 (intptr_t)nested);
		CHECK_EQ(co_stacks_free(CO_STACK_MAIN), before);
	}
	at_fault = let_go;
	damages = false;
	co_atomic_store(&holds, co_atomic_load(&run_well, CO_RELAXED), CO_RELAXED);
}

static void print_badly(struct co_msg *m)
{
	fault_here();
}

static intptr_t post_badly(void *arg)
{
	struct co_io_record *r = co_io_record_open();

	r->msg.run = print_badly;
	CHECK_EQ(co_io_record_post(r, co_self(), r->word, false, 5), 5);
	for (int i = 0; i < 300; i++) /* more than a ring holds */
		CHECK_EQ(printf("# printed after it\n"), 19);
	CHECK_EQ(fflush(stdout), 0);
	return (intptr_t)arg;
}

TEST_FAULTY(what_faults_while_it_is_printed_costs_nobody_anything)
{
	if (co_harts() == 1 || hal_board.is_process)
		SKIP("nothing is deferred there, or faults end the program");
	for (intptr_t i = 0; i < 3; i++)
		CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, post_badly, (void *)i)), i);
}

static intptr_t open_by_wild_name(void *arg)
{
	FILE *f = fopen((const char *)wild, "r"); /* it is copied for hart 0 */

	return f ? 1 : (intptr_t)arg;
}

static intptr_t open_by_own_name(void *arg)
{
	char name[] = "tests/is/not/there";
	FILE *f = fopen(name, "r");

	return f ? 1 : (intptr_t)arg;
}

TEST_FAULTY(a_call_whose_arguments_fault_keeps_no_other_from_its_harts_buffer)
{
	unsigned hart = co_harts() - 1;

	if (hal_board.is_process)
		SKIP("the C library is the PC's");
	for (intptr_t i = 0; i < 2; i++) {
		CHECK_EQ(co_join(test_spawn_on(hart, open_by_wild_name, NULL), NULL), -EFAULT);
		CHECK_EQ(test_join(test_spawn_on(hart, open_by_own_name, (void *)i)), i);
	}
}

/* ---- Calls within calls: the server serves others while it waits for `barred` ---- */

static struct co_mutex barred;
static struct co_a32 are_there, opens_now;

static intptr_t keep_barred(void *arg)
{
	CHECK_EQ(co_mutex_lock(&barred), 0);
	co_atomic_add(&are_there, 1, CO_RELEASE);
	test_await(&opens_now, 1);
	co_mutex_unlock(&barred);
	return 0;
}

static intptr_t pass_there(void *arg)
{
	co_atomic_add(&are_there, 1, CO_RELEASE);
	co_io_mutex_lock(&barred);
	co_mutex_unlock(&barred);
	return (intptr_t)arg;
}

BODY(pass, co_proxy_call(pass_there, arg))

/* Two calls at `barred`, which is kept, the second within the first. */
static void call_twice(struct co *c[3])
{
	co_atomic_store(&opens_now, 0, CO_RELAXED);
	co_atomic_store(&are_there, 0, CO_RELAXED);
	c[0] = test_spawn_on(0, keep_barred, NULL);
	for (uintptr_t i = 1; i <= 2; i++) {
		test_await(&are_there, (uint32_t)i);
		c[i] = test_spawn_on(co_harts() - 1, pass, (void *)i);
	}
	test_await(&are_there, 3);
}

static void unbar(struct co *keeper)
{
	co_atomic_store(&opens_now, 1, CO_RELEASE); /* paired with keep_barred() */
	CHECK_EQ(test_join(keeper), 0);
}

TEST_FAULTY(what_fails_within_a_call_that_waits_ends_both_callers)
{
	struct co *c[3];

	if (co_harts() == 1)
		SKIP("on hart 0 a call is a plain call");
	for (unsigned round = 0; round < 2; round++) {
		call_twice(c);
		CHECK_EQ(co_join(test_spawn_on(1, ask_badly, NULL), NULL), -EFAULT);
		CHECK_EQ(co_join(c[1], NULL), -EFAULT);
		CHECK_EQ(co_join(c[2], NULL), -EFAULT);
		unbar(c[0]);
		CHECK_EQ(co_mutex_lock(&kept), -EOWNERDEAD);
		co_mutex_unlock(&kept);
		call_twice(c); /* nobody is notified twice */
		unbar(c[0]);
		CHECK_EQ(test_join(c[1]), 1);
		CHECK_EQ(test_join(c[2]), 2);
	}
}

static intptr_t keep_there(void *arg)
{
	return co_mutex_lock(&kept);
}

static intptr_t give_there(void *arg)
{
	co_mutex_unlock(&kept);
	return 0;
}

static intptr_t keep_from_here(void *arg)
{
	CHECK_EQ(co_proxy_call(keep_there, NULL), 0);
	CHECK_EQ(co_mutex_try_lock(&kept), -EAGAIN);
	CHECK_EQ(co_proxy_call(whoami, NULL), 0);
	CHECK_EQ(co_proxy_call(give_there, NULL), 0);
	CHECK_EQ(co_mutex_try_lock(&kept), 0);
	co_mutex_unlock(&kept);
	return (intptr_t)arg;
}

TEST(a_mutex_that_a_call_has_locked_stays_so_until_another_unlocks_it)
{
	if (co_harts() == 1)
		SKIP("on hart 0 a call is a plain call");
	for (intptr_t i = 0; i < 2; i++)
		CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, keep_from_here, (void *)i)), i);
}

TEST_FAULTY(what_fails_in_the_service_ends_its_caller_and_the_service_goes_on)
{
	if (co_harts() == 1)
		SKIP("on hart 0 a call is a plain call");
	for (intptr_t i = 0; i < 4; i++) {
		struct co *c = test_spawn_on(co_harts() - 1, ask_badly, (void *)(i & 1));

		CHECK_EQ(co_join(c, NULL), -EFAULT);
		if (!(i & 1)) { /* what it held there is let go of */
			CHECK_EQ(co_mutex_lock(&kept), -EOWNERDEAD);
			co_mutex_unlock(&kept);
		}
		CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, call_once, (void *)21)), 0);
	}
}
