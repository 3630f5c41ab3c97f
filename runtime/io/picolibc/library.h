/* library.h - the streams on this C library's terms: what io/served asks of each library. */
#ifndef COHART_IO_LIBRARY_H
#define COHART_IO_LIBRARY_H

#include <stdio.h>
#include <stdio-bufio.h>

#include "../served/served.h"

/* stream.c: our three streams; the C library knows them as stdin, stdout, stderr. */
extern struct __file co_io_console[3];

static inline bool co_io_is_console(const FILE *f)
{
	return f >= co_io_console && f < co_io_console + 3;
}

/* stdin, and whether it has a byte that was pushed back. */
static inline bool co_io_is_input(const FILE *f)
{
	return f == co_io_console;
}

static inline bool co_io_has_byte(const FILE *f)
{
	return f->unget;
}

static inline bool co_io_is_writable(const FILE *f)
{
	return f->flags & __SWR;
}

static inline bool co_io_is_file(const FILE *f)
{
	return f->flags & __SBUF;
}

#define IO_FLAGS(f) ((f)->flags)

/* Whether a file's stream is ready to get or to put bytes: served/lock.h. */
static inline unsigned co_io_stream_ready(const FILE *f)
{
	const struct __file_bufio *b = (const struct __file_bufio *)f;

	if (b->dir == __SWR && !(b->bflags & __BLBF))
		return IO_PUTS;
	return b->dir == __SRD && !f->unget ? IO_GETS : IO_NOT_READY;
}

/* One that is ready takes a byte if there is room for more; gives one if there is one, or EOF. */
static inline bool co_io_put_fast(FILE *f, unsigned char c)
{
	struct __file_bufio *b = (struct __file_bufio *)f;
	int len = b->len + 1;

	if (len >= b->size)
		return false;
	b->buf[len - 1] = (char)c;
	b->len = len;
	return true;
}

static inline int co_io_get_fast(FILE *f)
{
	struct __file_bufio *b = (struct __file_bufio *)f;

	return b->off < b->len ? (unsigned char)b->buf[b->off++] : EOF;
}

/* One of a file that is being read keeps its place when all are flushed. */
static inline bool co_io_is_being_written(const FILE *f)
{
	return ((const struct __file_bufio *)f)->dir == __SWR;
}

/* The names of served/files.c and served/process.c: the library calls them as programs do. */
#define IO_SYSCALL(name) name

/* The names of malloc() and its kin: served/memory.c. */
#define IO_WRAP(name, ...) __wrap_##name(__VA_ARGS__)

#endif
