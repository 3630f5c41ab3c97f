/*
 * served.h - the interface of this folder and output.c to the C library that they serve: the
 * library.h of its folder, which includes this file, and its stream.c. A host's has the console's
 * streams alone.
 */
#ifndef COHART_IO_SERVED_H
#define COHART_IO_SERVED_H

#include <stdarg.h>
#include <stdio.h>

#include "../print_ring.h"
#include "lock.h"
#include "sink.h"

/* A program that has its own of a name which C leaves to it gets that: so does the C library. */
#define IO_WEAK __attribute__((weak))

/* -EIO if a call of the host is to fail now (core/inject.h), else 0: like a result of the host. */
static inline int co_io_injected(void)
{
	return co_inject(CO_INJECT_FILE) ? -EIO : 0;
}

/* A stream that travelled in a word of a request. */
static inline FILE *co_io_stream(intptr_t word)
{
	return (FILE *)word;
}

/* A call, an int, with the arguments of this variadic function behind `last` as `ap`. */
#define IO_VARIADIC(last, call)                          \
	({                                               \
		va_list ap;                              \
		int io_n = (va_start(ap, last), (call)); \
		va_end(ap);                              \
		io_n;                                    \
	})

/*
 * The library's library.h: one of our three streams; a stream that may be written; one of an open
 * file.
 */
static inline bool co_io_is_console(const FILE *f);
static inline bool co_io_is_writable(const FILE *f);
static inline bool co_io_is_file(const FILE *f);

/* One that coroutines share. */
static inline bool co_io_is_served(const FILE *f)
{
	return co_io_is_console(f) || co_io_is_file(f);
}

/* True if output to f needs no answer (print_ring.h): the console, from other harts than 0. */
static inline bool co_io_is_deferred(const FILE *f)
{
	return co_io_is_console(f) && co_io_is_writable(f) && !co_io_is_server();
}

/* False, and EBADF, if f cannot be a stream. */
static inline bool co_io_stream_check(const FILE *f)
{
	if (!f)
		errno = EBADF;
	return f;
}

/* stdio.c: a byte of a served stream, which the caller has locked. */
int co_io_getc(FILE *f);
/*
 * fwrite() to a file's stream, by bytes: stdio.c's, from the first fopen() on. So an image that
 * opens no file has nothing of them.
 */
typedef size_t co_io_write_fn(FILE *f, const void *p, size_t bytes);
extern struct co_aword co_io_file_write;

/* output.c: fputc(). Any hart. */
int co_io_putc(int c, FILE *f);
/* output.c: fprintf() to a served stream, formatted here. Any hart. */
int co_io_print_text(FILE *f, const char *format, va_list ap);

/*
 * The library's stream.c, library.h: on any hart, with the lock; the console's output: on hart 0.
 */

/* Bytes written to a served stream, read from a file's; fewer than asked at the end, on errors. */
size_t co_io_stream_write(FILE *f, const void *p, size_t bytes);
size_t co_io_stream_read(FILE *f, void *p, size_t bytes);
int co_io_stream_getc(FILE *f);
int co_io_stream_flush(FILE *f);
/* One that has been flushed: where it is, where it is to be. */
off_t co_io_stream_tell(FILE *f);
int co_io_stream_seek(FILE *f, off_t offset, int whence);
/* forms.c: fprintf() to a stream, formatted where the caller is. Any hart. */
int co_io_vfprintf(FILE *f, const char *format, va_list ap);

/* forms.c: vsnprintf(). Any hart. */
int co_io_vsnprintf(char *to, size_t room, const char *format, va_list ap);

/* files.c */
#define IO_FILES 64

/* Which stream stands on a descriptor, until it is closed; NULL: none. Context: any. */
void co_io_file_set_stream(int fd, FILE *f);
FILE *co_io_file_stream(int fd);
/* Does each write go to the file's end? Context: any. */
bool co_io_file_appends(int fd);

#endif
