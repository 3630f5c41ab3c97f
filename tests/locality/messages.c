/*
 * messages.c - what one side of a pair asks for and the other sees, for tests/bench/models: a
 * section for each kind and length, in which a message is half of a round trip.
 */
#include <cohart/cohart.h>

#include "../harness/test.h"

enum { SETTLE = 5 };

/* ---- Put with a reply word: co_dma_put(), then the word in the target's scratchpad ---- */

enum { PUTS = 50 };

struct target {
	alignas(CO_LINE) uint64_t data;
	struct co_counter replies; /* for a coroutine that sleeps until the reply has come */
	struct co_a32 word;        /* for one that polls */
};

static struct target *target[2];

static inline int put(struct target *there, struct target *here, bool polled)
{
	int r = co_dma_put(&there->data, &here->data, CO_BYTES(8));

	/* release: the data; pairs with await_reply(). */
	if (polled)
		co_atomic_add(&there->word, 1, CO_RELEASE);
	else
		co_counter_done(&there->replies);
	return r;
}

static inline int await_reply(struct target *here, bool polled, uint32_t round)
{
	int r;

	/* acquire: pairs with put(). */
	while (polled && co_atomic_load(&here->word, CO_ACQUIRE) == round)
		;
	if (polled)
		return 0;
	r = co_counter_wait(&here->replies);
	/* Before this side's next put, and so before the other's. */
	co_counter_add(&here->replies, 1);
	return r;
}

/* Inline, so that the model asks no price for what the program reads of itself in main memory. */
static inline __attribute__((always_inline)) int play_puts(unsigned side, const char *name,
							   bool polled)
{
	struct target *here = target[side], *there = target[!side];
	int r = 0;

	for (uint32_t i = 0; i < SETTLE + PUTS; i++) {
		if (side == 0 && i == SETTLE)
			co_mark_begin(name);
		if (side == 0)
			r |= put(there, here, polled);
		r |= await_reply(here, polled, i);
		if (side == 1)
			r |= put(there, here, polled);
	}
	if (side == 0)
		co_mark_end(name, 2 * PUTS);
	return r;
}

BODY(puts_counted, play_puts((uintptr_t)arg, "put 8 counter", false))

BODY(puts_polled, play_puts((uintptr_t)arg, "put 8 word", true))

static intptr_t make_target(void *arg)
{
	struct target *t = co_spm_alloc(sizeof(*t), _Alignof(struct target));

	REQUIRE(t);
	*t = (struct target){ .data = 7 + (uintptr_t)arg };
	co_counter_add(&t->replies, 1);
	target[(uintptr_t)arg] = t;
	return 0;
}

/* Its data are the other's by now. */
static intptr_t free_target(void *arg)
{
	struct target *t = target[(uintptr_t)arg];

	CHECK_EQ(co_atomic_load(&t->word, CO_RELAXED), SETTLE + PUTS); /* joined */
	co_counter_done(&t->replies);
	co_spm_free(t);
	return 0;
}

static void on_both(co_fn *fn)
{
	struct co *a = test_spawn_on(test_compute(0), fn, (void *)0);
	struct co *b = test_spawn_on(test_compute(1), fn, (void *)1);

	CHECK_EQ(test_join(a), 0);
	CHECK_EQ(test_join(b), 0);
}

TEST(put)
{
	on_both(make_target);
	on_both(puts_counted);
	on_both(puts_polled);
	CHECK_EQ(target[0]->data, target[1]->data);
	on_both(free_target);
}

/* ---- Two-sided ---- */

enum { MOST = 65536 };

static alignas(CO_LINE) unsigned char out[2][MOST], in[2][MOST];

static int play_messages(struct co_member *me, const char *name, size_t bytes, unsigned rounds)
{
	unsigned side = co_member_rank(me);
	int r = 0;

	for (unsigned i = 0; i < SETTLE + rounds && r == 0; i++) {
		if (side == 0 && i == SETTLE)
			co_mark_begin(name);
		if (side == 0)
			r = co_message_send(me, !side, 1, 0, out[side], bytes);
		r = r ? r : co_message_recv(me, !side, 1, 0, in[side], bytes, NULL);
		if (side == 1 && r == 0)
			r = co_message_send(me, !side, 1, 0, out[side], bytes);
	}
	if (side == 0)
		co_mark_end(name, 2 * rounds);
	return r;
}

static int exchange(struct co_member *me, void *arg)
{
	int r = play_messages(me, "message 8", 8, 50);

	r = r ? r : play_messages(me, "message 512", 512, 20);
	r = r ? r : play_messages(me, "message 2K", 2048, 10);
	r = r ? r : play_messages(me, "message 8K", 8192, 10);
	return r ? r : play_messages(me, "message 64K", MOST, 3);
}

TEST(two_sided)
{
	static unsigned harts[2];
	static struct co_team pair = { .scope = { .harts = harts, .n = 2 } };

	harts[0] = test_compute(0);
	harts[1] = test_compute(1);
	CHECK_EQ(co_team_run(&pair, exchange, NULL), 0);
}

/* ---- All to all, by pairs: each rank has a part for each ---- */

enum { PART = 1024, PARTS = 64, WINDOW = 8, TURNS = 2 };

static alignas(CO_LINE) unsigned char given[PARTS][PARTS][PART], taken[PARTS][PARTS][PART];

struct under_way {
	struct co_message in[WINDOW], out[WINDOW];
};

static int exchange_parts(struct co_member *me, struct under_way *u, uint32_t tag)
{
	unsigned n = co_member_ranks(me), rank = co_member_rank(me);
	int r = 0;

	for (unsigned i = 1; i < n + WINDOW && r == 0; i++) {
		unsigned k = i % WINDOW, to = (rank + i) % n, from = (rank + n - i) % n;

		if (i > WINDOW) {
			r = co_message_wait(me, &u->in[k]);
			r = r ? r : co_message_wait(me, &u->out[k]);
		}
		if (i < n && r == 0)
			r = co_message_recv_start(me, from, tag, 0, taken[rank][from], PART,
						  &u->in[k]);
		if (i < n && r == 0)
			r = co_message_send_start(me, to, tag, 0, given[rank][to], PART,
						  &u->out[k]);
	}
	return r;
}

static int all_to_all(struct co_member *me, void *arg)
{
	unsigned n = co_member_ranks(me), rank = co_member_rank(me);
	struct under_way *u = co_spm_alloc(sizeof(*u), CO_LINE);
	int r;

	REQUIRE(u);
	*u = (struct under_way){ 0 };
	memset(given[rank], (int)rank, sizeof(given[rank]));
	r = exchange_parts(me, u, 0);
	r = r ? r : co_team_barrier(me);
	co_mark_begin("all-to-all 1K");
	for (uint32_t i = 0; i < TURNS && r == 0; i++)
		r = exchange_parts(me, u, 1 + i);
	co_mark_end("all-to-all 1K", TURNS);
	co_spm_free(u);
	for (unsigned i = 0; i < n; i++)
		CHECK(i == rank || (taken[rank][i][0] == i && taken[rank][i][PART - 1] == i));
	return r;
}

TEST(all_to_all)
{
	static struct co_team everyone;

	REQUIRE(test_computes() <= PARTS);
	CHECK_EQ(co_team_run(&everyone, all_to_all, NULL), 0);
}
