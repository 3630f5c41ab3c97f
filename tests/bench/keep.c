/*
 * keep.c - see keep.h.
 *
 * From one keeper's look at the counter to the next one's: the first one's turn, which always takes
 * the same number of instructions, and what the harts between have executed. Nothing falls between
 * two looks even if a timer cuts a keeper's turn: so the sum over all keepers is exact.
 */
#include "keep.h"

#include <hal/ipi.h>
#include <hal/irq.h>

enum { CALIBRATING, COUNTING, STOPPED };
enum { FAR_US = 3000 };
enum { SURE = 8 }; /* times in a row that calibrating must give the same */

/* Main memory: all keepers use it, one at a time. */
static struct {
	struct co_a32 phase;
	struct co_a32 looks;
	struct co_aword last; /* what was seen at the last look; 0: not known */
	struct co_counter calibrated;
	int64_t turn;    /* a keeper's turn, */
	int64_t passing; /* and what pass_late() adds to it */
	uint64_t far;    /* a deadline that is not meant to come */
	unsigned low, high;
	unsigned keepers;
	struct {
		struct co *co;
		uint64_t offset; /* of this hart's counter from keeper 0's */
		int64_t usual;   /* the last span; negative if this counter started so much later */
		uint64_t same;   /* how often in a row */
		int64_t settled; /* what it was, nobody else being awake */
		int64_t count;
		struct co_a32 turns;
		struct co_a32 subject; /* works, and is to be sliced */
		uint64_t random;
	} keeper[KEEPERS_MAX];
} k;

static inline uint64_t look(unsigned i)
{
	return hal_cpu_instret() - k.keeper[i].offset;
}

static uint64_t next_span(unsigned i)
{
	uint64_t z = k.keeper[i].random += 0x9e3779b97f4a7c15u; /* splitmix64 */

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = k.low + (((z ^ z >> 27) >> 32) * (k.high - k.low + 1) >> 32);
	z = z * hal_time_hz() / 1000000000;
	return z;
}

/*
 * What this keeper sees of the counter as its turn comes. Masks and not branches, here and below,
 * for every turn is to take as long. Relaxed: the harts run one at a time.
 * @return the phase
 */
static uint32_t note(unsigned i, uint64_t now)
{
	uint64_t last = co_atomic_load(&k.last, CO_RELAXED);
	int64_t span = (int64_t)(now - last);

	co_atomic_store(&k.last, now, CO_RELAXED);
	co_atomic_store(&k.looks, co_atomic_load(&k.looks, CO_RELAXED) + 1, CO_RELAXED);
	co_atomic_store(&k.keeper[i].turns, co_atomic_load(&k.keeper[i].turns, CO_RELAXED) + 1,
			CO_RELAXED);
	k.keeper[i].count += (span - k.turn) & -(int64_t)(last != 0);
	k.keeper[i].same = (k.keeper[i].same + 1) & -(uint64_t)(span == k.keeper[i].usual);
	k.keeper[i].usual = span;
	return co_atomic_load(&k.phase, CO_RELAXED);
}

static __attribute__((noinline)) void settle(unsigned i)
{
	if (k.keeper[i].settled)
		return;
	k.keeper[i].settled = k.keeper[i].usual;
	co_counter_done(&k.calibrated);
}

/* The doorbell stays pending, so hal_irq_wait() does not wait; but on RISC-V QEMU turns to the next
 * hart, which on AArch64 it does for the hint in hal_cpu_relax().
 */
static __attribute__((noinline)) void pass_turn(void)
{
	hal_cpu_relax();
	hal_irq_wait();
}

static void keep_plain(unsigned i)
{
	uint32_t phase;

	while ((phase = note(i, look(i))) != STOPPED) {
		if (k.keeper[i].same == SURE && phase == CALIBRATING)
			settle(i);
		pass_turn();
	}
}

static __attribute__((noinline)) void pass_late(unsigned i, uint32_t phase)
{
	hal_cpu_relax();
	hal_irq_wait();
	k.keeper[i].count -= k.passing;
	if (phase == CALIBRATING) {
		k.keeper[i].same = 0; /* that was no turn to calibrate by */
		/* All keepers count down from the same time, or none would be the first. */
		if (k.far < co_after_us(FAR_US / 3))
			k.far = co_after_us(FAR_US);
	}
}

/*
 * Setting a timer that is due before all others makes QEMU turn to the next hart at once. If one is
 * due earlier (a subject sleeps), it does not, as shows by no keeper having looked since; then the
 * turn is passed on as above. Where no slice is to be cut, the deadline is one that is far away but
 * before all others.
 */
static void keep_sliced(unsigned i)
{
	uint32_t phase;

	while ((phase = note(i, look(i))) != STOPPED) {
		uint32_t looks = co_atomic_load(&k.looks, CO_RELAXED);
		uint64_t cut = -(uint64_t)co_atomic_load(&k.keeper[i].subject, CO_RELAXED);
		uint64_t span = (next_span(i) & cut) | (--k.far & ~cut);

		if (k.keeper[i].same == SURE && phase == CALIBRATING)
			settle(i);
		hal_time_wake_at((hal_time_now() & cut) + span);
		if (co_atomic_load(&k.looks, CO_RELAXED) == looks)
			pass_late(i, phase);
	}
}

static intptr_t keep(void *arg)
{
	unsigned i = (unsigned)(uintptr_t)arg;

	hal_ipi_send(co_hart());
	if (k.high)
		keep_sliced(i);
	else
		keep_plain(i);
	hal_ipi_clear();
	hal_time_wake_never();
	return 0;
}

/*
 * Each architecture's counters are alike, but on AArch64 they start when their harts do. The code
 * between two keepers' looks is the same for all, so the offsets are what remains; they cancel out
 * round the ring.
 */
static void calibrate(void)
{
	int64_t sum = 0, offset = 0, n = k.keepers;

	BENCH_REQUIRE(n > 1);
	for (unsigned i = 0; i < k.keepers; i++)
		sum += k.keeper[i].settled;
	BENCH_REQUIRE(sum % n == 0);
	k.turn = sum / n;
	for (unsigned i = 1; i < k.keepers; i++) {
		offset += k.keeper[i].settled - k.turn;
		k.keeper[i].offset = (uint64_t)offset;
	}
}

/* What passing the turn takes: by the caller's own counter, nobody else being awake. */
static void calibrate_passing(void)
{
	hal_ipi_send(co_hart());
	for (unsigned i = 0; i < 3; i++) { /* QEMU can miscount what it has just translated */
		uint64_t start = hal_cpu_instret();

		pass_late(0, COUNTING);
		k.passing = (int64_t)(hal_cpu_instret() - start - bench_scale);
	}
	hal_ipi_clear();
}

/* Hart 0, which looks round for deadlocks 50 ms after it has fallen asleep, sleeps anew. */
static intptr_t disturb(void *arg)
{
	return (intptr_t)arg;
}

void keep_start(const unsigned *hart, unsigned n, unsigned low, unsigned high)
{
	BENCH_REQUIRE(bench_counts && n > 1 && n <= KEEPERS_MAX);
	k.keepers = n;
	k.low = low;
	k.high = high;
	k.turn = 0;
	co_proxy_call(disturb, NULL);
	k.far = co_after_us(FAR_US);
	calibrate_passing();
	co_atomic_store(&k.last, 0, CO_RELAXED);
	co_atomic_store(&k.phase, CALIBRATING, CO_RELAXED);
	co_counter_add(&k.calibrated, n);
	for (unsigned i = 0; i < n; i++) {
		k.keeper[i].offset = k.keeper[i].same = 0;
		k.keeper[i].settled = 0;
		k.keeper[i].random = i;
		co_atomic_store(&k.keeper[i].subject, 0, CO_RELAXED);
		k.keeper[i].co = bench_spawn(hart[i], keep, (void *)(uintptr_t)i);
	}
	BENCH_REQUIRE(co_counter_wait(&k.calibrated) == 0);
	calibrate();
	co_proxy_call(disturb, NULL);
	for (unsigned i = 0; i < n; i++)
		k.keeper[i].count = 0;
	co_atomic_store(&k.last, 0, CO_RELAXED); /* that was by other offsets */
	co_atomic_store(&k.phase, COUNTING, CO_RELAXED);
}

void keep_begin(unsigned keeper)
{
	co_atomic_store(&k.keeper[keeper].subject, 1, CO_RELAXED);
	hal_ipi_send(co_hart());
	pass_turn();
	hal_ipi_clear();
}

void keep_end(unsigned keeper)
{
	uint32_t turns = co_atomic_load(&k.keeper[keeper].turns, CO_RELAXED);

	co_atomic_store(&k.keeper[keeper].subject, 0, CO_RELAXED);
	/* Bounded, since a timer may be late and the slice without an end. */
	for (unsigned i = 0; i < 1000; i++)
		if (co_atomic_load(&k.keeper[keeper].turns, CO_RELAXED) != turns)
			break;
}

void keep_stop(void)
{
	co_atomic_store(&k.phase, STOPPED, CO_RELAXED);
	for (unsigned i = 0; i < k.keepers; i++)
		bench_join(k.keeper[i].co);
}

int64_t keep_count(unsigned keeper)
{
	return k.keeper[keeper].count / (int)bench_scale;
}
