/*
 * test_message.c - messages between members: order, tags, floods, long ones both ways at once,
 * cancels, probes, what makes no sense, broken teams.
 *
 * Topologies: 3x(1+4)
 */
#include "../runtime/group/message/port.h"
#include "harness/test.h"

enum { MOST = 512, LONG = 5000 };

static struct co_team team;

static void run(co_member_fn *fn)
{
	team = (struct co_team){ 0 };
	CHECK_EQ(co_team_run(&team, fn, NULL), 0);
}

static unsigned char byte_of(unsigned rank, unsigned i)
{
	return (unsigned char)(rank * 7 + i * 3 + i / 256);
}

static void fill(unsigned char *data, unsigned rank, size_t bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		data[i] = byte_of(rank, i);
}

static bool holds(const unsigned char *data, unsigned rank, size_t bytes)
{
	for (unsigned i = 0; i < bytes; i++) {
		if (data[i] != byte_of(rank, i))
			return false;
	}
	return true;
}

/* In main memory, which every hart may read. */
static unsigned char out[MOST][LONG], in[MOST][LONG];

static int sends_all_sizes(struct co_member *me, void *arg)
{
	static const size_t sizes[] = { 0, 1, 7, 8, 47, 48, 49, 64, 500, 2048, 2049, LONG };
	unsigned n = co_member_ranks(me), rank = co_member_rank(me);
	unsigned right = (rank + 1) % n, left = (rank + n - 1) % n;
	struct co_message_info got;

	fill(out[rank], rank, LONG);
	for (unsigned s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		static struct co_message m[MOST];

		in[rank][sizes[s] % LONG] = 0xa5;
		REQUIRE_EQ(co_message_recv_start(me, left, s, 0, in[rank], LONG, &m[rank]), 0);
		REQUIRE_EQ(co_message_send(me, right, s, 0, out[rank], sizes[s]), 0);
		REQUIRE_EQ(co_message_wait(me, &m[rank]), 0);
		got = m[rank].got;
		CHECK_EQ(got.bytes, sizes[s]);
		CHECK_EQ(got.rank, left);
		CHECK_EQ(got.tag, s);
		CHECK(holds(in[rank], left, sizes[s]));
		CHECK(sizes[s] == LONG || in[rank][sizes[s]] == 0xa5);
	}
	return 0;
}

TEST_TIDY(messages_of_every_size_go_round_a_ring)
{
	run(sends_all_sizes);
}

/* From a stack in the private scratchpad, which the receiver cannot read. */
static int sends_from_its_stack(struct co_member *me, void *arg)
{
	unsigned n = co_member_ranks(me), rank = co_member_rank(me);
	unsigned right = (rank + 1) % n, left = (rank + n - 1) % n;
	unsigned char own[600], theirs[600];

	for (size_t bytes = 0; bytes <= sizeof(own); bytes += 100) {
		fill(own, rank, bytes);
		if (rank % 2 == 0)
			REQUIRE_EQ(co_message_send_sync(me, right, 1, 0, own, bytes), 0);
		REQUIRE_EQ(co_message_recv(me, left, 1, 0, theirs, sizeof(theirs), NULL), 0);
		if (rank % 2 == 1)
			REQUIRE_EQ(co_message_send_sync(me, right, 1, 0, own, bytes), 0);
		CHECK(holds(theirs, left, bytes));
	}
	return 0;
}

TEST_TIDY(a_stack_in_the_private_scratchpad_can_be_sent)
{
	if (test_computes() % 2)
		SKIP("a ring of an odd number, or of one, would wait for itself");
	run(sends_from_its_stack);
}

enum { FLOOD = 40 };

/* Every rank floods rank 0, which takes them late and in any order of senders. */
static int floods(struct co_member *me, void *arg)
{
	static unsigned next[MOST];
	unsigned n = co_member_ranks(me), rank = co_member_rank(me);
	struct co_message_info got;

	for (unsigned k = 0; rank && k < FLOOD; k++) {
		unsigned msg[30] = { rank, k };
		size_t bytes = k % 3 == 1 ? sizeof(msg) : 2 * sizeof(*msg);

		REQUIRE_EQ(co_message_send(me, 0, k % 5, 0, msg, bytes), 0);
	}
	if (rank)
		return 0;
	memset(next, 0, sizeof(next));
	test_sleep_us(2000);
	for (unsigned k = 0; k < (n - 1) * FLOOD; k++) {
		unsigned msg[30];

		REQUIRE_EQ(co_message_recv(me, CO_ANY_RANK, CO_ANY_TAG, 0, msg, sizeof(msg), &got),
			   0);
		CHECK_EQ(msg[0], got.rank);
		CHECK_EQ(msg[1], next[got.rank]++);
		CHECK_EQ(got.tag, msg[1] % 5);
	}
	return 0;
}

TEST_TIDY(a_flood_waits_loses_nothing_and_keeps_the_order_of_each_sender)
{
	run(floods);
}

enum { BACKWARDS = 20 };

/* Begun in one order, received in the other. */
static int backwards(struct co_member *me, void *arg)
{
	static struct co_message m[BACKWARDS];
	static struct co_message *all[BACKWARDS];
	static unsigned number[BACKWARDS];
	unsigned got = 0;

	if (co_member_rank(me) == 1) {
		for (unsigned i = 0; i < BACKWARDS; i++) {
			number[i] = i;
			all[i] = &m[i];
			REQUIRE_EQ(co_message_send_start(me, 0, i, 0, &number[i], sizeof(*number),
							 &m[i]),
				   0);
		}
		return co_message_wait_all(me, all, BACKWARDS);
	}
	for (unsigned i = BACKWARDS; co_member_rank(me) == 0 && i-- > 0;) {
		REQUIRE_EQ(co_message_recv(me, 1, i, 0, &got, sizeof(got), NULL), 0);
		CHECK_EQ(got, i);
	}
	return 0;
}

TEST_TIDY(tags_pick_messages_out_of_order)
{
	if (test_computes() < 2)
		SKIP("needs two");
	run(backwards);
}

static int contexts(struct co_member *me, void *arg)
{
	unsigned rank = co_member_rank(me), got = 0;

	for (unsigned c = 0; c < 3; c++)
		REQUIRE_EQ(co_message_send(me, rank, 5, c, &c, sizeof(c)), 0);
	for (unsigned c = 3; c-- > 0;) {
		REQUIRE_EQ(co_message_recv(me, CO_ANY_RANK, CO_ANY_TAG, c, &got, sizeof(got), NULL),
			   0);
		CHECK_EQ(got, c);
	}
	return 0;
}

TEST_TIDY(contexts_keep_messages_apart_and_a_member_can_send_to_itself)
{
	run(contexts);
}

enum { ALL = 16, PART = 200 };

/* Everybody sends to everybody at the same time, and waits for whatever ends. */
static int exchanges(struct co_member *me, void *arg)
{
	static struct co_message m[ALL][2 * ALL];
	static unsigned char theirs[ALL][ALL][PART];
	unsigned n = co_member_ranks(me) < ALL ? co_member_ranks(me) : ALL;
	unsigned rank = co_member_rank(me), which;
	struct co_message *all[2 * ALL];

	if (rank >= n)
		return 0;
	fill(out[rank], rank, PART);
	for (unsigned i = 0; i < n; i++) {
		all[i] = &m[rank][i];
		all[n + i] = &m[rank][n + i];
		REQUIRE_EQ(co_message_recv_start(me, i, 9, 0, theirs[rank][i], PART, all[i]), 0);
	}
	for (unsigned i = 0; i < n; i++)
		REQUIRE_EQ(co_message_send_sync_start(me, (rank + i) % n, 9, 0, out[rank], PART,
						      all[n + i]),
			   0);
	for (unsigned k = 0; k < 2 * n; k++) {
		REQUIRE_EQ(co_message_wait_any(me, all, 2 * n, &which), 0);
		CHECK(which < n ? holds(theirs[rank][which], which, PART) : which < 2 * n);
	}
	REQUIRE_EQ(co_message_wait_any(me, all, 2 * n, &which), 0);
	CHECK_EQ(which, 2 * n);
	return 0;
}

TEST_TIDY(all_send_to_all_at_once)
{
	run(exchanges);
}

/* Rank 0 waits in a send to 1, which waits for 2, which waits until 0 has fetched. */
static int waits_elsewhere(struct co_member *me, void *arg)
{
	static struct co_message posted;
	unsigned rank = co_member_rank(me);

	fill(out[rank], rank, LONG);
	if (rank == 0) {
		REQUIRE_EQ(co_message_recv_start(me, 2, 1, 0, in[0], LONG, &posted), 0);
		REQUIRE_EQ(co_message_send_sync(me, 1, 1, 0, out[0], LONG), 0);
		REQUIRE_EQ(co_message_wait(me, &posted), 0);
		CHECK(holds(in[0], 2, LONG));
	} else if (rank == 1) {
		REQUIRE_EQ(co_message_recv(me, 2, 1, 0, in[1], LONG, NULL), 0);
		REQUIRE_EQ(co_message_recv(me, 0, 1, 0, in[1], LONG, NULL), 0);
	} else if (rank == 2) {
		REQUIRE_EQ(co_message_send_sync(me, 0, 1, 0, out[2], LONG), 0);
		REQUIRE_EQ(co_message_send_sync(me, 1, 1, 0, out[2], LONG), 0);
	}
	return 0;
}

TEST_TIDY(a_receive_goes_on_while_its_member_waits_in_another_call)
{
	if (test_computes() < 3)
		SKIP("needs three");
	run(waits_elsewhere);
}

static int probes(struct co_member *me, void *arg)
{
	unsigned n = co_member_ranks(me), rank = co_member_rank(me);
	struct co_message_claim claim;
	struct co_message_info got;
	unsigned char msg[100];

	for (unsigned size = 10; rank && size <= sizeof(msg); size += 90) {
		fill(msg, rank, size);
		REQUIRE_EQ(co_message_send(me, 0, size, 0, msg, size), 0);
	}
	for (unsigned i = 1; rank == 0 && i < n; i++) {
		REQUIRE_EQ(co_message_probe(me, i, CO_ANY_TAG, 0, &got), 0);
		CHECK_EQ(got.bytes, 10);
		CHECK_EQ(got.rank, i);
		REQUIRE_EQ(co_message_claim(me, i, CO_ANY_TAG, 0, &claim), 0);
		CHECK_EQ(claim.info.bytes, 10);
		REQUIRE_EQ(co_message_probe(me, i, CO_ANY_TAG, 0, &got), 0);
		CHECK_EQ(got.bytes, 100);
		REQUIRE_EQ(co_message_recv(me, i, CO_ANY_TAG, 0, msg, 100, &got), 0);
		CHECK(got.bytes == 100 && holds(msg, i, 100));
		REQUIRE_EQ(co_message_recv_claimed(me, &claim, msg, 100), 0);
		CHECK(holds(msg, i, 10));
	}
	CHECK_EQ(co_message_try_probe(me, CO_ANY_RANK, CO_ANY_TAG, 0, &got), -EAGAIN);
	CHECK_EQ(co_message_try_claim(me, rank, 3, 0, &claim), -EAGAIN);
	return 0;
}

TEST_TIDY(a_probe_leaves_a_message_and_a_claim_keeps_it)
{
	run(probes);
}

/* Rank 0 probes for tag 2, which is sent when it says that it has received tag 1. */
static int probes_beside_a_receive(struct co_member *me, void *arg)
{
	unsigned last = co_member_ranks(me) - 1, rank = co_member_rank(me);
	static struct co_message m;
	struct co_message *const list[] = { NULL, &m };
	struct co_message_info got;
	int x = (int)rank;

	if (rank == last) {
		REQUIRE_EQ(co_message_send(me, 0, 1, 0, &x, sizeof(x)), 0);
		REQUIRE_EQ(co_message_recv(me, 0, 9, 0, &x, sizeof(x), NULL), 0);
		REQUIRE_EQ(co_message_send(me, 0, 2, 0, &x, sizeof(x)), 0);
	}
	if (rank)
		return 0;
	REQUIRE_EQ(co_message_recv_start(me, last, 1, 0, &x, sizeof(x), &m), 0);
	REQUIRE_EQ(co_message_probe_or_any(me, last, 2, 0, list, 2), 0);
	CHECK(co_message_ended(&m));
	CHECK_EQ(co_message_try_probe(me, last, 2, 0, &got), -EAGAIN);
	REQUIRE_EQ(co_message_wait(me, &m), 0);
	CHECK_EQ(x, (int)last);
	REQUIRE_EQ(co_message_send(me, last, 9, 0, &x, sizeof(x)), 0);
	REQUIRE_EQ(co_message_probe_or_any(me, last, 2, 0, list, 2), 0);
	CHECK_EQ(co_message_try_probe(me, last, 2, 0, &got), 0);
	REQUIRE_EQ(co_message_recv(me, last, 2, 0, &x, sizeof(x), NULL), 0);
	CHECK_EQ(co_message_probe_or_any(me, last + 1, 2, 0, list, 2), -EINVAL);
	return 0;
}

TEST_TIDY(a_probe_ends_with_what_is_under_way)
{
	if (test_computes() == 1)
		SKIP("it needs two members");
	run(probes_beside_a_receive);
}

/* Copies for rank 1, which fetches them all; then what needs none, for rank 2. */
static int keeps(struct co_member *me, void *arg)
{
	unsigned rank = co_member_rank(me);
	size_t most = 0;
	int x = 0;

	for (int i = 0; i < 20 && rank == 0; i++) {
		REQUIRE_EQ(co_message_send(me, 1, 1, 0, out[0], CO_MESSAGE_KEPT - i), 0);
		most = me->port->kept_bytes > most ? me->port->kept_bytes : most;
		CHECK(me->port->kept_near <= CO_MESSAGE_KEPT_NEAR);
	}
	for (int i = 0; i < 20 && rank == 1; i++)
		REQUIRE_EQ(co_message_recv(me, 0, 1, 0, in[1], LONG, NULL), 0);
	REQUIRE_EQ(co_team_barrier(me), 0);
	for (int i = 0; i < 20 && rank == 0; i++) {
		REQUIRE_EQ(co_message_send(me, 2, 1, 0, &x, sizeof(x)), 0);
		CHECK(me->port->kept_near <= CO_MESSAGE_KEPT_NEAR);
	}
	for (int i = 0; i < 20 && rank == 2; i++)
		REQUIRE_EQ(co_message_recv(me, 0, 1, 0, &x, sizeof(x), NULL), 0);
	REQUIRE_EQ(co_team_barrier(me), 0);
	if (rank == 0) {
		CHECK(most > CO_MESSAGE_KEPT);
		REQUIRE_EQ(co_message_progress(me), 0);
		CHECK_EQ(me->port->kept_bytes, 0);
	}
	return 0;
}

TEST_TIDY(what_a_sender_keeps_is_bounded_and_given_back)
{
	if (test_computes() < 3)
		SKIP("it needs three members");
	run(keeps);
}

/* By a line each: rank 1 is known to have a window at rank 0. */
static int open_window(struct co_member *me, unsigned of)
{
	unsigned rank = co_member_rank(me);
	int r = 0;

	if (rank == of)
		r = co_message_send_sync(me, 0, 0, 0, NULL, 0);
	return r || rank ? r : co_message_recv(me, of, 0, 0, NULL, 0, NULL);
}

/* Where a sender has a window, a line says where what is fetched is. */
static int announces(struct co_member *me, void *arg)
{
	static struct co_message m[3];
	struct co_message *const list[] = { &m[0], &m[1], &m[2] };
	struct co_message_claim claim;
	struct co_message_info got;
	struct co_port_window *w;

	REQUIRE_EQ(open_window(me, 1), 0);
	if (co_member_rank(me) == 1) {
		fill(out[1], 1, LONG);
		CHECK_EQ(co_message_send_start(me, 0, 1, 0, out[1], LONG, &m[0]), 0);
		CHECK_EQ(co_message_send_sync_start(me, 0, 2, 0, out[1], 10, &m[1]), 0);
		CHECK_EQ(co_message_send_start(me, 0, 3, 0, out[1], LONG, &m[2]), 0);
		CHECK_EQ(co_message_wait_all(me, list, 3), 0);
	}
	if (co_member_rank(me))
		return 0;
	REQUIRE_EQ(co_message_claim(me, 1, 1, 0, &claim), 0);
	CHECK_EQ(claim.info.bytes, LONG);
	w = co_port_from(me->port, 1);
	CHECK_EQ(co_port_line(w, claim.line)->bytes, CO_PORT_ANNOUNCES);
	REQUIRE_EQ(co_message_probe(me, 1, 2, 0, &got), 0);
	CHECK_EQ(got.bytes, 10);
	CHECK_EQ(co_message_recv(me, 1, 3, 0, in[0], 100, &got), -EMSGSIZE);
	CHECK(got.bytes == LONG && got.rank == 1 && got.tag == 3 && holds(in[0], 1, 100));
	CHECK_EQ(co_message_recv(me, 1, 2, 0, in[0], LONG, &got), 0);
	CHECK(got.bytes == 10 && holds(in[0], 1, 10));
	CHECK_EQ(co_message_recv_claimed(me, &claim, in[0], LONG), 0);
	CHECK(holds(in[0], 1, LONG));
	return 0;
}

TEST_TIDY(what_a_line_announces_can_be_probed_claimed_and_cut)
{
	if (test_computes() == 1)
		SKIP("it needs two members");
	run(announces);
}

static struct co_event others_ran;

static intptr_t runs_meanwhile(void *arg)
{
	test_sleep_us(500);
	co_event_set(&others_ran);
	return 0;
}

/* The one that is probed for is sent when another coroutine of rank 0's hart has run. */
static int probes_behind_another(struct co_member *me, void *arg)
{
	unsigned rank = co_member_rank(me);
	struct co_message_info got;

	REQUIRE_EQ(open_window(me, 1), 0);
	if (rank == 1)
		REQUIRE_EQ(co_message_send(me, 0, 4, 0, &rank, sizeof(rank)), 0);
	REQUIRE_EQ(co_team_barrier(me), 0);
	if (rank == 1) {
		CHECK_EQ(co_event_wait_until(&others_ran, co_after_us(1000000)), 0);
		return co_message_send(me, 0, 5, 0, &rank, sizeof(rank));
	}
	if (rank == 0) {
		struct co *other = test_spawn_on(co_hart(), runs_meanwhile, NULL);

		REQUIRE_EQ(co_message_probe(me, 1, 5, 0, &got), 0);
		test_join(other);
		for (unsigned tag = 4; tag <= 5; tag++)
			REQUIRE_EQ(co_message_recv(me, 1, tag, 0, &rank, sizeof(rank), NULL), 0);
	}
	return 0;
}

TEST_TIDY(others_run_while_a_member_probes_for_what_has_not_come)
{
	if (test_computes() < 2)
		SKIP("needs two");
	co_event_clear(&others_ran);
	run(probes_behind_another);
}

/* A line that comes between the looks of a second receive belongs to the first. */
static int receives_twice(struct co_member *me, void *arg)
{
	const struct co_wanted wanted = { 1, 3, 0 };
	static struct co_message first;
	struct co_found found;
	unsigned rank = co_member_rank(me), x = 0;

	REQUIRE_EQ(open_window(me, 1), 0);
	if (rank == 0) {
		REQUIRE_EQ(co_message_recv_start(me, 1, 3, 0, &x, sizeof(x), &first), 0);
		REQUIRE_EQ(co_port_progress(me), 0);
	}
	REQUIRE_EQ(co_team_barrier(me), 0);
	if (rank == 1)
		REQUIRE_EQ(co_message_send(me, 0, 3, 0, &rank, sizeof(rank)), 0);
	REQUIRE_EQ(co_team_barrier(me), 0);
	if (rank == 0) {
		CHECK_EQ(co_port_find(me, &wanted, &found), -EAGAIN);
		REQUIRE_EQ(co_message_wait(me, &first), 0);
		CHECK_EQ(x, 1);
	}
	return 0;
}

TEST_TIDY(receives_are_served_in_the_order_in_which_they_have_begun)
{
	if (test_computes() < 2)
		SKIP("needs two");
	run(receives_twice);
}

/* Short ones come by lines, others wait at their senders. */
static int receives_what_it_has_probed(struct co_member *me, void *arg)
{
	struct co_message_info seen, got;
	unsigned n = co_member_ranks(me) < 4 ? co_member_ranks(me) : 4;
	unsigned rank = co_member_rank(me);
	unsigned char msg[100];

	for (unsigned i = 1; i < n; i++)
		REQUIRE_EQ(open_window(me, i), 0);
	for (unsigned size = 10; rank && rank < n && size <= 100; size += 30)
		REQUIRE_EQ(co_message_send(me, 0, rank, 0, msg, size), 0);
	REQUIRE_EQ(co_team_barrier(me), 0);
	for (unsigned i = 0; rank == 0 && i < 4 * (n - 1); i++) {
		for (unsigned again = 0; again <= i % 3; again++)
			REQUIRE_EQ(co_message_probe(me, CO_ANY_RANK, CO_ANY_TAG, 0, &seen), 0);
		REQUIRE_EQ(co_message_recv(me, CO_ANY_RANK, CO_ANY_TAG, 0, msg, 100, &got), 0);
		CHECK_EQ(got.rank, seen.rank);
		CHECK_EQ(got.bytes, seen.bytes);
	}
	return 0;
}

TEST_TIDY(a_receive_gets_what_a_probe_has_seen)
{
	run(receives_what_it_has_probed);
}

static int cancels(struct co_member *me, void *arg)
{
	unsigned rank = co_member_rank(me), x = 1;
	struct co_message m, done;

	REQUIRE_EQ(co_message_recv_start(me, CO_ANY_RANK, 3, 0, &x, sizeof(x), &m), 0);
	CHECK_EQ(co_message_test(me, &m), -EINPROGRESS);
	CHECK_EQ(co_message_cancel(me, &m), 0);
	CHECK_EQ(co_message_wait(me, &m), -ECANCELED);
	CHECK_EQ(co_message_cancel(me, &m), -EBUSY);
	CHECK_EQ(co_message_test(me, &m), 0); /* none is under way any more */
	REQUIRE_EQ(co_message_recv_start(me, rank, 3, 0, &x, sizeof(x), &done), 0);
	REQUIRE_EQ(co_message_send(me, rank, 3, 0, &rank, sizeof(rank)), 0);
	REQUIRE_EQ(co_team_barrier(me), 0);
	while (co_message_test(me, &done) == -EINPROGRESS)
		;
	CHECK_EQ(x, rank);
	return 0;
}

TEST_TIDY(a_receive_can_be_cancelled)
{
	run(cancels);
}

static int asks_wrongly(struct co_member *me, void *arg)
{
	unsigned n = co_member_ranks(me), rank = co_member_rank(me);
	struct co_message_info got = { 0 };
	static struct co_message m[MOST];
	unsigned char x[100] = { 1 }, y[50];

	CHECK_EQ(co_message_send(me, n, 0, 0, x, 1), -EINVAL);
	CHECK_EQ(co_message_send(me, CO_ANY_RANK, 0, 0, x, 1), -EINVAL);
	CHECK_EQ(co_message_send(me, 0, CO_ANY_TAG, 0, x, 1), -EINVAL);
	CHECK_EQ(co_message_send_sync(me, n, 0, 0, x, 1), -EINVAL);
	CHECK_EQ(co_message_send_start(me, 0, 0, 0, x, SIZE_MAX, &m[rank]), -EINVAL);
	CHECK_EQ(co_message_recv(me, n, 0, 0, x, 1, NULL), -EINVAL);
	CHECK_EQ(co_message_recv_start(me, n, 0, 0, x, 1, &m[rank]), -EINVAL);
	CHECK_EQ(co_message_probe(me, n, 0, 0, &got), -EINVAL);
	for (size_t bytes = 10; bytes <= 100; bytes += 90) {
		REQUIRE_EQ(co_message_send(me, rank, 0, 0, x, bytes), 0);
		CHECK_EQ(co_message_recv(me, rank, 0, 0, y, bytes / 2, &got), -EMSGSIZE);
		CHECK(got.bytes == bytes && y[0] == 1);
	}
	return co_team_barrier(me);
}

TEST_TIDY(what_makes_no_sense_is_refused_and_what_is_too_long_is_cut)
{
	run(asks_wrongly);
}

/* The last rank fails while the others are in each kind of call. */
static unsigned which;

static int calls(struct co_member *me, unsigned odd)
{
	static struct co_message m[MOST];
	struct co_message_info got;
	unsigned rank = co_member_rank(me);
	long x = 0;

	switch (which) {
	case 0:
		return co_message_recv(me, odd, 0, 0, &x, sizeof(x), NULL);
	case 1:
		return co_message_send_sync(me, odd, 0, 0, out[rank], LONG);
	case 2:
		return co_message_probe(me, CO_ANY_RANK, 0, 1, &got);
	default:
		/* The request outlives the call if that fails. */
		return co_message_send_sync_start(me, odd, 0, 0, out[rank], LONG, &m[rank])
			       ?: co_message_wait(me, &m[rank]);
	}
}

static int fails(struct co_member *me, void *arg)
{
	unsigned odd = co_member_ranks(me) - 1;

	if (co_member_rank(me) == odd) {
		test_sleep_us(200);
		if (which % 2)
			co_panic("on purpose");
		return -EDOM;
	}
	CHECK_EQ(calls(me, odd), -EOWNERDEAD);
	CHECK_EQ(calls(me, odd), -EOWNERDEAD);
	return 0;
}

TEST_TIDY_FAULTY(a_broken_team_ends_all_calls)
{
	if (test_computes() < 2)
		SKIP("a team of one has nobody to tell");
	for (which = 0; which < 4; which++) {
		team = (struct co_team){ 0 };
		CHECK_EQ(co_team_run(&team, fails, NULL), which % 2 ? -EFAULT : -EDOM);
	}
}

/* Each sends the same number of messages to random ranks, and takes as many as are meant for it. */
enum { ROUNDS = 60, SIZES = 5, STORM = 64 };
static const size_t size_of[SIZES] = { 4, 40, 60, 700, 3000 };
static struct co_a32 meant[MOST];

static bool is_numbered(const unsigned char *msg, unsigned last[],
			const struct co_message_info *got)
{
	uint32_t number;

	memcpy(&number, msg, sizeof(number));
	if (got->bytes != size_of[got->tag] || number < last[got->rank])
		return false;
	last[got->rank] = number + 1;
	return got->bytes == 4 || msg[got->bytes - 1] == (unsigned char)number;
}

/* Receive one of any rank. Returns true if it says that its sender has done. */
static bool receive_one(struct co_member *me, unsigned last[], unsigned *got_n)
{
	unsigned rank = co_member_rank(me);
	struct co_message_info got;

	REQUIRE_EQ(co_message_recv(me, CO_ANY_RANK, CO_ANY_TAG, 2, in[rank], LONG, &got), 0);
	if (got.tag == SIZES)
		return true;
	CHECK(is_numbered(in[rank], last, &got));
	++*got_n;
	return false;
}

static int storms(struct co_member *me, void *arg)
{
	static unsigned last[STORM][STORM];
	static struct co_message m[STORM], bye[STORM][STORM];
	struct test_random random = ((struct test_random *)arg)[co_member_rank(me)];
	unsigned n = co_member_ranks(me) < STORM ? co_member_ranks(me) : STORM;
	unsigned rank = co_member_rank(me), got_n = 0, byes = 0;
	struct co_message *all[STORM];
	struct co_message_info got;
	int r;

	if (rank >= n)
		return 0;
	memset(last[rank], 0, sizeof(last[rank]));
	for (uint32_t k = 0; k < ROUNDS / (1 + n / 16); k++) {
		unsigned to = test_below(&random, n), size = test_below(&random, SIZES);

		memset(out[rank], (int)k, size_of[size]);
		memcpy(out[rank], &k, sizeof(k));
		co_atomic_add(&meant[to], 1, CO_RELAXED);
		REQUIRE_EQ(
			co_message_send_start(me, to, size, 2, out[rank], size_of[size], &m[rank]),
			0);
		while ((r = co_message_test(me, &m[rank])) || test_below(&random, 4) == 0) {
			REQUIRE_EQ(r && r != -EINPROGRESS, 0);
			if (!co_message_try_probe(me, CO_ANY_RANK, CO_ANY_TAG, 2, &got))
				byes += receive_one(me, last[rank], &got_n);
		}
	}
	/* Others may wait for this one to receive, until all have said that they have done. */
	for (unsigned i = 0; i < n; i++) {
		all[i] = &bye[rank][i];
		REQUIRE_EQ(co_message_send_start(me, i, SIZES, 2, NULL, 0, all[i]), 0);
	}
	while (byes < n)
		byes += receive_one(me, last[rank], &got_n);
	REQUIRE_EQ(co_message_wait_all(me, all, n), 0);
	CHECK_EQ(got_n, co_atomic_load(&meant[rank], CO_RELAXED));
	return 0;
}

TEST_TIDY(a_storm_of_messages_arrives_complete_and_in_order)
{
	static struct test_random random[MOST];

	for (unsigned i = 0; i < test_computes(); i++) {
		random[i] = test_random(i);
		co_atomic_store(&meant[i], 0, CO_RELAXED);
	}
	team = (struct co_team){ 0 };
	CHECK_EQ(co_team_run(&team, storms, random), 0);
}

/* As many as there is room for at once, without a receive; then all come, in order. */
static int runs_ahead(struct co_member *me, void *arg)
{
	static struct co_a32 sent;
	const size_t each = sizeof(struct co_message) + 4 * sizeof(void *);
	uint32_t most = (uint32_t)co_least(co_message_kept_most() / (each + 256), 20000);
	unsigned rank = co_member_rank(me);

	for (uint32_t i = 0; i < most && rank == 0; i++) {
		REQUIRE_EQ(co_message_send(me, 1, 1, 0, &i, sizeof(i)), 0);
		co_atomic_store(&sent, i + 1, CO_RELEASE);
	}
	if (rank == 1) {
		while (co_atomic_load(&sent, CO_ACQUIRE) < most)
			co_pause();
		for (uint32_t i = 0, x; i < most; i++) {
			REQUIRE_EQ(co_message_recv(me, 0, 1, 0, &x, sizeof(x), NULL), 0);
			REQUIRE_EQ(x, i);
		}
	}
	REQUIRE_EQ(co_team_barrier(me), 0);
	REQUIRE_EQ(co_message_progress(me), 0);
	CHECK(!me->port || !me->port->kept_bytes);
	co_atomic_store(&sent, 0, CO_RELAXED);
	return co_team_barrier(me);
}

TEST_TIDY(a_sender_is_ahead_as_far_as_memory_goes)
{
	unsigned before = co_message_eager_kib;

	if (test_computes() < 2)
		SKIP("it needs two members");
	run(runs_ahead);
	co_message_eager_kib = 64;
	CHECK_EQ(co_message_kept_most(), CO_MESSAGE_KEPT_NEAR + 65536);
	run(runs_ahead);
	co_message_eager_kib = before;
}

/* Beyond the bound a send waits until one before it is received. */
static int goes_to_the_bound(struct co_member *me, void *arg)
{
	static struct co_message m[4];
	unsigned rank = co_member_rank(me);
	unsigned n = 0;
	uint32_t x;

	if (rank == 0) {
		while (me->port == NULL || me->port->kept_bytes + 512 < co_message_kept_most())
			REQUIRE_EQ(co_message_send(me, 1, 1, 0, out[0], 100), 0), n++;
		CHECK(n > 500);
		CHECK(me->port->kept_near <= CO_MESSAGE_KEPT_NEAR);
		CHECK(me->port->kept_bytes <= co_message_kept_most());
		for (unsigned i = 0; i < 4; i++)
			REQUIRE_EQ(co_message_send_sync_start(me, 1, 2, 0, &n, sizeof(n), &m[i]),
				   0);
		REQUIRE_EQ(co_message_send(me, 1, 3, 0, &n, sizeof(n)), 0);
		for (unsigned i = 0; i < 20; i++) /* it waits, and goes on */
			REQUIRE_EQ(co_message_send(me, 1, 1, 0, out[0], 2000), 0);
		for (unsigned i = 0; i < 4; i++)
			REQUIRE_EQ(co_message_wait(me, &m[i]), 0);
	}
	if (rank == 1) {
		REQUIRE_EQ(co_message_recv(me, 0, 3, 0, &n, sizeof(n), NULL), 0);
		for (unsigned i = 0; i < n + 20; i++)
			REQUIRE_EQ(co_message_recv(me, 0, 1, 0, in[1], LONG, NULL), 0);
		for (unsigned i = 0; i < 4; i++)
			REQUIRE_EQ(co_message_recv(me, 0, 2, 0, &x, sizeof(x), NULL), 0);
	}
	return co_team_barrier(me);
}

TEST_TIDY(at_the_bound_a_send_waits_and_loses_nothing)
{
	unsigned before = co_message_eager_kib;

	if (test_computes() < 2)
		SKIP("it needs two members");
	co_message_eager_kib = 128;
	run(goes_to_the_bound);
	co_message_eager_kib = before;
}
