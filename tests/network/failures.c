/* failures.c - level 3 when something ends early: processes, cores, what moves words, events. */
#include <bfskn.h>
#include <bupv.h>
#include <cohart/dma.h>
#include <cohart/spm.h>

#include "../loss.h"

enum {
	WORDS = 96,
	CPU0 = 1,
	NMPU02 = 4,
	NMPU03 = 5,
	NMPU22 = 14,
	NMPU23 = 15,
	NMPU33 = 20,
	PATTERN = 0x5a
};

static uint64_t from[WORDS], to[WORDS];
static MP_event v3[CO_NET_CORES], more[MDMACS];
static int v1, v2;

static int load(char *tfx, unsigned n, bfskn_process *process)
{
	char *argv[] = { "test", tfx, NULL };

	return MP_load(2, argv, n, process);
}

static void fill(void)
{
	for (unsigned i = 0; i < WORDS; i++) {
		from[i] = i + 1;
		to[i] = 0;
	}
}

/* ---- Paths ---- */

static int beside_a_path(int id)
{
	CHECK_EQ(MP_init(), 0);
	if (id == 0) {
		/* The first core on the way to NMPU23 is reached by the same port. */
		CHECK_EQ(MP_send_path_on(1, _1D, 0, 0), 0);
		CHECK_EQ(MP_send(2, from, WORDS, &v1, &v2, &v3[0], NULL), 0);
		CHECK_EQ(MP_wait_event(&v3[0]), 0);
		CHECK_EQ(MP_send_path(1, from, WORDS, &v1, &v2, &v3[0], NULL), 0);
		CHECK_EQ(MP_wait_event(&v3[0]), 0);
	} else {
		CHECK_EQ(MP_recv(0, to, WORDS, NULL, NULL, &v3[id]), 0);
		CHECK_EQ(MP_wait_event(&v3[id]), 0);
	}
	return MP_finalize();
}

TEST(a_path_that_is_on_holds_up_nobody)
{
	fill();
	CHECK_EQ(load("--tfx=NMPU03,NMPU33,NMPU23", 3, beside_a_path), 0);
	CHECK_EQ(memcmp(from, to, sizeof(to)), 0);
}

/* Process 0 sends to the receiver, which receives from it. */
static void begin(int id, unsigned receiver, uint32_t words, MP_event *e)
{
	CHECK_EQ(id ? MP_recv(0, to, words, NULL, NULL, e)
		    : MP_send(receiver, from, words, NULL, NULL, e, NULL),
		 0);
}

static void transfer(int id, unsigned receiver, uint32_t words)
{
	begin(id, receiver, words, &v3[id]);
	CHECK_EQ(MP_wait_event(&v3[id]), 0);
}

enum { OFTEN = 4 }; /* so often that the route is kept */

static int turn_by_turn(int id)
{
	CHECK_EQ(MP_init(), 0);
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < OFTEN && id < 2; i++)
			transfer(id, 1, 1);
		if (id != 1) /* by the first core on the way to it, which the same port reaches */
			transfer(id, 2, WORDS);
	}
	return MP_finalize();
}

TEST(a_route_that_is_kept_is_given_to_who_wants_it)
{
	fill();
	CHECK_EQ(load("--tfx=NMPU03,NMPU33,NMPU23", 3, turn_by_turn), 0);
	CHECK_EQ(memcmp(from, to, sizeof(to)), 0);
}

static int bad_shapes(int id)
{
	CHECK_EQ(MP_init(), 0);
	if (id == 0) {
		int r;

		CHECK_EQ(MP_send_path_on(1, 7, 4, 4), -EINVAL);
		CHECK_EQ(MP_send_path_on(1, _2D, 0, 4), -EINVAL);
		CHECK_EQ(MP_recv_path_on(1, -1, 4, 4), -EINVAL);
		/* A row and its gap are 2^32 words. */
		CHECK_EQ(MP_send_path_on(1, _2D, 1, UINT32_MAX), 0);
		r = MP_send_path(1, from, 4, &v1, &v2, &v3[0], NULL);
		CHECK(r == -EFAULT || r == -EINVAL);
		CHECK_EQ(MP_send_path_off(1), 0);
	}
	return MP_finalize();
}

TEST(shapes_that_make_no_sense_are_refused)
{
	CHECK_EQ(load("--tfx=NMPU03,NMPU33", 2, bad_shapes), 0);
}

/* ---- Events ---- */

/* And see it end, but not wait for the event. */
static void begin_and_end(int id, uint32_t words, MP_event *e)
{
	begin(id, 1, words, e);
	while (MP_check_send_wait() || MP_check_recv_wait())
		co_pause();
}

static int one_after_the_other(int id)
{
	static MP_event events[2][3];
	static const uint32_t lengths[2][3] = { { 5, 4, 4 }, { 3, 4, 4 } };

	CHECK_EQ(MP_init(), 0);
	for (unsigned i = 0; i < 3; i++) {
		begin_and_end(id, lengths[id][i], &events[id][i]);
		if (i == 1)
			CHECK_EQ(MP_wait_event(&events[id][0]), -EMSGSIZE);
	}
	CHECK_EQ(MP_wait_event(&events[id][1]), 0);
	CHECK_EQ(MP_wait_event(&events[id][2]), 0);
	/* Three times more: what became of the first of them nobody knows. */
	for (unsigned i = 0; i < 3; i++)
		begin_and_end(id, 4, &events[id][i]);
	CHECK_EQ(MP_wait_event(&events[id][0]), -ESTALE);
	return MP_finalize();
}

TEST(an_event_of_an_earlier_transfer_says_what_became_of_it)
{
	CHECK_EQ(load("--tfx=NMPU03,NMPU33", 2, one_after_the_other), 0);
}

static int many_moves(int id)
{
	CHECK_EQ(MP_init(), 0);
	for (unsigned i = 0; i < 3 * MDMACS; i++) {
		CHECK_EQ(MP_move(to, from, WORDS, &v1, &v2, &v3[0]), 0);
		MP_drop_event(&v3[0]);
	}
	/* Without an event it is over when the call returns. */
	for (unsigned i = 0; i < 3 * MDMACS; i++) {
		from[0]++;
		CHECK_EQ(MP_move(to, from, WORDS, &v1, &v2, NULL), 0);
		CHECK_EQ(to[0], from[0]);
		CHECK_EQ(v2, 0);
	}
	for (unsigned i = 0; i < MDMACS; i++)
		CHECK_EQ(MP_move(to, from, WORDS, &v1, &v2, &more[i]), 0);
	CHECK_EQ(MP_move(to, from, WORDS, &v1, &v2, &v3[0]), -EBUSY);
	CHECK_EQ(v1, -EBUSY);
	/* Their engines are this process's until it ends. */
	return MP_finalize();
}

TEST(a_move_keeps_its_engine_no_longer_than_its_process)
{
	fill();
	CHECK_EQ(load("--tfx=NMPU03", 1, many_moves), 0);
	CHECK_EQ(load("--tfx=NMPU33", 1, many_moves), 0);
}

static int polled_moves(int id)
{
	static MP_event events[MDMACS + 1];

	CHECK_EQ(MP_init(), 0);
	for (unsigned i = 0; i <= MDMACS; i++) {
		uint64_t end = LONG_ENOUGH;
		int r;

		CHECK_EQ(MP_move(to, from, WORDS, &v1, &v2, &events[i]), 0);
		while ((r = MP_check_event(&events[i])) == -EINPROGRESS && co_now() < end)
			co_pause();
		CHECK_EQ(r, 0);
		CHECK_EQ(MP_check_event(&events[i]), 0);
	}
	return MP_finalize();
}

TEST(a_move_that_is_found_over_gives_its_engine_back)
{
	fill();
	CHECK_EQ(load("--tfx=NMPU03", 1, polled_moves), 0);
}

/* ---- A process that returns without MP_finalize() ---- */

static int returns_early(int id)
{
	CHECK_EQ(MP_send(1, from, 1, NULL, NULL, NULL, NULL), -EPERM);
	CHECK_EQ(MP_init(), 0);
	CHECK_EQ(MP_send_path_check(id == 0), 0);
	if (id == 0) {
		CHECK_EQ(MP_send_path_on(1, _1D, 0, 0), 0);
		CHECK_EQ(MP_send(1, from, WORDS, NULL, NULL, NULL, NULL), 0);
	}
	return 0;
}

static int another(int id)
{
	CHECK_EQ(MP_send(1, from, 1, NULL, NULL, NULL, NULL), -EPERM);
	CHECK_EQ(MP_init(), 0);
	if (id != 1) { /* from CPU0, by an output that the path of the load before has */
		CHECK_EQ(MP_send(1, from, WORDS, NULL, NULL, &v3[id], NULL), 0);
		CHECK_EQ(MP_wait_event(&v3[id]), 0);
	} else {
		for (unsigned i = 0; i < 3; i += 2) {
			CHECK_EQ(MP_recv(i, to, WORDS, NULL, NULL, &v3[1]), 0);
			CHECK_EQ(MP_wait_event(&v3[1]), 0);
		}
	}
	return MP_finalize();
}

TEST(the_next_load_knows_nothing_of_one_that_was_not_finished)
{
	fill();
	CHECK_EQ(load("--tfx=NMPU03,NMPU33", 2, returns_early), 0);
	CHECK_EQ(load("--tfx=NMPU03,NMPU33", 2, returns_early), 0);
	CHECK_EQ(load("--tfx=NMPU03,NMPU33,CPU0", 3, another), 0);
	CHECK_EQ(memcmp(from, to, sizeof(to)), 0);
}

/* ---- What moves words stands still, and its user fails ---- */

static struct co_a32 begun, may_begin;
static unsigned held;
static bool lost;

/* What a faulted process had allocated is others': nothing that moves words is to need it. */
static intptr_t write_over_the_heap(void *arg)
{
	void *blocks[256];
	unsigned n = 0;

	while (n < 256 && (blocks[n] = co_spm_alloc(n < 16 ? 2048 : 64, 16)))
		memset(blocks[n], 0xdb, n < 16 ? 2048 : 64), n++;
	while (n)
		co_spm_free(blocks[--n]);
	return 0;
}

/* Hold up a hart while two processes begin a transfer that it is to move; and lose it. */
static intptr_t hold(void *arg)
{
	if (!test_await(&may_begin, 2))
		return 1;
	hold_up(held);
	if (lost)
		fault_there(held);
	/* release: it stands still; pairs with begin_after(). */
	co_atomic_add(&may_begin, 1, CO_RELEASE);
	if (!test_await(&begun, 2))
		return 1;
	/* One that is not lost is held until the sender's fault has been reported, however long. */
	if (!lost && !AWAIT(co_net_is_gone(NMPU03)))
		return 1;
	test_sleep_us(30000);
	CHECK_EQ(test_join(test_spawn_on(NMPU03, write_over_the_heap, NULL)), 0);
	let_go_on();
	return 0;
}

/* When so many others have begun. */
static int begin_after(int id, unsigned others)
{
	CHECK_EQ(MP_init(), 0);
	co_atomic_add(&may_begin, 1, CO_RELEASE);
	if (!test_await(&may_begin, 3) || !test_await(&begun, others))
		return -EIO;
	begin(id, 1, WORDS, &v3[id]);
	co_atomic_add(&begun, 1, CO_RELEASE);
	return 0;
}

static int load_with_hart_held(unsigned hart, bool lose_it, char *tfx, bfskn_process *process)
{
	struct co *co;
	int r;

	fill();
	held = hart;
	lost = lose_it;
	co_atomic_store(&begun, 0, CO_RELAXED);
	co_atomic_store(&may_begin, 0, CO_RELAXED);
	co = test_spawn_on(0, hold, NULL);
	r = load(tfx, 2, process);
	CHECK_EQ(test_join(co), 0);
	return r;
}

static int sender_faults(int id)
{
	/* The sender is second, so that it is the one that has the words moved. */
	CHECK_EQ(begin_after(id, id == 0), 0);
	if (id == 0)
		co_panic("on purpose");
	CHECK_EQ(MP_wait_event(&v3[1]), -EHOSTDOWN);
	memset(to, PATTERN, sizeof(to));
	test_sleep_us(100000);
	for (unsigned i = 0, wrong = 0; i < WORDS && !wrong; i++)
		wrong = !CHECK_EQ(to[i], PATTERN * 0x0101010101010101u);
	return MP_finalize();
}

TEST_FAULTY(when_the_sender_is_reported_gone_no_carrier_writes_any_more)
{
	CHECK_EQ(load_with_hart_held(CPU0, false, "--tfx=NMPU03,NMPU23", sender_faults), -EFAULT);
}

static void needs_a_mover(void)
{
	if (co_dma_mover(NULL) < 0)
		SKIP("no move hart and no engine");
}

TEST_FAULTY(when_the_sender_is_reported_gone_no_mover_writes_any_more)
{
	int mover = co_dma_mover(NULL);

	needs_a_mover();
	CHECK_EQ(load_with_hart_held((unsigned)mover, false, "--tfx=NMPU03,NMPU33", sender_faults),
		 -EFAULT);
}

static int both_hear_of_it(int id)
{
	CHECK_EQ(begin_after(id, 0), 0);
	if (id == 0) {
		CHECK_EQ(MP_wait_event(&v3[0]), -EHOSTDOWN);
		CHECK_EQ(MP_send_signal(1, 0), 0);
	} else {
		CHECK_EQ(MP_wait_signal(0), 0); /* and not for the transfer */
		CHECK_EQ(MP_check_event(&v3[1]), -EHOSTDOWN);
	}
	return MP_finalize();
}

/* And later transfers go another way. */
static int both_go_on(int id)
{
	CHECK_EQ(MP_init(), 0);
	transfer(id, 1, WORDS);
	return MP_finalize();
}

static void lose_what_moves(unsigned hart, char *tfx)
{
	CHECK_EQ(load_with_hart_held(hart, true, tfx, both_hear_of_it), 0);
	CHECK_EQ(load(tfx, 2, both_go_on), 0);
	CHECK_EQ(memcmp(from, to, sizeof(to)), 0);
}

/* ---- Level 2 ---- */

/* A direct wire: no switch is set, so each start looks for its route itself. */
static int load_paths(bfskn_process *process)
{
	char *argv[] = { "test", "--tfx=NMPU00,NMPU03", NULL };

	co_atomic_store(&begun, 0, CO_RELAXED);
	return bfskn_load(2, argv, 2, process);
}

static int sender_of_a_path_faults(int id)
{
	if (id == 0) {
		CHECK_EQ(send_path_on(1, _1D, 0, 0), 0);
		if (test_await(&begun, 1))
			co_panic("on purpose");
		return -EIO;
	}
	CHECK_EQ(rcv_path_on(0, _1D, 0, 0), 0);
	CHECK_EQ(rcv_path(0, to, WORDS), 0);
	co_atomic_add(&begun, 1, CO_RELEASE);
	CHECK_EQ(wait_rcv(0), -EHOSTDOWN);
	/* And so does one that begins when it is gone. */
	CHECK_EQ(rcv_path(0, to, WORDS), 0);
	CHECK_EQ(wait_rcv(0), -EHOSTDOWN);
	return 0;
}

static int receiver_first(int id)
{
	if (id == 0) {
		if (!test_await(&begun, 1))
			return -EIO;
		CHECK_EQ(send_path_on(1, _1D, 0, 0), 0);
		CHECK_EQ(send_path(1, from, WORDS), 0);
		CHECK_EQ(wait_send(1), 0);
		return 0;
	}
	CHECK_EQ(rcv_path_on(0, _1D, 0, 0), 0);
	CHECK_EQ(rcv_path(0, to, WORDS), 0);
	CHECK_EQ(check_rcv(0), -EINPROGRESS);
	co_atomic_add(&begun, 1, CO_RELEASE);
	CHECK_EQ(wait_rcv(0), 0);
	return 0;
}

TEST_FAULTY(a_fault_on_a_path_is_forgotten_by_the_next_load)
{
	fill();
	CHECK_EQ(load_paths(sender_of_a_path_faults), -EFAULT);
	CHECK_EQ(load_paths(receiver_first), 0);
	CHECK_EQ(memcmp(from, to, sizeof(to)), 0);
}

static int leaves_a_receive_open(int id)
{
	if (id == 1) {
		CHECK_EQ(rcv_path_on(0, _1D, 0, 0), 0);
		CHECK_EQ(rcv_path(0, to + WORDS / 2, WORDS / 2), 0);
	}
	return 0;
}

static int sender_first(int id)
{
	CHECK_EQ(id ? rcv_path_on(0, _1D, 0, 0) : send_path_on(1, _1D, 0, 0), 0);
	if (id == 0) {
		CHECK_EQ(send_path(1, from, WORDS / 2), 0);
		co_atomic_add(&begun, 1, CO_RELEASE);
		return wait_send(1);
	}
	if (!test_await(&begun, 1))
		return -EIO;
	CHECK_EQ(rcv_path(0, to, WORDS / 2), 0);
	return wait_rcv(0);
}

TEST(a_receive_that_is_left_open_takes_nothing_of_the_next_load)
{
	fill();
	CHECK_EQ(load_paths(leaves_a_receive_open), 0);
	CHECK_EQ(load_paths(sender_first), 0);
	CHECK_EQ(memcmp(from, to, sizeof(to) / 2), 0);
	CHECK_EQ(to[WORDS / 2], 0);
}

#ifndef CO_DEBUG
/* The side that comes second has words moved that are nowhere; or into nowhere. */
static int second_faults(int id)
{
	enum { FEW = 32 }; /* no engine is asked */
	static int second;
	int r;

	CHECK_EQ(id ? rcv_path_on(0, _1D, 0, 0) : send_path_on(1, _1D, 0, 0), 0);
	if (id == second) {
		CHECK(test_await(&begun, 1));
		second = 1;
		r = id ? rcv_path(0, (void *)8, FEW) : send_path(1, (void *)8, FEW);
		return r ? r : -EIO; /* and it is not heard of */
	}
	CHECK_EQ(id ? rcv_path(0, to, FEW) : send_path(1, from, FEW), 0);
	co_atomic_add(&begun, 1, CO_RELEASE);
	r = id ? wait_rcv(0) : wait_send(1);
	CHECK(r == -EHOSTDOWN || r == -EFAULT);
	return 0;
}

TEST_FAULTY(a_fault_in_a_move_is_heard_of_at_the_other_end_of_a_path)
{
	fill();
	CHECK_EQ(load_paths(second_faults), -EFAULT);
	CHECK_EQ(load_paths(second_faults), -EFAULT);
	CHECK_EQ(load_paths(receiver_first), 0);
	CHECK_EQ(memcmp(from, to, sizeof(to)), 0);
}
#endif

/* From here on harts are lost. */
TEST_FAULTY(both_sides_hear_of_a_lost_carrier_whatever_the_receiver_does)
{
	lose_what_moves(CPU0, "--tfx=NMPU03,NMPU23");
}

#ifndef CO_DEBUG
static intptr_t sends_to_one_that_is_lost(void *arg)
{
	set_lc(LC02, 1, 0);
	set_lc(LC22, 0, 1);
	start_send(CP0, from, WORDS);
	is_ready();
	CHECK_EQ(co_net_wait_until(co_net_port(CO_NET_SEND, CP0), LONG_ENOUGH), -EHOSTDOWN);
	return 0;
}

static intptr_t receives_and_is_lost(void *arg)
{
	start_rcv(CP0, to, WORDS);
	return sleep_on();
}

/* A coroutine of the receiver's hart waits for the mover when both are no longer connected. */
TEST_FAULTY(a_loss_is_heard_of_though_a_switch_is_set_otherwise_under_the_transfer)
{
	struct co *sender, *receiver;
	intptr_t result;

	needs_a_mover();
	hold_up((unsigned)co_dma_mover(NULL));
	co_atomic_store(&ready, 0, CO_RELAXED);
	sender = test_spawn_on(NMPU02, sends_to_one_that_is_lost, NULL);
	CHECK(test_await(&ready, 1));
	receiver = test_spawn_on(NMPU22, receives_and_is_lost, NULL);
	CHECK(test_await(&ready, 2));
	set_lc(LC02, 1, 2);
	lose(NMPU22, 2);
	CHECK_EQ(test_join(sender), 0);
	CHECK_EQ(co_join(receiver, &result), -EHOSTDOWN);
	let_go_on();
	CHECK_EQ(co_dma_copy(to, from, sizeof(to)), 0); /* when it goes on */
}
#endif

TEST_FAULTY(both_sides_hear_of_a_lost_mover)
{
	needs_a_mover();
	lose_what_moves((unsigned)co_dma_mover(NULL), "--tfx=NMPU03,NMPU33");
}

static struct co_a32 may_go_on;

/* The one that comes second keeps the route: that is the process to be lost. */
static int keeps_and_is_lost(int id)
{
	CHECK_EQ(MP_init(), 0);
	for (unsigned i = 0; i < OFTEN && id < 2; i++) {
		while (id && !MP_check_extrn_send_wait())
			co_pause();
		transfer(id, 1, 1);
	}
	if (id == 1)
		return (int)sleep_on();
	if (!test_await(&may_go_on, 1))
		return -EIO;
	transfer(id, 2, WORDS);
	return MP_finalize();
}

static intptr_t lose_the_keeper(void *arg)
{
	lose(NMPU23, 1);
	/* release: pairs with keeps_and_is_lost(). */
	co_atomic_store(&may_go_on, 1, CO_RELEASE);
	return 0;
}

TEST_FAULTY(what_a_lost_core_has_kept_is_given_too)
{
	struct co *co;

	fill();
	co_atomic_store(&ready, 0, CO_RELAXED);
	co_atomic_store(&may_go_on, 0, CO_RELAXED);
	co = test_spawn_on(0, lose_the_keeper, NULL);
	CHECK_EQ(load("--tfx=NMPU13,NMPU23,NMPU33", 3, keeps_and_is_lost), -EHOSTDOWN);
	CHECK_EQ(test_join(co), 0);
	CHECK_EQ(memcmp(from, to, sizeof(to)), 0);
}

static struct co_event go;

static intptr_t sends_to_a_lost_core(void *arg)
{
	set_lc(LC33, 0, 1);
	set_lc(LC03, 1, 0);
	start_send(CP0, from, WORDS);
	is_ready();
	CHECK_EQ(co_event_wait(&go), 0);
	/* The switch leads to CPU0 now, and that is no reason to wait for it. */
	set_lc(LC03, 1, 2);
	CHECK_EQ(wait_send_cp(CP0), -EHOSTDOWN);
	return 0;
}

TEST_FAULTY(a_start_with_a_core_that_is_lost_ends)
{
	struct co *co;

	co_atomic_store(&ready, 0, CO_RELAXED);
	co = test_spawn_on(NMPU03, sends_to_a_lost_core, NULL);
	lose(NMPU33, 1);
	AWAIT(co_net_is_gone(NMPU33)); /* after the hart is: hart 0 runs hooks then */
	co_event_set(&go);
	CHECK_EQ(test_join(co), 0);
}
