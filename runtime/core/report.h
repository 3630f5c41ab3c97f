/* report.h - what the runtime says to people: report.c, describe.c, stuck.c. */
#ifndef COHART_REPORT_H
#define COHART_REPORT_H

#include <stdarg.h>
#include <stddef.h>

struct co;
struct hal_trap;

/* A text under way. */
struct co_text {
	char *buf;
	size_t bytes, used;
};
/* Append to a text; what does not fit is cut. */
void co_text_add(struct co_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "hart 3 (compute), coroutine 'fft'". */
void co_text_who(struct co_text *t, unsigned hart, const struct co *c);
/* One line straight to the console. Context: hart 0, or a hart that is about to stop. */
void co_report(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The machine cannot go on: one line, and a failing exit. Context: hart 0 while it boots. */
_Noreturn void co_die(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Hart 0 has nothing to do: are all harts stuck? Ends the run if they are. */
void co_stuck_look(void);
#define CO_STUCK_US 50000
extern const char co_wait_mutex[];   /* the kind of a wait for what names its owner first */
extern const char co_wait_barrier[]; /* of a wait at a barrier */
/* How deep c's stack was used, as co_depth_note() on its hart has left it: "2100 of 8192 bytes". */
void co_depth_add(struct co_text *t, const struct co *c);
void co_depth_note(const struct co *c);
/* A line for every coroutine that lives (on a hart), and what it waits for. Context: hart 0. */
void co_list_live(void);
void co_list_hart(unsigned hart);

/* Reports of a hart that are printed; those beyond are counted. */
#define CO_FAULT_REPORTS 16
#define CO_ANSWER_US 200000 /* for hart 0 to print one */

/*
 * describe.c: a fault, a panic whose frame it is, in words.
 * @param why  what has ended it, if that is no fault of its own
 */
void co_describe_trap(struct co_text *t, const struct hal_trap *trap, const char *why);
void co_describe_panic(struct co_text *t, const char *format, va_list args, void *frame);

/* report.c: this hart's buffer for a report, once nobody reads it any more. Context: any; it may
 * spin, for CO_ANSWER_US at most. */
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
