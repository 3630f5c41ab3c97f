/* bench.c - runs the cases of an image and prints rows: bench,NAME,HARTS,PARAM,VALUE,UNIT. */
#include <stdarg.h>

#include "bench.h"

extern const struct bench benches_start[] __asm__("__tests_start");
extern const struct bench benches_end[] __asm__("__tests_end");

bool bench_counts;
unsigned bench_scale = 1;
uint64_t bench_boot_clock;
unsigned bench_passes;

/* What a turn of an empty loop and the two readings around it cost. */
static struct {
	uint64_t turn; /* times BENCH_UNIT */
	uint64_t readings;
} empty;

static const char *only = "", *machine = "";
static unsigned rows;

static __attribute__((noinline)) uint64_t count_loop(unsigned turns)
{
	struct bench_span s = { .turns = turns };

	BENCH_TIMES(&s, );
	return s.sample[s.passes - 1];
}

/* Does the counter count instructions? A clock would not repeat. The empty loop is counted. */
static bool calibrate(void)
{
	uint64_t n;

	bench_passes = 2;
	bench_counts = true;
	n = count_loop(1000);
	for (unsigned i = 0; i < 3; i++)
		if (count_loop(1000) != n || n < 1000 || n > 1000000)
			return false;
	/*
	 * Two instructions a turn everywhere. RISC-V's counter is QEMU's clock under --icount: it
	 * counts 2^N an instruction with --icount=N.
	 */
	bench_scale = (unsigned)(count_loop(2000) - n) / 2000;
	empty.turn = BENCH_UNIT * 2;
	empty.readings = n / bench_scale - 2000;
	return bench_scale > 0;
}

static int by_size(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static uint64_t median(uint64_t *sample, unsigned n)
{
	qsort(sample, n, sizeof(*sample), by_size);
	return sample[n / 2];
}

static void calibrate_clock(void)
{
	uint64_t sample[BENCH_PASSES_MAX];

	bench_counts = false;
	bench_passes = 2;
	for (unsigned i = 0; i < BENCH_PASSES_MAX; i++)
		sample[i] = BENCH_UNIT * count_loop(100000) / 100000;
	empty.turn = median(sample, BENCH_PASSES_MAX);
	bench_passes = BENCH_PASSES_MAX;
}

unsigned bench_turns(unsigned counted)
{
	return bench_counts ? counted : 20 * counted;
}

uint64_t bench_per_turn(const struct bench_span *s, unsigned loops)
{
	uint64_t sample[BENCH_PASSES_MAX];
	uint64_t total;

	/* The first pass warms up. */
	memcpy(sample, s->sample + 1, (s->passes - 1) * sizeof(*sample));
	total = median(sample, s->passes - 1) / bench_scale - empty.readings;
	return (BENCH_UNIT * total + s->turns / 2) / s->turns - loops * empty.turn;
}

uint64_t bench_empty_turn(void)
{
	return empty.turn;
}

void bench_row(const char *name, unsigned param, uint64_t value, const char *unit)
{
	rows++;
	printf("bench,%s,%u,%u,%" PRIu64 ".%02u,%s\n", name, co_harts(), param, value / BENCH_UNIT,
	       (unsigned)(value % BENCH_UNIT),
	       unit           ? unit
	       : bench_counts ? "instructions"
			      : "ns");
}

void bench_row_of(unsigned param, uint64_t value, const char *format, ...)
{
	char name[64];
	va_list args;

	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	bench_row(name, param, value, NULL);
}

struct co *bench_spawn(unsigned hart, co_fn *fn, void *arg)
{
	struct co *c = NULL;
	int r = co_spawn(&c, &(struct co_attr){ .on = CO_ON_HART(hart) }, fn, arg);

	if (r)
		co_panic("bench: cannot start a coroutine on hart %u: error %d", hart, r);
	return c;
}

void bench_join(struct co *c)
{
	BENCH_REQUIRE(co_join(c, NULL) == 0);
}

unsigned bench_workers(void)
{
	return co_harts() > 1 ? co_harts() - 1 : 1;
}

unsigned bench_worker(unsigned i)
{
	BENCH_REQUIRE(i < bench_workers());
	return co_harts() > 1 ? i + 1 : 0;
}

/* Is `word` among the words of `text`? */
static bool among(const char *word, const char *text)
{
	size_t n = strlen(word);

	for (const char *p = text; n && (p = strstr(p, word)); p += n)
		if ((p == text || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0'))
			return true;
	return false;
}

static bool options(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strncmp(argv[i], "--machine=", 10) == 0) {
			machine = argv[i] + 10;
		} else if (strncmp(argv[i], "--only=", 7) == 0) {
			only = argv[i] + 7;
		} else {
			fprintf(stderr,
				"bench: no option %s; there are: --machine=WORD --only=PREFIX\n",
				argv[i]);
			return false;
		}
	}
	return true;
}

static intptr_t run(void *arg)
{
	const struct bench *b = arg;

	b->run();
	return 0;
}

int main(int argc, char **argv)
{
	bench_boot_clock = hal_cpu_instret();
	if (!options(argc, argv))
		return 2;
	if (!calibrate())
		calibrate_clock();
	if (!bench_counts && strncmp(co_board(), "qemu", 4) == 0) {
		fprintf(stderr, "bench: nothing is counted here: qemu/run wants --icount\n");
		return 1;
	}
	for (const struct bench *b = benches_start; b < benches_end; b++) {
		if (!among(machine, b->machines) || strncmp(b->name, only, strlen(only)) != 0)
			continue;
		bench_join(bench_spawn(bench_worker(0), run, (void *)(uintptr_t)b));
	}
	if (!rows) {
		fprintf(stderr, "bench: no case for machine '%s' begins with '%s'\n", machine,
			only);
		return 1;
	}
	return 0;
}
