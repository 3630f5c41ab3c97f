/*
 * debug.h - assertions, marks and events of a program, and what the runtime tells of its state.
 *
 * Example
 *	CO_ASSERT(rows > 0);                 // a caller's bug is not an error code
 *	co_mark_begin("sweep");              // a section: docs/locality.md
 *	for (row = 0; row < rows; row++) {
 *		co_waypoint("row");          // reports say where a coroutine was last
 *		co_trace("row", row);        // one of the hart's last events
 *		...
 *	}
 *	co_mark_end("sweep", 0);
 *	if (co_hart_silent(3))               // hart.h
 *		co_watch_report(3);
 *
 * Assertions, faults and reports: docs/faults.md. Each hart keeps its last CO_TRACE_EVENTS - 1
 * events in memory that others can read: what the program tells by co_trace(), way-points and
 * faults. Reports of a fault, of a silent hart and of a deadlock print the latest of them. A build
 * with EVENTS=1 keeps more of them and adds the runtime's own: spawns, switches, waits, ...
 *
 *	  last events of hart 3:
 *	      1204 us ago, 'sweep': row 17
 *	        22 us ago, 'sweep': way-point 'edges'
 *
 * The watch: ten times a second hart 0 puts a question to each hart that is awake; the hart answers
 * at its next scheduling point (a pause, a wait, an end). One that has not for 750 ms is *silent*,
 * and named, and once more when it goes on. --watch=MS sets the limit; 0 turns all of it off. Hart
 * 0 looks while it sleeps and, where the board has alarms (hal/alarm.h), between its coroutines;
 * elsewhere only if one of them has a deadline. With alarms hart 0 watches itself, too: its own
 * question is posted by its alarm. An image whose program starts no coroutine has no watch.
 *
 *	cohart: watch: hart 3 (compute) has not given way for 760 ms
 *	  'sweep' on hart 3 (compute) is running or ready to; at 'row', 835 ms ago
 */
#ifndef COHART_DEBUG_H
#define COHART_DEBUG_H

#include <cohart/detail/base.h>

CO_BEGIN_C
/*
 * If x is false: co_panic() with file, line and x. It is there in every build, so what stands in x
 * is always done.
 * Context: any, traps included. Cost: the look.
 */
#define CO_ASSERT(x) ((x) ? (void)0 : co_assert_failed(#x, __FILE__, __LINE__))
/* The same, and the report says in words what should hold. */
#define CO_ASSERT_THAT(x, what) ((x) ? (void)0 : co_assert_failed(what, __FILE__, __LINE__))

/*
 * End the calling coroutine as by a fault (docs/faults.md; main()'s ends the run, a handler's its
 * hart): print "panic" and the message with hart, role and coroutine, then a backtrace.
 * Context: any, traps included.
 */
CO_NORETURN void co_panic(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What CO_ASSERT() calls. */
CO_NORETURN void co_assert_failed(const char *what, const char *file, int line);

/*
 * A section of the program, for the locality plug-in, begins and ends. It is a hart's: its accesses
 * and its time count from its own begin to its own end. Harts that work together each mark the same
 * name. On one hart sections may nest, and coroutines may enter the same one: it ends with the
 * last.
 * @param name      a string literal, equal at both ends: the report reads it from the image
 * @param messages  that this hart sent in the section: the report divides by it; 0: it does not
 * Context: any. Cost: 5 to 30 instructions, and a way-point.
 */
void co_mark_begin(const char *name);
void co_mark_end(const char *name, uint32_t messages);

/*
 * A way-point of this coroutine: what reports say of where it was last, and when, and an event of
 * its hart. Both ends of a section are way-points too.
 * @param text  a string literal; what others cannot read is asserted not to be. Outside of a
 *              coroutine nothing happens.
 * Context: any. Cost: some 140 instructions.
 */
void co_waypoint(const char *text);

#ifdef CO_EVENTS
#define CO_TRACE_EVENTS 64
#elif !defined(CO_TRACE_EVENTS)
#define CO_TRACE_EVENTS 16 /* a power of two */
#endif

/* What happened, if it is not what co_trace() was given: the value is, */
enum co_trace_kind {
	CO_TRACE_WAYPOINT = 1, /* const char *, the text */
	CO_TRACE_FAULT,        /* the pc; 0: an assertion or a panic */
	CO_TRACE_SPAWN,        /* with EVENTS=1, all from here: the hart; */
	CO_TRACE_BEGIN,        /* 0; */
	CO_TRACE_END,          /* 0; */
	CO_TRACE_SWITCH,       /* 0: this coroutine has the hart now; */
	CO_TRACE_WAIT,         /* const char *, for what; */
	CO_TRACE_WAKE,         /* the hart of the one that is woken; */
	CO_TRACE_MESSAGE,      /* the handler */
	CO_TRACE_KINDS,
};

struct co_trace_event {
	const char *what; /* as given to co_trace(), or NULL: */
	enum co_trace_kind kind;
	uintptr_t value;
	uint64_t ago;    /* ticks of co_now(), in steps of 1024 where words have 32 bits */
	const char *who; /* the coroutine's name; NULL: none, or it has ended since */
};

/*
 * Note an event of this hart.
 * @param what   a string literal, without the value: "row"; NULL and what others could not read is
 *               asserted not to be
 * @param value  printed with it
 * Context: any, on a hart that has booted; before, nothing happens. Cost: some 110 instructions.
 */
void co_trace(const char *what, uintptr_t value);

/*
 * Copy the latest events of a hart, the oldest first. It may go on meanwhile: what it overwrites
 * is left out.
 * @param hart    0..co_harts()-1 (asserted)
 * @param events  room for so many
 * @return how many there are
 * Context: any, on any hart.
 */
unsigned co_trace_read(unsigned hart, struct co_trace_event *events, unsigned most);

/*
 * Print all that a hart still has.
 * @param hart  0..co_harts()-1 (asserted)
 * Context: hart 0.
 */
void co_trace_print(unsigned hart);

/*
 * Give up harts that stay silent: one whose answer is pending for so long is lost. What lived there
 * is lost with it, co_join() and co_batch_join() return -EHOSTDOWN, as does a spawn there, and
 * its sender can hand the work out again. It stops before another instruction of its
 * own, should it ever go on. What its coroutines held (a mutex, a place at a barrier) is released
 * before joins return, if the hart takes the alarm that stops it; if not, it stays held for good.
 * @param us  at least the limit of --watch=; 0: no hart is given up, as in the beginning
 * @return 0; -EINVAL; -ENOTSUP: this board has no alarms (hal/alarm.h), without which a hart that
 *         goes on could not be stopped, or the watch is off.
 * Context: hart 0.
 */
CO_MUST_CHECK int co_watch_give_up(uint64_t us);

/*
 * The watchdog: let this coroutine keep its hart for so long and no longer. If it does not come to
 * a pause, a wait or its end for that time, it is ended as by a fault, with the cause "watchdog: 12
 * ms without giving way". It is never ended before; how long after hangs on hart 0, which looks
 * four times in the smallest budget (at most once a millisecond), and on where it is found: inside
 * the runtime or a library it is left until it is out.
 * @param us  CO_BUDGET_MIN_US..CO_BUDGET_MAX_US; 0: as long as it likes, as in the beginning
 * @return 0; -EINVAL; -ENOTSUP: this board has no interrupt that a hart takes while all are masked.
 * Context: coroutine. Cost: nothing in a switch; hart 0 looks more often from now on.
 */
CO_MUST_CHECK int co_watch_budget(uint64_t us);
#define CO_BUDGET_MIN_US 1000u
#define CO_BUDGET_MAX_US 100000000u

/*
 * Print what is known of a hart: whether it sleeps and answers, which coroutines live there, what
 * each waits for, since when and until when, and its last way-point.
 * @param hart  0..co_harts()-1 (asserted)
 * Context: hart 0.
 */
void co_watch_report(unsigned hart);

/*
 * Have hart 0 print every coroutine that lives: what it waits for, since when and at which line of
 * the program, equal ones once. So a part of the program that is stuck is found while others go on.
 * `kill -QUIT` of qemu/run, or Ctrl-\ in its terminal, does the same from outside. Context: any; it
 * returns at once, and hart 0 prints at its next scheduling point.
 */
void co_debug_dump(void);

/*
 * In a build with DEBUG=1: check all blocks of this hart's scratchpad heap and of libc's, those
 * that were freed a short time ago among them. What was written past the end of one, before its
 * beginning or after its end ends the caller as a failed assertion, and is not reported again
 * (docs/debugging.md). In other builds nothing happens.
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
 * Print how much has been used, at most, of the stack of each coroutine that lives: by it and by
 * its users before. Each hart is asked, and looks at its own; one that does not
 * answer in 100 ms is named, with what is known of before. Reports of faults have the
 * figure of the coroutine that they are about.
 * Context: coroutine of hart 0.
 */
void co_watch_stacks(void);
CO_END_C
#endif
