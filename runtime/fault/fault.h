/* fault.h - the interface between the files of this folder: reports of faults, lists, depths. */
#ifndef COHART_FAULT_FAULT_H
#define COHART_FAULT_FAULT_H

#include "../core/core.h"

struct hal_trap;

/* Milliseconds, for reports. */
static inline unsigned long co_ms(uint64_t ticks)
{
	return (unsigned long)(co_us(ticks) / 1000);
}

/* A hart in reports. */
#define HART "hart %u (%s)"
#define HART_OF(hart) (hart), co_role_name(co_hart_role(hart))

/* Append the depth of c's stack, which co_depth_note() on its hart stored: "2100 of 8192 bytes". */
void co_depth_add(struct co_text *t, const struct co *c);
void co_depth_note(const struct co *c);
/* Write a line for every live coroutine (co_list_hart(): of a hart). Context: hart 0. */
void co_list_live(void);
/* Has somebody asked for co_debug_dump() from outside? Context: hart 0, any. */
void co_dump_look(void);
/* List at once. Context: hart 0's alarm, in the program's code. */
void co_dump_look_in_alarm(void);
extern struct co_a32 co_dump_wanted;
/* Have each hart note places and depths. Context: hart 0, any; it spins, for 100 ms at most. */
void co_note_places(void);
void co_list_hart(unsigned hart);
/* Write the line of one coroutine. Context: hart 0. */
void co_list_one(const struct co *c);
/* stuck.c: a coroutine's wait, as it is read while the coroutine may go on. For reports. */
struct co_awaited {
	const char *kind; /* NULL: it does not wait */
	uintptr_t object;
	uintptr_t since; /* co_since() */
	uint64_t until;
};
struct co_awaited co_awaited(const struct co *c);
/* The coroutine that is joined, or that owns the mutex; NULL: another wait, or no owner. */
const struct co *co_awaited_coroutine(const struct co_awaited *w);

/*
 * debugger.c: does nothing, for a debugger to stop in: at a fault, a deadlock, or a lost hart,
 * before anything is printed. `why`: in words. Context: any.
 */
void co_debug_stop(const char *why);
/* The run is about to end by a fault or a deadlock: qemu/launch.pl stops here. Context: any. */
void co_debug_end(void);

/* watch.c: hart 0's own alarm. Context: trap. */
void co_watch_tick(void);
/* Look often enough for a coroutine with a budget of `us` microseconds. */
void co_watch_for_budget(uint32_t us);

/*
 * aside.c: call fn on the executor's stack, whatever the caller's has room for. Context: hart 0, no
 * trap.
 */
void co_aside(void (*fn)(void));
/* The stack pointer of the caller of co_aside(), on its own stack; 0: nothing is aside here. */
uintptr_t co_aside_from(void);
extern struct hal_context co_aside_caller;

/* End the run if all harts are stuck: the hook `idle`. Context: hart 0, with nothing to do. */
void co_stuck_look(void);
/*
 * knot.c: find coroutines that wait for each other while others run, a step at a time. Context:
 * hart 0; in its alarm, if that came in the program's code.
 */
void co_knot_look(uint64_t now);

/*
 * recover.c, which is in an image if something is spawned there: elsewhere main()'s coroutine is
 * the only one, and its fault ends the run.
 */
#define FAULT_WEAK __attribute__((weak))
/*
 * The coroutine that a trap or a panic ends, or NULL: it ends the hart or the run. Counted, unless
 * `silent` is NULL; *silent: no more faults of this hart are reported.
 */
FAULT_WEAK struct co *co_fault_victim(bool *silent);
/*
 * c, the victim, ends, for the reason `why`. Completes its report, if report->buf is not
 * NULL. Returns the stack on which c goes on, by *fn.
 */
FAULT_WEAK uintptr_t co_fault_ends(struct co *c, const struct co_fault *why, struct co_text *report,
				   uintptr_t sp, void (**fn)(void));
/* This hart, which is not 0, stops after the report in its buffer. */
_Noreturn FAULT_WEAK void co_fault_ends_hart(void);
/* If a small stack of that hart, which is silent, has overflown: end the run. Context: hart 0. */
FAULT_WEAK void co_fault_if_overflown(unsigned hart);
/* c, a coroutine of the runtime on hart 0, the only one, goes on by `begin` after a fault. */
void co_fault_restarts(const struct co *c, void (*begin)(void));

/* Faults of a hart that are reported; further ones are only counted. */
#define CO_FAULT_REPORTS 16
#define CO_ANSWER_US 200000 /* time for hart 0 to print a report */

/* describe.c: append "hart 3 (compute), coroutine 'fft'". c: NULL: none. */
void co_text_who(struct co_text *t, unsigned hart, const struct co *c);
/* describe.c: append the advice for an overflow of a small stack that has `bytes` bytes. */
void co_text_overflow(struct co_text *t, size_t bytes);
/*
 * describe.c: append the description of a fault, or of a panic in the given frame.
 * @param why  why the coroutine was ended, or NULL for a fault of its own
 */
void co_describe_trap(struct co_text *t, const struct hal_trap *trap, const char *why);
void co_describe_panic(struct co_text *t, const char *format, va_list args, void *frame);

/*
 * fault_report.c: begin a report in this hart's buffer, once hart 0 has read the last one. Context:
 * any; may spin, for CO_ANSWER_US at most.
 */
struct co_text co_report_open(void);
/* Send the report, if one has been opened, and wait until it is printed. Context: coroutine. */
void co_report_send(void);
/* Send the report and do not wait. Context: any. */
void co_report_post(void);
/* Send the report; hart 0 prints it and gives this hart up. */
_Noreturn void co_report_last(void);
/* Send the report; hart 0 prints it and ends the run with exit code 1. */
_Noreturn void co_report_exit(void);
/* Print the report on this hart and end the run at once: memory of other harts is damaged. */
_Noreturn void co_report_die(void);

#endif
