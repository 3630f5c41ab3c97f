/*
 * watch.h - which harts still come round, and what can be known of those that do not.
 *
 * Hart 0 puts a question to each hart that is awake, ten times a second; who comes to a scheduling
 * point (a yield, a wait, an end) answers. A hart that has not for 750 ms is *silent*, and named:
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
 * A switch costs what it did. Hart 0 looks while it sleeps, and while it waits with a deadline.
 */
#ifndef COHART_WATCH_H
#define COHART_WATCH_H

#include <stdbool.h>

#include <cohart/hart.h>
#include <cohart/mark.h>

/*
 * Has that hart owed an answer for longer than the limit of --watch=?
 * @param hart  0..co_harts()-1 (asserted). Of hart 0 nobody asks: false.
 * Context: any. Cost: a load.
 */
bool co_hart_silent(unsigned hart);

/*
 * Print what is known of a hart: whether it sleeps and answers, who lives there, what each waits
 * for, since when and until when, and its last way-point.
 * @param hart  0..co_harts()-1 (asserted)
 * Context: hart 0.
 */
void co_watch_report(unsigned hart);

#endif
