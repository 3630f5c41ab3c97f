/*
 * memory.c - libc's heap: main memory that boot left over, handed out on hart 0 for all harts.
 *
 * picolibc aligns its blocks to 8 bytes, where the ABIs want ALIGN. A block is a header of a word
 * and what was asked for, and takes 8 bytes more than that, one block after the other: so if the
 * heap starts a word before an aligned address, and all sizes are 8 less than a multiple of ALIGN,
 * all blocks are aligned.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "library.h"
#include "memory_wrap.h"
#include "../served/real.h"

#define ALIGN 16
#define HEADER sizeof(size_t)
#define COST 8

/* What sbrk() has not given away yet starts here; hart 0's. */
static uintptr_t heap_break;

static intptr_t serve_sbrk(void *arg)
{
	const intptr_t *w = arg;
	/*
	 * memalign() and callers of sbrk() may leave the break between two multiples of ALIGN. An
	 * uneven step grows the block that ends there; an even one begins another, a little later.
	 */
	intptr_t step = (w[0] + COST - 1) & -COST;
	uintptr_t skip = step > 0 && step % ALIGN == 0 ? -(heap_break + HEADER) % ALIGN : 0;

	if (step > 0 ? (uintptr_t)step + skip > co_machine.heap_end - heap_break
		     : (uintptr_t)-step > heap_break - co_machine.heap_base) {
		errno = ENOMEM;
		return -1;
	}
	heap_break += skip + (uintptr_t)step;
	return (intptr_t)(heap_break - (uintptr_t)step);
}

void *sbrk(ptrdiff_t bytes)
{
	return (void *)io_call(serve_sbrk, bytes, 0, 0, 0);
}

void *io_heap_carve(size_t bytes)
{
	size_t room = co_machine.heap_end - co_machine.heap_base;

	bytes = (bytes + CO_LINE - 1) & ~(size_t)(CO_LINE - 1);
	if (bytes > room || room - bytes < ALIGN)
		return NULL;
	heap_break = co_machine.heap_base + bytes + ALIGN - HEADER;
	return (void *)co_machine.heap_base;
}

/* The size to ask picolibc for; what is too large anyway stays as it is. */
static size_t padded(size_t bytes)
{
	return bytes > PTRDIFF_MAX ? bytes : ((bytes + COST + ALIGN - 1) & -(size_t)ALIGN) - COST;
}

static intptr_t serve_malloc(void *arg)
{
	const intptr_t *w = arg;

	return (intptr_t)__real_malloc(padded((size_t)w[0]));
}

void *__wrap_malloc(size_t bytes)
{
	return (void *)io_call(serve_malloc, (intptr_t)bytes, 0, 0, 0);
}

static intptr_t serve_calloc(void *arg)
{
	const intptr_t *w = arg;
	size_t bytes;

	if (__builtin_mul_overflow((size_t)w[0], (size_t)w[1], &bytes))
		bytes = SIZE_MAX;
	return (intptr_t)__real_calloc(1, padded(bytes));
}

void *__wrap_calloc(size_t n, size_t bytes)
{
	return (void *)io_call(serve_calloc, (intptr_t)n, (intptr_t)bytes, 0, 0);
}

static intptr_t serve_realloc(void *arg)
{
	const intptr_t *w = arg;

	return (intptr_t)__real_realloc((void *)w[0], w[1] ? padded((size_t)w[1]) : 0);
}

void *__wrap_realloc(void *p, size_t bytes)
{
	return (void *)io_call(serve_realloc, (intptr_t)p, (intptr_t)bytes, 0, 0);
}

static intptr_t serve_memalign(void *arg)
{
	const intptr_t *w = arg;

	return (intptr_t)__real_memalign((size_t)w[0], padded((size_t)w[1]));
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
