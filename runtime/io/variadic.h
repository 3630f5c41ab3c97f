/*
 * variadic.h - what printf() is to vprintf().
 *
 * Example
 *	int print_to(FILE *f, const char *format, ...)
 *	{
 *		return IO_VARIADIC(format, vfprintf(f, format, ap));
 *	}
 */
#ifndef COHART_IO_VARIADIC_H
#define COHART_IO_VARIADIC_H

#include <stdarg.h>

/* A call, an int, with the arguments of this function behind `last` as `ap`. */
#define IO_VARIADIC(last, call)                          \
	({                                               \
		va_list ap;                              \
		int io_n = (va_start(ap, last), (call)); \
		va_end(ap);                              \
		io_n;                                    \
	})

#endif
