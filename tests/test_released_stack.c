/* test_released_stack.c - the stack of a coroutine that has faulted, while others use it. */
#include "../runtime/core/core.h"
#include "faulty.h"

static void never_run(struct co_cleanup *t, struct co *c, enum co_cleanup_why why)
{
	CHECK(!c);
}

TEST(a_cleanup_is_taken_out_once_and_by_its_owner_alone)
{
	static struct co_cleanup mine, other;

	CHECK(!co_cleanup_remove(&mine)); /* it has none */
	co_cleanup_add(&mine, never_run);
	CHECK(!co_cleanup_remove(&other));
	co_cleanup_add(&other, never_run);
	CHECK(co_cleanup_remove(&mine));
	CHECK(!co_cleanup_remove(&mine));
	CHECK(co_cleanup_remove(&other));
	CHECK(!co_cleanup_remove(&other)); /* none is left */
}

static struct co_a32 children;
static struct co_a32 child_may_end;

static intptr_t slow_child(void *arg)
{
	while (!co_atomic_load(&child_may_end, CO_ACQUIRE)) /* paired with the case */
		test_sleep_us(1000);
	co_atomic_add(&children, 1, CO_RELEASE);
	return (intptr_t)arg;
}

/* Run `parent`, which spawns a slow child and faults; then the child may end. */
static void fault_before_child(co_fn *parent)
{
	const struct co_attr attr = { .on = CO_ON_HART(co_harts() - 1), .stack = CO_STACK_MAIN };
	struct co *c;

	co_atomic_store(&children, 0, CO_RELAXED);
	co_atomic_store(&child_may_end, 0, CO_RELAXED);
	c = test_spawn(&attr, parent, NULL);
	CHECK_EQ(co_join(c, NULL), -EFAULT);
	CHECK_EQ(co_atomic_load(&children, CO_ACQUIRE), 0);
	co_atomic_store(&child_may_end, 1, CO_RELEASE);
}

static intptr_t hold_slow_batch(void *arg)
{
	struct co_batch batch = { 0 };

	CHECK_EQ(co_batch_spawn(&batch, NULL, slow_child, NULL, NULL), 0);
	fault_here();
}

static void keep_stack_of(co_fn *parent)
{
	unsigned before = co_stacks_free(CO_STACK_MAIN);

	fault_before_child(parent);
	test_await(&children, 1);
	for (unsigned i = 0; i < 10000 && co_stacks_free(CO_STACK_MAIN) < before - 1; i++)
		test_sleep_us(1000); /* the child's own is given back a little later */
	test_sleep_us(20000);        /* and then no other */
	CHECK_EQ(co_stacks_free(CO_STACK_MAIN), before - 1);
}

static intptr_t at_once(void *arg)
{
	return 0;
}

static struct co_attr child_attr;
static bool child_has_record;

static intptr_t join_batch_and_fault(void *arg)
{
	struct co_batch batch = { 0 };
	struct co_child record;

	if (child_has_record)
		CHECK_EQ(co_batch_spawn_child(&batch, &child_attr, at_once, NULL, &record), 0);
	else
		CHECK_EQ(co_batch_spawn(&batch, &child_attr, at_once, NULL, NULL), 0);
	CHECK_EQ(co_batch_join(&batch), 0);
	fault_here();
}

/* Each kind of end: at once, after its stack has been left, and with a record. */
TEST_FAULTY(a_stack_with_a_batch_that_has_ended_is_used_again)
{
	const struct co_attr attr = { .on = CO_ON_HART(co_harts() - 1), .stack = CO_STACK_MAIN };
	unsigned before = co_stacks_free(CO_STACK_MAIN);

	for (unsigned i = 0; i < 3; i++) {
		child_attr = (struct co_attr){ .on = CO_ON_HART(1 % co_harts()),
					       .stack = i == 1 ? CO_STACK_MAIN : CO_STACK_ANY };
		child_has_record = i == 2;
		CHECK_EQ(co_join(test_spawn(&attr, join_batch_and_fault, NULL), NULL), -EFAULT);
		AWAIT(co_stacks_free(CO_STACK_MAIN) == before);
	}
}

/* Who joins waits for a second, not for ever; what is counted down later is nobody's by then. */
TEST_FAULTY(a_stack_that_others_go_on_to_use_is_not_used_again)
{
	keep_stack_of(hold_slow_batch);
}

static void fault_again(struct co_cleanup *t, struct co *c, enum co_cleanup_why why)
{
	fault_here();
}

static intptr_t fault_twice(void *arg)
{
	static struct co_cleanup entry;

	co_cleanup_add(&entry, fault_again);
	return hold_slow_batch(arg);
}

TEST_FAULTY(nor_is_that_of_one_that_faults_while_it_cleans_up)
{
	keep_stack_of(fault_twice);
}

static struct co_batch outlives;

static intptr_t hold_record(void *arg)
{
	struct co_child record;

	CHECK_EQ(co_batch_spawn_child(&outlives, NULL, slow_child, NULL, &record), 0);
	fault_here();
}

/* The same where the batch lives on, but a record in it lay on that stack. */
TEST_FAULTY(a_stack_with_a_record_in_it_is_not_used_again)
{
	unsigned before = co_stacks_free(CO_STACK_MAIN);

	fault_before_child(hold_record);
	CHECK_EQ(co_batch_join(&outlives), 0);
	CHECK_EQ(co_atomic_load(&children, CO_ACQUIRE), 1);
	CHECK(co_stacks_free(CO_STACK_MAIN) < before);
}

static intptr_t orphan(void *arg)
{
	CHECK_EQ(co_parallel_for(arg), 0);
	fault_here();
}

static int look_on(void *arg, struct co_part *part)
{
	co_atomic_add((struct co_a32 *)arg, 1, CO_RELAXED);
	return 0;
}

/* All have a part in it, and count theirs. */
static struct co_parallel loop_of(struct co_a32 *parts)
{
	return LOOP(look_on, 64, .schedule = CO_CYCLIC, .arg = parts);
}

/* Those that help in a loop belong to who has begun it. Here it is over: nobody is waited for. */
TEST_FAULTY(who_has_been_at_a_loop_and_faults_ends_at_once)
{
	const struct co_attr attr = { .stack = CO_STACK_MAIN };
	static struct co_parallel p;
	static struct co_a32 parts;
	unsigned before;
	struct co *c;

	p = loop_of(&parts);
	CHECK_EQ(co_parallel_for(&p), 0); /* its workers stay, some boards' on such stacks */
	before = co_stacks_free(CO_STACK_MAIN);
	c = test_spawn(&attr, orphan, &p);
	CHECK_EQ(co_join(c, NULL), -EFAULT);
	CHECK(co_atomic_load(&parts, CO_RELAXED));
	CHECK_EQ(co_stacks_free(CO_STACK_MAIN), before);
}

static struct co_a32 busy, begun_parts;

static intptr_t keeps_its_hart(void *arg)
{
	uint64_t end = co_after_us(100000);

	co_atomic_add(&busy, 1, CO_RELEASE); /* paired with test_await() */
	while (co_now() < end)
		;
	return (intptr_t)arg;
}

static intptr_t leave_a_loop(void *arg)
{
	struct co_parallel p = loop_of(&begun_parts);

	CHECK_EQ(co_parallel_start(&p), 0);
	fault_here();
}

/* Their harts are busy: each has been given its member, and has not looked. */
TEST_FAULTY(those_who_have_not_begun_with_a_loop_do_before_its_stack_goes)
{
	const struct co_attr attr = { .on = CO_ON_HART(0), .stack = CO_STACK_MAIN };
	static struct co_parallel p;
	struct co *c, *busy_one[2];
	unsigned n = test_computes() < 2 ? test_computes() : 2;
	unsigned before;

	p = loop_of(&begun_parts);
	CHECK_EQ(co_parallel_for(&p), 0); /* as above */
	before = co_stacks_free(CO_STACK_MAIN);
	co_atomic_store(&begun_parts, 0, CO_RELAXED);
	co_atomic_store(&busy, 0, CO_RELAXED);
	for (unsigned i = 0; i < n; i++)
		busy_one[i] = test_spawn_on(test_compute(i), keeps_its_hart, NULL);
	REQUIRE(test_await(&busy, n));
	c = test_spawn(&attr, leave_a_loop, NULL);
	CHECK_EQ(co_join(c, NULL), -EFAULT);
	CHECK_EQ(co_atomic_load(&begun_parts, CO_RELAXED), 64);
	test_join_all(busy_one, n, 0);
	CHECK_EQ(co_stacks_free(CO_STACK_MAIN), before);
}

/* ---- What lies where an overflow leaves no room ---- */

struct lease {
	struct co_cleanup cleanup;
	struct co_a32 *given_back;
};

static void give_back(struct co_cleanup *t, struct co *c, enum co_cleanup_why why)
{
	CHECK(c == co_self() && why == CO_CLEANUP_FAULT);
	co_atomic_add(((struct lease *)t)->given_back, 1, CO_RELEASE);
}

/* Each frame holds a lease, down to the guard page. */
__attribute__((noinline)) static unsigned descend(struct co_a32 *given_back, struct co_a32 *leases)
{
	struct lease lease = { .given_back = given_back };
	volatile unsigned char frame[200];

	co_cleanup_add(&lease.cleanup, give_back);
	co_atomic_add(leases, 1, CO_RELAXED);
	frame[0] = 1;
	return frame[0] ? descend(given_back, leases) + frame[0] : 0;
}

static struct co_a32 given_back, leases;

BODY(overflow, descend(&given_back, &leases))

TEST_FAULTY(what_is_held_in_the_latest_frames_of_an_overflow_is_let_go_of)
{
	const enum co_stack classes[] = { CO_STACK_MAIN, CO_STACK_BIG };

	if (!strcmp(co_board(), "host"))
		SKIP("a PC has no guard pages");
	for (unsigned i = 0; i < 4; i++) {
		bool away = i % 2 || test_hart0_has_no_map(); /* few guard pages */
		const struct co_attr attr = { .on = CO_ON_HART(away ? co_harts() - 1 : 0),
					      .stack = classes[i / 2] };
		unsigned main = co_stacks_free(CO_STACK_MAIN), big = co_stacks_free(CO_STACK_BIG);
		struct co *c;

		co_atomic_store(&given_back, 0, CO_RELAXED);
		co_atomic_store(&leases, 0, CO_RELAXED);
		c = test_spawn(&attr, overflow, NULL);
		CHECK_EQ(co_join(c, NULL), -EFAULT);
		CHECK(co_atomic_load(&leases, CO_RELAXED) > 10);
		CHECK_EQ(co_atomic_load(&given_back, CO_ACQUIRE),
			 co_atomic_load(&leases, CO_RELAXED));
		CHECK_EQ(co_stacks_free(CO_STACK_MAIN), main);
		CHECK_EQ(co_stacks_free(CO_STACK_BIG), big);
	}
}

/* ---- How much of a stack is left for cleanups ---- */

static uintptr_t room; /* below the latest cleanup's frame */

static void measure_room(struct co_cleanup *t, struct co *c, enum co_cleanup_why why)
{
	size_t bytes;

	room = (uintptr_t)__builtin_frame_address(0) - co_stack_of(c, &bytes);
}

/* Fault where so many bytes, and less than a frame more, are left. */
__attribute__((noinline)) static unsigned go_down(uintptr_t to, volatile unsigned *above)
{
	volatile unsigned here[2] = { *above };

	if ((uintptr_t)__builtin_frame_address(0) < to)
		fault_here();
	return here[0] == WILD ? 0 : go_down(to, here) + here[0]; /* never: it is 1 */
}

static intptr_t fault_with_room(void *arg)
{
	static struct co_cleanup entry;
	size_t bytes;
	uintptr_t low = co_stack_of(co_self(), &bytes);

	co_cleanup_add(&entry, measure_room);
	return go_down(low + (uintptr_t)arg, &(unsigned){ 1 });
}

TEST_FAULTY(a_fault_deep_in_a_stack_leaves_as_much_room_for_cleanups_as_an_overflow)
{
	const struct co_attr attr = { .on = CO_ON_HART(co_harts() - 1), .stack = CO_STACK_MAIN };
	uintptr_t least;

	if (!strcmp(co_board(), "host"))
		SKIP("a PC has no guard pages");
	CHECK_EQ(co_join(test_spawn(&attr, fault_with_room, NULL), NULL), -EFAULT);
	least = room;
	for (uintptr_t left = least; left < 2 * least; left += 64) {
		room = 0;
		CHECK_EQ(co_join(test_spawn(&attr, fault_with_room, (void *)left), NULL), -EFAULT);
		CHECK(room >= least);
	}
}

TEST_FAULTY(a_fault_in_the_first_frames_leaves_most_of_the_stack_for_cleanups)
{
	const struct co_attr attr = { .on = CO_ON_HART(co_harts() - 1), .stack = CO_STACK_MAIN };
	size_t all = co_stack_bytes_in(CO_STACK_MAIN);

	room = 0;
	CHECK_EQ(co_join(test_spawn(&attr, fault_with_room, (void *)all), NULL), -EFAULT);
	CHECK(room > all / 2 && room < all);
}

TEST_FAULTY(a_stack_of_4_kib_or_less_leaves_cleanups_one_that_is_larger)
{
	for (enum co_stack class = CO_STACK_1K; class <= CO_STACK_8K; class ++) {
		const struct co_attr attr = { .on = CO_ON_HART(co_harts() - 1), .stack = class };
		unsigned before = co_stacks_free(CO_STACK_MAIN);
		size_t all = co_stack_bytes_in(class);

		room = 0;
		CHECK_EQ(co_join(test_spawn(&attr, fault_with_room, (void *)all), NULL), -EFAULT);
		/* On its own stack, room is less than that stack has. */
		CHECK_EQ(room < all, class == CO_STACK_8K);
		CHECK_EQ(co_stacks_free(CO_STACK_MAIN), before);
	}
}

static struct co_event *shared;

static intptr_t share_event(void *memory)
{
	struct co_event here = { 0 };

	shared = memory ? co_spm_alloc(sizeof(*shared), alignof(struct co_event)) : &here;
	REQUIRE(shared);
	*shared = here;
	co_atomic_store(&children, 1, CO_RELEASE); /* paired with fault_before_waiter() */
	test_await(&children, 2);
	fault_here();
}

BODY(wait_for_shared, co_event_wait(shared))

/* A waiter that gives up writes to the queue it is in. */
static void fault_before_waiter(void *memory)
{
	unsigned hart = co_harts() - 1;
	unsigned before = co_stacks_free(CO_STACK_MAIN);
	const struct co_attr attr = { .on = CO_ON_HART(hart), .stack = CO_STACK_MAIN };
	size_t used = test_spm_use(hart).used;
	struct co *c, *w;

	co_atomic_store(&children, 0, CO_RELAXED);
	c = test_spawn(&attr, share_event, memory);
	test_await(&children, 1); /* acquire: sees `shared` */
	w = test_sleeper(0, wait_for_shared, NULL);
	co_atomic_store(&children, 2, CO_RELEASE); /* paired with share_event() */
	CHECK_EQ(co_join(c, NULL), -EFAULT);
	CHECK_EQ(test_spm_use(hart).used > used, memory != NULL);
	test_cancel(w);
	CHECK_EQ(co_stacks_free(CO_STACK_MAIN), before - 1); /* w may have had one */
}

TEST_FAULTY(the_stack_with_an_object_that_another_waits_for_is_not_used_again)
{
	fault_before_waiter(NULL);
}

TEST_FAULTY(nor_is_scratchpad_memory_with_one)
{
	fault_before_waiter(&shared);
}
