/*
 * time.h - one clock for all harts.
 *
 * Example
 *	uint64_t give_up = co_after_us(500);
 *	if (co_chan_recv_until(&c, &x, give_up) == -ETIMEDOUT)
 *		...
 *
 * A deadline is a point on this clock, so that a loop of waits can share one.
 * Context of every function here: any. Cost: 1 to 5 instructions.
 */
#ifndef COHART_TIME_H
#define COHART_TIME_H

#include <cohart/detail/base.h>

CO_BEGIN_C
/* The deadline that never comes. */
#define CO_FOREVER UINT64_MAX

/* Ticks since power-on, by one clock for all harts. */
uint64_t co_now(void);

/* The deadline `us` microseconds from now; saturates at CO_FOREVER. */
uint64_t co_after_us(uint64_t us);

/*
 * A span of ticks in microseconds, rounded down; a span of microseconds in ticks, rounded up, at
 * most CO_FOREVER.
 */
uint64_t co_us(uint64_t ticks);
uint64_t co_ticks(uint64_t us);

/* Instructions retired so far by this hart; with ICOUNT=1, by all harts together. */
uint64_t co_instructions(void);
CO_END_C
#endif
