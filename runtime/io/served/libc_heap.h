/* libc_heap.h - libc's heap below its callers: memory.c, and memory_check.c with DEBUG=1. */
#ifndef COHART_IO_LIBC_HEAP_H
#define COHART_IO_LIBC_HEAP_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "library.h"

#define IO_ALIGN 16

void *IO_WRAP(malloc, size_t bytes);
void *IO_WRAP(calloc, size_t n, size_t bytes);
void *IO_WRAP(realloc, void *p, size_t bytes);
void *IO_WRAP(memalign, size_t align, size_t bytes);
void *__wrap_aligned_alloc(size_t align, size_t bytes);
void IO_WRAP(free, void *p);

/* The size to ask the library for; what is too large anyway stays as it is. */
static inline size_t io_padded(size_t bytes)
{
	return bytes > PTRDIFF_MAX
		       ? bytes
		       : ((bytes + IO_HEAP_COST + IO_ALIGN - 1) & -(size_t)IO_ALIGN) - IO_HEAP_COST;
}

#endif
