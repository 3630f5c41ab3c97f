/*
 * monitors.h - a memory that serves the atomics of few harts at a time.
 *
 * Where each atomic is a loop of load-exclusive and store-exclusive, a memory keeps a monitor for
 * each hart that is in one, and may have few: six on NM6408MP. A board says so in its board.mk
 * (MONITORS := 6); `make MONITORS=6` says so of any. Every atomic of the runtime and of
 * programs is done in a turn then (hal/monitors/, cohart/detail/atomic_backend.h): harts are dealt
 * into one team less than there are monitors, and harts of a team take turns, by loads and stores.
 * So there are never more harts in an atomic than monitors, whatever the words are and wherever
 * they lie: the last monitor is that of a hart which starts, one after another, and has no number
 * yet. Other boards have nothing of this.
 *
 * Source: seed D4.
 */
#ifndef HAL_MONITORS_H
#define HAL_MONITORS_H

#include <stdbool.h>
#include <stdint.h>

/* How many harts a memory can serve at a time; 0: any number. */
#ifndef BOARD_MONITORS
#define BOARD_MONITORS 0
#endif

/* The functions below are there where BOARD_MONITORS is not 0. */

/* Before a hart starts: its thread pointer. Context: hart 0, with one hart at a time on its way. */
void hal_monitors_start_hart(uintptr_t tp);

/* From now on this hart takes turns. Context: each hart once, with its thread-locals there. */
void hal_monitors_init_hart(unsigned hart);

/* Is this hart in an atomic, which an alarm has interrupted? Context: trap. */
bool hal_monitors_busy(void);

/* This hart does not go on with the atomic that it was in, if it was in one. Context: trap. */
void hal_monitors_leave(void);

/* That hart has stopped for good: nobody waits for its turn. Context: hart 0. */
void hal_monitors_lose_hart(unsigned hart);

#endif
