/*
 * bench.h - what things cost: cases that print rows of numbers.
 *
 * Example
 *	BENCH(pause, "5 65")
 *	{
 *		struct bench_span s = { .turns = bench_turns(1000) };
 *
 *		BENCH_TIMES(&s, co_pause());
 *		bench_row("pause", 0, bench_per_turn(&s));
 *	}
 *
 * The unit is what the board can count. Under qemu/run --icount that is instructions, of all harts
 * together, exact: whatever else should not be counted must be asleep. On the host it is
 * nanoseconds, and the median of many passes.
 *
 * A case is a coroutine of the first compute hart; main() sleeps on hart 0. It leaves nothing
 * behind. The image's command line: --machine=WORD (cases for that machine), --gate, --only=PREFIX.
 */
#ifndef TESTS_BENCH_BENCH_H
#define TESTS_BENCH_BENCH_H

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/cohart.h>
#include <hal/cpu.h>
#include <hal/time.h>

struct bench {
	const char *name;
	void (*run)(void);
	const char *machines; /* words: numbers of harts or topologies */
};

#define BENCH_STR2(x) #x
#define BENCH_STR(x) BENCH_STR2(x)

/* Side by side in the order of their lines: the linker sorts by the section's number. */
#define BENCH_CASE \
	__attribute__((used, aligned(sizeof(void *)), section(".tests." BENCH_STR(__LINE__))))

/* A case, run on the machines that are named. */
#define BENCH(id, where)                                                                  \
	static void case_##id(void);                                                      \
	static const struct bench registered_##id BENCH_CASE = { #id, case_##id, where }; \
	static void case_##id(void)

#define BENCH_PASSES_MAX 31

/* A measurement: the same turns several times over. */
struct bench_span {
	unsigned turns;
	unsigned passes; /* that are over */
	bool on;
	uint64_t start;
	uint64_t sample[BENCH_PASSES_MAX];
};

extern bool bench_counts;         /* instructions, not nanoseconds */
extern unsigned bench_scale;      /* the counter's steps an instruction */
extern uint64_t bench_boot_clock; /* the counter as main() began */
extern unsigned bench_passes;     /* how often BENCH_TIMES() repeats the turns */

static inline uint64_t bench_clock(void)
{
	return bench_counts ? hal_cpu_instret() : hal_time_now();
}

/* End a pass if one is on, and begin the next if there is one. The clock is read first and last. */
static inline bool bench_pass(struct bench_span *s)
{
	uint64_t now = bench_clock();

	if (s->on)
		s->sample[s->passes++] = now - s->start;
	s->on = s->passes < bench_passes;
	if (s->on)
		s->start = bench_clock();
	return s->on;
}

/* The empty asm keeps the compiler from joining or dropping turns; it is no instruction. */
#define BENCH_TURNS(n, work)                         \
	for (unsigned turn_ = (n); turn_; turn_--) { \
		work;                                \
		__asm__ volatile("");                \
	}

/* Do `work` s->turns times, bench_passes times over. The first pass, which warms up, is dropped. */
#define BENCH_TIMES(s, work)  \
	while (bench_pass(s)) \
	BENCH_TURNS((s)->turns, work)

/* As many turns in all, for a partner of the one who measures. */
#define BENCH_PARTNER(s, work) BENCH_TURNS(bench_passes *(s)->turns, work)

/*
 * Turns to take: so many where they are counted, where one is as good as many once things are
 * warm; more where a clock must see them.
 */
unsigned bench_turns(unsigned counted);

/*
 * What a turn costs, times BENCH_UNIT, less the loop around it.
 * @param loops  how many such loops went side by side: the one that measured, and partners
 */
#define BENCH_UNIT 100
uint64_t bench_per_turn(const struct bench_span *s, unsigned loops);

/* The loop's part alone, of one loop. */
uint64_t bench_empty_turn(void);

/* Print a row: `value` is BENCH_UNIT times what it says. `unit` NULL: the one that is counted. */
void bench_row(const char *name, unsigned param, uint64_t value, const char *unit);

/* The same for a name made of parts. */
void bench_row_of(unsigned param, uint64_t value, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* What a measured call returns is not looked at in the loop: that would be counted. */
#define BENCH_CALL(x) ((void)!(x))

/* Ends the run with a line that says what is wrong, if x does not hold. */
#define BENCH_REQUIRE(x) ((x) ? (void)0 : co_panic("%s:%d: %s is false", __FILE__, __LINE__, #x))

/* Start fn(arg) on a hart, to be joined. */
struct co *bench_spawn(unsigned hart, co_fn *fn, void *arg);
void bench_join(struct co *c);

/* The harts that work: 0..bench_workers()-1 are all harts but hart 0, if there are others. */
unsigned bench_workers(void);
unsigned bench_worker(unsigned i);

#endif
