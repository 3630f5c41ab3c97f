/* library.h - the streams on this C library's terms: what io/served asks of each library. */
#ifndef COHART_IO_LIBRARY_H
#define COHART_IO_LIBRARY_H

#include <stdio.h>
#include <stdio-bufio.h>

#include "../served/served.h"

/* console_stream.c */

/* Our three streams; the C library knows them as stdin, stdout, stderr. */
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

/* True for the streams whose state is the server's: the console's, and those of open files. */
static inline bool co_io_is_served(const FILE *f)
{
	return co_io_is_console(f) || (f->flags & __SBUF);
}

/* One of a file that is being read keeps its place when all are flushed. */
static inline bool co_io_is_being_written(const FILE *f)
{
	return ((const struct __file_bufio *)f)->dir == __SWR;
}

/* served/files.c, served/process.c: the library calls those that programs call. */
#define IO_SYSCALL(name) name

/* served/memory.c. A block's header is a word; a block takes 8 bytes more than was asked for. */
#define IO_HEAP_OFFSET sizeof(size_t)
#define IO_HEAP_COST 8
#define IO_HEAP_USABLE(p) malloc_usable_size(p)
#define IO_HEAP_STEP(bytes) (((bytes) + IO_HEAP_COST - 1) & -IO_HEAP_COST)
#define IO_HEAP_SKIPS true
#define IO_SBRK sbrk
#define IO_WRAP(name, ...) __wrap_##name(__VA_ARGS__)
#define IO_REAL(name, ...) __real_##name(__VA_ARGS__)

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *p, size_t bytes);
void *__real_memalign(size_t align, size_t bytes);
void __real_free(void *p);

#endif
