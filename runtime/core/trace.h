/* trace.h - what the runtime's files note of events (trace.c). By core.h. */
#ifndef COHART_CORE_TRACE_H
#define COHART_CORE_TRACE_H

#include <cohart/debug.h>

#include "lf/trace.h"
#include "report.h"

/* Note one of this hart, which has booted. */
void co_trace_note(enum co_trace_kind kind, uintptr_t value);

/* Others print this: a text that they cannot read is to end its giver, not them. */
void co_trace_touch(const char *text);
/* The same where it would cost what is counted: with EVENTS=1 alone. */
#ifdef CO_EVENTS
#define co_event(kind, value) co_trace_note(kind, (uintptr_t)(value))
#else
#define co_event(kind, value) ((void)0)
#endif

#define CO_TRACE_REPORTED 8 /* events in a report */
/* Append the latest events of a hart, a line each, indented; nothing if there are none. */
void co_trace_add(struct co_text *t, unsigned hart);
/* The same straight to the console. Context: hart 0. */
void co_trace_list(unsigned hart, unsigned most);

#endif
