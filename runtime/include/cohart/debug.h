/*
 * debug.h - a program's assertions, marks and events, and the runtime's reports of its own state.
 *
 * Example
 *	CO_ASSERT(rows > 0);                 // a caller's bug is not an error code
 *	co_mark_begin("sweep");              // a section: docs/locality.md
 *	for (row = 0; row < rows; row++) {
 *		co_waypoint("row");          // reports say where a coroutine was last
 *		co_trace("row", row);        // one of the hart's last events
 *		co_trace_count("rows", row); // in a timeline: docs/seeing.md
 *		...
 *	}
 *	co_mark_end("sweep", 0);
 *	if (co_hart_silent(3))               // hart.h
 *		co_watch_report(3);
 *
 * Assertions, faults and reports: docs/faults.md. Each hart keeps its last CO_TRACE_EVENTS - 1
 * events in memory that all harts can read: co_trace() events, way-points and faults. Reports of a
 * fault, of a silent hart and of a deadlock print the latest events. A run with --timeline=N on its
 * command line keeps N and adds the runtime's own: spawns, switches, waits, ... (docs/seeing.md)
 *
 *	  last events of hart 3:
 *	      1204 us ago, 'sweep': row 17
 *	        22 us ago, 'sweep': way-point 'edges'
 *
 * The watch: ten times a second hart 0 puts a question to each hart that is awake; the hart answers
 * at its next scheduling point (a pause, a wait, an end). A hart that has not answered for 750 ms
 * is *silent*: a report names it, and names it again when it goes on. --watch=MS sets the limit; 0
 * turns the watch off. Hart 0 looks while it sleeps and, where the board has alarms (hal/alarm.h),
 * between its coroutines; without alarms, only if one of its coroutines has a deadline. With alarms
 * hart 0 watches itself, too: its alarm posts the question. An image whose program starts no
 * coroutine has no watch.
 *
 *	cohart: watch: hart 3 (compute) has not given way for 760 ms
 *	  'sweep' on hart 3 (compute) is running or ready to; at 'row', 835 ms ago
 */
#ifndef COHART_DEBUG_H
#define COHART_DEBUG_H

#include <cohart/detail/base.h>

CO_BEGIN_C
/*
 * If x is false: co_panic() with file, line and x. Every build has the check, so x is always
 * evaluated.
 * Context: any, traps included. Cost: the evaluation of x.
 */
#define CO_ASSERT(x) ((x) ? (void)0 : co_assert_failed(#x, __FILE__, __LINE__))
/* As CO_ASSERT(), but the report has the text `what`: a rule that should hold. */
#define CO_ASSERT_THAT(x, what) ((x) ? (void)0 : co_assert_failed(what, __FILE__, __LINE__))

/*
 * End the calling coroutine as by a fault: print "panic" and the message with hart, role and
 * coroutine, then a backtrace. In main() it ends the run; in a handler the hart is lost
 * (docs/faults.md).
 * Context: any, traps included.
 */
CO_NORETURN void co_panic(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Report a failed assertion: for CO_ASSERT() and CO_ASSERT_THAT(). */
CO_NORETURN void co_assert_failed(const char *what, const char *file, int line);

/*
 * The name of an error: "ETIMEDOUT" for -ETIMEDOUT, and for ETIMEDOUT; "" for a number that is no
 * error of Cohart's or of a call to the host. strerror() has a sentence instead.
 * @return a string literal
 * Context: any. Cost: a search of some 40 numbers.
 */
const char *co_error_name(int error);

/*
 * Begin or end a section of the program, for the locality plug-in, and with a timeline a span of
 * this coroutine (co_trace_begin()). A section belongs to a hart: the hart's accesses and time
 * count from its begin to its end. Harts that work together mark sections of equal names. Sections
 * of a hart may nest, and several of its coroutines may be in a section: it ends when the last of
 * them leaves.
 * @param name      a string literal, equal at both ends: the report reads it from the image
 * @param messages  that this hart sent in the section: the report divides by it, unless it is 0
 * Context: any. Cost: 5 to 30 instructions, and a way-point.
 */
void co_mark_begin(const char *name);
void co_mark_end(const char *name, uint32_t messages);

/*
 * Set a way-point of this coroutine, and note it as an event of its hart: reports say at which
 * way-point a coroutine was last, and when. Both ends of a section are way-points too.
 * @param text  a string literal, readable by all harts (asserted)
 * Context: any; outside of a coroutine nothing happens. Cost: some 140 instructions.
 */
void co_waypoint(const char *text);

#ifndef CO_TRACE_EVENTS
#define CO_TRACE_EVENTS 16 /* a power of two; with --timeline=N there are N */
#endif

/* The kind of an event that is not from co_trace(); the comments give the event's value. */
enum co_trace_kind {
	CO_TRACE_WAYPOINT = 1, /* const char *, the text */
	CO_TRACE_FAULT,        /* the pc; 0: an assertion or a panic */
	CO_TRACE_SPAWN,        /* its name, else its function. From here on: with --timeline= */
	CO_TRACE_END,          /* 0 */
	CO_TRACE_SWITCH,       /* its function: this coroutine has the hart now */
	CO_TRACE_WAIT,         /* const char *, the kind of object that is waited for */
	CO_TRACE_WAKE,         /* its hart: another hart wakes this coroutine */
	CO_TRACE_READY,        /* 1: by the coroutine that ran; 0: by a message or the clock */
	CO_TRACE_KINDS,
};

struct co_trace_event {
	const char *what; /* as given to co_trace(); NULL: see `kind` */
	enum co_trace_kind kind;
	uintptr_t value;
	uint64_t ago;    /* ticks of co_now(), in steps of 1024 where words have 32 bits */
	const char *who; /* the coroutine's name; NULL: none, or it has ended since */
};

/*
 * Note an event of this hart.
 * @param what   text without the value, "row": a string literal, readable by all harts (asserted)
 * @param value  printed behind the text
 * Context: any, on a hart that has booted; before, nothing happens. Cost: some 110 instructions.
 */
void co_trace(const char *what, uintptr_t value);

/*
 * In a run with a timeline (--timeline=; docs/seeing.md): begin or end a span of this coroutine,
 * which may nest and may go on over waits; note a value, "bytes", of its innermost span; or note
 * the value that a count has from now on, one for all harts. Without a timeline nothing happens.
 * Spans whose begin the ring has dropped are left out, and spans without an end reach to the end of
 * their coroutine, or of the run.
 * @param name  a string literal, readable by all harts (asserted with a timeline), equal at both
 *              ends; of a value or a count, its own
 * Context: any; outside of a coroutine a span is not shown. Cost: about 10 instructions, with a
 *          timeline 60.
 */
void co_trace_begin(const char *name);
void co_trace_end(const char *name);
void co_trace_value(const char *name, intptr_t n);
void co_trace_count(const char *name, intptr_t n);
/* Is there a timeline? Context: any. */
bool co_trace_on(void);

/*
 * Copy the latest events of a hart, the oldest first. The hart may go on meanwhile: events that it
 * overwrites are left out.
 * @param hart    0..co_harts()-1 (asserted)
 * @param events  room for `most` events
 * @return how many were copied
 * Context: any, on any hart.
 */
unsigned co_trace_read(unsigned hart, struct co_trace_event *events, unsigned most);

/*
 * Print all events that a hart still has.
 * @param hart  0..co_harts()-1 (asserted)
 * Context: hart 0.
 */
void co_trace_print(unsigned hart);

/*
 * Give up harts that stay silent: a hart whose answer has been pending for `us` is lost, and its
 * coroutines with it. co_join(), co_batch_join() and a spawn there return -EHOSTDOWN, and the
 * program can hand the work out again. Should the hart ever go on, it stops before another
 * instruction of its own. Objects that its coroutines were inside of (a mutex, a barrier, an end of
 * a channel) are broken, and their waiters woken, before joins return, if the hart takes the alarm
 * that stops it; else they stay held.
 * @param us  at least the limit of --watch=; 0, the default: no hart is given up
 * @return 0; -EINVAL; -ENOTSUP: the watch is off, or this board has no alarms (hal/alarm.h), which
 *         alone can stop a hart that goes on.
 * Context: hart 0.
 */
CO_MUST_CHECK int co_watch_give_up(uint64_t us);

/*
 * The watchdog: set the longest time that this coroutine may keep its hart. If it does not come to
 * a pause, a wait or its end within that time, it is ended as by a fault, with the cause "watchdog:
 * 12 ms without giving way". It is never ended earlier. How much later depends on hart 0, which
 * looks four times in the smallest budget (at most once a millisecond), and on the place where the
 * coroutine is found: inside the runtime or a library it goes on until it has left that code.
 * @param us  CO_BUDGET_MIN_US..CO_BUDGET_MAX_US; 0, the default: no limit
 * @return 0; -EINVAL; -ENOTSUP: this board has no interrupt that a hart takes while all are masked.
 * Context: coroutine. Cost: nothing in a switch; hart 0 looks more often from now on.
 */
CO_MUST_CHECK int co_watch_budget(uint64_t us);
#define CO_BUDGET_MIN_US 1000u
#define CO_BUDGET_MAX_US 100000000u

/*
 * Print the state of a hart: whether it sleeps and answers, its live coroutines, and for each the
 * object that it waits for, since when and until when, and its last way-point.
 * @param hart  0..co_harts()-1 (asserted)
 * Context: hart 0.
 */
void co_watch_report(unsigned hart);

/*
 * Have hart 0 print every live coroutine: the object that it waits for, since when, and at which
 * line of the program; coroutines that are alike are printed once. The list shows which part of a
 * program is stuck while the rest goes on. `kill -QUIT` of qemu/run, or Ctrl-\ in its terminal,
 * asks for this list from outside.
 * Context: any; returns at once, and hart 0 prints at its next scheduling point.
 */
void co_debug_dump(void);

/*
 * In a build with DEBUG=1: check all blocks of this hart's scratchpad heap and of libc's heap,
 * including recently freed blocks. A write past a block's end, before its beginning or after it was
 * freed ends the caller as a failed assertion, and is not reported again (docs/debugging.md). In
 * other builds nothing happens.
 * Context: coroutine. Cost: a look at 32 bytes of each block.
 */
#ifdef CO_DEBUG
void co_debug_check_heap(void);
#else
static inline void co_debug_check_heap(void)
{
}
#endif

/*
 * Print the most that was ever used of the stack of each live coroutine, by it and by earlier users
 * of the stack. Each hart is asked, and looks at its own stacks; a hart that does not answer within
 * 100 ms is named, with the figures known before. Reports of faults have the figure of their
 * coroutine.
 * Context: coroutine of hart 0.
 */
void co_watch_stacks(void);
CO_END_C
#endif
