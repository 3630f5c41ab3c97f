/* libc_heap.h - what malloc() and its kin are called where they are wrapped: memory.c,
 * memory_check.c. */
#ifndef COHART_IO_LIBC_HEAP_H
#define COHART_IO_LIBC_HEAP_H

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/memory/main_heap.h"
#include "library.h"

void *IO_WRAP(malloc, size_t bytes);
void *IO_WRAP(calloc, size_t n, size_t bytes);
void *IO_WRAP(realloc, void *p, size_t bytes);
void *IO_WRAP(memalign, size_t align, size_t bytes);
void *__wrap_aligned_alloc(size_t align, size_t bytes);
void IO_WRAP(free, void *p);

#endif
