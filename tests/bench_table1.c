/*
 * bench_table1.c - seed A's Table I: a send and a receive of one int with 1, 10 and 32 producers or
 * consumers, on compute and on management harts, by each claim.
 *
 * Nobody waits: the channel has room for all that is sent, and is full before it is received from.
 * So what is counted is the operation and the repeating of what others spoiled. The harts get
 * slices of 100 to 400 nanoseconds, at 8 nanoseconds an instruction (12 to 50 instructions, which
 * is less than an operation has), in turns: each operation is cut at least once, at a place that
 * varies, and meanwhile every other hart goes on by a piece.
 */
#include "bench/addring.h"
#include "bench/keep.h"

enum { MOST = 32, EACH = 50, CAPACITY = 2048, SLICE_LOW = 200, SLICE_HIGH = 499 };

static struct {
	struct co_chan chan;
	struct co_ring ring; /* for the paper's adds, which no channel has */
	bool adds;
	struct co_event go;
	struct co_counter running;
	unsigned turns;
	bool receive;
} t;
static alignas(CO_LINE) unsigned char buffer[CO_CHAN_BYTES(sizeof(int), CAPACITY)];

static intptr_t work(void *arg)
{
	unsigned keeper = (unsigned)(uintptr_t)arg;
	int n = 0;

	BENCH_REQUIRE(co_event_wait(&t.go) == 0);
	keep_begin(keeper);
	if (t.adds && t.receive) {
		BENCH_TURNS(t.turns, BENCH_CALL(addring_recv(&t.ring, &n)));
	} else if (t.adds) {
		BENCH_TURNS(t.turns, BENCH_CALL(addring_send(&t.ring, &n)));
	} else if (t.receive) {
		BENCH_TURNS(t.turns, BENCH_CALL(co_chan_recv(&t.chan, &n)));
	} else {
		BENCH_TURNS(t.turns, BENCH_CALL(co_chan_send(&t.chan, &n)));
	}
	keep_end(keeper);
	co_counter_done(&t.running);
	return 0;
}

/* What all of them execute for so many turns. */
static int64_t run(const unsigned *keeper, const unsigned *hart, unsigned n, unsigned turns)
{
	struct co *c[MOST];
	int64_t sum = 0;

	t.turns = turns;
	co_event_clear(&t.go);
	co_counter_add(&t.running, n);
	for (unsigned i = 0; i < n; i++)
		c[i] = bench_spawn(hart[i], work, (void *)(uintptr_t)i);
	keep_start(keeper, n + 1, SLICE_LOW, SLICE_HIGH);
	co_event_set(&t.go);
	BENCH_REQUIRE(co_counter_wait(&t.running) == 0);
	keep_stop();
	for (unsigned i = 0; i < n; i++)
		bench_join(c[i]);
	for (unsigned i = 0; i <= n; i++)
		sum += keep_count(i);
	return sum;
}

static void fill(unsigned n)
{
	for (int i = 0; i < (int)n; i++)
		BENCH_REQUIRE(
			(t.adds ? addring_send(&t.ring, &i) : co_chan_try_send(&t.chan, &i)) == 0);
}

/* How many are in there. */
static size_t count(void)
{
	if (!t.adds)
		return co_chan_count(&t.chan);
	return co_ring_between(&t.ring, co_atomic_load(&t.ring.head, CO_RELAXED),
			       co_atomic_load(&t.ring.tail, CO_RELAXED));
}

static void make(int claim)
{
	t.adds = claim < 0;
	if (t.adds) {
		memset(buffer, 0, sizeof(buffer));
		t.ring = (struct co_ring)CO_RING(buffer, sizeof(int), CAPACITY, false, false);
		return;
	}
	BENCH_REQUIRE(co_chan_init_as(&t.chan, buffer, sizeof(buffer), sizeof(int), CO_MPMC,
				      (enum co_claim)claim) == 0);
}

/* What an operation costs with n at it: that with it less that without, less the loop. */
static uint64_t measure(const unsigned *keeper, const unsigned *hart, unsigned n, int claim)
{
	int64_t with, without;

	make(claim);
	without = run(keeper, hart, n, 0);
	if (t.receive)
		fill(n * EACH);
	with = run(keeper, hart, n, EACH);
	BENCH_REQUIRE(count() == (t.receive ? 0 : n * EACH));
	return (uint64_t)(BENCH_UNIT * (with - without)) / EACH / n - bench_empty_turn();
}

/*
 * Groups of three harts: the manager, two compute harts. The workers are the first compute harts of
 * groups 1..32, each after its manager, a keeper; or the managers, each after the last compute hart
 * of the group before. The hart after a worker sleeps (keep.h).
 */
static void table(const char *role, unsigned first_keeper)
{
	static const unsigned parties[] = { 1, 10, 32 };
	static const struct {
		const char *name;
		int claim; /* -1: the paper's adds */
	} claims[] = { { "cas", CO_CLAIM_CAS }, { "add", -1 }, { "ticket", CO_CLAIM_TICKET } };
	unsigned keeper[MOST + 1], hart[MOST + 1];

	for (unsigned i = 0; i <= MOST; i++) {
		keeper[i] = first_keeper + 3 * i;
		hart[i] = keeper[i] + 1;
	}
	for (unsigned c = !CO_CLAIM_HAS_CAS; c < 3; c++) { /* cas: not in every build */
		for (unsigned i = 0; i < 6; i++) {
			unsigned n = parties[i % 3];

			t.receive = i >= 3;
			bench_row_of(n, measure(keeper, hart, n, claims[c].claim), "table1%s_%s_%s",
				     role, claims[c].name, t.receive ? "recv" : "send");
		}
	}
}

BENCH(table1, "34x(1+2)@3")
{
	table("", 3);
}

BENCH(table1_manage, "34x(1+2)@3")
{
	table("_manage", 2);
}
