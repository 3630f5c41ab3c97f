/*
 * slices.c - schedules drawn from a seed: the alarm of each hart comes at random moments.
 *
 * Under --icount the emulator runs one hart at a time, and a hart that does not wait goes on until
 * a timer is due anywhere in the machine. So each alarm ends the slice of whichever hart runs, at
 * an instruction that the seed chooses; the run repeats exactly.Where the alarm has come in the
 * program's own code its hart is held, as if by a long interrupt, while other harts go on: a lock
 * that is missing around a few instructions is found by a hart that is held there. One hart, the
 * victim, has alarms often. Other harts have few: the handling of alarms takes time from all.
 */
#include <hal/alarm.h>
#include <hal/ipi.h>
#include <hal/irq.h>
#include <hal/time.h>

#include "../../core/hook.h"
#include "../../fault/alarm.h"
#include "test.h"

/* Spans, in instructions, are drawn up to 32, 64, ... 131072. */
#define SHORTEST 32u
#define SPANS 12
#define SHORT_SPANS 8 /* the victim's are these, in the beginning */
/* Alarms of the victim until its spans double: a long case takes not much longer than alone. */
#define PATIENCE 500
/* Instructions of set_alarm() and its caller that measure() does not go through. */
#define OWN_WAY 32
/* Ticks that hart 0's alarm may be late. */
#define LATE 2000
/* The runtime finds a deadlock where all harts have slept for a while (fault/stuck.c). */
#define ALL_ASLEEP_US 300000

enum { NONE, MEASURE, SLICE };
static struct {
	uint64_t seed;
	uint32_t speed;      /* instructions in 1024 ticks of the clock */
	unsigned victim;     /* its spans begin short, other harts' are long */
	unsigned begin;      /* how short: SHORTEST << begin */
	uint32_t way;        /* instructions from hal_alarm_at() to the interrupted code */
	struct co_a32 state; /* what an alarm does */
	struct co_a32 first; /* ticks, the low bits: when hart 0's alarm is to come */
} slices;

/* Of a hart. */
static _Thread_local struct {
	struct co_test_random random;
	uint64_t seed;
	uint32_t alarms;
} slicer;

/* Does no hart run, nor will one by itself? */
static bool all_asleep(void)
{
	uint32_t epoch;

	for (unsigned hart = 0; hart < co_harts(); hart++) {
		if (!co_hart_gone(hart) && !co_inbox_asleep(&co_hart_at(hart)->inbox, &epoch))
			return false;
	}
	return true;
}

static uint64_t ticks_of(uint32_t instructions)
{
	return ((uint64_t)instructions * 1024 + slices.speed - 1) / slices.speed;
}

/*
 * Set the alarm, in instructions, the first of which is the interrupted code's next. The clock is
 * coarse, a tick may be a hundred instructions: a loop takes the rest.
 */
static void set_alarm(uint32_t instructions)
{
	uint64_t ticks = ticks_of(slices.way + instructions), edge = co_now(), at;
	uint32_t early = (uint32_t)(ticks * slices.speed / 1024) - slices.way - instructions;

	while ((at = co_now()) == edge)
		;
	for (; early > 1; early -= 2) /* a jump and a subtraction */
		__asm__ volatile("");
	at += ticks;
	/* relaxed, both: the time alone. */
	if (co_hart() == 0)
		co_atomic_store(&slices.first, (uint32_t)at, CO_RELAXED);
	else if ((int32_t)((uint32_t)at - co_atomic_load(&slices.first, CO_RELAXED)) > LATE)
		hal_alarm_ring(0); /* the watch has set it, too, for later */
	hal_alarm_at(at);
}

/* Let other harts run. A ring that gets lost here was for a look that this hart has taken. */
static void hold(uint32_t instructions)
{
	uint64_t until = co_now() + ticks_of(instructions);

	while (co_now() < until) {
		hal_time_wake_at(until);
		hal_irq_wait();
		hal_ipi_clear();
	}
}

static bool slice(bool can)
{
	/* acquire: the seed that is meant; pairs with co_test_slices_begin(). */
	uint32_t state = co_atomic_load(&slices.state, CO_ACQUIRE), times;
	struct co_test_random *r = &slicer.random;

	if (state == NONE)
		return false;
	if (state == MEASURE) {
		slices.way = (uint32_t)co_instructions();
		co_atomic_store(&slices.state, NONE, CO_RELAXED); /* relaxed: for this hart */
		return false;
	}
	if (all_asleep()) {
		hal_alarm_at(co_after_us(ALL_ASLEEP_US));
		return false;
	}
	if (slicer.seed != slices.seed) {
		slicer.seed = slices.seed;
		r->state = slices.seed ^ (co_hart() + 1) * 0xaef17502108ef2d9u;
		slicer.alarms = 0;
	}
	if (can)
		hold(co_test_below(r, SHORTEST << co_test_below(r, SPANS)));
	times = co_hart() == slices.victim ? slices.begin + slicer.alarms++ / PATIENCE : SPANS;
	set_alarm(co_test_below(r, SHORTEST << co_least(times, SPANS)));
	return false;
}

/* Measure the clock, and the way out of an alarm. With --icount both are exact. */
static void measure(void)
{
	uint64_t began = co_instructions(), end = co_now() + 1024;

	while (co_now() < end)
		;
	slices.speed = (uint32_t)(co_instructions() - began) + 1;
	/* relaxed, both: written and read by this hart. */
	co_atomic_store(&slices.state, MEASURE, CO_RELAXED);
	hal_alarm_ring(0);
	while (co_atomic_load(&slices.state, CO_RELAXED) != NONE)
		;
	slices.way = (uint32_t)co_instructions() - slices.way + OWN_WAY;
}

bool co_test_slices_begin(uint64_t seed)
{
	struct co_test_random r = { ~seed };

	if (!co_alarms())
		return false;
	measure();
	slices.seed = co_test_next(&r);
	slices.victim = co_test_below(&r, co_harts());
	slices.begin = co_test_below(&r, SHORT_SPANS);
	/* release: a hart's alarm that finds this finds the rest; pairs with slice(). */
	co_atomic_store(&slices.state, SLICE, CO_RELEASE);
	for (unsigned hart = 0; hart < co_harts(); hart++)
		hal_alarm_ring(hart);
	return true;
}

void co_test_slices_end(void)
{
	co_atomic_store(&slices.state, NONE, CO_RELAXED); /* relaxed: no alarm sets another */
}

CO_HOOKS = { .alarm = slice };
