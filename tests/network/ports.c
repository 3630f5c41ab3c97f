/* ports.c - level 1: ports and switches by hand, on all cores of NM6408MP. */
#include <bfskn_f.h>

#include <cohart/dma.h>
#include <hal/network.h>

#include "../harness/test.h"

enum { WORDS = 64, NMPU03 = 5, NMPU33 = 20, NMPU00 = 2, NMPU01 = 3, CPU0 = 1 };

static uint64_t from[2 * WORDS], to[2 * WORDS];

static void fill(void)
{
	for (unsigned i = 0; i < 2 * WORDS; i++) {
		from[i] = 1000 + i;
		to[i] = 0;
	}
}

static struct co_event late;

/* The paper's example, of 64 words. `arg`: wait for an event first. */
static intptr_t example_sender(void *arg)
{
	if (arg)
		CHECK_EQ(co_event_wait(&late), 0);
	set_lc(LC03, 1, 0);
	set_send_cp(CP0, _2D, 0x4, 0x4);
	start_send(CP0, from, WORDS);
	return wait_send_cp(CP0);
}

static intptr_t example_receiver(void *arg)
{
	if (arg)
		CHECK_EQ(co_event_wait(&late), 0);
	set_lc(LC33, 0, 1);
	set_rcv_cp(CP0, _2D, 0x4, 0x4);
	start_rcv(CP0, to, WORDS);
	return wait_rcv_cp(CP0);
}

static void example(bool sender_late, bool receiver_late)
{
	struct co *a, *b;

	fill();
	co_event_clear(&late);
	a = test_spawn_on(NMPU03, example_sender, (void *)(uintptr_t)sender_late);
	b = test_spawn_on(NMPU33, example_receiver, (void *)(uintptr_t)receiver_late);
	test_sleep_us(2000);
	co_event_set(&late);
	CHECK_EQ(test_join(a), 0);
	CHECK_EQ(test_join(b), 0);
	for (unsigned i = 0; i < 2 * WORDS; i++)
		CHECK_EQ(to[i], i % 8 < 4 ? 1000 + i : 0);
}

TEST_TIDY(the_papers_example_arrives)
{
	example(false, false);
}

TEST_TIDY(who_comes_first_does_not_matter)
{
	for (unsigned i = 0; i < 4; i++)
		example(i & 1, i & 2);
}

#ifndef CO_DEBUG
static struct co_event receives;

/* There is nothing to be read. */
static intptr_t sends_from_nowhere(void *arg)
{
	CHECK_EQ(co_event_wait(&receives), 0);
	set_send_cp(CP3, _1D, 0, 0);
	start_send(CP3, arg, WORDS);
	return 0;
}

static intptr_t receives_what_nobody_can_send(void *arg)
{
	set_rcv_cp(CP3, _1D, 0, 0);
	start_rcv(CP3, to, WORDS / 2);
	co_event_set(&receives);
	CHECK_EQ(wait_rcv_cp(CP3), HAL_NETWORK_EXISTS() ? -EFAULT : -EHOSTDOWN);
	/* And then it serves again. */
	start_rcv(CP3, to, WORDS / 2);
	co_event_set(&late);
	return wait_rcv_cp(CP3);
}

static intptr_t sends_after_that(void *arg)
{
	CHECK_EQ(co_event_wait(&late), 0);
	start_send(CP3, from, WORDS / 2);
	return wait_send_cp(CP3);
}

TEST_FAULTY(a_fault_while_words_move_is_heard_of)
{
	struct co *a, *b, *c;
	intptr_t result;

	if (co_dma_mover(NULL) >= 0)
		SKIP("the sender moves nothing by itself");
	fill();
	co_event_clear(&receives);
	co_event_clear(&late);
	a = test_spawn_on(NMPU00, sends_from_nowhere, (void *)8);
	b = test_spawn_on(NMPU00 + 3, receives_what_nobody_can_send, NULL);
	CHECK_EQ(co_join(a, &result), -EFAULT);
	c = test_spawn_on(NMPU00, sends_after_that, NULL);
	CHECK_EQ(test_join(b), 0);
	CHECK_EQ(test_join(c), 0);
	CHECK_EQ(to[WORDS / 2 - 1], from[WORDS / 2 - 1]);
}
#endif

#ifdef CO_DEBUG
static bool ends_by_a_fault(struct co *co)
{
	intptr_t result;

	return co_join(co, &result) == -EFAULT;
}

static const struct {
	uint32_t words;
	uintptr_t at; /* 0: `to`, 1: misaligned, 2: nowhere */
} bad[] = { { 0, 0 }, { 1, 1 }, { 1, 2 }, { UINT32_MAX, 0 } };

static intptr_t starts_badly(void *arg)
{
	unsigned i = (unsigned)(uintptr_t)arg;
	void *at = bad[i].at == 2 ? NULL : (char *)to + bad[i].at;

	start_rcv(CP2, at, bad[i].words);
	return 0;
}

TEST(bad_addresses_and_lengths_are_found)
{
	for (uintptr_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK(ends_by_a_fault(test_spawn_on(NMPU00, starts_badly, (void *)i)));
}
#else
/* It has offered to NMPU33 when the switch in between is set otherwise, and back again. */
static intptr_t starts_and_waits(void *arg)
{
	set_lc(LC33, 0, 1);
	set_lc(LC03, 1, 0);
	set_send_cp(CP0, _1D, 0, 0);
	start_send(CP0, from, WORDS);
	set_lc(LC03, 1, 2);
	co_event_set(&late);
	return wait_send_cp(CP0);
}

static intptr_t sets_it_back(void *arg)
{
	CHECK_EQ(co_event_wait(&late), 0);
	set_rcv_cp(CP0, _1D, 0, 0);
	start_rcv(CP0, to, WORDS);
	set_lc(LC03, 1, 0);
	return wait_rcv_cp(CP0);
}

TEST_TIDY(what_was_started_waits_for_its_route)
{
	struct co *a, *b;

	fill();
	co_event_clear(&late);
	a = test_spawn_on(NMPU03, starts_and_waits, NULL);
	b = test_spawn_on(NMPU33, sets_it_back, NULL);
	CHECK_EQ(test_join(a), 0);
	CHECK_EQ(test_join(b), 0);
	CHECK_EQ(memcmp(from, to, WORDS * 8), 0);
}
#endif

/* Rows of three lengths, out of and into rows of four and two. */
static struct shape {
	uint32_t from_row, from_gap, to_row, to_gap, words;
} shape;

static intptr_t shaped_sender(void *arg)
{
	set_send_cp(CP3, arg ? _2D : _1D, shape.from_row, shape.from_gap);
	start_send(CP3, from, shape.words);
	return wait_send_cp(CP3);
}

static intptr_t shaped_receiver(void *arg)
{
	set_recv_cp(CP3, arg ? _2D : _1D, shape.to_row, shape.to_gap);
	start_recv(CP3, to, shape.words);
	return wait_recv_cp(CP3);
}

static size_t place(uint32_t row, uint32_t gap, uint32_t i)
{
	return gap ? i / row * (row + gap) + i % row : i;
}

TEST_TIDY(rows_of_any_shape_arrive)
{
	struct test_random r = test_random(1);

	for (unsigned n = 0; n < 40; n++) {
		struct co *a, *b;

		shape = (struct shape){ 1 + test_next(&r) % 5, test_next(&r) % 2,
					1 + test_next(&r) % 5, test_next(&r) % 2,
					1 + test_next(&r) % WORDS };
		fill();
		a = test_spawn_on(NMPU00, shaped_sender, (void *)(uintptr_t)shape.from_gap);
		b = test_spawn_on(NMPU03, shaped_receiver, (void *)(uintptr_t)shape.to_gap);
		CHECK_EQ(test_join(a), 0);
		CHECK_EQ(test_join(b), 0);
		for (uint32_t i = 0; i < shape.words; i++)
			CHECK_EQ(to[place(shape.to_row, shape.to_gap, i)],
				 1000 + place(shape.from_row, shape.from_gap, i));
	}
}

/* A thousand to and fro, through one switch, by who is there first. */
enum { ROUNDS = 1000 };

static uint64_t ball[2];

static intptr_t ping(void *arg)
{
	int r = 0;

	set_lc(LC01, 1, 2);
	set_lc(LC01, 2, 1);
	for (uint64_t i = 0; i < ROUNDS && r == 0; i++) {
		uint64_t *mine = &ball[0];

		*mine = i;
		start_send(CP0, mine, 1);
		r = wait_send_cp(CP0);
		start_recv(CP0, mine, 1);
		r = r ? r : wait_recv_cp(CP0);
		if (*mine != i + 1)
			return 1;
	}
	return r;
}

static intptr_t pong(void *arg)
{
	int r = 0;

	for (unsigned i = 0; i < ROUNDS && r == 0; i++) {
		start_recv(CP1, &ball[1], 1);
		r = wait_recv_cp(CP1);
		ball[1]++;
		start_send(CP1, &ball[1], 1);
		r = r ? r : wait_send_cp(CP1);
	}
	return r;
}

TEST_TIDY(a_thousand_round_trips_pass_a_switch)
{
	struct co *a = test_spawn_on(NMPU01, ping, NULL), *b = test_spawn_on(CPU0, pong, NULL);

	CHECK_EQ(test_join(a), 0);
	CHECK_EQ(test_join(b), 0);
}

static struct co_a32 may_set;

static intptr_t sets_switches(void *arg)
{
	/* acquire: pairs with the case. */
	while (!co_atomic_load(&may_set, CO_ACQUIRE))
		co_pause();
	for (unsigned i = 0; i < ROUNDS; i++)
		set_lc(LC02, 1 + i % 2, 2 - i % 2);
	return co_sleep_us(1);
}

TEST(one_that_is_cancelled_sets_its_switches)
{
	struct co *co[CO_NET_CORES];

	co_atomic_store(&may_set, 0, CO_RELAXED);
	for (unsigned i = 1; i < CO_NET_CORES; i++) {
		co[i] = test_spawn_on(i, sets_switches, NULL);
		co_cancel(co[i]);
	}
	co_atomic_store(&may_set, 1, CO_RELEASE);
	/* And hears of that in its next wait. */
	test_join_all(co + 1, CO_NET_CORES - 1, -ECANCELED);
}

/* Lengths that differ: the shorter passes. */
static intptr_t sends_more(void *arg)
{
	set_send_cp(CP3, _1D, 0, 0);
	start_send(CP3, from, WORDS);
	return wait_send_cp(CP3);
}

static intptr_t receives_less(void *arg)
{
	set_recv_cp(CP3, _1D, 0, 0);
	start_recv(CP3, to, WORDS / 2);
	return wait_recv_cp(CP3);
}

TEST_TIDY(unequal_lengths_are_reported_to_both)
{
	struct co *a, *b;

	fill();
	a = test_spawn_on(NMPU00, sends_more, NULL);
	b = test_spawn_on(NMPU03, receives_less, NULL);
#ifdef CO_DEBUG
	if (!HAL_NETWORK_EXISTS()) {
		/* The one that comes second is ended; the other waits until it is cancelled. */
		co_cancel(a);
		co_cancel(b);
		CHECK(ends_by_a_fault(a) != ends_by_a_fault(b));
		return;
	}
#endif
	CHECK_EQ(test_join(a), -EMSGSIZE);
	CHECK_EQ(test_join(b), -EMSGSIZE);
	CHECK_EQ(to[WORDS / 2 - 1], 1000 + WORDS / 2 - 1);
	CHECK_EQ(to[WORDS / 2], 0);
}

/* ---- Engines ---- */

static intptr_t use_mdmac(void *arg)
{
	CHECK_EQ(start_mdmac(MDMACS, from, to, WORDS), -EINVAL);
	CHECK_EQ(start_mdmac(MDMAC2, from, to, WORDS), 0);
	CHECK_EQ(start_mdmac(MDMAC2, from, to, WORDS), -EBUSY);
	CHECK_EQ(wait_mdmac(MDMAC2), 0);
	CHECK_EQ(wait_mdmac(MDMAC2), -EINVAL);
	CHECK_EQ(start_mdmac(MDMAC2, from, NULL, WORDS), -EFAULT);
	CHECK_EQ(start_mdmac(MDMAC2, from, to, WORDS), 0);
	return wait_mdmac(MDMAC2);
}

TEST(an_engine_is_seized_until_it_is_waited_for)
{
	fill();
	CHECK_EQ(test_join(test_spawn_on(NMPU00, use_mdmac, NULL)), 0);
	CHECK_EQ(memcmp(from, to, WORDS * 8), 0);
}

static intptr_t meet(void *arg)
{
	int r = local_barrier();

	r = r ? r : global_barrier();
	if (r == 0)
		r = co_hart_role(co_hart()) & CO_ROLE_MANAGE ? arm_barrier() : nm_barrier();
	return r;
}

TEST(the_four_barriers_let_all_go)
{
	struct co *co[CO_NET_CORES];

	for (unsigned i = 1; i < co_harts(); i++)
		co[i] = test_spawn_on(i, meet, NULL);
	CHECK_EQ(meet(NULL), 0);
	test_join_all(co + 1, co_harts() - 1, 0);
}
