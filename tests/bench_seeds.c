/*
 * bench_seeds.c - what the papers measured of their systems, of ours: a receiver with idle senders
 * (seed C), barriers of a cluster and of the machine (seed D). docs/performance.md has both side by
 * side.
 */
#include "bench/bench.h"

enum { SENDERS_MAX = 48, MACHINE_MAX = 21 };

/* Seed C: a message from one of n senders, the others connected and idle: a link, or mail. */
enum { MAIL_TAG = 40 };

static struct {
	struct bench_span span;
	bool by_mail;
	unsigned home;
	struct co_link link;
	struct co_counter open;
	struct co_event over;
} idle;

static intptr_t sender(void *arg)
{
	uintptr_t word = 7;
	struct co_link_tx *tx = NULL;

	if (!idle.by_mail)
		BENCH_REQUIRE(co_link_open_tx(&idle.link, &tx) == 0);
	co_counter_done(&idle.open);
	BENCH_REQUIRE(co_counter_wait(&idle.open) == 0);
	if (!arg && idle.by_mail) {
		BENCH_PARTNER(&idle.span, BENCH_CALL(co_mail_send(idle.home, MAIL_TAG, &word, 1)));
	} else if (!arg) {
		BENCH_PARTNER(&idle.span, BENCH_CALL(co_link_send(tx, &word)));
	}
	BENCH_REQUIRE(co_event_wait(&idle.over) == 0);
	if (tx)
		co_link_close_tx(tx);
	return 0;
}

static void receive(struct co_link_rx *rx)
{
	uintptr_t word;

	if (idle.by_mail) {
		BENCH_TIMES(&idle.span, BENCH_CALL(co_mail_recv(MAIL_TAG, &word, 1, NULL)));
	} else {
		BENCH_TIMES(&idle.span, BENCH_CALL(co_link_recv(rx, &word)));
	}
}

static uint64_t with_idle(bool by_mail, unsigned n)
{
	struct co *c[SENDERS_MAX];
	struct co_link_rx *rx = NULL;

	idle.span = (struct bench_span){ .turns = bench_turns(100) };
	idle.by_mail = by_mail;
	idle.home = co_hart();
	idle.link = (struct co_link){ .senders = (uint16_t)n };
	co_event_clear(&idle.over);
	if (by_mail)
		BENCH_REQUIRE(co_mail_bind(MAIL_TAG) == 0);
	else
		BENCH_REQUIRE(co_link_open_rx(&idle.link, &rx) == 0);
	co_counter_add(&idle.open, n);
	for (unsigned i = 0; i < n; i++)
		c[i] = bench_spawn(bench_worker(1 + i), sender, (void *)(uintptr_t)i);
	BENCH_REQUIRE(co_counter_wait(&idle.open) == 0);
	receive(rx);
	co_event_set(&idle.over);
	for (unsigned i = 0; i < n; i++)
		bench_join(c[i]);
	if (by_mail)
		BENCH_REQUIRE(co_mail_unbind(MAIL_TAG) == 0);
	else
		co_link_close_rx(rx);
	return bench_per_turn(&idle.span, 2);
}

/* Instructions a message, of both harts: each sleeps when it has to wait. */
BENCH(idle_senders, "65")
{
	static const unsigned senders[] = { 1, 2, 4, 8, 16, 32, 48 };

	for (unsigned i = 0; i < sizeof(senders) / sizeof(*senders); i++) {
		bench_row("idle_senders_link", senders[i], with_idle(false, senders[i]), NULL);
		bench_row("idle_senders_mail", senders[i], with_idle(true, senders[i]), NULL);
	}
}

/* Seed D: a hart's share of the machine's own barriers, as in bench_barrier.c. */
static struct {
	struct bench_span span;
	int (*wait)(void);
	unsigned first, members;
} b;

static intptr_t member(void *arg)
{
	BENCH_PARTNER(&b.span, BENCH_CALL(b.wait()));
	return 0;
}

static uint64_t share(int (*wait)(void), unsigned first, unsigned members)
{
	struct co *c[MACHINE_MAX] = { NULL };

	BENCH_REQUIRE(members > 0 && members <= MACHINE_MAX);
	b.span = (struct bench_span){ .turns = bench_turns(100) };
	b.wait = wait;
	for (unsigned i = 0; i < members; i++)
		if (first + i != co_hart())
			c[i] = bench_spawn(first + i, member, NULL);
	BENCH_TIMES(&b.span, BENCH_CALL(b.wait()));
	for (unsigned i = 0; i < members; i++)
		if (c[i])
			bench_join(c[i]);
	return bench_per_turn(&b.span, members) / members;
}

BENCH(machine_barrier, "nm6408")
{
	const struct co_group *g = co_group(co_hart_group(co_hart()));

	BENCH_REQUIRE(co_harts() == MACHINE_MAX);
	bench_row("barrier_group", g->computes + 1,
		  share(co_barrier_group, g->manager, g->computes + 1), NULL);
	bench_row("barrier_all", co_harts(), share(co_barrier_all, 0, co_harts()), NULL);
}
