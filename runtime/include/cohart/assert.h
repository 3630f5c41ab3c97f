/*
 * assert.h - a caller's bug is not an error code.
 *
 * Example
 *	CO_ASSERT(capacity > 0);
 */
#ifndef COHART_ASSERT_H
#define COHART_ASSERT_H

#include <cohart/detail/base.h>

/*
 * If x is false: co_panic() with file, line and x. It is there in every build, so what stands in x
 * is always done.
 * Context: any, traps included. Cost: the look.
 */
#define CO_ASSERT(x) ((x) ? (void)0 : co_assert_failed(#x, __FILE__, __LINE__))

/*
 * End the calling coroutine as by a fault (docs/faults.md; main()'s ends the run, a handler's its
 * hart): print "panic" and the message with hart, role and coroutine, then a backtrace.
 * Context: any, traps included.
 */
_Noreturn void co_panic(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What CO_ASSERT() calls. */
_Noreturn void co_assert_failed(const char *what, const char *file, int line);

#endif
