/*
 * printf.c - formatted output from any hart: posted if that will do, else packed and waited for.
 */
#include <errno.h>

#include "../variadic.h"
#include "library.h"
#include "real.h"
#include "stdio_wrap.h"

int io_put_formatted(void *stream, const char *format, va_list ap)
{
	return io_vfprintf(stream ? stream : stdout, format, ap);
}

/* Kept apart, so that the short way keeps no registers for it. */
__attribute__((noinline)) static int print(FILE *f, const char *format, va_list ap)
{
	if (!io_stream_check(f))
		return -1;
	if (!io_is_served(f))
		return io_vfprintf(f, format, ap);
	if (!io_is_writable(f)) {
		errno = EBADF;
		return -1;
	}
	return io_print_packed(f, format, ap);
}

int __wrap_vfprintf(FILE *f, const char *format, va_list ap)
{
	int n = -1;

	if (io_is_posted(f)) {
		va_list copy;

		va_copy(copy, ap);
		n = io_print_posted(format, copy);
		va_end(copy);
	}
	return n < 0 ? print(f, format, ap) : n;
}

int __wrap_vprintf(const char *format, va_list ap)
{
	return __wrap_vfprintf(stdout, format, ap);
}

int __wrap_fprintf(FILE *f, const char *format, ...)
{
	return IO_VARIADIC(format, __wrap_vfprintf(f, format, ap));
}

int __wrap_printf(const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = io_print_posted(format, ap);
	va_end(ap);
	if (n >= 0)
		return n;
	va_start(ap, format);
	n = print(stdout, format, ap);
	va_end(ap);
	return n;
}
