/*
 * test_channel_claim.c - channels whose claim nobody has chosen go by what the harts can do.
 *
 * Topologies: 1x(1+4)-cas 2x(1+2)-cas sw26010
 * Source: seed A5.
 */
#include "harness/test.h"

enum { ROUNDS = 200, EACH = 3 };

static alignas(CO_LINE) unsigned char buffer[CO_CHAN_BYTES(sizeof(uint64_t), 4)];
static struct co_chan chan;

/* As a static channel is before its first use; each of these has had none. */
#define FRESH(mode) CO_CHAN(buffer, sizeof(uint64_t), 4, mode, CO_CLAIM_DEFAULT)
static const struct co_chan fresh_mpmc = FRESH(CO_MPMC);
static const struct co_chan fresh_mpsc = FRESH(CO_MPSC);
static const struct co_chan fresh_spmc = FRESH(CO_SPMC);
static const struct co_chan fresh_spsc = FRESH(CO_SPSC);

static void open_fresh(const struct co_chan *kind)
{
	memset(buffer, 0, sizeof(buffer));
	chan = *kind;
}

static bool all_have_cas(void)
{
	for (unsigned hart = 0; hart < co_harts(); hart++) {
		if (!co_hart_has_cas(hart))
			return false;
	}
	return true;
}

TEST(a5_harts_that_manage_keep_compare_and_swap_where_the_topology_takes_it)
{
	const char *end = strstr(co_topology(), "-cas");
	bool only_add = end || strcmp(co_topology(), "sw26010") == 0;

	for (unsigned hart = 0; hart < co_harts(); hart++) {
		bool manages = co_hart_role(hart) & CO_ROLE_MANAGE;

		CHECK_EQ(co_hart_has_cas(hart), CO_CLAIM_HAS_CAS && (manages || !only_add));
	}
}

/* Slots in place are what tickets do not give out. */
static void check_claims(struct co_chan *c, bool by_cas)
{
	struct co_chan_slot s = { 0 };

	CHECK_EQ(co_chan_try_reserve(c, &s), by_cas ? 0 : -ENOTSUP);
	if (s.data)
		co_chan_commit(c, &s);
}

TEST(a5_channels_take_tickets_where_a_hart_has_no_compare_and_swap)
{
	CO_CHANNEL(never_used, uint64_t, 4);

	check_claims(&never_used, all_have_cas());
	check_claims(&never_used, all_have_cas());
	REQUIRE_EQ(co_chan_init(&chan, buffer, sizeof(buffer), sizeof(uint64_t)), 0);
	check_claims(&chan, all_have_cas());
	REQUIRE_EQ(co_chan_init_as(&chan, buffer, sizeof(buffer), sizeof(uint64_t), CO_MPSC,
				   CO_CLAIM_DEFAULT),
		   0);
	check_claims(&chan, all_have_cas());
	open_fresh(&fresh_spmc);
	check_claims(&chan, all_have_cas());
	open_fresh(&fresh_spsc);
	check_claims(&chan, true);
}

/* Management harts may use one that claims by compare-and-swap among themselves. */
TEST(whoever_has_compare_and_swap_may_ask_for_it)
{
	int r = co_chan_init_as(&chan, buffer, sizeof(buffer), sizeof(uint64_t), CO_MPMC,
				CO_CLAIM_CAS);

	CHECK_EQ(r, CO_CLAIM_HAS_CAS ? 0 : -EINVAL);
	if (r == 0)
		check_claims(&chan, true);
}

static intptr_t sends(void *arg)
{
	for (uint64_t i = 0; i < EACH; i++)
		REQUIRE_EQ(co_chan_send(&chan, &(uint64_t){ (uintptr_t)arg + i }), 0);
	return 0;
}

static intptr_t receives(void *arg)
{
	uint64_t sum = 0, x = 0;

	for (unsigned i = 0; i < EACH; i++) {
		REQUIRE_EQ(co_chan_recv(&chan, &x), 0);
		sum += x;
	}
	return (intptr_t)sum;
}

/* n senders and n receivers meet at a channel that none has used before. */
static void first_use(const struct co_chan *kind, unsigned n)
{
	struct co *sender[2], *receiver[2];
	intptr_t got = 0, sent = 0;

	open_fresh(kind);
	for (unsigned i = 0; i < n; i++) {
		receiver[i] = test_spawn_on(test_compute(i % test_computes()), receives, NULL);
		sender[i] = test_spawn_on(test_compute((n + i) % test_computes()), sends,
					  (void *)(uintptr_t)(100 * (i + 1)));
		sent += EACH * 100 * (i + 1) + EACH * (EACH - 1) / 2;
	}
	for (unsigned i = 0; i < n; i++) {
		got += test_join(receiver[i]);
		test_join(sender[i]);
	}
	CHECK_EQ(got, sent);
	CHECK_EQ(co_chan_count(&chan), 0);
}

TEST(a_first_use_by_many_at_once_loses_nothing)
{
	for (unsigned round = 0; round < ROUNDS; round++)
		first_use(&fresh_mpmc, 2);
	for (unsigned round = 0; round < ROUNDS / 4; round++) {
		first_use(&fresh_mpsc, 1);
		first_use(&fresh_spmc, 1);
		first_use(&fresh_spsc, 1);
	}
}

TEST(a_first_use_may_be_any_call)
{
	const struct co_chan *const kinds[] = { &fresh_mpmc, &fresh_mpsc, &fresh_spmc };
	uint64_t x = 7, many[4] = { 1, 2, 3, 4 };
	struct co_case receive = CO_CASE_RECV(&chan, &x), send = CO_CASE_SEND(&chan, &x);

	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		open_fresh(kinds[i]);
		CHECK_EQ(co_chan_try_recv(&chan, &x), -EAGAIN);
		CHECK_EQ(co_chan_try_send(&chan, &x), 0);
		open_fresh(kinds[i]);
		CHECK_EQ(co_select_until(&receive, 1, co_after_us(100)), -ETIMEDOUT);
		CHECK_EQ(co_select(&send, 1), 0);
		CHECK_EQ(co_select(&receive, 1), 0);
		CHECK_EQ(x, 7);
		open_fresh(kinds[i]);
		CHECK_EQ(co_chan_send_many(&chan, many, 4), 4);
		CHECK_EQ(co_chan_try_send(&chan, &x), -EAGAIN);
		CHECK_EQ(co_chan_count(&chan), 4);
		CHECK_EQ(co_chan_recv_many(&chan, many, 4), 4);
		open_fresh(kinds[i]);
		co_chan_close(&chan);
		CHECK_EQ(co_chan_send(&chan, &x), -EPIPE);
		CHECK_EQ(co_chan_recv(&chan, &x), -EPIPE);
	}
}
