/* stdio.c - the C library's streams from any hart: opened, read, closed. Writing: output.c. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../wrapped.h"
#include "library.h"

#undef clearerr

/* What is there of `bytes`, up to and with a newline if `line`, without a NUL behind it. */
static intptr_t take(FILE *f, char *s, intptr_t bytes, bool line)
{
	intptr_t n = 0;
	int c;

	while (n < bytes) {
		if (co_io_is_input(f) && !co_io_has_byte(f) && !co_io_input_ready()) {
			errno = EAGAIN;
			return n ? n : -1;
		}
		c = co_io_stream_getc(f);
		if (c == EOF)
			break;
		s[n++] = (char)c;
		if (line && c == '\n')
			break;
	}
	return n;
}

bool co_io_input_pushed_back(void)
{
	return co_io_has_byte(stdin);
}

static intptr_t serve_read(intptr_t *w)
{
	FILE *f = co_io_stream(w[0]);

	if (co_io_is_input(f))
		return take(f, (char *)w[1], w[2], false);
	return (intptr_t)co_io_stream_read(f, (void *)w[1], (size_t)w[2]);
}

/* What is read, if anything; else 0, also after errors. */
static size_t read_bytes(co_io_fn *fn, FILE *f, enum co_io_direction d, void *p, size_t bytes)
{
	intptr_t n = (co_io_is_input(f) ? co_io_input_read : co_io_transfer)(fn, (intptr_t)f, d, p,
									     bytes);

	return n > 0 ? (size_t)n : 0;
}

size_t __wrap_fread(void *p, size_t size, size_t n, FILE *f)
{
	size_t bytes;

	if (!co_io_stream_check(f))
		return 0;
	if (!co_io_is_served(f))
		return __real_fread(p, size, n, f);
	if (__builtin_mul_overflow(size, n, &bytes)) {
		errno = EOVERFLOW;
		return 0;
	}
	if (!bytes)
		return 0;
	return read_bytes(serve_read, f, IO_IN, p, bytes) / size;
}

static intptr_t serve_getc(intptr_t *w)
{
	return co_io_stream_getc(co_io_stream(w[0]));
}

int co_io_getc(FILE *f)
{
	unsigned char c;

	if (!co_io_is_input(f))
		return (int)co_io_call(serve_getc, (intptr_t)f, 0, 0, 0);
	return co_io_input_transfer(serve_read, (intptr_t)f, IO_IN, &c, 1) == 1 ? c : EOF;
}

int __wrap_fgetc(FILE *f)
{
	int c = EOF;

	if (!co_io_stream_check(f))
		return EOF;
	if (!co_io_is_served(f))
		return __real_fgetc(f);
	if (!co_io_is_input(f))
		return co_io_getc(f);
	if (co_io_input_lock()) {
		c = co_io_getc(f);
		co_io_input_unlock();
	}
	return c;
}

int __wrap_getc(FILE *f)
{
	return __wrap_fgetc(f);
}

int __wrap_getchar(void)
{
	return __wrap_fgetc(stdin);
}

static intptr_t serve_ungetc(intptr_t *w)
{
	return __real_ungetc((int)w[0], co_io_stream(w[1]));
}

int __wrap_ungetc(int c, FILE *f)
{
	if (!co_io_stream_check(f))
		return EOF;
	if (!co_io_is_served(f))
		return __real_ungetc(c, f);
	return (int)co_io_call(serve_ungetc, c, (intptr_t)f, 0, 0);
}

static intptr_t serve_gets(intptr_t *w)
{
	return take(co_io_stream(w[0]), (char *)w[1], w[2], true);
}

char *__wrap_fgets(char *s, int size, FILE *f)
{
	size_t n;

	if (!co_io_stream_check(f) || size <= 0)
		return NULL;
	if (!co_io_is_served(f))
		return __real_fgets(s, size, f);
	n = read_bytes(serve_gets, f, IO_IN_LINE, s, (size_t)size - 1);
	if (!n && size > 1)
		return NULL;
	s[n] = '\0';
	return s;
}

static intptr_t serve_fdopen(intptr_t *w)
{
	int fd = (int)w[2];
	struct stat st;
	FILE *f = NULL;

	/* The library would make a stream on any number, and the next file of it would be its. */
	if (!w[0])
		errno = EINVAL;
	else if (fstat(fd, &st) == 0)
		f = __real_fdopen(fd, (const char *)w[0]);
	if (f)
		co_io_file_set_stream(fd, f);
	return (intptr_t)f;
}

/* What a call has answered: -1 if it was not made, for a string too long. */
static FILE *stream_or_none(intptr_t f)
{
	return f == -1 ? NULL : co_io_stream(f);
}

FILE *__wrap_fdopen(int fd, const char *mode)
{
	return stream_or_none(co_io_call_strings(serve_fdopen, mode, NULL, fd, 0));
}

static intptr_t serve_fopen(intptr_t *w)
{
	const char *path = (const char *)w[0];
	const char *mode = (const char *)w[1];
	FILE *f;

	if (!path || !mode) {
		errno = EINVAL;
		return 0;
	}
	/* C11's exclusive mode, which picolibc passes over and newlib leaves to open(). */
	if (mode[0] == 'w' && strchr(mode, 'x')) {
		int fd = open(path, O_RDONLY);

		if (fd >= 0) {
			close(fd);
			errno = EEXIST;
			return 0;
		}
	}
	f = __real_fopen(path, mode);
	if (f)
		co_io_file_set_stream(__real_fileno(f), f);
	return (intptr_t)f;
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
	return stream_or_none(co_io_call_strings(serve_fopen, path, mode, 0, 0));
}

static intptr_t serve_freopen(intptr_t *w)
{
	FILE *f;

	if (!w[0] || !w[1] || co_io_is_console(co_io_stream(w[2]))) {
		errno = EINVAL;
		return 0;
	}
	f = __real_freopen((const char *)w[0], (const char *)w[1], co_io_stream(w[2]));
	if (f)
		co_io_file_set_stream(__wrap_fileno(f), f);
	return (intptr_t)f;
}

FILE *__wrap_freopen(const char *path, const char *mode, FILE *f)
{
	if (!co_io_stream_check(f))
		return NULL;
	return stream_or_none(co_io_call_strings(serve_freopen, path, mode, (intptr_t)f, 0));
}

static intptr_t serve_fclose(intptr_t *w)
{
	FILE *f = co_io_stream(w[0]);
	int flushed = co_io_stream_flush(f);

	return __real_fclose(f) || flushed ? EOF : 0;
}

int __wrap_fclose(FILE *f)
{
	if (!co_io_stream_check(f))
		return EOF;
	if (!co_io_is_served(f))
		return __real_fclose(f);
	return (int)co_io_call(serve_fclose, (intptr_t)f, 0, 0, 0);
}

static intptr_t serve_fflush(intptr_t *w)
{
	if (w[0])
		return co_io_stream_flush(co_io_stream(w[0]));
	co_io_console_flush();
	return co_io_stream_flush_all();
}

int __wrap_fflush(FILE *f)
{
	if (f && !co_io_is_served(f))
		return __real_fflush(f);
	return (int)co_io_call(serve_fflush, (intptr_t)f, 0, 0, 0);
}

static intptr_t serve_fseek(intptr_t *w)
{
	FILE *f = co_io_stream(w[0]);

	/* First, and apart: picolibc's seek keeps its lock for good if the flush in it fails. */
	if (co_io_stream_flush(f))
		return -1;
	return __real_fseeko(f, (off_t)w[1], (int)w[2]);
}

int __wrap_fseeko(FILE *f, off_t offset, int whence)
{
	if (!co_io_stream_check(f))
		return -1;
	if (!co_io_is_served(f))
		return __real_fseeko(f, offset, whence);
	return (int)co_io_call(serve_fseek, (intptr_t)f, (intptr_t)offset, whence, 0);
}

int __wrap_fseek(FILE *f, long offset, int whence)
{
	return __wrap_fseeko(f, offset, whence);
}

static intptr_t serve_ftell(intptr_t *w)
{
	FILE *f = co_io_stream(w[0]);
	off_t pos;

	if (co_io_stream_flush(f))
		return -1;
	pos = __real_ftello(f);
	return (intptr_t)pos;
}

off_t __wrap_ftello(FILE *f)
{
	if (!co_io_stream_check(f))
		return -1;
	if (!co_io_is_served(f))
		return __real_ftello(f);
	return co_io_call(serve_ftell, (intptr_t)f, 0, 0, 0);
}

long __wrap_ftell(FILE *f)
{
	return (long)__wrap_ftello(f);
}

static intptr_t serve_clearerr(intptr_t *w)
{
	__real_clearerr(co_io_stream(w[0]));
	return 0;
}

void __wrap_clearerr(FILE *f)
{
	if (!co_io_stream_check(f))
		return;
	if (co_io_is_served(f))
		co_io_call(serve_clearerr, (intptr_t)f, 0, 0, 0);
	else
		__real_clearerr(f);
}

int __wrap_fileno(FILE *f)
{
	int fd;

	if (!co_io_stream_check(f))
		return -1;
	/* Constant once open: any hart may look. */
	fd = co_io_is_console(f) ? (int)(f - co_io_console) : __real_fileno(f);
	if (fd < 0)
		errno = EBADF;
	return fd;
}

static intptr_t serve_setvbuf(intptr_t *w)
{
	return __real_setvbuf(co_io_stream(w[0]), (char *)w[1], (int)w[2], (size_t)w[3]);
}

int __wrap_setvbuf(FILE *f, char *buf, int mode, size_t size)
{
	if (!co_io_stream_check(f))
		return EOF;
	if (!co_io_is_served(f))
		return __real_setvbuf(f, buf, mode, size);
	/* The console's lines are kept as they are. */
	if (co_io_is_console(f))
		return mode == _IOLBF ? 0 : EOF;
	if (buf && !co_spm_shared(buf, size)) {
		errno = EINVAL;
		return EOF;
	}
	return (int)co_io_call(serve_setvbuf, (intptr_t)f, (intptr_t)buf, mode, (intptr_t)size);
}
