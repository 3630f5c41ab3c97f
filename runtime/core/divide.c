/*
 * divide.c - what a division by zero calls in a build with DEBUG=1, where GCC looks at each divisor
 * (-fsanitize=integer-divide-by-zero). The name is GCC's.
 */
#include <cohart/debug.h>

#include "report.h"

#ifdef CO_DEBUG
CO_NORETURN void __ubsan_handle_divrem_overflow(void *where, void *left, void *right);

void __ubsan_handle_divrem_overflow(void *where, void *left, void *right)
{
	(void)where;
	(void)left;
	(void)right;
	co_fail("a division by zero");
}
#endif
