/*
 * report.h - what the runtime says to people: report.c, fault.c, stuck.c.
 */
#ifndef COHART_REPORT_H
#define COHART_REPORT_H

#include <stddef.h>

struct co;

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

#endif
