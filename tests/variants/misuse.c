/*
 * misuse.c - what a DEBUG=1 build catches: more of a channel's side than was promised, and who ends
 * with a transfer under way; --case= chooses. Other builds may lose elements here, or run into what
 * follows from it.
 */
#include "../../runtime/core/lf/waitq.h"
#include "../harness/test.h"

CO_CHANNEL_AS(single, int, 4, CO_SPSC, CO_CLAIM_DEFAULT);
CO_CHANNEL_AS(many_senders, int, 4, CO_MPSC, CO_CLAIM_DEFAULT);
CO_CHANNEL_AS(many_receivers, int, 4, CO_SPMC, CO_CLAIM_DEFAULT);
static struct co_event first_is_there, all_is_done;

enum way { SEND, TRY_SEND, RESERVE, RECEIVE, TRY_RECEIVE, PEEK };

static struct co_chan *channel_of(enum way way, bool alone)
{
	if (alone)
		return &single;
	return way <= RESERVE ? &many_receivers : &many_senders;
}

static void go(struct co_chan *c, enum way way)
{
	struct co_chan_slot s;
	int x = 1;

	switch (way) {
	case SEND:
		REQUIRE_EQ(co_chan_send(c, &x), 0);
		break;
	case TRY_SEND:
		REQUIRE_EQ(co_chan_try_send(c, &x), 0);
		break;
	case RESERVE:
		REQUIRE_EQ(co_chan_try_reserve(c, &s), 0);
		*(int *)s.data = x;
		co_chan_commit(c, &s);
		break;
	case RECEIVE:
		REQUIRE_EQ(co_chan_recv(c, &x), 0);
		break;
	case TRY_RECEIVE:
		REQUIRE_EQ(co_chan_try_recv(c, &x), 0);
		break;
	default:
		REQUIRE_EQ(co_chan_peek(c, &s), 0);
		co_chan_release(c, &s);
	}
}

struct user {
	struct co_chan *channel;
	enum way way;
};

/* Uses the channel once, and lives on. */
static intptr_t stays(void *arg)
{
	const struct user *u = arg;

	go(u->channel, u->way);
	co_event_set(&first_is_there);
	return co_event_wait(&all_is_done);
}

static intptr_t comes_too(void *arg)
{
	const struct user *u = arg;

	go(u->channel, u->way);
	return 0;
}

BODY(only_lives, co_event_wait(&all_is_done))

static struct co *start(const char *name, unsigned hart, co_fn *fn, struct user *u)
{
	const struct co_attr attr = { .name = name, .on = CO_ON_HART(hart) };
	struct co *c = test_spawn(&attr, fn, u);

	return c;
}

/* What receivers find; the case itself is the channel's sender, and must not be in their way. */
static void fill(struct co_chan *c)
{
	for (int i = 0; i < 2; i++)
		REQUIRE_EQ(co_chan_send(c, &i), 0);
}

/* Alice uses it on the last hart, and while she lives, bob comes on hart 0. */
static void two(bool alone, enum way first, enum way second)
{
	static struct user alices, bobs;
	struct co *alice;

	alices = (struct user){ channel_of(first, alone), first };
	bobs = (struct user){ alices.channel, second };
	if (first > RESERVE)
		fill(alices.channel);
	alice = start("alice", co_harts() - 1, stays, &alices);
	REQUIRE_EQ(co_event_wait(&first_is_there), 0);
	test_join(start("bob", 0, comes_too, &bobs));
	co_event_set(&all_is_done);
	test_join(alice);
}

#define TWO(name, alone, first, second)    \
	TEST_FAULTY(name)                  \
	{                                  \
		two(alone, first, second); \
	}

/* By compare-and-swap, on a machine whose compute harts have none. */
static struct co_chan by_cas;

static void make_by_cas(void)
{
	static unsigned char buffer[CO_CHAN_BYTES(8, 4)];

	REQUIRE_EQ(co_chan_init_as(&by_cas, buffer, sizeof(buffer), 8, CO_MPSC, CO_CLAIM_CAS), 0);
}

BODY(sends_by_cas, co_chan_try_send(&by_cas, &(uint64_t){ 1 }))
BODY(receives_by_cas, co_chan_recv(&by_cas, &(uint64_t){ 0 }))

TEST_FAULTY(who_manages_compares_and_swaps)
{
	make_by_cas();
	CHECK_EQ(test_join(start("alice", 0, sends_by_cas, NULL)), 0);
}

TEST_FAULTY(who_only_adds_compares_and_swaps)
{
	make_by_cas();
	test_join(start("alice", co_harts() - 1, sends_by_cas, NULL));
}

/* The receiver waits: the sender has nothing to claim. */
TEST_FAULTY(who_only_adds_would_hand_over)
{
	struct co *bob;

	make_by_cas();
	bob = start("bob", 0, receives_by_cas, NULL);
	while (!co_waitq_known(&by_cas.receivers))
		co_pause();
	co_pause(); /* it is asleep */
	test_join(start("alice", co_harts() - 1, sends_by_cas, NULL));
	test_join(bob);
}

static struct co_chan alone;

static intptr_t tries_alone(void *arg)
{
	uint64_t x = 1;

	CHECK_EQ(co_chan_try_send(&alone, &x), 0);
	CHECK_EQ(co_chan_try_recv(&alone, &x), 0);
	return (intptr_t)arg;
}

TEST_FAULTY(who_only_adds_and_is_alone_tries)
{
	static uint64_t room[64];

	REQUIRE_EQ(co_chan_init_as(&alone, room, sizeof(room), sizeof(*room), CO_SPSC,
				   CO_CLAIM_DEFAULT),
		   0);
	test_join(start("alice", co_harts() - 1, tries_alone, NULL));
}

TWO(two_send, true, SEND, SEND)
TWO(two_try_to_send, true, TRY_SEND, TRY_SEND)
TWO(two_send_in_place, true, TRY_SEND, RESERVE)
TWO(two_send_where_many_receive, false, RESERVE, SEND)
TWO(two_try_to_send_where_many_receive, false, RESERVE, TRY_SEND)
TWO(two_receive, true, RECEIVE, RECEIVE)
TWO(two_try_to_receive, true, TRY_RECEIVE, TRY_RECEIVE)
TWO(two_receive_in_place, true, TRY_RECEIVE, PEEK)
TWO(two_receive_where_many_send, false, PEEK, RECEIVE)
TWO(two_try_to_receive_where_many_send, false, PEEK, TRY_RECEIVE)

/* Handlers are no coroutines, and still users. */
static void sends_from_a_handler(struct co_mailbox *b, const struct co_mail *m)
{
	REQUIRE_EQ(co_chan_try_send(b->arg, &(int){ 1 }), 0);
	co_event_set(&all_is_done);
}

static void have_a_handler_send(void)
{
	static struct co_mailbox box;

	REQUIRE_EQ(co_mailbox_handle(&box, 7, sends_from_a_handler, &single), 0);
	REQUIRE_EQ(co_mail_send(0, 7, (uintptr_t[]){ 1 }, 1), 0);
	REQUIRE_EQ(co_event_wait(&all_is_done), 0);
	REQUIRE_EQ(co_mailbox_close(&box), 0);
}

TEST_FAULTY(a_handler_sends_too)
{
	static struct user sends = { &single, SEND };
	struct co *alice = start("alice", co_harts() - 1, stays, &sends);

	REQUIRE_EQ(co_event_wait(&first_is_there), 0);
	have_a_handler_send();
	test_join(alice);
}

TEST_FAULTY(a_handler_sends_first)
{
	static struct user sends = { &single, SEND };

	have_a_handler_send();
	test_join(start("bob", co_harts() - 1, comes_too, &sends));
}

/*
 * One after the other is no misuse: who has ended leaves its place to the next, and it matters to
 * nobody who lives in its control block then.
 */
TEST_FAULTY(one_after_the_other)
{
	static struct user sends = { &single, SEND };
	static struct user receives = { &single, RECEIVE };
	struct co *stranger;

	test_join(start("alice", co_harts() - 1, comes_too, &sends));
	test_join(start("anna", co_harts() - 1, comes_too, &receives));
	stranger = start("stranger", co_harts() - 1, only_lives, NULL);
	test_join(start("bob", 0, comes_too, &sends));
	test_join(start("ben", 0, comes_too, &receives));
	co_event_set(&all_is_done);
	test_join(stranger);
}

/* Sides with many members have any number, on any hart. */
TEST_FAULTY(many_may)
{
	static struct user sends = { &many_senders, SEND };
	static struct user receives = { &many_senders, RECEIVE };
	struct co *alice = start("alice", co_harts() - 1, stays, &sends);

	REQUIRE_EQ(co_event_wait(&first_is_there), 0);
	test_join(start("bob", 0, comes_too, &sends));
	for (int i = 0; i < 2; i++)
		test_join(start("ben", 0, comes_too, &receives));
	co_event_set(&all_is_done);
	test_join(alice);
}

/* ---- Transfers ---- */

/* Large: it is still under way when who has begun it ends, also on a busy PC. */
static unsigned char from[8u << 20], to[sizeof(from)];
static struct co_dma unfinished;

static intptr_t forgets(void *arg)
{
	bool waits = *(const bool *)arg;

	unfinished = (struct co_dma){ .to = to, .from = from, .bytes = sizeof(to) };
	REQUIRE_EQ(co_dma_start(&unfinished), 0);
	return waits ? co_dma_wait(&unfinished) : 0;
}

static int forgets_in_a_loop(void *arg, struct co_part *p)
{
	return (int)forgets(arg);
}

static void forget_in_coroutine(bool *waits, int want)
{
	struct co *c = NULL;

	c = test_spawn(&(struct co_attr){ .name = "carol", .on = CO_ON_HART(1) }, forgets, waits);
	CHECK_EQ(co_join(c, NULL), want);
	CHECK_EQ(co_dma_wait(&unfinished), 0);
}

TEST_FAULTY(ends_with_a_transfer_under_way)
{
	static bool waits;

	forget_in_coroutine(&waits, -EFAULT);
}

TEST_FAULTY(ends_a_part_with_a_transfer_under_way)
{
	static bool waits;
	static struct co_parallel loop = {
		.body = forgets_in_a_loop, .arg = &waits, .dims = 1, .range = { { 5, 6, 1 } }
	};

	CHECK_EQ(co_parallel_for(&loop), -EFAULT);
	CHECK_EQ(loop.error_at[0], 5);
	CHECK_EQ(co_dma_wait(&unfinished), 0);
}

TEST_FAULTY(waits_for_its_transfer)
{
	static bool waits = true;

	forget_in_coroutine(&waits, 0);
}

/* ---- What is held ---- */

static struct co_mutex mutex;
static struct co_barrier barrier;
static struct co_barrier_member members[1];

BODY(keeps_a_mutex, co_mutex_lock(&mutex))

static intptr_t stays_a_member(void *arg)
{
	co_barrier_bind(&barrier, 0);
	return 0;
}

static intptr_t leaves_an_end(void *arg)
{
	struct co_chan_end end;

	REQUIRE_EQ(co_chan_bind(&many_senders, CO_CHAN_SENDS, &end), 0);
	return 0;
}

static void ends_with(co_fn *fn)
{
	CHECK_EQ(co_join(start("dave", co_harts() - 1, fn, NULL), NULL), -EFAULT);
}

TEST_FAULTY(ends_with_a_mutex)
{
	ends_with(keeps_a_mutex);
	CHECK_EQ(co_mutex_lock(&mutex), -EOWNERDEAD);
	co_mutex_unlock(&mutex);
}

TEST_FAULTY(ends_as_a_member_of_a_barrier)
{
	REQUIRE_EQ(co_barrier_init(&barrier, 1, CO_BARRIER_AUTO, members), 0);
	ends_with(stays_a_member);
}

TEST_FAULTY(ends_with_an_end)
{
	ends_with(leaves_an_end);
}

static void never_run(struct co_cleanup *t, struct co *c, enum co_cleanup_why why)
{
}

static intptr_t leaves_a_cleanup(void *arg)
{
	static struct co_cleanup left;

	co_cleanup_add(&left, never_run);
	return (intptr_t)arg;
}

TEST_FAULTY(ends_with_a_cleanup_of_its_own)
{
	ends_with(leaves_a_cleanup);
}

static intptr_t locks_what_it_alone_can_use(void *arg)
{
	struct co_mutex m = { 0 };

	return co_mutex_lock(&m);
}

TEST_FAULTY(holds_what_no_other_hart_can_use)
{
	const struct co_attr attr = { .on = CO_ON_HART(co_harts() - 1), .stack = CO_STACK_SPM };
	struct co *c;

	if (!co_spm_stacks())
		SKIP("all stacks are in main memory");
	c = test_spawn(&attr, locks_what_it_alone_can_use, NULL);
	CHECK_EQ(co_join(c, NULL), -EFAULT);
}

static intptr_t divides(void *arg)
{
	int by = (int)(intptr_t)arg;

	__asm__ volatile("" : "+r"(by));
	return 5 / by;
}

TEST_FAULTY(divides_by_zero)
{
	intptr_t result = 0;

	ends_with(divides);
	CHECK_EQ(co_join(start("erin", co_harts() - 1, divides, (void *)2), &result), 0);
	CHECK_EQ(result, 2);
}
