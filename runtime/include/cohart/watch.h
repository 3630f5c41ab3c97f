/*
 * watch.h - which harts still reach scheduling points, and what can be known of those that do not.
 *
 * Hart 0 puts a question to each hart that is awake, ten times a second; one that comes to a
 * scheduling point (a yield, a wait, an end) answers. A hart that has not for 750 ms is *silent*,
 * and named:
 *
 *	cohart: watch: hart 3 (compute) has not given way for 760 ms
 *	  'sweep' on hart 3 (compute) is running or ready to; at 'row', 835 ms ago
 *
 * and once more when it goes on. A ring that got lost is given again meanwhile. --watch=MS sets the
 * limit; 0 turns all of it off.
 *
 * Example
 *	for (row = 0; row < rows; row++) {
 *		co_waypoint("row");		// cohart/mark.h
 *		...
 *	}
 *	if (co_hart_silent(3))
 *		co_watch_report(3);
 *
 * A switch costs what it did. Hart 0 looks while it sleeps and, where the board has alarms
 * (hal/alarm.h), between its coroutines; elsewhere only if one of them has a deadline.
 */
#ifndef COHART_WATCH_H
#define COHART_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include <cohart/hart.h>
#include <cohart/mark.h>

/*
 * Has an answer of that hart been pending for longer than the limit of --watch=?
 * @param hart  0..co_harts()-1 (asserted). Of hart 0 nobody asks: false.
 * Context: any. Cost: a load.
 */
bool co_hart_silent(unsigned hart);

/*
 * Give up harts that stay silent: one whose answer is pending for so long is lost. What lived there
 * is lost with it, co_join() and co_batch_join() return -EHOSTDOWN, as does a spawn there, and
 * its sender can hand the work out again. It stops before another instruction of its
 * own, should it ever go on. What its coroutines held (a mutex, a place at a barrier) is let go of
 * before joins return, if the hart takes the alarm that stops it; if not, it stays held for good.
 * @param us  at least the limit of --watch=; 0: no hart is given up, as in the beginning
 * @return 0; -EINVAL; -ENOTSUP: this board has no alarms (hal/alarm.h), without which a hart that
 *         goes on could not be stopped, or the watch is off.
 * Context: hart 0.
 */
int co_watch_give_up(uint64_t us);

/* Is that hart lost, by its own fault or given up? Context: any. */
bool co_hart_gone(unsigned hart);

/*
 * The watchdog: let this coroutine keep its hart for so long and no longer. If it does not come to
 * a yield, a wait or its end for that time, it is ended as by a fault, with the cause "watchdog: 12
 * ms without giving way". It is never ended before; how long after hangs on hart 0, which looks
 * four times in the smallest budget (at most once a millisecond), and on where it is found: inside
 * the runtime or a library it is left until it is out.
 * @param us  CO_BUDGET_MIN_US..CO_BUDGET_MAX_US; 0: as long as it likes, as in the beginning
 * @return 0; -EINVAL; -ENOTSUP: this board has no interrupt that a hart takes while all are masked.
 * Context: coroutine. Cost: nothing in a switch; hart 0 looks more often from now on.
 */
int co_watch_budget(uint64_t us);
#define CO_BUDGET_MIN_US 1000u
#define CO_BUDGET_MAX_US 100000000u

/*
 * Print what is known of a hart: whether it sleeps and answers, which coroutines live there, what
 * each waits for, since when and until when, and its last way-point.
 * @param hart  0..co_harts()-1 (asserted)
 * Context: hart 0.
 */
void co_watch_report(unsigned hart);

/*
 * Print how much has been used, at most, of the stack of each coroutine that lives: by it and by
 * its users before. Each hart is asked, and looks at its own; one that does not
 * answer in 100 ms is named, with what is known of before. Reports of faults have the
 * figure of the coroutine that they are about.
 * Context: coroutine of hart 0.
 */
void co_watch_stacks(void);

#endif
