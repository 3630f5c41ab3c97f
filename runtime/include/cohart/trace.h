/*
 * trace.h - the last events of each hart, to find out how it came to what happened.
 *
 * Each hart keeps its last CO_TRACE_EVENTS - 1 events in memory that others can read: what the
 * program tells by co_trace(), way-points (cohart/mark.h) and faults. Reports of a fault, of a hart
 * that reaches no scheduling point, and of a deadlock print the latest of them. A build with
 * EVENTS=1 keeps more of them and adds the runtime's own: spawns, beginnings, ends, switches,
 * waits, wakes, messages that handlers take.
 *
 * Example
 *	for (row = 0; row < rows; row++) {
 *		co_trace("row", row);
 *		...
 *	}
 *	co_trace_print(3);
 *
 *	  last events of hart 3:
 *	      1204 us ago, 'sweep': row 17
 *	        22 us ago, 'sweep': way-point 'edges'
 *
 * A switch costs what it did, unless the build has EVENTS=1.
 */
#ifndef COHART_TRACE_H
#define COHART_TRACE_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
