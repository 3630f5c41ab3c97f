/* stopwatch.h - whether loops are counted without being asked to. */
#ifndef COHART_LOOPS_STOPWATCH_H
#define COHART_LOOPS_STOPWATCH_H

#include <cohart/stopwatch.h>

/*
 * CO_LOOPS_TIMED, --kernel-times: each loop counts its members' shares by its name. CO_LOOPS_NOTED:
 * there is a timeline, and each loop notes its blocks.
 */
extern unsigned co_stopwatch_loops;
enum { CO_LOOPS_TIMED = 1, CO_LOOPS_NOTED };

#endif
