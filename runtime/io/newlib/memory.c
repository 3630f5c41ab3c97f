/*
 * memory.c - libc's heap: main memory that boot left over, handed out on hart 0 for all harts.
 *
 * newlib aligns its blocks to two words, where the ABIs of other boards, and so programs, want
 * ALIGN. A block is a header of a word and what was asked for, one block after the other, and two
 * words before the first one's data: so if the heap starts two words before an aligned address, and
 * all sizes are a word less than a multiple of ALIGN, all blocks are aligned.
 */
#include <errno.h>
#include <malloc.h>
#include <reent.h>
#include <stdlib.h>
#include <unistd.h>

#include "library.h"
#include "memory_wrap.h"

#define ALIGN 16
#define HEADER sizeof(size_t)

/* What sbrk() has not given away yet starts here; hart 0's. */
static uintptr_t heap_break;

static intptr_t serve_sbrk(void *arg)
{
	const intptr_t *w = arg;
	uintptr_t old = heap_break;

	if (w[0] > 0 ? (uintptr_t)w[0] > co_machine.heap_end - old
		     : (uintptr_t)-w[0] > old - co_machine.heap_base) {
		errno = ENOMEM;
		return -1;
	}
	heap_break = old + (uintptr_t)w[0];
	return (intptr_t)old;
}

void *_sbrk(ptrdiff_t bytes); /* what the library calls */

void *_sbrk(ptrdiff_t bytes)
{
	return (void *)io_call(serve_sbrk, bytes, 0, 0, 0);
}

void *io_heap_carve(size_t bytes)
{
	size_t room = co_machine.heap_end - co_machine.heap_base;

	bytes = (bytes + CO_LINE - 1) & ~(size_t)(CO_LINE - 1);
	if (bytes > room || room - bytes < ALIGN)
		return NULL;
	heap_break = co_machine.heap_base + bytes + ALIGN - 2 * HEADER;
	return (void *)co_machine.heap_base;
}

/* The size to ask newlib for; what is too large anyway stays as it is. */
static size_t padded(size_t bytes)
{
	return bytes > PTRDIFF_MAX ? bytes
				   : ((bytes + HEADER + ALIGN - 1) & -(size_t)ALIGN) - HEADER;
}

static intptr_t serve_malloc(void *arg)
{
	const intptr_t *w = arg;

	return (intptr_t)__real__malloc_r(_REENT, padded((size_t)w[0]));
}

void *__wrap__malloc_r(struct _reent *r, size_t bytes)
{
	(void)r; /* the caller's hart's, as all are */
	return (void *)io_call(serve_malloc, (intptr_t)bytes, 0, 0, 0);
}

static intptr_t serve_calloc(void *arg)
{
	const intptr_t *w = arg;
	size_t bytes;

	if (__builtin_mul_overflow((size_t)w[0], (size_t)w[1], &bytes))
		bytes = SIZE_MAX;
	return (intptr_t)__real__calloc_r(_REENT, 1, padded(bytes));
}

void *__wrap__calloc_r(struct _reent *r, size_t n, size_t bytes)
{
	(void)r;
	return (void *)io_call(serve_calloc, (intptr_t)n, (intptr_t)bytes, 0, 0);
}

static intptr_t serve_realloc(void *arg)
{
	const intptr_t *w = arg;

	return (intptr_t)__real__realloc_r(_REENT, (void *)w[0], w[1] ? padded((size_t)w[1]) : 0);
}

void *__wrap__realloc_r(struct _reent *r, void *p, size_t bytes)
{
	(void)r;
	return (void *)io_call(serve_realloc, (intptr_t)p, (intptr_t)bytes, 0, 0);
}

static intptr_t serve_memalign(void *arg)
{
	const intptr_t *w = arg;

	return (intptr_t)__real__memalign_r(_REENT, (size_t)w[0], padded((size_t)w[1]));
}

void *__wrap__memalign_r(struct _reent *r, size_t align, size_t bytes)
{
	(void)r;
	return (void *)io_call(serve_memalign, (intptr_t)align, (intptr_t)bytes, 0, 0);
}

/* The library has none. */
int posix_memalign(void **p, size_t align, size_t bytes)
{
	int before = errno;
	void *block;

	if (align < sizeof(void *) || (align & (align - 1)))
		return EINVAL;
	block = memalign(align, bytes);
	errno = before;
	if (!block)
		return ENOMEM;
	*p = block;
	return 0;
}

static intptr_t serve_free(void *arg)
{
	const intptr_t *w = arg;
	int err = errno;

	__real__free_r(_REENT, (void *)w[0]);
	errno = err; /* freeing leaves it alone */
	return 0;
}

void __wrap__free_r(struct _reent *r, void *p)
{
	(void)r;
	if (p)
		io_call(serve_free, (intptr_t)p, 0, 0, 0);
}
