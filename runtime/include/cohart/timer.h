/*
 * timer.h - a function that is called at a time, once or every so often.
 *
 * Example
 *	static bool blink(void *led, uint64_t missed)
 *	{
 *		toggle(led);
 *		return true;            // and again
 *	}
 *	...
 *	static struct co_timer t;
 *	int r = co_timer_start(&t, NULL, co_after_us(1000), 500, blink, &led);
 *	...
 *	r = co_timer_stop(&t);
 *
 * A timer is a coroutine of its hart that waits for its time and calls the function: this may wait,
 * as a coroutine may, and a fault in it ends that timer alone. Calls are a period apart by the
 * clock, however long each takes; a call that takes longer than a period misses the times that have
 * passed, and the next call has their number. A hart that is busy with other coroutines calls late,
 * by as much as these keep it.
 *
 * A timer ends with the coroutine that started it, in whatever way that ends: a call that is under
 * way is cancelled then, and waited for.
 */
#ifndef COHART_TIMER_H
#define COHART_TIMER_H

#include <cohart/coroutine.h>
#include <cohart/sync.h>

CO_BEGIN_C
/*
 * A timer's function. Context: the timer's coroutine, on the hart that started it.
 * @param missed  times that have passed without a call, since the last call or since `when`
 * @return false: this was the last call. A timer without a period has one call.
 */
typedef bool co_timer_fn(void *arg, uint64_t missed);

struct co_timer {
	struct co_local local; /* all fields are the runtime's */
	struct co_batch runner;
	struct co_event stopped;
	co_timer_fn *fn;
	void *arg;
	uint64_t next;   /* time of the next call */
	uint64_t period; /* ticks */
};

/*
 * Start a timer on this hart.
 * @param t          in memory that every hart may use, not on a stack of class CO_STACK_SPM
 *                   (asserted); the runtime's until it is stopped, or the caller has ended: in a
 *                   frame only of a function that stops it before it returns. If the hart is lost,
 *                   the memory stays the timer's. It is not running (asserted): one that has had
 *                   its last call is stopped before it is started again
 * @param attr       name (NULL: "timer") and stack of its coroutine; NULL for all defaults
 * @param when       time of the first call, as of co_after_us(); one that has passed is at once
 * @param period_us  from each call to the next; 0: it is called once
 * @param fn         not NULL (asserted)
 * @return 0; -EINVAL: attr names another hart than the caller's, a group, or no stack class;
 *         -ENOBUFS: the hart has no control block or stack of that class left. On error nothing has
 *         started, and t is the caller's.
 * Context: coroutine. Order: fn sees all that the caller wrote before. Cost: as co_spawn() on
 * this hart, and about 100 instructions; for each call a wait with a deadline.
 */
CO_MUST_CHECK int co_timer_start(struct co_timer *t, const struct co_attr *attr, uint64_t when,
				 uint64_t period_us, co_timer_fn *fn, void *arg);

/*
 * Stop a timer. A call that is under way is waited for; afterwards no call begins.
 * @return 0, also if its last call was long ago, and if the caller is cancelled; -EFAULT: a fault
 *         has ended it.
 * Context: the coroutine that started it, once (asserted); not from its function, which returns
 * false instead. Order: sees all that fn wrote.
 * Cost: about 200 instructions, and a look at each newer object that the caller holds.
 */
CO_MUST_CHECK int co_timer_stop(struct co_timer *t);
CO_END_C
#endif
