/*
 * bench_channel.c - a send and a receive that need not wait, in every mode, by every claim, for
 * several sizes, alone and in bulk. One coroutine does both: two public calls, nothing else.
 */
#include "bench/bench.h"

enum { SLOTS = 64, LARGEST = 64, BULK = 32 };

static struct co_chan chan;
static alignas(CO_LINE) unsigned char buffer[CO_CHAN_BYTES(LARGEST, SLOTS)];
static const char *const modes[] = {
	[CO_MPMC] = "mpmc", [CO_MPSC] = "mpsc", [CO_SPMC] = "spmc", [CO_SPSC] = "spsc"
};
static const char *const claims[] = { [CO_CLAIM_CAS] = "", [CO_CLAIM_TICKET] = "_ticket" };

static void by_copy(const char *name, unsigned bytes)
{
	struct bench_span s = { .turns = bench_turns(1000) };
	alignas(8) unsigned char in[LARGEST], out[LARGEST];

	memset(in, 0xa5, sizeof(in));
	memset(out, 0, sizeof(out));
	BENCH_TIMES(&s, BENCH_CALL(co_chan_send(&chan, in)); BENCH_CALL(co_chan_recv(&chan, out)));
	BENCH_REQUIRE(co_chan_count(&chan) == 0 && memcmp(in, out, bytes) == 0);
	bench_row_of(0, bench_per_turn(&s, 1), "%s", name);
}

/* Each element's share of a call that moves n. */
static void in_bulk(const char *name, unsigned bytes, unsigned n)
{
	static alignas(8) unsigned char in[BULK * LARGEST], out[BULK * LARGEST];
	struct bench_span s = { .turns = bench_turns(100) };

	memset(in, 0xa5, sizeof(in));
	memset(out, 0, sizeof(out));
	BENCH_TIMES(&s, BENCH_CALL(co_chan_send_many(&chan, in, n));
		    BENCH_CALL(co_chan_recv_many(&chan, out, n)));
	BENCH_REQUIRE(co_chan_count(&chan) == 0 && memcmp(in, out, (size_t)n * bytes) == 0);
	bench_row_of(0, bench_per_turn(&s, 1) / n, "%s_bulk%u", name, n);
}

static void make(enum co_chan_mode mode, enum co_claim claim, unsigned bytes)
{
	BENCH_REQUIRE(co_chan_init_as(&chan, buffer, CO_CHAN_BYTES(bytes, SLOTS), bytes, mode,
				      claim) == 0);
}

static void all_of(enum co_chan_mode mode, enum co_claim claim)
{
	static const unsigned sizes[] = { 1, 2, 4, 8, 16, 64 };
	char name[48];

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		snprintf(name, sizeof(name), "chan_%s%s_%u", modes[mode],
			 mode == CO_SPSC ? "" : claims[claim], sizes[i]);
		make(mode, claim, sizes[i]);
		by_copy(name, sizes[i]);
		in_bulk(name, sizes[i], 8);
		in_bulk(name, sizes[i], 32);
	}
}

BENCH(channel, "5 host")
{
	all_of(CO_SPSC, CO_CLAIM_DEFAULT); /* nobody claims */
	for (int mode = CO_MPMC; mode < CO_SPSC && CO_CLAIM_HAS_CAS;
	     mode++) /* not in every build */
		all_of(mode, CO_CLAIM_CAS);
	all_of(CO_MPMC, CO_CLAIM_TICKET); /* and so in all modes but CO_SPSC */
}

/* Filled and read in place. */
BENCH(channel_slot, "5 host")
{
	struct bench_span s = { .turns = bench_turns(1000) };
	struct co_chan_slot slot;

	make(CO_SPSC, CO_CLAIM_DEFAULT, 8);
	BENCH_TIMES(&s, BENCH_CALL(co_chan_reserve(&chan, &slot)); *(uint64_t *)slot.data = 7;
		    co_chan_commit(&chan, &slot); BENCH_CALL(co_chan_peek(&chan, &slot));
		    co_chan_release(&chan, &slot));
	BENCH_REQUIRE(co_chan_count(&chan) == 0);
	bench_row("chan_spsc_8_inplace", 0, bench_per_turn(&s, 1), NULL);
}

/* Elements that end within a word, beside elements of words. One claim: all have one copy. */
BENCH(channel_odd, "5 host")
{
	static const unsigned sizes[] = { 3, 7, 12, 15, 20, 24, 28, 32 };
	char name[48];

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		snprintf(name, sizeof(name), "chan_spsc_%u", sizes[i]);
		make(CO_SPSC, CO_CLAIM_DEFAULT, sizes[i]);
		by_copy(name, sizes[i]);
		in_bulk(name, sizes[i], 32);
	}
}

/* The elements of an array of them, whose units are smaller than a word: half lie in no word. */
BENCH(channel_array, "5 host")
{
	static const unsigned sizes[] = { 3, 6, 7, 12, 20, 28, 60 };
	alignas(8) unsigned char in[LARGEST], out[LARGEST];
	struct bench_span s;

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		unsigned bytes = sizes[i], unit = bytes & -bytes;

		s = (struct bench_span){ .turns = bench_turns(1000) };
		memset(in, 0xa5, sizeof(in));
		memset(out, 0, sizeof(out));
		make(CO_SPSC, CO_CLAIM_DEFAULT, bytes);
		BENCH_TIMES(&s, BENCH_CALL(co_chan_send(&chan, in + unit));
			    BENCH_CALL(co_chan_recv(&chan, out + unit)));
		BENCH_REQUIRE(memcmp(in + unit, out + unit, bytes) == 0);
		bench_row("chan_spsc_array", bytes, bench_per_turn(&s, 1), NULL);
	}
}
