/*
 * bench_ring.c - what a switch and a hand-over cost among many: a token goes round a ring of
 * coroutines on one hart.
 */
#include "bench/bench.h"

enum { MOST = 4000 };

struct place {
	struct co_chan chan; /* from the one before */
	alignas(CO_LINE) unsigned char buffer[CO_CHAN_BYTES(sizeof(uint64_t), 1)];
};

static struct place *ring;
static unsigned places;
static struct co_batch all;

static intptr_t hand_on(void *arg)
{
	struct place *me = arg, *next = me + 1 < ring + places ? me + 1 : ring;
	uint64_t token;

	while (co_chan_recv(&me->chan, &token) == 0)
		BENCH_CALL(co_chan_send(&next->chan, &token));
	co_chan_close(&next->chan);
	return 0;
}

/* The measuring coroutine is place 0; a turn is once round. */
static uint64_t round_of(unsigned n)
{
	struct bench_span s = { .turns = bench_turns(n < 64 ? 100 : 2) };
	uint64_t token = 7;

	places = n;
	for (unsigned i = 0; i < n; i++)
		BENCH_REQUIRE(co_chan_init_as(&ring[i].chan, ring[i].buffer, sizeof(ring[i].buffer),
					      sizeof(token), CO_SPSC, CO_CLAIM_DEFAULT) == 0);
	for (unsigned i = 1; i < n; i++) {
		const struct co_attr attr = { .on = CO_ON_HART(co_hart()), .stack = CO_STACK_1K };

		BENCH_REQUIRE(co_batch_spawn(&all, &attr, hand_on, &ring[i], NULL) == 0);
	}
	BENCH_TIMES(&s, BENCH_CALL(co_chan_send(&ring[1].chan, &token));
		    BENCH_CALL(co_chan_recv(&ring[0].chan, &token)));
	co_chan_close(&ring[1].chan);
	BENCH_REQUIRE(co_batch_join(&all) == 0);
	return bench_per_turn(&s, 1) / n;
}

BENCH(ring, "5 host")
{
	static const unsigned numbers[] = { 2, 8, 64, 512, MOST };

	ring = aligned_alloc(CO_LINE, MOST * sizeof(*ring));
	BENCH_REQUIRE(ring);
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		bench_row("ring_hop", numbers[i], round_of(numbers[i]), NULL);
	free(ring);
}
