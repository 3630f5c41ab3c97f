/*
 * bench_confined.c - what it costs to have no privilege: calls, waits and switches that go through
 * a trap, and tries on a channel that do not.
 *
 * Confined code cannot read the counter everywhere: each row is the difference between a long run
 * and a short one, from spawn to join.
 */
#include <cohart/sandbox.h>

#include "bench/bench.h"

#define STACK 8192
#define SHORT 200u
#define LONG 1200u

struct given {
	alignas(CO_PAGE_BYTES) unsigned char buffer[CO_CHAN_BYTES(8, 4)];
	struct co_user_end in, out;
	uintptr_t turns;
};

static alignas(CO_PAGE_BYTES) unsigned char memory[2][CO_DOMAIN_BYTES(2, STACK)];
static alignas(CO_PAGE_BYTES) struct given given;
static struct co_domain domain[2];
static struct co_chan chan;

static void make(struct co_domain *d, unsigned char *m)
{
	BENCH_REQUIRE(co_domain_init(d, m, sizeof(memory[0]), 2, STACK) == 0);
	BENCH_REQUIRE(co_domain_share(d, &given, sizeof(given), CO_READ | CO_WRITE) == 0);
}

static void begin(void)
{
	memset(&given, 0, sizeof(given));
	make(&domain[0], memory[0]);
	make(&domain[1], memory[1]);
	BENCH_REQUIRE(co_chan_init_as(&chan, given.buffer, sizeof(given.buffer), 8, CO_SPSC,
				      CO_CLAIM_DEFAULT) == 0);
	BENCH_REQUIRE(co_domain_channel(&domain[0], &chan, CO_CHAN_SENDS, &given.out) == 0);
	BENCH_REQUIRE(co_domain_channel(&domain[0], &chan, CO_CHAN_RECEIVES, &given.in) == 0);
}

static void end(void)
{
	BENCH_REQUIRE(co_domain_end(&domain[0]) == 0 && co_domain_end(&domain[1]) == 0);
}

static intptr_t turns(void *arg)
{
	struct given *g = arg;

	BENCH_TURNS(g->turns, (void)0);
	return 0;
}

static intptr_t calls(void *arg)
{
	struct given *g = arg;

	BENCH_TURNS(g->turns, co_user_hart());
	return 0;
}

static intptr_t yields(void *arg)
{
	struct given *g = arg;

	BENCH_TURNS(g->turns, BENCH_CALL(co_user_pause()));
	return 0;
}

static intptr_t tries(void *arg)
{
	struct given *g = arg;
	uint64_t v = 1;

	BENCH_TURNS(g->turns, BENCH_CALL(co_user_try_send(&g->out, &v));
		    BENCH_CALL(co_user_try_recv(&g->in, &v)));
	return 0;
}

/* fn in each of the domains (one, or the same twice), side by side on this hart. */
static uint64_t run(co_fn *fn, struct co_domain *a, struct co_domain *b, uintptr_t n)
{
	const struct co_attr attr = { .on = CO_ON_HART(co_hart()) };
	struct co *c[2] = { NULL, NULL };
	uint64_t start = bench_clock();

	given.turns = n;
	BENCH_REQUIRE(co_domain_spawn(a, &c[0], &attr, fn, &given) == 0);
	if (b)
		BENCH_REQUIRE(co_domain_spawn(b, &c[1], &attr, fn, &given) == 0);
	bench_join(c[0]);
	if (b)
		bench_join(c[1]);
	return bench_clock() - start;
}

/* Of a turn; of two, one in each, if there are two. */
static uint64_t turn(co_fn *fn, struct co_domain *a, struct co_domain *b)
{
	run(fn, a, b, SHORT); /* warm */

	uint64_t less = run(fn, a, b, SHORT);

	return (run(fn, a, b, LONG) - less) * BENCH_UNIT / (LONG - SHORT);
}

BENCH(confined, "5")
{
	uint64_t empty;

	begin();
	empty = turn(turns, &domain[0], NULL);
	bench_row("confined_call", 0, turn(calls, &domain[0], NULL) - empty, NULL);
	bench_row("confined_pause_alone", 0, turn(yields, &domain[0], NULL) - empty, NULL);
	bench_row("confined_pause_pair", 0, turn(yields, &domain[0], &domain[0]) - 2 * empty, NULL);
	bench_row("confined_pause_two_domains", 0, turn(yields, &domain[0], &domain[1]) - 2 * empty,
		  NULL);
	bench_row("confined_try_pair", 0, turn(tries, &domain[0], NULL) - empty, NULL);
	end();
}

BENCH(confined_spawn, "5")
{
	struct bench_span s = { .turns = bench_turns(200) };

	begin();
	given.turns = 0;
	BENCH_TIMES(&s, run(turns, &domain[0], NULL, 0));
	bench_row("confined_spawn_join", 0, bench_per_turn(&s, 1), NULL);
	end();
}
