/*
 * memory.c - libc's heap: main memory that boot and the console left over, handed out on hart 0 for
 * all harts. Small blocks are kept by the hart that frees them, and need no request then.
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
#include <string.h>
#include <unistd.h>

#include "../../core/slab.h"
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
	if (step > 0 ? (uintptr_t)step + skip > co_machine.heap_end - heap_break ||
			       !co_slabs_above(heap_break + skip + (uintptr_t)step)
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

/*
 * Small blocks that were freed on this hart and not given back: to ask hart 0 for one costs 3,000
 * instructions, to take one from here 30. A block's place is by how many units of IO_ALIGN it has,
 * so one that was cut for memalign() is known by its size as well.
 */
#define KEPT_UNITS 17 /* of blocks of less */
#define KEPT_BYTES ((KEPT_UNITS - 1) * IO_ALIGN - IO_HEAP_COST)
#define KEPT_MOST 8 /* of each size */

struct kept {
	struct kept *next;
};

static _Thread_local struct {
	struct kept *first[KEPT_UNITS];
	uint8_t count[KEPT_UNITS];
} kept;

static inline size_t units(size_t usable)
{
	return (usable + IO_HEAP_COST) / IO_ALIGN;
}

static inline struct kept *pop(size_t n)
{
	struct kept *b = kept.first[n];

	if (b) {
		kept.first[n] = b->next;
		kept.count[n]--;
	}
	return b;
}

/* A block for so many bytes, or NULL. */
static struct kept *take_kept(size_t bytes)
{
	return bytes <= KEPT_BYTES ? pop(units(io_padded(bytes))) : NULL;
}

static bool keep(void *p)
{
	size_t n = units(IO_HEAP_USABLE(p));
	struct kept *b = p;

	if (n >= KEPT_UNITS || kept.count[n] == KEPT_MOST)
		return false;
	b->next = kept.first[n];
	kept.first[n] = b;
	kept.count[n]++;
	return true;
}

static intptr_t serve_free(intptr_t *w)
{
	int err = errno;

	IO_REAL(free, (void *)w[0]);
	errno = err; /* freeing leaves it alone */
	return 0;
}

/* Give all that this hart keeps back to the heap. Returns false if there was nothing. */
static bool give_back_cached(void)
{
	bool any = false;
	struct kept *b;

	for (size_t n = 0; n < KEPT_UNITS; n++) {
		while ((b = pop(n))) {
			co_io_call(serve_free, (intptr_t)b, 0, 0, 0);
			any = true;
		}
	}
	return any;
}

/* Ask hart 0 for memory; where there is none, once more when this hart keeps none. */
static NOINLINE void *ask_server(co_io_fn *serve, intptr_t a, intptr_t b)
{
	int err = errno;
	void *p = (void *)co_io_call(serve, a, b, 0, 0);

	if (p || !give_back_cached())
		return p;
	errno = err;
	return (void *)co_io_call(serve, a, b, 0, 0);
}

static intptr_t serve_malloc(intptr_t *w)
{
	return (intptr_t)IO_REAL(malloc, io_padded((size_t)w[0]));
}

static inline void *take_cached(size_t bytes)
{
	void *p = take_kept(bytes);

	return p ? p : ask_server(serve_malloc, (intptr_t)bytes, 0);
}

void *IO_WRAP(malloc, size_t bytes)
{
	return take_cached(bytes);
}

static intptr_t serve_calloc(intptr_t *w)
{
	/* Not the library's calloc(): picolibc's is its malloc(), which takes what is kept here. */
	void *p = IO_REAL(malloc, io_padded((size_t)w[0]));

	return (intptr_t)(p ? memset(p, 0, (size_t)w[0]) : NULL);
}

void *IO_WRAP(calloc, size_t n, size_t bytes)
{
	size_t all;
	void *p;

	if (__builtin_mul_overflow(n, bytes, &all))
		all = SIZE_MAX;
	p = take_kept(all);
	return p ? memset(p, 0, all) : ask_server(serve_calloc, (intptr_t)all, 0);
}

static intptr_t serve_realloc(intptr_t *w)
{
	return (intptr_t)IO_REAL(realloc, (void *)w[0], w[1] ? io_padded((size_t)w[1]) : 0);
}

void *IO_WRAP(realloc, void *p, size_t bytes)
{
	if (!p)
		return take_cached(bytes);
	/* Of no bytes it is a free(), which returns NULL too. */
	return bytes ? ask_server(serve_realloc, (intptr_t)p, (intptr_t)bytes)
		     : (void *)co_io_call(serve_realloc, (intptr_t)p, 0, 0, 0);
}

static intptr_t serve_memalign(intptr_t *w)
{
	return (intptr_t)IO_REAL(memalign, (size_t)w[0], io_padded((size_t)w[1]));
}

void *IO_WRAP(memalign, size_t align, size_t bytes)
{
	return ask_server(serve_memalign, (intptr_t)align, (intptr_t)bytes);
}

/* newlib's calls the one before by itself. */
void *__wrap_aligned_alloc(size_t align, size_t bytes)
{
	return memalign(align, bytes);
}

void IO_WRAP(free, void *p)
{
	if (p && !keep(p))
		co_io_call(serve_free, (intptr_t)p, 0, 0, 0);
}

#endif
