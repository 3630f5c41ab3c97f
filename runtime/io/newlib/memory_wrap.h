/*
 * memory_wrap.h - what stands before the C library's allocator, and what is behind; see memory.c.
 */
#ifndef COHART_IO_MEMORY_WRAP_H
#define COHART_IO_MEMORY_WRAP_H

#include <reent.h>
#include <stddef.h>

void *__wrap__malloc_r(struct _reent *r, size_t bytes);
void *__wrap__calloc_r(struct _reent *r, size_t n, size_t bytes);
void *__wrap__realloc_r(struct _reent *r, void *p, size_t bytes);
void *__wrap__memalign_r(struct _reent *r, size_t align, size_t bytes);
void __wrap__free_r(struct _reent *r, void *p);

void *__real__malloc_r(struct _reent *r, size_t bytes);
void *__real__calloc_r(struct _reent *r, size_t n, size_t bytes);
void *__real__realloc_r(struct _reent *r, void *p, size_t bytes);
void *__real__memalign_r(struct _reent *r, size_t align, size_t bytes);
void __real__free_r(struct _reent *r, void *p);

#endif
