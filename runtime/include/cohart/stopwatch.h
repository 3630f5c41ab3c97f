/*
 * stopwatch.h - how often parts of a program are run, and how long they take: a table by name.
 *
 * Example
 *	static void exchange(double *field)
 *	{
 *		CO_STOPWATCH("flux");           // to the end of this block
 *		...
 *	}
 *
 *	uint64_t since = co_stopwatch_start("output");
 *	write_field();
 *	co_stopwatch_stop("output", since);
 *
 *	...
 *	co_stopwatch_print();
 *
 *	kernel               harts    calls    total us     mean us    least us     most us
 *	flux                    64     3840       71200       18.54       15.10       40.20
 *
 * With --kernel-times on its command line any program prints that table when it ends, with a line
 * for each loop and each loop over tiles, by their names: how long each member's shares took.
 *
 * Each hart counts for itself, in its own scratchpad: nobody is waited for. The clock is that of
 * cohart/time.h, so a wait within is counted, and so is work of other coroutines meanwhile. Names
 * are sections of the locality plug-in too (cohart/debug.h): with LOCALITY= there are modelled
 * cycles beside them. Source: seed B9.
 */
#ifndef COHART_STOPWATCH_H
#define COHART_STOPWATCH_H

#include <cohart/detail/base.h>

CO_BEGIN_C
#define CO_STOPWATCH_NAMES 16 /* on a hart; any further names count as one, "others" */

/*
 * Begin.
 * @param name  a literal
 * @return for the stop
 * Context: any. Cost: some 10 instructions.
 */
uint64_t co_stopwatch_start(const char *name);

/*
 * End.
 * @param name   as at the start: a literal, or other text that stays and is on no stack (asserted)
 * @param since  the result of co_stopwatch_start()
 * Context: any but a trap, on the hart that has started. Cost: some 50 instructions, and 4 for each
 * name that this hart has met before this one.
 */
void co_stopwatch_stop(const char *name, uint64_t since);

/* From here to the end of the block that it stands in, however that is left. */
#define CO_STOPWATCH(name)                                  \
	__attribute__((cleanup(co_stopwatch_left), unused)) \
	const struct co_stopwatch co_stopwatch_ = { (name), co_stopwatch_start(name) }

struct co_stopwatch {
	const char *name;
	uint64_t since;
};

/* Stop the stopwatch of a CO_STOPWATCH() block. */
static inline void co_stopwatch_left(const struct co_stopwatch *w)
{
	co_stopwatch_stop(w->name, w->since);
}

/*
 * Print the counts of all harts, added up: names in the order in which harts met them. A hart that
 * is lost, or has no room for a coroutine, is left out, and the table says so. Nothing is printed
 * unless it is asked for: for a table at the end give this to atexit().
 * Context: coroutine; one at a time. Cost: a coroutine on each hart, a printf for each name.
 */
void co_stopwatch_print(void);

/* Forget the counts of every hart. Context: as co_stopwatch_print(). */
void co_stopwatch_reset(void);

/*
 * The counts of a name on all harts, added up, for programs.
 * @return 0; -ENOENT: no hart has met the name. *sum is untouched then.
 * Context: as co_stopwatch_print().
 */
struct co_stopwatch_sum {
	const char *name;
	unsigned harts;                     /* that have run it */
	uint64_t calls, total, least, most; /* ticks of co_now() */
};

CO_MUST_CHECK int co_stopwatch_read(const char *name, struct co_stopwatch_sum *sum);
CO_END_C
#endif
