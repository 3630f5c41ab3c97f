/*
 * keep.h - instructions of some harts, where the emulator counts those of all; and time slices.
 *
 * Under --icount QEMU runs one hart at a time, in the order of their numbers, each until it waits
 * or a timer is due anywhere. A *keeper* is a hart that does nothing but read the counter, when its
 * turn comes and when it gives it away. So what was executed between two keepers is known to the
 * instruction: all of it belongs to the harts whose numbers lie between theirs.
 *
 * A keeper can also end the next hart's slice: it sets its timer. QEMU 7.2 runs a timer that is due
 * in place of the hart that is next in turn, which therefore should be one that sleeps. So harts in
 * slices are numbered: keeper, subject, sleeper, keeper, subject, sleeper, ..., keeper.
 *
 * Example
 *	keep_start((unsigned[]){ 2, 4 }, 2, 0, 0);    // hart 3 lies between
 *	... let hart 3 work, and sleep until it has ...
 *	keep_stop();
 *	uint64_t n = keep_count(1);   // what was executed from keeper 0's turns to keeper 1's
 */
#ifndef TESTS_BENCH_KEEP_H
#define TESTS_BENCH_KEEP_H

#include "bench.h"

enum { KEEPERS_MAX = 33 };

/*
 * Let harts keep the count, until keep_stop(). They must be asleep, as must all others but the
 * caller's.
 * @param hart  n of them, ascending; not the caller's
 * @param low, high  slices of the hart after a keeper, in nanoseconds, at random; 0: until it waits
 */
void keep_start(const unsigned *hart, unsigned n, unsigned low, unsigned high);

/*
 * For the hart after a keeper: from here to there its slices are cut. Both give the turn away, or
 * wait until the slice is over, so that no timer of the keeper's is left over for others.
 */
void keep_begin(unsigned keeper);
void keep_end(unsigned keeper);

void keep_stop(void);

/*
 * Instructions between the turns of the keeper before that one and its own. Those of keeper 0 are
 * all other harts', the caller's among them.
 */
int64_t keep_count(unsigned keeper);

#endif
