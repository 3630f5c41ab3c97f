/* stream.c - the console's streams, and bytes in and out of streams of the console and of files. */
#include "../wrapped.h"
#include "library.h"

FILE *__wrap___sfp(struct _reent *r);
extern __typeof__(__wrap___sfp) __real___sfp;
void __wrap___sfp_lock_acquire(void);
void __wrap___sfp_lock_release(void);
int __wrap__fwalk(struct _reent *r, int (*fn)(FILE *));

/* The library's list of all streams, which it would guard so if its package had locks. */
static struct co_mutex list;

/* Boot code and handlers cannot wait; and where nothing is spawned, there is no lock (remote.c). */
static bool locks(void)
{
	return co_io_mutex_lock && co_self();
}

void __wrap___sfp_lock_acquire(void)
{
	if (locks())
		co_io_mutex_lock(&list);
}

void __wrap___sfp_lock_release(void)
{
	if (locks())
		co_mutex_unlock(&list);
}

/* A new stream. */
FILE *__wrap___sfp(struct _reent *r)
{
	FILE *f;

	__wrap___sfp_lock_acquire();
	f = __real___sfp(r);
	__wrap___sfp_lock_release();
	return f;
}

/*
 * The library flushes all line-buffered streams before one is read; here nothing is done: each
 * stream is its user's alone.
 */
int __wrap__fwalk(struct _reent *r, int (*fn)(FILE *))
{
	(void)r;
	(void)fn;
	return 0;
}

static bool check_use(FILE *f, bool may)
{
	if (!may) {
		errno = EBADF;
		f->_flags |= __SERR;
	}
	return may;
}

size_t co_io_stream_write(FILE *f, const void *p, size_t bytes)
{
	if (!check_use(f, co_io_is_writable(f)))
		return 0;
	if (!co_io_is_console(f))
		return __real_fwrite(p, 1, bytes, f);
	co_io_console_write(p, bytes);
	return bytes;
}

size_t co_io_stream_read(FILE *f, void *p, size_t bytes)
{
	return check_use(f, f->_flags & (__SRD | __SRW)) ? __real_fread(p, 1, bytes, f) : 0;
}

int co_io_stream_getc(FILE *f)
{
	return check_use(f, f->_flags & (__SRD | __SRW)) ? __real_fgetc(f) : EOF;
}

int co_io_stream_flush(FILE *f)
{
	return co_io_is_console(f) ? 0 : __real_fflush(f);
}

/* ---- stdin, stdout and stderr ---- */

off_t co_io_stream_tell(FILE *f)
{
	return __real_ftello(f);
}

int co_io_stream_seek(FILE *f, off_t offset, int whence)
{
	return __real_fseeko(f, offset, whence);
}

static int console_write(struct _reent *r, void *cookie, const char *s, int bytes)
{
	(void)r;
	(void)cookie;
	co_io_console_write(s, (size_t)bytes);
	return bytes;
}

static int console_read(struct _reent *r, void *cookie, char *s, int bytes)
{
	int c = co_io_console_get();

	(void)r;
	(void)cookie;
	(void)bytes; /* as many as there is room for: a byte will do */
	if (c < 0)
		return c == IO_CONSOLE_END ? 0 : -1;
	*s = (char)c;
	return 1;
}

/* A buffer of one byte alone, which the library wants. */
#define CONSOLE(n, flags, ...)                                                                  \
	{                                                                                       \
		._flags = __SNBF | (flags), ._file = (n), ._p = co_io_console[n]._nbuf,         \
		._bf = { co_io_console[n]._nbuf, 1 }, ._cookie = &co_io_console[n], __VA_ARGS__ \
	}

__FILE co_io_console[3] = {
	CONSOLE(0, __SRD, ._read = console_read),
	CONSOLE(1, __SWR, ._write = console_write),
	CONSOLE(2, __SWR, ._write = console_write),
};
