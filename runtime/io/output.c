/*
 * output.c - output to a stream, from any hart.
 *
 * The streams of the server (co_io_is_served(), served.h) are written by hart 0. Output to the
 * console cannot fail, but in a handler: it is deferred (print_ring.h) unless it is long. All other
 * streams belong to their caller: snprintf(), fmemopen() and the like make streams in their own
 * memory, which work where they are.
 */
#include <stdlib.h>
#include <string.h>

#include "library.h"
#include "wrapped.h"

struct co_aword co_io_file_write;

static intptr_t serve_write(intptr_t *w)
{
	return (intptr_t)co_io_stream_write(co_io_stream(w[0]), (const void *)w[1], (size_t)w[2]);
}

/* Write bytes of the caller's memory to a served stream. Returns how many. */
static size_t write_served(FILE *f, const void *p, size_t bytes)
{
	void *from = (void *)(uintptr_t)p; /* the direction says that it is only read */

	if (!bytes)
		return 0;
	if (co_io_is_file(f)) /* relaxed: it was opened */
		return ((co_io_write_fn *)co_atomic_load(&co_io_file_write, CO_RELAXED))(f, p,
											 bytes);
	if (!co_io_is_deferred(f) || (bytes > IO_TEXT_BYTES && co_executor.current))
		return (size_t)co_io_transfer(serve_write, (intptr_t)f, IO_OUT, from, bytes);
	return co_io_record_text(p, bytes);
}

size_t __wrap_fwrite(const void *p, size_t size, size_t n, FILE *f)
{
	size_t bytes;

	if (!co_io_stream_check(f))
		return 0;
	if (!co_io_is_served(f))
		return __real_fwrite(p, size, n, f);
	if (__builtin_mul_overflow(size, n, &bytes)) {
		errno = EOVERFLOW;
		return 0;
	}
	return bytes ? write_served(f, p, bytes) / size : 0;
}

int __wrap_fputs(const char *s, FILE *f)
{
	size_t bytes;

	if (!co_io_stream_check(f))
		return EOF;
	if (!co_io_is_served(f))
		return __real_fputs(s, f);
	bytes = strlen(s);
	return write_served(f, s, bytes) == bytes ? 0 : EOF;
}

int co_io_putc(int c, FILE *f)
{
	unsigned char byte = (unsigned char)c;

	if (!co_io_stream_check(f))
		return EOF;
	if (!co_io_is_served(f))
		return __real_fputc(c, f);
	return write_served(f, &byte, 1) == 1 ? byte : EOF;
}

int __wrap_putc(int c, FILE *f)
{
	return __wrap_fputc(c, f);
}

int __wrap_putchar(int c)
{
	return __wrap_fputc(c, stdout);
}

int co_io_print_text(FILE *f, const char *format, va_list ap)
{
	char few[IO_TEXT_BYTES];
	char *text = few;
	va_list again;
	int n;

	va_copy(again, ap);
	n = co_io_vsnprintf(few, sizeof(few), format, ap);
	if (n >= (int)sizeof(few)) {
		text = malloc((size_t)n + 1);
		n = text ? co_io_vsnprintf(text, (size_t)n + 1, format, again) : -1;
	}
	va_end(again);
	if (n > 0 && write_served(f, text, (size_t)n) != (size_t)n)
		n = -1;
	if (text != few)
		free(text);
	return n;
}

int __wrap_vprintf(const char *format, va_list ap)
{
	return __wrap_vfprintf(stdout, format, ap);
}

int __wrap_fprintf(FILE *f, const char *format, ...)
{
	return IO_VARIADIC(format, __wrap_vfprintf(f, format, ap));
}

int __wrap_puts(const char *s)
{
	/* One call for all of it, however long, and wherever it lies. */
	return __wrap_printf("%s\n", s) < 0 ? EOF : 0;
}
