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
 *	r = co_cache_close(cache);           // what was stored is in main memory now
 *
 * Example: a loop each of whose members has one, for as long as it does its share
 *	static const struct co_loop_cache cached = CO_LOOP_CACHE(128, 64, 2);
 *	static struct co_parallel loop = { .body = count, .cache = &cached, ... };
 *	...
 *	struct co_cache_view v = co_cache_view(part->cache); // in count(); of tiles: block->cache
 *
 * A cache is its hart's, and one coroutine's at a time. What others write after a line was fetched
 * is seen after co_cache_forget(); what is stored is in memory after co_cache_flush(), at the
 * latest. Whole lines are written back: no other hart writes to lines that are stored to.
 *
 * Ways are kept in the order of their use. The one that was used last answers in 8 instructions
 * beside the access itself; the others in a call.
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

/* Sizes: powers of two, but for the ways. */
struct co_cache_shape {
	size_t line;   /* bytes, CO_CACHE_LINE_MIN to CO_CACHE_LINE_MAX */
	unsigned sets; /* at least 1 */
	unsigned ways; /* lines of a set: 1 to CO_CACHE_WAYS_MAX */
};

struct co_cache_counts {
	uint64_t accesses; /* with CO_CACHE_COUNT, of views that are done; hits: less the misses */
	uint64_t misses;   /* a line was fetched */
	uint64_t searches; /* it was there, but not the one of its set that was used last */
	uint64_t first_writes; /* the first store into a line since it was fetched or flushed */
	uint64_t written_back; /* lines */
};

struct co_cache; /* in the scratchpad */

/* A line that is there, of a set the one that was used last. */
struct co_cache_entry {
	uintptr_t line;    /* where it begins in memory, */
	uintptr_t written; /* the same if it has been stored to; else nowhere */
	unsigned char *data;
	uintptr_t unused;
};

/*
 * What accesses need, for registers: a local variable that is not pointed at. Valid until the cache
 * is closed.
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
 * @return 0; -EINVAL: no such shape; -ENOMEM: this hart's heap has no room for it
 *         (co_cache_bytes() tells how much it takes). *cache is untouched then.
 */
CO_MUST_CHECK int co_cache_open(struct co_cache **cache, const struct co_cache_shape *shape);

/* Bytes of the heap that a cache takes; 0: no such shape. Context: any. */
size_t co_cache_bytes(const struct co_cache_shape *shape);

/* @return what loads and stores need; several views of one cache are as good as one. */
struct co_cache_view co_cache_view(struct co_cache *cache);

/*
 * Write back what was stored. Lines stay where they are.
 * @return 0; -EIO, -EFAULT: an engine has failed at this or at an earlier line, whose contents are
 *         undefined.
 * Cost: a look at each line, and a transfer for each that was stored to.
 */
CO_MUST_CHECK int co_cache_flush(struct co_cache *cache);

/* The same, and forget all lines: what is read next is read anew. @return as co_cache_flush() */
CO_MUST_CHECK int co_cache_forget(struct co_cache *cache);

/* The same, and give the memory back. @return as co_cache_flush(); it is closed in any case. */
CO_MUST_CHECK int co_cache_close(struct co_cache *cache);

/*
 * A launch's cache (parallel.h, tile.h): each member opens one before its share, and closes it
 * after that, which writes back what was stored. Where a hart has no room, or an engine fails, the
 * loop ends with that error. Static, or other shared memory.
 */
struct co_loop_cache {
	struct co_cache_shape shape;
	/* So that other loops link none. */
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
 * What such a launch calls: co_cache_open(), in the part of the window that boot has set apart for
 * that (--spm=cache:16K), if it has room; and the bytes of a hart's heap that a cache takes.
 * Context: coroutine, which closes the cache itself.
 */
CO_MUST_CHECK int co_cache_open_for_loop(struct co_cache **cache,
					 const struct co_cache_shape *shape);
size_t co_cache_bytes_for_loop(const struct co_cache_shape *shape, unsigned hart);

/* What has happened since it was opened goes to *counts. */
void co_cache_counts(const struct co_cache *cache, struct co_cache_counts *counts);

/*
 * Copy from memory, or into it, through the cache; co_cache_flush() tells of an engine that fails.
 * @param from   (`to` of a write) memory that a transfer may use (asserted): cohart/dma.h
 * @param bytes  any number, aligned or not
 * Cost: a search in each line's set; a transfer for each line that is not there, and one more where
 * that takes the place of a line that was stored to.
 */
void co_cache_read(struct co_cache *cache, void *to, const void *from, size_t bytes);
void co_cache_write(struct co_cache *cache, void *to, const void *from, size_t bytes);

/* A view ends: add the accesses that it has counted. */
void co_cache_made(struct co_cache *cache, size_t accesses);
#define co_cache_done(view) co_cache_made((view).cache, (view).accesses)

/* #define CO_CACHE_COUNT 1 before this header counts accesses, at one more instruction each. */
#ifndef CO_CACHE_COUNT
#define CO_CACHE_COUNT 0
#endif

/* What one access may have; larger things: co_cache_read() and co_cache_write(). */
#define CO_CACHE_ACCESS_MAX 16

/* The entry that answers for p if it is the line that was used last of its set. */
static inline const struct co_cache_entry *co_cache_entry_of(struct co_cache_view *v, uintptr_t p)
{
	v->accesses += CO_CACHE_COUNT;
	return (const struct co_cache_entry *)(v->entries + (p >> v->shift & v->mask));
}

/* Where a line that is there has what is `in` bytes from its beginning. */
static inline void *co_cache_place(const struct co_cache_entry *e, uintptr_t in, size_t size)
{
	unsigned char *at = e->data + in;

	/* Known to the compiler, so that it moves it whole where accesses have to be aligned. */
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

/* `to` and `from` may be registers: what is called for the rest has memory of its own. */
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
 * co_cache_load(view, type, p): the value at p, of main memory. An access that crosses a line is
 * done in parts; one that is not aligned and does not is what that is to the hart.
 * @param view  a variable
 * @param type  of CO_CACHE_ACCESS_MAX bytes at most (asserted when it is compiled)
 * Cost: 8 instructions and the load, if the line is the one of its set that was used last; else
 * co_cache_read().
 */
#define co_cache_load(view, type, p)                                             \
	__extension__({                                                          \
		CO_CACHE_FITS(type);                                             \
		type co_value_;                                                  \
		co_cache_get(&(view), (uintptr_t)(p), &co_value_, sizeof(type)); \
		co_value_;                                                       \
	})

/*
 * co_cache_store(view, type, p, value): the same the other way round. Cost: as a load, if the line
 * has been stored to before since it was fetched or flushed; else co_cache_write().
 */
#define co_cache_store(view, type, p, value)                                      \
	do {                                                                      \
		CO_CACHE_FITS(type);                                              \
		const type co_stored_ = (value);                                  \
		co_cache_put(&(view), (uintptr_t)(p), &co_stored_, sizeof(type)); \
	} while (0)
CO_END_C
#endif
