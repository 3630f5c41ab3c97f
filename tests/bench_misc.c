/* bench_misc.c - locks, select, boot. */
#include "bench/bench.h"

BENCH(mutex, "5 host")
{
	static struct co_mutex m;
	struct bench_span s = { .turns = bench_turns(1000) };

	BENCH_TIMES(&s, BENCH_CALL(co_mutex_lock(&m)); co_mutex_unlock(&m));
	bench_row("mutex", 0, bench_per_turn(&s, 1), NULL);
}

/* A receive from the one of four channels that has something, and the send that put it there. */
BENCH(select_4, "5 host")
{
	enum { SLOTS = 16 };
	static struct co_chan chan[4];
	static alignas(CO_LINE) unsigned char buffer[4][CO_CHAN_BYTES(8, SLOTS)];
	struct bench_span s = { .turns = bench_turns(1000) }, t = s;
	uint64_t in = 1, out = 0;
	struct co_case cases[] = { CO_CASE_RECV(&chan[0], &out), CO_CASE_RECV(&chan[1], &out),
				   CO_CASE_RECV(&chan[2], &out), CO_CASE_RECV(&chan[3], &out) };

	for (unsigned i = 0; i < 4; i++)
		BENCH_REQUIRE(co_chan_init(&chan[i], buffer[i], sizeof(buffer[i]), 8) == 0);
	BENCH_TIMES(&s, BENCH_CALL(co_chan_send(&chan[2], &in)); BENCH_CALL(co_select(cases, 4)));
	BENCH_REQUIRE(out == in);
	bench_row("select_4", 0, bench_per_turn(&s, 1), NULL);
	BENCH_TIMES(&t, BENCH_CALL(co_chan_send(&chan[2], &in));
		    BENCH_CALL(co_chan_recv(&chan[2], &out)));
	bench_row("select_4_plain", 0, bench_per_turn(&t, 1), NULL);
}

/* From reset to main(), all harts together. (AArch64's counter starts a little after reset.) */
BENCH(boot, "5 65 260 512")
{
	bench_row_of(co_harts(), BENCH_UNIT * bench_boot_clock, "boot_%u", co_harts());
}
