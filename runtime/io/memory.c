/*
 * memory.c - libc's heap: main memory that boot left over, handed out on hart 0 for all harts.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "io.h"
#include "memory_wrap.h"
#include "real.h"

/* What sbrk() has not given away yet starts here; hart 0's. */
static uintptr_t heap_break;

static intptr_t serve_sbrk(void *arg)
{
	const intptr_t *w = arg;
	uintptr_t old;

	if (!heap_break)
		heap_break = co_machine.heap_base;
	old = heap_break;
	if (w[0] > 0 ? (uintptr_t)w[0] > co_machine.heap_end - old :
		       (uintptr_t)-w[0] > old - co_machine.heap_base) {
		errno = ENOMEM;
		return -1;
	}
	heap_break = old + (uintptr_t)w[0];
	return (intptr_t)old;
}

void *sbrk(ptrdiff_t bytes)
{
	return (void *)io_call(serve_sbrk, bytes, 0, 0, 0);
}

void *io_heap_carve(size_t bytes)
{
	intptr_t w = (intptr_t)((bytes + CO_LINE - 1) & ~(size_t)(CO_LINE - 1));
	intptr_t p = serve_sbrk(&w);

	return p == -1 ? NULL : (void *)p;
}

static intptr_t serve_malloc(void *arg)
{
	const intptr_t *w = arg;

	return (intptr_t)__real_malloc((size_t)w[0]);
}

void *__wrap_malloc(size_t bytes)
{
	return (void *)io_call(serve_malloc, (intptr_t)bytes, 0, 0, 0);
}

static intptr_t serve_calloc(void *arg)
{
	const intptr_t *w = arg;

	return (intptr_t)__real_calloc((size_t)w[0], (size_t)w[1]);
}

void *__wrap_calloc(size_t n, size_t bytes)
{
	return (void *)io_call(serve_calloc, (intptr_t)n, (intptr_t)bytes, 0, 0);
}

static intptr_t serve_realloc(void *arg)
{
	const intptr_t *w = arg;

	return (intptr_t)__real_realloc((void *)w[0], (size_t)w[1]);
}

void *__wrap_realloc(void *p, size_t bytes)
{
	return (void *)io_call(serve_realloc, (intptr_t)p, (intptr_t)bytes, 0, 0);
}

static intptr_t serve_memalign(void *arg)
{
	const intptr_t *w = arg;

	return (intptr_t)__real_memalign((size_t)w[0], (size_t)w[1]);
}

void *__wrap_memalign(size_t align, size_t bytes)
{
	return (void *)io_call(serve_memalign, (intptr_t)align, (intptr_t)bytes, 0, 0);
}

void *__wrap_aligned_alloc(size_t align, size_t bytes)
{
	return __wrap_memalign(align, bytes);
}

static intptr_t serve_free(void *arg)
{
	const intptr_t *w = arg;
	int err = errno;

	__real_free((void *)w[0]);
	errno = err; /* freeing leaves it alone */
	return 0;
}

void __wrap_free(void *p)
{
	if (p)
		io_call(serve_free, (intptr_t)p, 0, 0, 0);
}
