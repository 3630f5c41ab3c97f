/*
 * stdio.c - stdout and stderr on a host: the console's, as on a board.
 *
 * What is written there goes to hart 0, which keeps the lines of coroutines whole: posted if it is
 * not long (print_ring.h), else through the proxy. All other streams are the C library's own, which
 * knows threads: they pass.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cohart/proxy.h>

#include "../../core/hook.h"
#include "../variadic.h"
#include "library.h"

int __real_vfprintf(FILE *f, const char *format, va_list ap);
int __real_fputc(int c, FILE *f);
int __real_fputs(const char *s, FILE *f);
size_t __real_fwrite(const void *p, size_t size, size_t n, FILE *f);
int __real_fflush(FILE *f);

int __wrap_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int __wrap_vprintf(const char *format, va_list ap) __attribute__((format(printf, 1, 0)));
int __wrap_fprintf(FILE *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
int __wrap_vfprintf(FILE *f, const char *format, va_list ap) __attribute__((format(printf, 2, 0)));
int __wrap_puts(const char *s);
int __wrap_putchar(int c);
int __wrap_putc(int c, FILE *f);
int __wrap_fputc(int c, FILE *f);
int __wrap_fputs(const char *s, FILE *f);
size_t __wrap_fwrite(const void *p, size_t size, size_t n, FILE *f);
int __wrap_fflush(FILE *f);

static intptr_t serve_write(void *arg)
{
	const intptr_t *w = arg;

	io_console_write((const char *)w[1], (size_t)w[2]);
	return w[2];
}

size_t io_write_any(void *stream, const void *p, size_t bytes)
{
	void *from = (void *)(uintptr_t)p; /* only read: the direction says so */

	if (!bytes)
		return 0;
	if (bytes > IO_TEXT_BYTES || !io_is_posted(stream))
		return (size_t)io_transfer(serve_write, 0, IO_OUT, from, bytes);
	io_record_text(p, bytes);
	return bytes;
}

int __wrap_vfprintf(FILE *f, const char *format, va_list ap)
{
	return io_is_served(f) ? io_print_text(f, format, ap) : __real_vfprintf(f, format, ap);
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
	return IO_VARIADIC(format, __wrap_vfprintf(stdout, format, ap));
}

int __wrap_puts(const char *s)
{
	/* One call for all of it. */
	return __wrap_printf("%s\n", s);
}

int __wrap_fputc(int c, FILE *f)
{
	unsigned char byte = (unsigned char)c;

	if (!io_is_served(f))
		return __real_fputc(c, f);
	io_write_any(f, &byte, 1);
	return byte;
}

int __wrap_putc(int c, FILE *f)
{
	return __wrap_fputc(c, f);
}

int __wrap_putchar(int c)
{
	return __wrap_fputc(c, stdout);
}

int __wrap_fputs(const char *s, FILE *f)
{
	if (!io_is_served(f))
		return __real_fputs(s, f);
	io_write_any(f, s, strlen(s));
	return 0;
}

size_t __wrap_fwrite(const void *p, size_t size, size_t n, FILE *f)
{
	size_t bytes;

	if (!io_is_served(f))
		return __real_fwrite(p, size, n, f);
	if (__builtin_mul_overflow(size, n, &bytes)) {
		errno = EOVERFLOW;
		return 0;
	}
	return bytes ? io_write_any(f, p, bytes) / size : 0;
}

static intptr_t serve_flush(void *arg)
{
	(void)arg;
	io_console_flush();
	return 0;
}

int __wrap_fflush(FILE *f)
{
	if (!f || io_is_served(f))
		co_proxy_call(serve_flush, NULL);
	return io_is_served(f) ? 0 : __real_fflush(f);
}

static void flush_at_end(void)
{
	(void)__real_fflush(NULL);
}

CO_HOOKS = { .run_ends = flush_at_end };
