/* deadlock.c - two coroutines, each waiting for the other to speak first. */
#include "../../runtime/core/hook.h"
#include <cohart/proxy.h>
#include <cohart/team.h>
#include "../harness/test.h"

CO_CHANNEL(to_alice, int, 1);
CO_CHANNEL(to_bob, int, 1);

static intptr_t alice(void *arg)
{
	int x;

	co_trace("words said", 0);
	co_waypoint("ears open");
	CHECK_EQ(co_chan_recv(&to_alice, &x), 0);
	CHECK_EQ(co_chan_send(&to_bob, &x), 0);
	return 0;
}

static intptr_t bob(void *arg)
{
	int x;

	CHECK_EQ(co_chan_recv(&to_bob, &x), 0);
	CHECK_EQ(co_chan_send(&to_alice, &x), 0);
	return 0;
}

TEST(two_wait_for_each_other)
{
	struct co *a, *b;
	const unsigned last = co_harts() - 1;

	a = test_spawn(&(struct co_attr){ .name = "alice", .on = CO_ON_HART(last) }, alice, NULL);
	b = test_spawn(&(struct co_attr){ .name = "bob", .on = CO_ON_HART(0) }, bob, NULL);
	(void)!co_join(a, NULL);
	(void)!co_join(b, NULL);
}

/* Those that come to a barrier, but for one who came once and has other things to do then. */
CO_CHANNEL(silent, int, 1);
CO_BARRIER(step, 3);

static intptr_t comes_twice(void *arg)
{
	CHECK_EQ(co_barrier_wait(&step, (unsigned)(uintptr_t)arg), 0);
	return co_barrier_wait(&step, (unsigned)(uintptr_t)arg);
}

static intptr_t comes_once(void *arg)
{
	int x;

	CHECK_EQ(co_barrier_wait(&step, (unsigned)(uintptr_t)arg), 0);
	return co_chan_recv(&silent, &x);
}

static struct co *start(const char *name, unsigned hart, co_fn *fn, uintptr_t arg)
{
	const struct co_attr attr = { .name = name, .on = CO_ON_HART(hart) };
	struct co *c = test_spawn(&attr, fn, (void *)arg);

	return c;
}

TEST(one_is_missing_at_a_barrier)
{
	struct co *alice = start("alice", 1, comes_twice, 0);

	start("bob", 2, comes_twice, 1);
	start("carol", co_harts() - 1, comes_once, 2);
	(void)!co_join(alice, NULL);
}

static intptr_t comes_to(void *arg)
{
	struct co_barrier *b;
	unsigned member;
	int r = co_barrier_of((enum co_barrier_scope)(uintptr_t)arg, &b, &member);

	return r ? r : co_barrier_wait(b, member);
}

/* All harts but the first and the last one; and the first of the compute harts alone. */
TEST(harts_are_missing_at_the_machines_barriers)
{
	struct co *first = start("first", 1, comes_to, CO_BARRIER_ALL);

	for (unsigned hart = 2; hart < co_harts() - 1; hart++)
		start("comer", hart, comes_to, CO_BARRIER_ALL);
	start("worker", 1, comes_to, CO_BARRIER_COMPUTES);
	(void)!co_join(first, NULL);
}

/* Dave is to be released by bob, who came, and never calls again. */
static struct co_barrier chain;
static struct co_event bob_gave_up;

BODY(comes_to_the_chain, co_barrier_wait(&chain, (unsigned)(uintptr_t)arg))

static intptr_t gives_up(void *arg)
{
	int x;

	CHECK_EQ(co_barrier_wait_until(&chain, (unsigned)(uintptr_t)arg, 0), -ETIMEDOUT);
	co_event_set(&bob_gave_up);
	return co_chan_recv(&silent, &x);
}

TEST(one_gave_up_at_a_barrier)
{
	static struct co_barrier_member members[4];
	struct co *dave;

	REQUIRE_EQ(co_barrier_init(&chain, 4, CO_BARRIER_TREE, members), 0);
	chain.shift = 1; /* member 3 hangs on member 1 */
	start("bob", 2, gives_up, 1);
	REQUIRE_EQ(co_event_wait(&bob_gave_up), 0);
	dave = start("dave", co_harts() - 1, comes_to_the_chain, 3);
	REQUIRE(test_await_sleep(dave));
	start("alice", 1, comes_to_the_chain, 0);
	start("carol", 3, comes_to_the_chain, 2);
	(void)!co_join(dave, NULL);
}

/* Alice ends with the mutex that bob waits for. */
static struct co_mutex mutex;

BODY(locks, co_mutex_lock(&mutex))

TEST(a_mutex_is_never_unlocked)
{
	struct co *bob;

	test_join(start("alice", 1, locks, 0));
	bob = start("bob", co_harts() - 1, locks, 0);
	(void)!co_join(bob, NULL);
}

/* Alice sends, and bob does, where nobody receives. */
CO_CHANNEL(meeting, int, 0);

BODY(sends, co_chan_send(&meeting, &(int){ 1 }))

/* The call is the last of the function, and what follows it in the image is not the next one. */
static __attribute__((noinline, aligned(256))) intptr_t sends_at_last(void *arg)
{
	(void)!co_chan_send(&meeting, arg);
	__builtin_unreachable();
}

TEST(no_receiver_comes)
{
	static int word;
	struct co *alice = start("alice", 1, sends, 0);

	start("bob", co_harts() - 1, sends_at_last, (uintptr_t)&word);
	(void)!co_join(alice, NULL);
}

BODY(returns, 0)

/* One of three ends. */
TEST(a_batch_never_ends)
{
	static struct co_batch children;
	static const char *const name[] = { "carol", "alice", "bob" };

	for (unsigned i = 0; i < 3; i++) {
		struct co_attr attr = { .name = name[i], .on = CO_ON_HART(i ? i : 1) };

		REQUIRE(!co_batch_spawn(&children, &attr, i ? sends : returns, NULL, NULL));
	}
	(void)!co_batch_join(&children);
}

/* More objects and sets of waiters than a report lists, half of them at one place in the code. */
enum { EVENTS = 53, BARRIERS = 17 };
static struct co_event events[EVENTS];
static struct co_barrier barriers[BARRIERS];

BODY(waits_for_event, co_event_wait(arg))
BODY(comes_alone, co_barrier_wait(arg, 0))

TEST(many_wait_for_an_object_each)
{
	static struct co_barrier_member members[BARRIERS][2];
	struct co *first = start("waiter", 1, waits_for_event, (uintptr_t)&events[0]);

	for (unsigned i = 1; i < EVENTS; i++)
		start("waiter", 1, waits_for_event, (uintptr_t)&events[i]);
	for (unsigned i = 0; i < BARRIERS; i++) {
		REQUIRE(!co_barrier_init(&barriers[i], 2, CO_BARRIER_CENTRAL, members[i]));
		start("comer", co_harts() - 1, comes_alone, (uintptr_t)&barriers[i]);
	}
	(void)!co_join(first, NULL);
}

/* Two wait for what never comes, while another goes on: somebody asks who does. */
CO_CHANNEL(requests, int, 1);

static intptr_t serves(void *arg)
{
	int x;

	return co_chan_recv(&requests, &x);
}

static struct co_a32 listed;

static void note_report(struct co *c)
{
	(void)c;
	co_atomic_store(&listed, 1, CO_RELAXED);
}

CO_HOOKS = { .report = note_report };

/* Compute, and never give way, until there is a report. */
static void compute(void)
{
	uint64_t end = co_after_us(18000000);

	while (!co_atomic_load(&listed, CO_RELAXED) && co_now() < end) {
		for (volatile unsigned i = 0; i < 10000;)
			i++;
	}
}

static void stuck_in_part(bool ask)
{
	unsigned looks = 0;

	for (unsigned hart = 1; hart < 3; hart++)
		start("server", hart, serves, 0);
	CHECK_EQ(co_sleep_us(100000), 0);
	printf("# now\n");
	if (ask)
		co_debug_dump();
	/* However long the PC takes to ask, up to 18 seconds. */
	while (!co_atomic_load(&listed, CO_RELAXED) && looks++ < 180)
		CHECK_EQ(co_sleep_us(100000), 0);
	CHECK_EQ(co_sleep_us(100000), 0);
}

TEST(stuck_in_part)
{
	stuck_in_part(true);
}

TEST(ask_from_outside)
{
	stuck_in_part(false);
}

TEST(hart_0_computes_when_asked)
{
	start("server", 1, serves, 0);
	CHECK_EQ(co_sleep_us(100000), 0);
	printf("# now\n");
	compute();
	CHECK(co_atomic_load(&listed, CO_RELAXED));
}

/* Parts that are deadlocked, each in a way of its own, while main() ticks. */
static struct co_mutex left, right;
CO_CHANNEL(there, int, 1);
CO_CHANNEL(back, int, 0);

/* Up to that many tenths of a second, until there is a report. */
static void tick(unsigned tenths)
{
	while (tenths-- && !co_atomic_load(&listed, CO_RELAXED))
		CHECK_EQ(co_sleep_us(100000), 0);
}

static intptr_t locks_both(void *arg)
{
	struct co_mutex *first = arg, *second = first == &left ? &right : &left;
	int r;

	CHECK_EQ(co_mutex_lock(first), 0);
	CHECK_EQ(co_sleep_us(20000), 0);
	r = co_mutex_lock(second);
	if (!r)
		co_mutex_unlock(second);
	co_mutex_unlock(first);
	return r;
}

BODY(joins, co_join(arg, NULL))

static void lock_in_two_orders(bool main_computes)
{
	struct co *alice = start("alice", 1, locks_both, (uintptr_t)&left);
	struct co *bob = start("bob", co_harts() - 1, locks_both, (uintptr_t)&right);
	struct co *carol = start("carol", 2, joins, (uintptr_t)bob);

	if (main_computes)
		compute();
	else
		tick(180);
	if (!main_computes)
		CHECK_EQ(co_sleep_us(1200000), 0); /* the next look: nothing is new */
	co_cancel(alice);
	CHECK_EQ(test_join(alice), -ECANCELED);
	CHECK_EQ(test_join(carol), 0);
}

TEST(a_part_locks_in_two_orders)
{
	lock_in_two_orders(false);
}

TEST(a_part_locks_while_hart_0_computes)
{
	lock_in_two_orders(true);
}

/* Two of a batch lock in two orders: who joins it waits for ever, too. */
static struct co_batch two;

BODY(joins_two, co_batch_join(&two))

static void add_to_two(const char *name, unsigned hart, co_fn *fn, void *arg)
{
	const struct co_attr attr = { .name = name, .on = CO_ON_HART(hart) };

	REQUIRE(!co_batch_spawn(&two, &attr, fn, arg, NULL));
}

TEST(a_part_is_a_batch)
{
	struct co *carol;

	add_to_two("alice", 1, locks_both, &left);
	add_to_two("bob", co_harts() - 1, locks_both, &right);
	carol = start("carol", 2, joins_two, 0);
	tick(180);
	co_batch_cancel(&two);
	CHECK_EQ(test_join(carol), 0);
}

/* One receives before it sends, and so does the other; all ends are counted. */
static intptr_t answers(void *arg)
{
	struct co_chan *from = arg, *to = from == &there ? &back : &there;
	struct co_chan_end in, out;
	int x, r;

	CHECK_EQ(co_chan_bind(from, CO_CHAN_RECEIVES, &in), 0);
	CHECK_EQ(co_chan_bind(to, CO_CHAN_SENDS, &out), 0);
	r = co_chan_recv(from, &x);
	co_chan_unbind(&out);
	co_chan_unbind(&in);
	return r;
}

TEST(a_part_only_answers)
{
	struct co *alice = start("alice", 1, answers, (uintptr_t)&there);
	struct co *bob = start("bob", co_harts() - 1, answers, (uintptr_t)&back);

	tick(180);
	co_cancel(alice);
	CHECK_EQ(test_join(alice), -ECANCELED);
	CHECK_EQ(test_join(bob), -EPIPE);
}

/* No deadlock: main() receives in the end. */
static intptr_t locks_and_sends(void *arg)
{
	CHECK_EQ(co_mutex_lock(&left), 0);
	CHECK_EQ(co_chan_send(&meeting, &(int){ 1 }), 0);
	co_mutex_unlock(&left);
	return 0;
}

TEST(a_part_waits_for_one_that_ticks)
{
	struct co *alice = start("alice", 1, locks_and_sends, 0);
	struct co *bob, *carol;
	int x;

	REQUIRE(test_await_sleep(alice));
	bob = start("bob", co_harts() - 1, locks_and_sends, 0);
	carol = start("carol", 2, joins, (uintptr_t)bob);
	tick(25);
	for (int i = 0; i < 2; i++)
		CHECK_EQ(co_chan_recv(&meeting, &x), 0);
	CHECK_EQ(test_join(carol), 0);
	CHECK_EQ(test_join(alice), 0);
}

/* ---- What is said where waits are nested, and of the least that waits ---- */

/* In a function that hart 0 calls for it: on the proxy's stack. */
static struct co_event never;

static intptr_t waits_there(void *arg)
{
	return co_event_wait(&never);
}

BODY(calls_by_proxy, co_proxy_call(waits_there, NULL))

TEST(a_function_of_the_proxy_waits)
{
	struct co *alice = start("alice", 1, calls_by_proxy, 0);

	(void)!co_join(alice, NULL);
}

/* Hart 0 lists what waits while it sleeps on a stack that has no room for a list. */
static intptr_t receives_for_ever(void *arg)
{
	int x;

	return co_chan_recv(&silent, &x);
}

TEST(the_smallest_stack_is_where_hart_0_sleeps)
{
	const struct co_attr small = { .name = "mouse", .on = CO_ON_HART(0), .stack = CO_STACK_1K };
	struct co *mouse = test_spawn(&small, receives_for_ever, NULL);

	(void)!co_join(mouse, NULL);
}

static void wait_at_exit(void)
{
	(void)!co_event_wait(&never);
}

TEST(main_waits_at_exit)
{
	CHECK_EQ(atexit(wait_at_exit), 0);
}

/* The first to be named, main() in its join, comes first where there are too many names. */
TEST(many_names_wait)
{
	enum { MANY = 80 };
	static char name[MANY][8];
	struct co *last = NULL;

	for (unsigned i = 0; i < MANY; i++) {
		snprintf(name[i], sizeof(name[i]), "name%u", i);
		last = start(name[i], 1 + i % (co_harts() - 1), receives_for_ever, 0);
	}
	(void)!co_join(last, NULL);
}

static int gathers(struct co_member *me, void *arg)
{
	static long all[64];
	long x = 1;

	if (co_hart() == 2)
		return co_event_wait(&never);
	return co_gather(me, 0, &x, sizeof(x), all);
}

TEST(a_rank_is_missing_in_a_collective)
{
	static struct co_team team;

	(void)!co_team_run(&team, gathers, NULL);
}

static intptr_t selects(void *arg)
{
	int x;
	struct co_case cases[] = { CO_CASE_RECV(&silent, &x), CO_CASE_RECV(&to_bob, &x) };

	return co_select(cases, 2);
}

TEST(a_select_waits)
{
	struct co *alice = start("alice", 1, selects, 0);

	(void)!co_join(alice, NULL);
}
