/*
 * main.c - the stress image: rounds until the time or their number is up.
 *
 * With --slices=N a coroutine of hart 0 sleeps for short seeded times and does nothing else. Under
 * --icount the emulator runs one hart at a time, and a hart that does not wait goes on until a
 * timer is due anywhere in the machine: so each of these sleeps ends somebody's slice, at an
 * instruction that the seed chooses, and the run repeats exactly.
 */
#include <inttypes.h>

#include "../../runtime/core/core.h"
#include "stress.h"

#define PROGRESS_US 5000000

/* A round that takes so long will not end any more. Sliced ones go by the emulator's clock. */
#define ROUND_US 30000000
#define SLICED_ROUND_US 4000000

/* About half of the coroutines that the machine has stacks for. */
#define WORKERS(harts) (5 * (harts) + 60)

static const char usage[] =
	"usage: stress [--seed=N] [--seconds=N] [--rounds=N] [--from=N] [--messages=N] [--only=KIND]\n"
	"              [--slices=N] [--quiet]\n"
	"  --seed=N      what all is drawn from (default 1)\n"
	"  --seconds=N   start no round after N seconds (default 10, without --rounds)\n"
	"  --rounds=N    end before round N; --from=N: begin with round N\n"
	"  --messages=N  about so many in each exchange at most (default 20000)\n"
	"  --only=KIND   exchanges of that kind alone\n"
	"  --slices=N    vary the harts' time slices, drawn from N; with qemu/run --icount\n"
	"  --quiet       only failures and the last line\n";

static struct options {
	uint64_t seed, seconds, rounds, from, messages, slice_seed;
	const char *only;
	bool slices;
	bool quiet;
} options = { .seed = 1, .messages = 20000 };

static struct stress_exchange exchanges[STRESS_EXCHANGES];

static struct total {
	uint64_t messages;
	uint64_t exchanges;
	unsigned round;
	uint32_t order;
} total;

static struct {
	struct co *co;
	struct test_random random;
	struct co_a32 span; /* ticks, at most, to the next end of a slice; 0: no more */
	unsigned count;
} slicer;

/*
 * Of each round the spans are short or long on the whole: a slice of a few instructions and one in
 * which a hart does all its work find different things.
 */
static intptr_t slice(void *arg)
{
	unsigned span;

	/* relaxed: a number, for this loop alone. */
	for (; (span = co_atomic_load(&slicer.span, CO_RELAXED)) != 0; slicer.count++)
		(void)!co_sleep_until(co_now() + 1 + test_below(&slicer.random, span));
	return 0;
}

static void slice_round(void)
{
	struct test_random r = { options.slice_seed ^ (total.round + 1) * 0xaef17502108ef2d9u };
	uint64_t us64 = (co_after_us(6400) - co_now()) / 100; /* in ticks */

	/* Up to 1, 2, 4, ... 64 us. */
	if (options.slices)
		co_atomic_store(&slicer.span, 1 + (unsigned)(us64 >> test_below(&r, 7)),
				CO_RELAXED);
}

static intptr_t run_exchange(void *arg)
{
	struct stress_exchange *l = arg;
	const struct stress_kind *k;

	do {
		k = &stress_kinds[test_below(&l->random, stress_kinds_count)];
	} while (options.only && strcmp(k->name, options.only) != 0);
	l->workers = 0;
	memset(&l->ledger, 0, sizeof(l->ledger));
	k->run(l);
	stress_settle(l);
	return 0;
}

static void tell_failure(unsigned round)
{
	printf("stress: FAILED in round %u of seed %" PRIu64 ", which was:\n", round, options.seed);
	for (unsigned i = 0; i < STRESS_EXCHANGES; i++) {
		if (exchanges[i].plan[0])
			printf("stress:   %s\n", exchanges[i].plan);
	}
}

/* A hart that runs although nothing moves, seen awake each time; hart 0 is looking. 0: none. */
static unsigned busy_hart(void)
{
	for (unsigned h = 1; h < co_harts(); h++) {
		unsigned looks = 0;

		/* relaxed: any moment will do. */
		while (looks < 100 &&
		       co_atomic_load(&co_hart_at(h)->inbox.idle, CO_RELAXED) == CO_BUSY) {
			(void)!co_sleep_us(100);
			looks++;
		}
		if (looks == 100)
			return h;
	}
	return 0;
}

/* No wait has a deadline soon: the runtime itself lists the waiting coroutines and ends the run. */
static void stuck(unsigned from, unsigned n)
{
	unsigned busy;

	stress_fail("round %u does not end", total.round);
	tell_failure(total.round);
	co_atomic_store(&slicer.span, 0, CO_RELAXED);
	(void)!co_sleep_us(100000);
	busy = busy_hart();
	if (busy) {
		printf("stress: no deadlock: hart %u runs, but gets nowhere\n", busy);
		exit(1);
	}
	for (unsigned i = from; i < n; i++)
		(void)!co_join(exchanges[i].runner, NULL);
}

static void run_round(void)
{
	struct test_random r = { options.seed ^ (total.round + 1) * 0xd1342543de82ef95u };
	unsigned n = 1 + test_below(&r, STRESS_EXCHANGES);
	unsigned messages = stress_size(&r, (unsigned)options.messages);
	uint64_t deadline = co_after_us(options.slices ? SLICED_ROUND_US : ROUND_US);

	slice_round();
	for (unsigned i = 0; i < STRESS_EXCHANGES; i++)
		exchanges[i].plan[0] = '\0';
	for (unsigned i = 0; i < n; i++) {
		struct stress_exchange *l = &exchanges[i];
		unsigned hart = test_below(&r, co_harts());

		l->index = i;
		l->random.state = test_next(&r);
		l->workers_max = WORKERS(co_harts()) / n;
		l->messages = messages / n + 1;
		l->sliced = options.slices && co_harts() > 1;
		if (co_spawn(&l->runner,
			     &(struct co_attr){ .name = "exchange",
						.on = CO_ON_HART(hart),
						.stack = CO_STACK_MAIN },
			     run_exchange, l)) {
			stress_fail("no exchange on hart %u", hart);
			exit(1);
		}
	}
	for (unsigned i = 0; i < n; i++) {
		if (co_join_until(exchanges[i].runner, NULL, deadline)) {
			stuck(i, n);
			return;
		}
		total.messages += co_atomic_load(&exchanges[i].ledger.received, CO_RELAXED);
		total.order =
			total.order * 31 + co_atomic_load(&exchanges[i].ledger.order, CO_RELAXED);
	}
	total.exchanges += n;
}

/* The line that tells how far it is; the last one also what repeats exactly in a sliced run. */
static void tell(uint64_t start, bool last)
{
	uint64_t us = co_us(co_now() - start);

	printf("stress: %s, %u harts, seed %" PRIu64 ": %" PRIu64 ".%u s, %u rounds, %" PRIu64
	       " exchanges, %" PRIu64 " messages",
	       co_board(), co_harts(), options.seed, us / 1000000, (unsigned)(us / 100000 % 10),
	       total.round - (unsigned)options.from, total.exchanges, total.messages);
	if (last && options.slices)
		printf(", order %08" PRIx32 ", %u slices, %" PRIu64 " instructions", total.order,
		       slicer.count, co_instructions());
	putchar('\n');
}

/* The options that are numbers. */
static const struct number {
	const char *name;
	uint64_t *value;
	uint64_t least, most;
} numbers[] = {
	{ "--seed=", &options.seed, 0, UINT64_MAX },
	{ "--seconds=", &options.seconds, 0, 1000000 },
	{ "--rounds=", &options.rounds, 1, UINT32_MAX },
	{ "--from=", &options.from, 0, UINT32_MAX - 1 },
	{ "--messages=", &options.messages, 1, 1000000 },
	{ "--slices=", &options.slice_seed, 0, UINT64_MAX },
};

static bool parse_number(const struct number *n, const char *text)
{
	size_t length = strlen(n->name);
	char *end;

	if (strncmp(text, n->name, length) != 0 || text[length] < '0' || text[length] > '9')
		return false;
	*n->value = strtoull(text + length, &end, 0);
	options.slices |= n->value == &options.slice_seed;
	return *end == '\0' && *n->value >= n->least && *n->value <= n->most;
}

static bool parse_option(const char *text)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		if (parse_number(&numbers[i], text))
			return true;
	}
	if (strncmp(text, "--only=", 7) == 0)
		options.only = text + 7;
	else if (strcmp(text, "--quiet") == 0)
		options.quiet = true;
	else
		return false;
	return true;
}

static bool parse(int argc, char **argv)
{
	bool known = false;

	for (int i = 1; i < argc; i++) {
		if (parse_option(argv[i]))
			continue;
		fprintf(stderr, "stress: no option %s\n%s", argv[i], usage);
		return false;
	}
	for (unsigned i = 0; options.only && i < stress_kinds_count; i++)
		known |= strcmp(options.only, stress_kinds[i].name) == 0;
	if (options.only && !known) {
		fprintf(stderr, "stress: no kind '%s'; there are:", options.only);
		for (unsigned i = 0; i < stress_kinds_count; i++)
			fprintf(stderr, " %s", stress_kinds[i].name);
		fputc('\n', stderr);
		return false;
	}
	if (!options.seconds && !options.rounds)
		options.seconds = 10;
	return true;
}

static bool start_slicer(void)
{
	if (!options.slices)
		return true;
	slicer.random.state = ~options.slice_seed;
	co_atomic_store(&slicer.span, 1000, CO_RELAXED);
	return co_spawn(&slicer.co, &(struct co_attr){ .name = "slicer", .on = CO_ON_HART(0) },
			slice, NULL) == 0;
}

int main(int argc, char **argv)
{
	uint64_t start = co_now();
	uint64_t end, next = co_after_us(PROGRESS_US);

	if (!parse(argc, argv))
		return 2;
	if (!start_slicer())
		return 1;
	end = options.seconds ? co_after_us(options.seconds * 1000000) : CO_FOREVER;
	total.round = (unsigned)options.from;
	while (!stress_failed() && co_now() < end &&
	       (!options.rounds || total.round < options.rounds)) {
		run_round();
		total.round++;
		if (co_now() >= next && !options.quiet) {
			tell(start, false);
			next = co_after_us(PROGRESS_US);
		}
	}
	co_atomic_store(&slicer.span, 0, CO_RELAXED);
	if (slicer.co)
		(void)!co_join(slicer.co, NULL);
	tell(start, true);
	if (stress_failed())
		tell_failure(total.round - 1);
	return stress_failed();
}
