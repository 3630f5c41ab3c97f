/*
 * stdio.c - the C library's streams from any hart.
 *
 * Each __wrap_x stands before the library's x (libc_wraps), also where the library itself calls
 * it. The streams of the server, those of the console and of files, are used through calls of
 * the server. All others belong to their caller: snprintf(), fmemopen() and the like make
 * streams in their own memory, which work where they are.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <cohart/proxy.h>

#include "library.h"
#include "real.h"
#include "stdio_wrap.h"

static intptr_t serve_write(void *arg)
{
	const intptr_t *w = arg;

	return (intptr_t)io_stream_write(io_stream(w[0]), (const void *)w[1], (size_t)w[2]);
}

static intptr_t serve_read(void *arg)
{
	const intptr_t *w = arg;

	return (intptr_t)io_stream_read(io_stream(w[0]), (void *)w[1], (size_t)w[2]);
}

size_t io_write_any(void *stream, const void *p, size_t bytes)
{
	void *from = (void *)(uintptr_t)p; /* only read: the direction says so */

	if (!bytes)
		return 0;
	if (bytes > IO_TEXT_BYTES || !io_is_posted(stream))
		return (size_t)io_transfer(serve_write, (intptr_t)stream, IO_OUT, from, bytes);
	io_record_text(p, bytes);
	return bytes;
}

size_t __wrap_fwrite(const void *p, size_t size, size_t n, FILE *f)
{
	size_t bytes;

	if (!io_stream_check(f))
		return 0;
	if (!io_is_served(f))
		return __real_fwrite(p, size, n, f);
	if (__builtin_mul_overflow(size, n, &bytes)) {
		errno = EOVERFLOW;
		return 0;
	}
	return bytes ? io_write_any(f, p, bytes) / size : 0;
}

size_t __wrap_fread(void *p, size_t size, size_t n, FILE *f)
{
	size_t bytes;

	if (!io_stream_check(f))
		return 0;
	if (!io_is_served(f))
		return __real_fread(p, size, n, f);
	if (__builtin_mul_overflow(size, n, &bytes)) {
		errno = EOVERFLOW;
		return 0;
	}
	if (!bytes)
		return 0;
	return (size_t)io_transfer(serve_read, (intptr_t)f, IO_IN, p, bytes) / size;
}

int __wrap_fputs(const char *s, FILE *f)
{
	size_t bytes;

	if (!io_stream_check(f))
		return EOF;
	if (!io_is_served(f))
		return __real_fputs(s, f);
	bytes = strlen(s);
	return io_write_any(f, s, bytes) == bytes ? 0 : EOF;
}

static intptr_t serve_putc(void *arg)
{
	const intptr_t *w = arg;
	unsigned char c = (unsigned char)w[0];

	return io_stream_write(io_stream(w[1]), &c, 1) == 1 ? c : EOF;
}

int __wrap_fputc(int c, FILE *f)
{
	if (!io_stream_check(f))
		return EOF;
	if (!io_is_served(f))
		return __real_fputc(c, f);
	if (io_is_posted(f)) {
		io_record_text(&(const char){ (char)c }, 1);
		return (unsigned char)c;
	}
	return (int)io_call(serve_putc, c, (intptr_t)f, 0, 0);
}

int __wrap_putc(int c, FILE *f)
{
	return __wrap_fputc(c, f);
}

int __wrap_putchar(int c)
{
	return __wrap_fputc(c, stdout);
}

static intptr_t serve_getc(void *arg)
{
	const intptr_t *w = arg;

	return io_stream_getc(io_stream(w[0]));
}

int __wrap_fgetc(FILE *f)
{
	if (!io_stream_check(f))
		return EOF;
	if (!io_is_served(f))
		return __real_fgetc(f);
	return (int)io_call(serve_getc, (intptr_t)f, 0, 0, 0);
}

int __wrap_getc(FILE *f)
{
	return __wrap_fgetc(f);
}

int __wrap_getchar(void)
{
	return __wrap_fgetc(stdin);
}

static intptr_t serve_ungetc(void *arg)
{
	const intptr_t *w = arg;

	return __real_ungetc((int)w[0], io_stream(w[1]));
}

int __wrap_ungetc(int c, FILE *f)
{
	if (!io_stream_check(f))
		return EOF;
	if (!io_is_served(f))
		return __real_ungetc(c, f);
	return (int)io_call(serve_ungetc, c, (intptr_t)f, 0, 0);
}

static intptr_t serve_gets(void *arg)
{
	const intptr_t *w = arg;

	return (intptr_t)io_stream_gets(io_stream(w[0]), (char *)w[1], (size_t)w[2]);
}

/* Up to a newline, or `bytes`; a piece that does not end in one is followed by the next. */
static size_t gets_in_pieces(FILE *f, char *s, size_t bytes)
{
	struct io_bounce *b = io_bounce_take();
	size_t done = 0;
	size_t n;
	size_t piece;

	do {
		piece = bytes - done < sizeof(b->data) ? bytes - done : sizeof(b->data);
		b->w[0] = (intptr_t)f;
		b->w[1] = (intptr_t)b->data;
		b->w[2] = (intptr_t)piece;
		n = (size_t)co_proxy_call(serve_gets, b->w);
		memcpy(s + done, b->data, n);
		done += n;
	} while (done < bytes && n == piece && s[done - 1] != '\n');
	io_bounce_give();
	return done;
}

char *__wrap_fgets(char *s, int size, FILE *f)
{
	size_t n;

	if (!io_stream_check(f) || size <= 0)
		return NULL;
	if (!io_is_served(f))
		return __real_fgets(s, size, f);
	if (io_reachable(s, (size_t)size))
		n = (size_t)io_call(serve_gets, (intptr_t)f, (intptr_t)s, size - 1, 0);
	else
		n = gets_in_pieces(f, s, (size_t)size - 1);
	if (!n && size > 1)
		return NULL;
	s[n] = '\0';
	return s;
}
