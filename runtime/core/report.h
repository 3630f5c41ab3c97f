/* report.h - diagnostics: text.c, report.c, describe.c, stuck.c, fault.c. */
#ifndef COHART_REPORT_H
#define COHART_REPORT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct co;
struct hal_trap;

/* A text that is being put together. */
struct co_text {
	char *buf;
	size_t bytes, used;
};
/* Append to a text; what does not fit is cut off. Of printf()'s formats: see text.c. */
void co_text_add(struct co_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void co_text_addv(struct co_text *t, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));
/* "hart 3 (compute), coroutine 'fft'". */
void co_text_who(struct co_text *t, unsigned hart, const struct co *c);
/* Append what lies at an address, as " (the image's data)", if that is known. */
void co_text_place(struct co_text *t, uintptr_t address);
/* Write one line to the console. Context: hart 0, or a hart that is about to stop. */
void co_report(const char *format, ...) __attribute__((format(printf, 1, 2)));
/*
 * co_panic() of the runtime's own: its formats are co_text_add()'s. The backtrace begins at frame,
 * or here. Context: any.
 */
_Noreturn void co_fail_at(void *frame, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
#define co_fail(...) co_fail_at(NULL, __VA_ARGS__)
/* Write one line and end the run with exit code 1. Context: hart 0 while it boots. */
_Noreturn void co_die(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* End the run if all harts are stuck. Context: hart 0, when it has nothing to do. */
void co_stuck_look(void);
#define CO_STUCK_US 50000
extern const char co_wait_mutex[]; /* kind of a wait for an object whose first word is its owner */
extern const char co_wait_barrier[]; /* kind of a wait at a barrier */
/* Append the depth of c's stack, which co_depth_note() on its hart stored: "2100 of 8192 bytes". */
void co_depth_add(struct co_text *t, const struct co *c);
void co_depth_note(const struct co *c);
/* Write a line for every live coroutine (of a hart) and what it waits for. Context: hart 0. */
void co_list_live(void);
/* Has somebody asked for co_debug_dump() from outside? Context: hart 0, any. */
void co_dump_look(void);
extern struct co_a32 co_dump_wanted;
/* Have each hart note the places for that. Context: hart 0, any; it spins, for 100 ms at most. */
void co_note_places(void);
void co_list_hart(unsigned hart);

/* Faults of a hart that are reported; further ones are only counted. */
#define CO_FAULT_REPORTS 16
#define CO_ANSWER_US 200000 /* time for hart 0 to print a report */

/*
 * describe.c: append the description of a fault, or of a panic in the given frame.
 * @param why  why the coroutine was ended, or NULL for a fault of its own
 */
void co_describe_trap(struct co_text *t, const struct hal_trap *trap, const char *why);
void co_describe_panic(struct co_text *t, const char *format, va_list args, void *frame);

/*
 * Where on c's stack, from sp on, the program's code has called the runtime's or a library's: the
 * place of the return address, or NULL.
 */
const uintptr_t *co_program_call(const struct co *c, uintptr_t sp, uintptr_t high);

/*
 * report.c: begin a report in this hart's buffer, once hart 0 has read the last one. Context: any;
 * may spin, for CO_ANSWER_US at most.
 */
struct co_text co_report_open(void);
/* Send the report, if one has been opened, and wait until it is printed. Context: coroutine. */
void co_report_send(void);
/* The same without the wait. Context: any. */
void co_report_post(void);
/* The same, and hart 0 gives this hart up. */
_Noreturn void co_report_last(void);
/* The same, and the run ends with exit code 1. */
_Noreturn void co_report_exit(void);
/* Report the number of faults, if any, at the end of the run. Context: hart 0. */
void co_fault_summary(void);

#endif
