/*
 * memory.c - libc's heap: main memory that boot and the console left over, handed out on hart 0 for
 * all harts.
 *
 * The libraries align their blocks to less than IO_ALIGN, which the ABIs want. A block is a header
 * and what was asked for, one block after the other: so if the heap starts at the right place
 * (IO_HEAP_OFFSET) and all sizes are IO_HEAP_COST less than a multiple of IO_ALIGN, all blocks are
 * aligned. The library's folder says what its blocks look like, and how it spells its allocator's
 * functions (library.h).
 */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#include "libc_heap.h"

void *IO_SBRK(ptrdiff_t bytes);

/* What sbrk() has not given away yet starts here; hart 0's. */
static uintptr_t heap_break;

static intptr_t serve_sbrk(intptr_t *w)
{
	const uintptr_t start = co_io_heap_base + IO_ALIGN - IO_HEAP_OFFSET;
	intptr_t step = IO_HEAP_STEP(w[0]);
	uintptr_t skip;

	heap_break = heap_break ?: start;
	/*
	 * memalign() and callers of sbrk() may leave the break between two multiples of IO_ALIGN.
	 * An uneven step grows the block that ends there; an even one begins another, a little
	 * later.
	 */
	skip = IO_HEAP_SKIPS && step > 0 && step % IO_ALIGN == 0
		       ? -(heap_break + IO_HEAP_OFFSET) % IO_ALIGN
		       : 0;
	if (step > 0 ? (uintptr_t)step + skip > co_machine.heap_end - heap_break
		     : (uintptr_t)-step > heap_break - start) {
		errno = ENOMEM;
		return -1;
	}
	heap_break += skip + (uintptr_t)step;
	return (intptr_t)(heap_break - (uintptr_t)step);
}

void *IO_SBRK(ptrdiff_t bytes)
{
	return (void *)co_io_call(serve_sbrk, bytes, 0, 0, 0);
}

#ifndef CO_DEBUG

static intptr_t serve_malloc(intptr_t *w)
{
	return (intptr_t)IO_REAL(malloc, io_padded((size_t)w[0]));
}

void *IO_WRAP(malloc, size_t bytes)
{
	return (void *)co_io_call(serve_malloc, (intptr_t)bytes, 0, 0, 0);
}

static intptr_t serve_calloc(intptr_t *w)
{
	size_t bytes;

	if (__builtin_mul_overflow((size_t)w[0], (size_t)w[1], &bytes))
		bytes = SIZE_MAX;
	return (intptr_t)IO_REAL(calloc, 1, io_padded(bytes));
}

void *IO_WRAP(calloc, size_t n, size_t bytes)
{
	return (void *)co_io_call(serve_calloc, (intptr_t)n, (intptr_t)bytes, 0, 0);
}

static intptr_t serve_realloc(intptr_t *w)
{
	return (intptr_t)IO_REAL(realloc, (void *)w[0], w[1] ? io_padded((size_t)w[1]) : 0);
}

void *IO_WRAP(realloc, void *p, size_t bytes)
{
	return (void *)co_io_call(serve_realloc, (intptr_t)p, (intptr_t)bytes, 0, 0);
}

static intptr_t serve_memalign(intptr_t *w)
{
	return (intptr_t)IO_REAL(memalign, (size_t)w[0], io_padded((size_t)w[1]));
}

void *IO_WRAP(memalign, size_t align, size_t bytes)
{
	return (void *)co_io_call(serve_memalign, (intptr_t)align, (intptr_t)bytes, 0, 0);
}

/* newlib's calls the one before by itself. */
void *__wrap_aligned_alloc(size_t align, size_t bytes)
{
	return memalign(align, bytes);
}

static intptr_t serve_free(intptr_t *w)
{
	int err = errno;

	IO_REAL(free, (void *)w[0]);
	errno = err; /* freeing leaves it alone */
	return 0;
}

void IO_WRAP(free, void *p)
{
	if (p)
		co_io_call(serve_free, (intptr_t)p, 0, 0, 0);
}

#endif
