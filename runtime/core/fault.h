/*
 * fault.h - what the files that deal with faults know of each other: fault.c decides what a fault
 * ends and cleans up after it, describe.c puts it into words, deliver.c brings these to people.
 */
#ifndef COHART_FAULT_H
#define COHART_FAULT_H

#include <stdarg.h>

#include <hal/trap.h>

#include "core.h"

/* Reports of a hart that are printed; those beyond are counted. */
#define CO_FAULT_REPORTS 16

/*
 * describe.c: a fault, a panic whose frame it is, in words.
 * @param why  what has ended it, if that is no fault of its own
 */
void co_describe_trap(struct co_text *t, const struct hal_trap *trap, const char *why);
void co_describe_panic(struct co_text *t, const char *format, va_list args, void *frame);

/* deliver.c */
/*
 * This hart's buffer for a report, once nobody reads it any more. Context: any; it may nap, for
 * CO_ANSWER_US at most.
 */
struct co_text co_report_open(void);
/*
 * The report in there, if one was opened since, goes to people; returns when it has, or when this
 * hart has printed it. Context: coroutine.
 */
void co_report_send(void);
/* The same, but it returns at once. Context: any. */
void co_report_post(void);
/* The same, and hart 0 gives this hart up. Does not return. */
_Noreturn void co_report_last(void);
/* The same, and the run ends with 1. */
_Noreturn void co_report_exit(void);
/* At the run's end: how many faults there were, if any. Context: hart 0. */
void co_fault_summary(void);

#endif
