/* bench_misc.c - locks, select, boot, copies. */
#include "bench/bench.h"

BENCH(mutex, "5 host")
{
	static struct co_mutex m;
	struct bench_span s = { .turns = bench_turns(1000) };

	BENCH_TIMES(&s, BENCH_CALL(co_mutex_lock(&m)); co_mutex_unlock(&m));
	bench_row("mutex", 0, bench_per_turn(&s, 1), NULL);
}

/* Take and let go, without others; once, done before. */
static void nothing(void)
{
}

BENCH(locks, "5 host")
{
	static struct co_rwlock l;
	static struct co_once once;
	struct bench_span r = { .turns = bench_turns(1000) }, w = r, o = r;

	BENCH_TIMES(&r, BENCH_CALL(co_rwlock_read(&l)); co_rwlock_unlock(&l));
	bench_row("rwlock_read", 0, bench_per_turn(&r, 1), NULL);
	BENCH_TIMES(&w, BENCH_CALL(co_rwlock_write(&l)); co_rwlock_unlock(&l));
	bench_row("rwlock_write", 0, bench_per_turn(&w, 1), NULL);
	BENCH_TIMES(&o, BENCH_CALL(co_once(&once, nothing)));
	bench_row("once", 0, bench_per_turn(&o, 1), NULL);
}

static struct {
	struct co_mutex mutex;
	struct co_cond changed[2];
	unsigned turn;
	struct bench_span span;
} table;

/* As ping-pong: each waits until it is its turn, and gives the turn to the other. */
static intptr_t takes_turns(void *arg)
{
	unsigned me = arg != NULL;
	bool failed = co_mutex_lock(&table.mutex);

	for (unsigned i = 0; i < table.span.turns && !failed; i++) {
		while (table.turn != me && !failed)
			failed = co_cond_wait(&table.changed[me], &table.mutex);
		table.turn = !me;
		co_cond_signal(&table.changed[!me]);
	}
	co_mutex_unlock(&table.mutex);
	return failed;
}

/* A condition variable's round trip, two waits and two signals, between coroutines of two harts. */
BENCH(cond, "5 host")
{
	struct bench_span s = { .turns = 1 };

	table.span.turns = bench_turns(1000);
	BENCH_TIMES(&s, {
		struct co *other = bench_spawn(bench_worker(0), takes_turns, NULL);

		bench_join(bench_spawn(bench_worker(1), takes_turns, &table));
		bench_join(other);
	});
	bench_row("cond_round", 0, bench_per_turn(&s, 1) / table.span.turns, NULL);
}

/*
 * A receive from the one of four (eight) channels that has something, and the send that put it
 * there.
 */
BENCH(select_4, "5 host")
{
	enum { SLOTS = 16, MOST = 8 };
	static struct co_chan chan[MOST];
	static alignas(CO_LINE) unsigned char buffer[MOST][CO_CHAN_BYTES(8, SLOTS)];
	struct bench_span t = { .turns = bench_turns(1000) };
	struct co_case cases[MOST];
	uint64_t in = 1, out = 0;

	for (unsigned i = 0; i < MOST; i++) {
		BENCH_REQUIRE(co_chan_init(&chan[i], buffer[i], sizeof(buffer[i]), 8) == 0);
		cases[i] = (struct co_case)CO_CASE_RECV(&chan[i], &out);
	}
	for (unsigned n = 4; n <= MOST; n += 4) {
		struct bench_span s = { .turns = t.turns };

		BENCH_TIMES(&s, BENCH_CALL(co_chan_send(&chan[2], &in));
			    BENCH_CALL(co_select(cases, n)));
		BENCH_REQUIRE(out == in);
		bench_row_of(0, bench_per_turn(&s, 1), "select_%u", n);
	}
	BENCH_TIMES(&t, BENCH_CALL(co_chan_send(&chan[2], &in));
		    BENCH_CALL(co_chan_recv(&chan[2], &out)));
	bench_row("select_4_plain", 0, bench_per_turn(&t, 1), NULL);
}

/* From reset to main(), all harts together. (AArch64's counter starts a little after reset.) */
BENCH(boot, "5 65 260 512")
{
	bench_row_of(co_harts(), BENCH_UNIT * bench_boot_clock, "boot_%u", co_harts());
}

/*
 * memcpy() and its kin, called through pointers, so that nothing of them is inlined: 4 KiB side by
 * side and askew, and 64 bytes.
 */
BENCH(bytes, "5 host")
{
	static void *(*volatile const copy)(void *, const void *, size_t) = memcpy;
	static void *(*volatile const set)(void *, int, size_t) = memset;
	static int (*volatile const compare)(const void *, const void *, size_t) = memcmp;
	static size_t (*volatile const length)(const char *) = strlen;
	enum { N = 4096 };
	static alignas(CO_LINE) unsigned char from[N + 8], to[N];
	struct bench_span s[6];

	for (unsigned i = 0; i < 6; i++)
		s[i] = (struct bench_span){ .turns = bench_turns(100) };
	BENCH_TIMES(&s[0], copy(to, from, N));
	bench_row("memcpy", N, bench_per_turn(&s[0], 1), NULL);
	BENCH_TIMES(&s[1], copy(to, from, 64));
	bench_row("memcpy", 64, bench_per_turn(&s[1], 1), NULL);
	BENCH_TIMES(&s[2], copy(to, from + 3, N));
	bench_row("memcpy_askew", N, bench_per_turn(&s[2], 1), NULL);
	BENCH_TIMES(&s[3], set(to, 'x', N));
	bench_row("memset", N, bench_per_turn(&s[3], 1), NULL);
	memset(from, 'x', N);
	BENCH_TIMES(&s[4], BENCH_CALL(compare(to, from, N)));
	bench_row("memcmp", N, bench_per_turn(&s[4], 1), NULL);
	BENCH_TIMES(&s[5], BENCH_CALL(length((const char *)from)));
	bench_row("strlen", N, bench_per_turn(&s[5], 1), NULL);
}

/* What the caller copies by itself: there is neither an engine nor a move hart, and it is short. */
BENCH(moves, "5 host")
{
	static alignas(CO_LINE) unsigned char from[4096], to[4096];

	for (unsigned bytes = 8; bytes <= sizeof(from); bytes *= 512) {
		struct bench_span s = { .turns = bench_turns(100) }, t = s;

		BENCH_TIMES(&s, BENCH_CALL(co_dma_copy(to, from, bytes)));
		bench_row("dma_copy", bytes, bench_per_turn(&s, 1), NULL);
		BENCH_TIMES(&t, BENCH_CALL(co_move_copy(to, from, bytes)));
		bench_row("move_copy", bytes, bench_per_turn(&t, 1), NULL);
	}
}

/* select_8 with as many cases as there can be; of the heap, so that boot clears no more. */
BENCH(select_most, "5 host")
{
	enum { SLOTS = 2, MOST = CO_WAIT_ANY_MAX, BYTES = CO_CHAN_BYTES(8, SLOTS) };
	struct bench_span s = { .turns = bench_turns(1000) };
	struct {
		struct co_case cases[MOST];
		struct co_chan chan[MOST];
		alignas(CO_LINE) unsigned char buffer[MOST][BYTES];
	} *all = aligned_alloc(CO_LINE, sizeof(*all));
	uint64_t in = 1, out = 0;

	BENCH_REQUIRE(all);
	for (unsigned i = 0; i < MOST; i++) {
		BENCH_REQUIRE(co_chan_init(&all->chan[i], all->buffer[i], BYTES, 8) == 0);
		all->cases[i] = (struct co_case)CO_CASE_RECV(&all->chan[i], &out);
	}
	BENCH_TIMES(&s, BENCH_CALL(co_chan_send(&all->chan[2], &in));
		    BENCH_CALL(co_select(all->cases, MOST)));
	BENCH_REQUIRE(out == in);
	bench_row_of(0, bench_per_turn(&s, 1), "select_%u", MOST);
	free(all);
}
