/* trace.h - the internal interface of trace.c. By core.h. */
#ifndef COHART_CORE_TRACE_H
#define COHART_CORE_TRACE_H

#include <cohart/debug.h>

#include "../lf/trace.h"
#include "../report.h"

/* Record an event of this hart, which has booted. */
void co_trace_note(enum co_trace_kind kind, uintptr_t value);

#define CO_TRACE_REPORTED 8 /* events in a report */
/* Append this hart's last events to a report. Context: trap, panic. */
void co_trace_add(struct co_text *t);
/* Write the last events of a hart to the console, one indented line each. Context: hart 0. */
void co_trace_list(unsigned hart, unsigned most);

#endif
