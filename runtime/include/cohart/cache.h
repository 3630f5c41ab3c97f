/*
 * cache.h - main memory through a cache in the scratchpad, kept by software: for accesses that no
 * tile can foresee.
 *
 * Example
 *	struct co_cache *cache;
 *	int r = co_cache_open(&cache, &(struct co_cache_shape){ 128, 64, 2 });
 *
 *	if (r)
 *		return r;
 *	struct co_cache_view v = co_cache_view(cache);
 *
 *	for (unsigned i = 0; i < n; i++) {
 *		int32_t x = co_cache_load(v, int32_t, &table[key[i]]);
 *
 *		co_cache_store(v, int32_t, &table[key[i]], x + 1);
 *	}
 *	co_cache_done(v);
 *	r = co_cache_close(cache);           // all stores are in main memory now
 *
 * Example: a loop each of whose members has a cache while it does its share
 *	static const struct co_loop_cache cached = CO_LOOP_CACHE(128, 64, 2);
 *	static struct co_parallel loop = { .body = count, .cache = &cached, ... };
 *	...
 *	struct co_cache_view v = co_cache_view(part->cache); // in count(); of tiles: block->cache
 *
 * A cache belongs to its hart, and to one coroutine at a time. Writes by other harts after a line
 * was fetched are seen after co_cache_forget(); stores through the cache are in memory after
 * co_cache_flush(), at the latest. Whole lines are written back: while a line has stores that are
 * not written back, no other hart may write to its memory.
 *
 * The ways of a set are kept in the order of their use. A hit in the most recent way costs
 * 8 instructions (row cache_load_hit) beside the access; a hit in an older way costs a call.
 *
 * Context: coroutine, on the hart that has opened it (asserted), for every function.
 * Source: seed B3.
 */
#ifndef COHART_CACHE_H
#define COHART_CACHE_H

#include <string.h>

#include <cohart/detail/base.h>
#include <cohart/detail/wait.h>

CO_BEGIN_C
#define CO_CACHE_LINE_MIN 32
#define CO_CACHE_LINE_MAX 4096
#define CO_CACHE_WAYS_MAX 16

/* The size of a cache; `line` and `sets` are powers of two. */
struct co_cache_shape {
	size_t line;   /* bytes, CO_CACHE_LINE_MIN to CO_CACHE_LINE_MAX */
	unsigned sets; /* at least 1 */
	unsigned ways; /* lines of a set: 1 to CO_CACHE_WAYS_MAX */
};

struct co_cache_counts {
	uint64_t accesses;     /* with CO_CACHE_COUNT, of views that have ended; hits and misses */
	uint64_t misses;       /* a line was fetched */
	uint64_t searches;     /* hits in a way that was not the most recent of its set */
	uint64_t first_writes; /* the first store into a line since it was fetched or flushed */
	uint64_t written_back; /* lines */
};

struct co_cache; /* in the scratchpad */

/* An entry for a cached line; the first way of a set has the line that was used last. */
struct co_cache_entry {
	uintptr_t line;    /* the line's address in main memory; in an empty entry, no line's */
	uintptr_t written; /* equal to `line` if the line has been stored to; else no line's */
	unsigned char *data;
	uintptr_t unused;
};

/*
 * A cache's view: a local variable that nothing points to, so that the compiler keeps it in
 * registers. Valid until the cache is closed.
 */
struct co_cache_view {
	unsigned char *entries;
	uintptr_t mask;
	unsigned shift;
	size_t line;
	struct co_cache *cache;
	size_t accesses;
};

/*
 * Make a cache; all lines are empty.
 * @return 0; -EINVAL: the shape is not valid; -ENOMEM: this hart's heap has no room for
 *         co_cache_bytes(). *cache is untouched on error.
 */
CO_MUST_CHECK int co_cache_open(struct co_cache **cache, const struct co_cache_shape *shape);

/* @return bytes of the heap that a cache takes; 0: the shape is not valid. Context: any. */
size_t co_cache_bytes(const struct co_cache_shape *shape);

/* @return a view for loads and stores; a cache may have several views at a time. */
struct co_cache_view co_cache_view(struct co_cache *cache);

/*
 * Write back all lines that were stored to. Lines stay in the cache.
 * @return 0; else the first error of a transfer since the cache was opened: -EIO, -EFAULT,
 *         -EHOSTDOWN, as co_dma_check(). The contents of that transfer's line are undefined.
 * Cost: a look at each line, and a transfer for each line that was stored to.
 */
CO_MUST_CHECK int co_cache_flush(struct co_cache *cache);

/* Flush, and forget all lines: later reads fetch lines anew. @return as co_cache_flush() */
CO_MUST_CHECK int co_cache_forget(struct co_cache *cache);

/* Flush, and free the cache, also where the flush fails. @return as co_cache_flush() */
CO_MUST_CHECK int co_cache_close(struct co_cache *cache);

/*
 * A loop's caches (parallel.h, tile.h): each member opens a cache before its share, and closes it
 * after its share, which writes back its stores. Where a hart has no room, or an engine fails, the
 * loop ends with that error. The description is static, or in other shared memory.
 */
struct co_loop_cache {
	struct co_cache_shape shape;
	/* Pointers, so that programs whose loops have no caches do not link their code. */
	size_t (*bytes)(const struct co_cache_shape *shape, unsigned hart);
	int (*open)(struct co_cache **cache, const struct co_cache_shape *shape);
	int (*close)(struct co_cache *cache);
};

#define CO_LOOP_CACHE(line, sets, ways)                                                \
	{                                                                              \
		{ line, sets, ways }, co_cache_bytes_for_loop, co_cache_open_for_loop, \
			co_cache_close                                                 \
	}

/*
 * Functions for CO_LOOP_CACHE(). co_cache_open_for_loop(): as co_cache_open(), but in the part of
 * the window that boot has set apart (--spm=cache:16K), if the cache fits into it and it is free.
 * co_cache_bytes_for_loop(): bytes of the hart's heap that the cache takes; 0 if it fits into that
 * part. Context: coroutine, which closes the cache itself.
 */
CO_MUST_CHECK int co_cache_open_for_loop(struct co_cache **cache,
					 const struct co_cache_shape *shape);
size_t co_cache_bytes_for_loop(const struct co_cache_shape *shape, unsigned hart);

/* Copy the counts since the cache was opened to *counts. */
void co_cache_counts(const struct co_cache *cache, struct co_cache_counts *counts);

/*
 * Copy from memory, or into it, through the cache; co_cache_flush() reports an engine's failure.
 * @param from   (`to` of a write) memory that a transfer may use (asserted): cohart/dma.h
 * @param bytes  any number, aligned or not
 * Cost: a search in each line's set; a transfer for each line that is not in the cache, and a
 * second one where it takes the place of a line that was stored to.
 */
void co_cache_read(struct co_cache *cache, void *to, const void *from, size_t bytes);
void co_cache_write(struct co_cache *cache, void *to, const void *from, size_t bytes);

/* End a view: add the accesses that it has counted to the cache's. */
void co_cache_made(struct co_cache *cache, size_t accesses);
#define co_cache_done(view) co_cache_made((view).cache, (view).accesses)

/* #define CO_CACHE_COUNT 1 before this header counts accesses, at one more instruction each. */
#ifndef CO_CACHE_COUNT
#define CO_CACHE_COUNT 0
#endif

/* Bytes of an access, at most; for more: co_cache_read() and co_cache_write(). */
#define CO_CACHE_ACCESS_MAX 16

/* The first entry of p's set: the set's line that was used last. */
static inline const struct co_cache_entry *co_cache_entry_of(struct co_cache_view *v, uintptr_t p)
{
	v->accesses += CO_CACHE_COUNT;
	return (const struct co_cache_entry *)(v->entries + (p >> v->shift & v->mask));
}

/* The place, in the scratchpad, of the byte at offset `in` of e's line. */
static inline void *co_cache_place(const struct co_cache_entry *e, uintptr_t in, size_t size)
{
	unsigned char *at = e->data + in;

	/* The compiler then moves it by one access where accesses have to be aligned. */
	switch (size & -size) {
	case 2:
		return __builtin_assume_aligned(at, 2);
	case 4:
		return __builtin_assume_aligned(at, 4);
	case 8:
		return __builtin_assume_aligned(at, 8);
	default:
		return at;
	}
}

/* Values go to a called function by way of `far`, so that `to` and `from` may be registers. */
static inline void co_cache_get(struct co_cache_view *v, uintptr_t p, void *to, size_t size)
{
	unsigned char far[CO_CACHE_ACCESS_MAX];
	const struct co_cache_entry *e = co_cache_entry_of(v, p);
	uintptr_t in = p - e->line;

	if (__builtin_expect(in <= v->line - size, 1)) {
		memcpy(to, co_cache_place(e, in, size), size);
	} else {
		co_cache_read(v->cache, far, (const void *)p, size);
		memcpy(to, far, size);
	}
}

static inline void co_cache_put(struct co_cache_view *v, uintptr_t p, const void *from, size_t size)
{
	unsigned char far[CO_CACHE_ACCESS_MAX];
	const struct co_cache_entry *e = co_cache_entry_of(v, p);
	uintptr_t in = p - e->written;

	if (__builtin_expect(in <= v->line - size, 1)) {
		memcpy(co_cache_place(e, in, size), from, size);
	} else {
		memcpy(far, from, size);
		co_cache_write(v->cache, (void *)p, far, size);
	}
}

#define CO_CACHE_FITS(type) CO_STATIC_ASSERT(sizeof(type) <= CO_CACHE_ACCESS_MAX, "too large")

/*
 * co_cache_load(view, type, p): the value at p, in main memory. An access that crosses a line is
 * done in parts; a misaligned access within a line is a misaligned load of the scratchpad.
 * @param view  a variable
 * @param type  of CO_CACHE_ACCESS_MAX bytes at most (asserted when it is compiled)
 * Cost: a hit's, if the line is its set's last used; else co_cache_read().
 */
#define co_cache_load(view, type, p)                                             \
	__extension__({                                                          \
		CO_CACHE_FITS(type);                                             \
		type co_value_;                                                  \
		co_cache_get(&(view), (uintptr_t)(p), &co_value_, sizeof(type)); \
		co_value_;                                                       \
	})

/*
 * co_cache_store(view, type, p, value): store the value at p, in main memory. Parts and parameters
 * as for co_cache_load(). Cost: as a load, if the line is its set's last used and has been stored
 * to since it was fetched or flushed; else co_cache_write().
 */
#define co_cache_store(view, type, p, value)                                      \
	do {                                                                      \
		CO_CACHE_FITS(type);                                              \
		const type co_stored_ = (value);                                  \
		co_cache_put(&(view), (uintptr_t)(p), &co_stored_, sizeof(type)); \
	} while (0)
CO_END_C
#endif
