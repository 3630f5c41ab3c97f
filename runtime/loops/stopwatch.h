/* stopwatch.h - whether loops are counted without being asked to. */
#ifndef COHART_LOOPS_STOPWATCH_H
#define COHART_LOOPS_STOPWATCH_H

#include <cohart/stopwatch.h>

/* --kernel-times: each loop counts its members' shares by its name; 0: it does not. */
extern unsigned co_stopwatch_loops;

#endif
