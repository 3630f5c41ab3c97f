/* library.h - the streams on this C library's terms: what io/served asks of each library. */
#ifndef COHART_IO_LIBRARY_H
#define COHART_IO_LIBRARY_H

#include <reent.h>
#include <stdio.h>

#include "../served/served.h"

/* stream.c: our three streams; reent.c makes them stdin, stdout, stderr of each hart. */
extern __FILE co_io_console[3];

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
	return f->_r > 0;
}

static inline bool co_io_is_writable(const FILE *f)
{
	return f->_flags & (__SWR | __SRW);
}

static inline bool co_io_is_file(const FILE *f)
{
	return f->_file > 2;
}

#define IO_FLAGS(f) ((f)->_flags)

/* Whether a file's stream is ready to get or to put bytes: served/lock.h. */
static inline unsigned co_io_stream_ready(const FILE *f)
{
	return f->_w > 0 ? IO_PUTS : f->_r > 0 ? IO_GETS : IO_NOT_READY;
}

/* One that is ready takes a byte if there is room for it; gives one if there is one, or EOF. */
static inline bool co_io_put_fast(FILE *f, unsigned char c)
{
	if (f->_w <= 0)
		return false;
	f->_w--;
	*f->_p++ = c;
	return true;
}

static inline int co_io_get_fast(FILE *f)
{
	if (f->_r <= 0)
		return EOF;
	f->_r--;
	return *f->_p++;
}

/* One of a file that is being read keeps its place when all are flushed. */
static inline bool co_io_is_being_written(const FILE *f)
{
	return f->_flags & __SWR;
}

/*
 * The system calls of served/files.c and served/process.c as the library calls them below itself;
 * its open() and its kin, which programs call, are made of these.
 */
#define IO_SYSCALL(name) _##name

/*
 * The names of malloc() and its kin, served/memory.c: functions that the library itself calls take
 * the hart's struct _reent first.
 */
#define IO_WRAP(name, ...) \
	__wrap__##name##_r(__attribute__((unused)) struct _reent *io_reent, __VA_ARGS__)

#endif
