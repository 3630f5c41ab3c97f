/*
 * memory_wrap.h - what stands before the C library's allocator; see memory.c.
 */
#ifndef COHART_IO_MEMORY_WRAP_H
#define COHART_IO_MEMORY_WRAP_H

#include <stddef.h>

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_realloc(void *p, size_t bytes);
void *__wrap_memalign(size_t align, size_t bytes);
void *__wrap_aligned_alloc(size_t align, size_t bytes);
void __wrap_free(void *p);

#endif
