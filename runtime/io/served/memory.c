/*
 * memory.c - libc's heap: main memory that boot and the console left over, handed out on hart 0 for
 * all harts. Small blocks that are freed are kept for the next, and need no request then.
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

#include <hal/time.h>

#include "../../core/memory/slab.h"
#include "../../core/sched/waiting.h"
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
	return (void *)co_io_call(serve_sbrk, bytes, 0, 0);
}

#ifndef CO_DEBUG

/*
 * Small blocks that were freed on this hart and not given back: to ask hart 0 for one costs 3,000
 * instructions, to take one from here 30. A block's place is by how many units of IO_ALIGN it has,
 * so one that was cut for memalign() is known by its size as well.
 *
 * A hart that has too many of a size puts a row of them where every hart that has none takes one;
 * what is too much there goes back to the heap in one request.
 */
#define KEPT_UNITS 17 /* of blocks of less */
#define KEPT_BYTES ((KEPT_UNITS - 1) * IO_ALIGN - IO_HEAP_COST)
#define KEPT_ROW 8 /* of each size, at most */
#define SHARED_UNITS (256u * 1024 / IO_ALIGN)

struct kept {
	struct kept *next;
};

static _Thread_local struct {
	struct kept *first[KEPT_UNITS];
	uint8_t count[KEPT_UNITS];
} kept;

/* Lists of whole rows. */
static struct {
	struct co_a32 taken; /* by a hart, for a few instructions: the others do without */
	unsigned units;      /* of all blocks */
	struct kept *first[KEPT_UNITS];
} shared;

static inline bool take_shared(void)
{
	/* acquire: what the hart before has done there; pairs with give_shared(). */
	return !co_atomic_swap(&shared.taken, 1, CO_ACQUIRE);
}

static inline void give_shared(void)
{
	/* release: pairs with take_shared(). */
	co_atomic_store(&shared.taken, 0, CO_RELEASE);
}

static struct kept *row_end(struct kept *b)
{
	for (unsigned i = 1; i < KEPT_ROW; i++)
		b = b->next;
	return b;
}

/* A row of all harts'. NULL: there is none, or others were there until the deadline (0: now). */
static struct kept *take_row(size_t n, uint64_t deadline)
{
	struct kept *row, *end;
	unsigned spins = 0;

	while (!take_shared()) {
		if (!deadline || hal_time_now() > deadline)
			return NULL;
		co_spin(&spins);
	}
	row = shared.first[n];
	if (row) {
		end = row_end(row);
		shared.first[n] = end->next;
		shared.units -= KEPT_ROW * (unsigned)n;
		end->next = NULL;
	}
	give_shared();
	return row;
}

/* False: there is no room for it. */
static bool share_row(struct kept *row, size_t n)
{
	unsigned more = KEPT_ROW * (unsigned)n;
	bool fits;

	if (!take_shared())
		return false;
	fits = shared.units + more <= SHARED_UNITS;
	if (fits) {
		row_end(row)->next = shared.first[n];
		shared.first[n] = row;
		shared.units += more;
	}
	give_shared();
	return fits;
}

static intptr_t serve_free(intptr_t *w)
{
	int err = errno;

	for (struct kept *b = (struct kept *)w[0], *next; b; b = next) {
		next = b->next;
		IO_REAL(free, b);
	}
	errno = err; /* freeing leaves it alone */
	return 0;
}

/* Give a list back to the heap. Returns false if nothing is in it. */
static bool give_back(struct kept *list)
{
	if (list)
		co_io_call(serve_free, (intptr_t)list, 0, 0);
	return list;
}

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

/* A block for so many bytes that this hart keeps, or NULL. */
static inline struct kept *take_kept(size_t bytes)
{
	return bytes <= KEPT_BYTES ? pop(units(io_padded(bytes))) : NULL;
}

/* Or of a row of all harts'. This hart keeps none, and will keep the rest of it. */
static struct kept *fetch_kept(size_t bytes)
{
	size_t n = units(io_padded(bytes));
	struct kept *row = bytes <= KEPT_BYTES ? take_row(n, 0) : NULL;

	if (row) {
		kept.first[n] = row->next;
		kept.count[n] = KEPT_ROW - 1;
	}
	return row;
}

/* Not kept, or too many are. */
static NOINLINE void free_slowly(struct kept *b, size_t n)
{
	struct kept *row;

	b->next = NULL;
	if (n >= KEPT_UNITS) {
		give_back(b);
		return;
	}
	/* First, since others of this hart may come here while hart 0 is asked. */
	row = kept.first[n];
	kept.first[n] = b;
	kept.count[n] = 1;
	if (!share_row(row, n))
		give_back(row);
}

static inline void keep(struct kept *b)
{
	size_t n = units(IO_HEAP_USABLE(b));

	if (n >= KEPT_UNITS || kept.count[n] == KEPT_ROW) {
		free_slowly(b, n);
		return;
	}
	b->next = kept.first[n];
	kept.first[n] = b;
	kept.count[n]++;
}

/* All of that size that this hart keeps. */
static struct kept *take_all_kept(size_t n)
{
	struct kept *list = kept.first[n];

	kept.first[n] = NULL;
	kept.count[n] = 0;
	return list;
}

/* Give all that this hart and all harts keep to the heap. False: there was nothing. */
static bool give_back_cached(void)
{
	uint64_t deadline = co_after_us(CO_LOCKED_US);
	bool any = false;

	for (size_t n = 0; n < KEPT_UNITS; n++) {
		struct kept *row = take_all_kept(n);

		for (any |= give_back(row); (row = take_row(n, deadline)); any = true)
			give_back(row);
	}
	return any;
}

/* Ask hart 0 for memory; where there is none, once more when nothing is kept. */
static NOINLINE void *ask_server(co_io_fn *serve, intptr_t a, intptr_t b)
{
	int err = errno;
	void *p = (void *)co_io_call(serve, a, b, 0);

	if (p || !give_back_cached())
		return p;
	errno = err;
	return (void *)co_io_call(serve, a, b, 0);
}

static intptr_t serve_malloc(intptr_t *w)
{
	return (intptr_t)IO_REAL(malloc, io_padded((size_t)w[0]));
}

/* Kept apart, as is free_slowly(), so that the short way keeps no registers for it. */
static NOINLINE void *malloc_slowly(size_t bytes)
{
	void *p = fetch_kept(bytes);

	return p ? p : ask_server(serve_malloc, (intptr_t)bytes, 0);
}

static inline void *take_cached(size_t bytes)
{
	void *p = take_kept(bytes);

	return p ? p : malloc_slowly(bytes);
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
	p = p ? p : fetch_kept(all);
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
		     : (void *)co_io_call(serve_realloc, (intptr_t)p, 0, 0);
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
	if (p)
		keep(p);
}

#endif
