/*
 * picolibc.h - what the files of this folder know of each other: the streams, on this C library's
 * terms.
 */
#ifndef COHART_IO_PICOLIBC_H
#define COHART_IO_PICOLIBC_H

#include <stdio.h>
#include <stdio-bufio.h>

#include "../outbox.h"

/* console_stream.c */

/* Our three streams; the C library knows them as stdin, stdout, stderr. */
extern struct __file io_console[3];

static inline bool io_is_console(const FILE *f)
{
	return f >= io_console && f < io_console + 3;
}

/*
 * True if what is written to f here needs no answer (outbox.h): the console never fails, and here
 * is not where it is.
 */
static inline bool io_is_posted(const FILE *f)
{
	return io_is_console(f) && (f->flags & __SWR) && !io_is_server() && co_executor.current;
}

/* stream.c: all but the first two are hart 0's. */

/* A stream that travelled in a word of a request. */
static inline FILE *io_stream(intptr_t word)
{
	return (FILE *)word;
}

/* True for the streams whose state is the server's: the console's, and those of open files. */
static inline bool io_is_served(const FILE *f)
{
	return io_is_console(f) || (f->flags & __SBUF);
}

/* False, and EBADF, if f cannot be a stream. */
bool io_stream_check(const FILE *f);

/* Bytes written to a served stream, read from it; fewer than asked at the end or on errors. */
size_t io_stream_write(FILE *f, const void *p, size_t bytes);
size_t io_stream_read(FILE *f, void *p, size_t bytes);
/* Bytes read up to and with a newline; no NUL is put behind them. */
size_t io_stream_gets(FILE *f, char *s, size_t bytes);
int io_stream_getc(FILE *f);
int io_stream_flush(FILE *f);

/* files.c */
#define IO_FILES 64

/* Note, or forget (NULL), which stream stands on a descriptor; what is noted is flushed at exit. */
void io_file_set_stream(int fd, FILE *f);
FILE *io_file_stream(int fd);

#endif
