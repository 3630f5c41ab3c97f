/*
 * figures.c - what the papers' tables measure, for tests/bench/models: a section for each figure,
 * in which messages are operations.
 */
#include <cohart/cohart.h>

#include "../bench/addring.h"
#include "../harness/test.h"

/* ---- Seed A, table I: a send or a receive while so many others do the same ---- */

enum { MOST = 32, EACH = 50, CAPACITY = 2048, CLAIMS = 3, ADDS = 2 };

static struct co_chan chan;
static struct co_ring ring;
static alignas(CO_LINE) unsigned char buffer[CO_CHAN_BYTES(sizeof(int), CAPACITY)];
static struct co_event go;
static const char *section;

static int operate(bool adds, bool receive, int *n)
{
	if (adds)
		return receive ? addring_recv(&ring, n) : addring_send(&ring, n);
	return receive ? co_chan_recv(&chan, n) : co_chan_send(&chan, n);
}

static intptr_t take_part(void *arg)
{
	bool adds = (uintptr_t)arg & 2, receive = (uintptr_t)arg & 1;
	int n = 7, r = co_event_wait(&go);

	co_mark_begin(section);
	for (unsigned i = 0; i < EACH && r == 0; i++)
		r = operate(adds, receive, &n);
	co_mark_end(section, EACH);
	return r;
}

static void contend(unsigned claim, unsigned n, bool receive)
{
	static const enum co_claim claims[] = { CO_CLAIM_CAS, CO_CLAIM_TICKET };
	struct co *co[MOST];
	bool adds = claim == ADDS;
	int x = 3;

	memset(buffer, 0, sizeof(buffer));
	ring = (struct co_ring)CO_RING(buffer, sizeof(int), CAPACITY, false, false);
	if (!adds)
		REQUIRE_EQ(co_chan_init_as(&chan, buffer, sizeof(buffer), sizeof(int), CO_MPMC,
					   claims[claim]),
			   0);
	for (unsigned i = 0; receive && i < n * EACH; i++)
		REQUIRE_EQ(operate(adds, false, &x), 0);
	co_event_clear(&go);
	for (unsigned i = 0; i < n; i++)
		co[i] = test_spawn_on(1 + i, take_part, (void *)(uintptr_t)(2 * adds + receive));
	CHECK_EQ(co_sleep_us(2000), 0);
	co_event_set(&go);
	test_join_all(co, n, 0);
}

TEST(table1)
{
	static const char *const names[CLAIMS][3][2] = {
		{ { "cas 1 send", "cas 1 recv" },
		  { "cas 10 send", "cas 10 recv" },
		  { "cas 32 send", "cas 32 recv" } },
		{ { "ticket 1 send", "ticket 1 recv" },
		  { "ticket 10 send", "ticket 10 recv" },
		  { "ticket 32 send", "ticket 32 recv" } },
		{ { "adds 1 send", "adds 1 recv" },
		  { "adds 10 send", "adds 10 recv" },
		  { "adds 32 send", "adds 32 recv" } },
	};
	static const unsigned n[] = { 1, 10, MOST };

	for (unsigned claim = 0; claim < CLAIMS; claim++) {
		for (unsigned k = 0; k < 6; k++) {
			section = names[claim][k / 2][k % 2];
			contend(claim, n[k / 2], k % 2);
		}
	}
}

/* ---- Seed D: barriers ---- */

static int meet(const char *name, int (*barrier)(void))
{
	int r = 0;

	for (unsigned i = 0; i < 10; i++)
		r |= barrier();
	co_mark_begin(name);
	for (unsigned i = 0; i < 50; i++)
		r |= barrier();
	co_mark_end(name, 50);
	return r;
}

BODY(meet_all, meet("barrier all", co_barrier_all) | co_barrier_all() |
		       meet("barrier group", co_barrier_group))

TEST(barriers)
{
	static struct co *co[512];

	for (unsigned h = 1; h < co_harts(); h++)
		co[h] = test_spawn_on(h, meet_all, NULL);
	CHECK_EQ(meet_all(NULL), 0);
	test_join_all(co + 1, co_harts() - 1, 0);
}

/* ---- Seed E: spawn and join ---- */

BODY(nothing, 0)

static void spawn_and_join(bool marks)
{
	static struct co_batch batch;
	struct co *co;

	if (marks)
		co_mark_begin("spawn one");
	for (unsigned i = 0; i < 20; i++) {
		co = test_spawn(&(struct co_attr){ .on = CO_ON_HART(1 + i) }, nothing, NULL);
		CHECK_EQ(co_join(co, NULL), 0);
	}
	if (marks) {
		co_mark_end("spawn one", 20);
		co_mark_begin("spawn batch");
	}
	for (unsigned i = 0; i < 640; i++) {
		const struct co_attr there = { .on = CO_ON_HART(1 + i % 64) };

		CHECK_EQ(co_batch_spawn(&batch, &there, nothing, NULL, NULL), 0);
		if (i % 64 == 63)
			CHECK_EQ(co_batch_join(&batch), 0);
	}
	if (marks)
		co_mark_end("spawn batch", 640);
}

TEST(spawn)
{
	spawn_and_join(false);
	spawn_and_join(true);
}

/* ---- Transfers by a compute hart: to its scratchpad, and of many bytes in main memory ---- */

enum { LARGE = 65536, SMALL = 512 };

static alignas(CO_LINE) unsigned char from[LARGE], to[LARGE];

static intptr_t move(void *arg)
{
	void *near = co_spm_alloc(64, CO_LINE);
	int r = co_dma_get(near, from, CO_BYTES(8));

	co_mark_begin("get 8");
	for (unsigned i = 0; i < 20; i++)
		r |= co_dma_get(near, from + 64 * i, CO_BYTES(8));
	co_mark_end("get 8", 20);
	co_mark_begin("copy 512");
	for (unsigned i = 0; i < 5; i++)
		r |= co_dma_copy(to, from, SMALL);
	co_mark_end("copy 512", 5);
	co_mark_begin("copy 64K");
	for (unsigned i = 0; i < 5; i++)
		r |= co_dma_copy(to, from, LARGE);
	co_mark_end("copy 64K", 5);
	co_spm_free(near);
	return r;
}

TEST(dma)
{
	CHECK_EQ(test_join(test_spawn_on(5, move, NULL)), 0);
}
