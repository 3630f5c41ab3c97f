/* test_released_mailbox.c - mailboxes whose coroutine has ended, and messages that fit in none. */
#include "faulty.h"
#include "mailbox.h"

enum how { RETURNS, FAULTS, CANCELLED, HOWS };

static int end_by(enum how how)
{
	if (how == FAULTS)
		fault_here();
	return how == CANCELLED ? co_sleep_until(CO_FOREVER) : 0;
}

static void count(struct co_mailbox *b, const struct co_mail *m)
{
	++*(unsigned *)b->arg;
}

static intptr_t box_on_stack(void *arg)
{
	struct co_mailbox here;
	uintptr_t room[64];

	REQUIRE_EQ(co_mailbox_open(&here, RED, room, 64), 0);
	co_atomic_store(&at_work, 1, CO_RELEASE);
	return end_by((enum how)(intptr_t)arg);
}

static intptr_t handler_on_stack(void *arg)
{
	struct co_mailbox here;
	unsigned n;

	REQUIRE_EQ(co_mailbox_handle(&here, RED, count, &n), 0);
	co_atomic_store(&at_work, 1, CO_RELEASE);
	return end_by((enum how)(intptr_t)arg);
}

static struct co_mailbox outside;

static intptr_t storage_on_stack(void *arg)
{
	uintptr_t room[64];

	REQUIRE_EQ(co_mailbox_open(&outside, RED, room, 64), 0);
	co_atomic_store(&at_work, 1, CO_RELEASE);
	return end_by((enum how)(intptr_t)arg);
}

/* On the stack that the one before has left. */
static intptr_t scribble(void *arg)
{
	volatile unsigned char a[1800];

	for (unsigned i = 0; i < sizeof(a); i++)
		a[i] = 0x41;
	return a[sizeof(a) - 1] == 0x41;
}

static intptr_t take_other(void *arg)
{
	uintptr_t w[CO_MAIL_WORDS];
	struct co_mail m;
	unsigned n = 0;

	while (co_mail_try_recv(CO_MAIL_OTHER, w, CO_MAIL_WORDS, &m) == 3)
		n += m.tag == RED && w[2] == 3;
	return n;
}

/* c, started by attr, ends in that way: the mailbox in its memory is closed. */
static void closes_with(struct co *c, const struct co_attr *attr, enum how how)
{
	const intptr_t ends[] = { 0, -EFAULT, -ECANCELED };
	intptr_t result = 0;
	int r;

	if (how == CANCELLED)
		co_cancel(c);
	r = co_join(c, &result);
	CHECK_EQ(r ? r : result, ends[how]);
	CHECK_EQ(test_join(test_spawn(attr, scribble, NULL)), 1);
	for (unsigned i = 0; i < 3; i++)
		CHECK_EQ(co_mail_send(co_harts() - 1, RED, (uintptr_t[]){ 1, 2, 3 }, 3), 0);
	CHECK_EQ(test_join(test_spawn(attr, take_other, NULL)), 3);
}

static void end_with(co_fn *fn, enum co_stack stack, enum how how)
{
	const struct co_attr attr = { .on = CO_ON_HART(co_harts() - 1), .stack = stack };
	struct co *c;

	co_atomic_store(&at_work, 0, CO_RELAXED);
	c = test_spawn(&attr, fn, (void *)(intptr_t)how);
	test_await(&at_work, 1);
	closes_with(c, &attr, how);
}

static void end_in_each_way(co_fn *fn)
{
	const enum co_stack stacks[] = { CO_STACK_SPM, CO_STACK_2K, CO_STACK_8K };

	for (unsigned s = !CO_SPM_ROOMY; s < sizeof(stacks) / sizeof(*stacks); s++) {
		for (enum how how = RETURNS; how < HOWS; how++)
			end_with(fn, stacks[s], how);
	}
}

TEST_FAULTY(a_mailbox_on_a_stack_closes_with_its_coroutine_however_that_ends)
{
	end_in_each_way(box_on_stack);
}

TEST_FAULTY(so_does_one_with_a_handler)
{
	end_in_each_way(handler_on_stack);
}

TEST_FAULTY(and_one_whose_storage_is_there)
{
	end_in_each_way(storage_on_stack);
}

static unsigned handled;

static intptr_t handler_outside(void *arg)
{
	REQUIRE_EQ(co_mailbox_handle(&outside, RED, count, &handled), 0);
	return end_by((enum how)(intptr_t)arg);
}

static intptr_t close_outside(void *arg)
{
	return co_mailbox_close(&outside);
}

TEST(another_stays_open_until_it_is_closed)
{
	unsigned hart = co_harts() - 1;

	handled = 0;
	CHECK_EQ(test_join(test_spawn_on(hart, handler_outside, (void *)RETURNS)), 0);
	CHECK_EQ(co_mail_send(hart, RED, (uintptr_t[]){ 1, 2, 3 }, 3), 0);
	CHECK_EQ(test_join(test_spawn_on(hart, take_other, NULL)), 0);
	CHECK_EQ(handled, 1);
	CHECK_EQ(test_join(test_spawn_on(hart, close_outside, NULL)), 0);
}

TEST_FAULTY(but_a_fault_closes_it)
{
	unsigned hart = co_harts() - 1;
	struct co *c = test_spawn_on(hart, handler_outside, (void *)FAULTS);

	handled = 0;
	CHECK_EQ(co_join(c, NULL), -EFAULT);
	CHECK_EQ(co_mail_send(hart, RED, (uintptr_t[]){ 1, 2, 3 }, 3), 0);
	CHECK_EQ(test_join(test_spawn_on(hart, take_other, NULL)), 1);
	CHECK_EQ(handled, 0);
}

/* ---- Opened by one coroutine in memory of another ---- */

static struct place {
	struct co_mailbox *box;
	uintptr_t *room;
	enum how how;
} place;

static struct co_event give_back;

static intptr_t ends_with_place(void)
{
	co_atomic_store(&at_work, 1, CO_RELEASE);
	if (place.how != CANCELLED)
		REQUIRE_EQ(co_event_wait(&give_back), 0);
	return end_by(place.how);
}

static intptr_t offers_stack(void *arg)
{
	struct co_mailbox here;
	uintptr_t room[16];

	place.box = arg ? &outside : &here;
	place.room = room;
	return ends_with_place();
}

static intptr_t offers_scratchpad(void *arg)
{
	place.box = arg ? &outside : co_spm_alloc(sizeof(*place.box), alignof(struct co_mailbox));
	place.room = co_spm_alloc(16 * sizeof(*place.room), sizeof(*place.room));
	REQUIRE(place.box && place.room);
	return ends_with_place();
}

static intptr_t opens_place(void *arg)
{
	return co_mailbox_open(place.box, RED, place.room, 16);
}

static void end_owner(co_fn *owner, enum co_stack stack, bool box_outside)
{
	const struct co_attr attr = { .on = CO_ON_HART(co_harts() - 1), .stack = stack };
	struct co *c;

	co_atomic_store(&at_work, 0, CO_RELAXED);
	co_event_clear(&give_back);
	c = test_spawn(&attr, owner, box_outside ? &place : NULL);
	REQUIRE(test_await(&at_work, 1));
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, opens_place, NULL)), 0);
	co_event_set(&give_back);
	closes_with(c, &attr, place.how);
}

TEST_FAULTY(a_mailbox_closes_with_the_coroutine_whose_stack_it_is_on_whoever_has_opened_it)
{
	const enum co_stack stacks[] = { CO_STACK_SPM, CO_STACK_2K, CO_STACK_8K };

	for (unsigned s = !CO_SPM_ROOMY; s < sizeof(stacks) / sizeof(*stacks); s++) {
		for (place.how = RETURNS; place.how < HOWS; place.how++) {
			end_owner(offers_stack, stacks[s], false);
			end_owner(offers_stack, stacks[s], true);
		}
	}
}

TEST_FAULTY(and_with_the_one_whose_scratchpad_memory_a_fault_frees)
{
	size_t used = test_spm_use(co_harts() - 1).used;

	place.how = FAULTS;
	end_owner(offers_scratchpad, CO_STACK_ANY, false);
	end_owner(offers_scratchpad, CO_STACK_ANY, true);
	CHECK_EQ(test_spm_use(co_harts() - 1).used, used);
}

static intptr_t receives_in_scratchpad(void *arg)
{
	struct co_mailbox *box = co_spm_alloc(sizeof(*box), alignof(struct co_mailbox));
	uintptr_t *room = co_spm_alloc(16 * sizeof(*room), sizeof(*room)), word;
	int n;

	REQUIRE(box && room);
	REQUIRE_EQ(co_mailbox_open(box, RED, room, 16), 0);
	co_atomic_store(&at_work, 1, CO_RELEASE);
	n = co_mailbox_recv_until(box, &word, 1, NULL, LONG_ENOUGH);
	CHECK_EQ(co_mailbox_close(box), 0);
	co_spm_free(room);
	co_spm_free(box);
	return n;
}

static intptr_t faults_with_memory(void *arg)
{
	REQUIRE(co_spm_alloc(64, CO_LINE));
	fault_here();
}

TEST_FAULTY(but_a_fault_closes_none_in_memory_of_a_coroutine_that_goes_on)
{
	unsigned hart = co_harts() - 1;
	struct co *c;

	co_atomic_store(&at_work, 0, CO_RELAXED);
	c = test_spawn_on(hart, receives_in_scratchpad, NULL);
	REQUIRE(test_await(&at_work, 1));
	CHECK_EQ(co_join(test_spawn_on(hart, faults_with_memory, NULL), NULL), -EFAULT);
	CHECK_EQ(co_mail_send(hart, RED, (uintptr_t[]){ 1 }, 1), 0);
	CHECK_EQ(test_join(c), 1);
}

/* `offers` runs on hart 0; with the box outside, its storage alone is there. */
static void refuse_elsewhere(co_fn *offers, bool box_outside)
{
	const struct co_attr attr = { .on = CO_ON_HART(0), .stack = CO_STACK_8K };
	struct co *c;

	place.how = RETURNS;
	co_atomic_store(&at_work, 0, CO_RELAXED);
	co_event_clear(&give_back);
	c = test_spawn(&attr, offers, box_outside ? &place : NULL);
	REQUIRE(test_await(&at_work, 1));
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, opens_place, NULL)), -EINVAL);
	co_event_set(&give_back);
	CHECK_EQ(test_join(c), 0);
}

TEST(none_opens_on_a_stack_or_in_a_window_of_another_hart)
{
	if (co_harts() == 1)
		SKIP("there is no other hart");
	for (unsigned box_outside = 0; box_outside < 2; box_outside++) {
		refuse_elsewhere(offers_stack, box_outside);
		refuse_elsewhere(offers_scratchpad, box_outside);
		co_spm_free(place.room);
		if (!box_outside)
			co_spm_free(place.box);
	}
}

static intptr_t waits_outside(void *arg)
{
	uintptr_t w[4];

	co_atomic_add(&at_work, 1, CO_RELEASE);
	return co_mailbox_recv_until(&outside, w, 4, NULL, LONG_ENOUGH);
}

static struct co_event end_now;

static intptr_t opens_outside(void *arg)
{
	static uintptr_t room[16];
	uintptr_t here[16];

	REQUIRE_EQ(co_mailbox_open(&outside, RED, arg ? here : room, 16), 0);
	co_atomic_store(&at_work, 1, CO_RELEASE);
	REQUIRE_EQ(co_event_wait(&end_now), 0);
	return end_by(arg ? RETURNS : FAULTS);
}

/* Another case is before that of the mailbox, so that its number is known. */
static intptr_t selects_outside(void *arg)
{
	CO_CHANNEL(nothing, int, 1);
	static int none;
	uintptr_t w[4];
	struct co_mail_desc d = { .words = w, .max = 4 };
	struct co_case cases[] = { CO_CASE_RECV(&nothing, &none), CO_CASE_MAILBOX(&outside, &d) };
	int which;

	co_atomic_add(&at_work, 1, CO_RELEASE);
	which = co_select_until(cases, 2, LONG_ENOUGH);
	CHECK_EQ(which, 1);
	return which < 0 ? which : cases[which].result;
}

static void end_under(bool returns, co_fn *wait)
{
	unsigned hart = co_harts() - 1;
	struct co *waits[2], *c;

	co_atomic_store(&at_work, 0, CO_RELAXED);
	co_event_clear(&end_now);
	c = test_spawn_on(hart, opens_outside, returns ? &end_now : NULL);
	test_await(&at_work, 1);
	for (unsigned i = 0; i < 2; i++) {
		waits[i] = test_spawn_on(hart, wait, NULL);
		test_await(&at_work, 2 + i);
		test_await_sleep(waits[i]);
	}
	co_event_set(&end_now);
	CHECK_EQ(co_join(c, NULL), returns ? 0 : -EFAULT);
	test_join_all(waits, 2, -EOWNERDEAD);
}

TEST_FAULTY(who_waits_in_it_gets_an_error)
{
	end_under(false, waits_outside);
	end_under(true, waits_outside);
}

TEST_FAULTY(so_does_who_waits_in_it_by_select)
{
	end_under(false, selects_outside);
	end_under(true, selects_outside);
}

static int open_in_a_loop(void *arg, struct co_part *part)
{
	struct co_mailbox here;
	uintptr_t room[8];

	return co_mailbox_open(&here, RED, room, 8);
}

TEST(a_mailbox_that_a_loop_leaves_on_the_stack_of_its_worker_is_closed)
{
	struct co_parallel p = LOOP(open_in_a_loop, test_computes());

	for (unsigned i = 0; i < 3; i++)
		CHECK_EQ(co_parallel_for(&p), 0);
}

TEST(what_fits_in_no_mailbox_is_dropped_and_counted)
{
	static struct co_mailbox small;
	uintptr_t room[8], w[8] = { 0 };
	struct co *c;

	co_atomic_store(&at_work, 0, CO_RELAXED);
	REQUIRE_EQ(co_mailbox_open(&small, RED, room, 4), 0);
	for (unsigned i = 0; i < 5; i++) {
		CHECK_EQ(co_mail_send(co_hart(), RED, w, 8), 0);
		CHECK_EQ(co_mail_send(co_hart(), RED, &(uintptr_t){ i }, 1), 0);
		REQUIRE_EQ(co_mailbox_recv_until(&small, w, 8, NULL, LONG_ENOUGH), 1);
		CHECK_EQ(w[0], i);
	}
	CHECK_EQ(small.dropped, 5);
	c = test_spawn_on(co_harts() - 1, send_red, (void *)4);
	CHECK_EQ(test_join(c), 0);
	CHECK_EQ(co_mailbox_recv_until(&small, w, 3, NULL, co_after_us(20000)), -ETIMEDOUT);
	CHECK_EQ(small.dropped, 6);
	CHECK_EQ(co_mailbox_close(&small), 0);
	check_empty();
}
