/*
 * tile.h - loops over arrays in main memory whose parts come into scratchpads while others are
 * worked on.
 *
 * Example
 *	static int five_point(void *arg, struct co_block *b)
 *	{
 *		for (long y = 0; y < b->n[0]; y++) {
 *			const float *up = co_tile_layer(b, 0, y - 1);
 *			const float *row = co_tile_layer(b, 0, y);
 *			const float *down = co_tile_layer(b, 0, y + 1);
 *			float *out = co_tile_layer(b, 1, y);
 *
 *			for (long x = 0; x < b->n[1]; x++)
 *				out[x] = (row[x - 1] + row[x + 1] + up[x] + down[x]) * 0.25f;
 *		}
 *		return 0;
 *	}
 *
 *	static struct co_tiles loop = {
 *		.body = five_point, .dims = 2, .range = { { 0, HEIGHT }, { 0, WIDTH } },
 *		.arrays = 2,
 *		.array = { { .at = old, .size = sizeof(float), .extent = { HEIGHT, WIDTH },
 *			     .before = { 1, 1 }, .after = { 1, 1 },
 *			     .edge = { CO_EDGE_CLAMP, CO_EDGE_PERIODIC } },
 *			   { .at = new, .size = sizeof(float), .extent = { HEIGHT, WIDTH },
 *			     .access = CO_TILE_OUT } },
 *	};
 *	int r = co_tiles_run(&loop);
 *
 * A block is a box of indices; its tile of an array is the array's elements at these indices, with
 * the halo that was asked for. The next block is brought in, and the last one written back, while
 * the body works; a schedule that hands blocks out does so a block early. Where blocks of a hart
 * follow one another along the first dimension, layers that both need are brought in once.
 *
 * Context: coroutine, for every function. Source: seeds B4, B7, E9.
 */
#ifndef COHART_TILE_H
#define COHART_TILE_H

#include <cohart/detail/base.h>
#include <cohart/parallel.h>

CO_BEGIN_C
#define CO_TILE_DIMS 3
#define CO_TILE_ARRAYS 16

enum co_tile_access {
	CO_TILE_IN,     /* read */
	CO_TILE_OUT,    /* written: every element, for nothing is brought in; no halo */
	CO_TILE_UPDATE, /* both; no halo, for neighbours would be read before or after */
};

/* Contents of a halo beyond the array's ends. */
enum co_tile_edge {
	CO_EDGE_NONE,     /* nothing: the body does not look there */
	CO_EDGE_CLAMP,    /* the outermost element again */
	CO_EDGE_ZERO,     /* bytes that are zero */
	CO_EDGE_PERIODIC, /* elements from the opposite end */
};

/* An array, outermost dimension first. Zero-filled is a good start. */
struct co_tiled {
	void *at;                  /* its first element; shared memory */
	size_t size;               /* bytes of an element */
	long extent[CO_TILE_DIMS]; /* elements; 1: one for all indices of the loop (read only) */
	size_t stride[CO_TILE_DIMS - 1]; /* bytes from index to index, but in the last; 0: dense */
	enum co_tile_access access;
	enum co_tile_edge edge[CO_TILE_DIMS];
	unsigned short before[CO_TILE_DIMS], after[CO_TILE_DIMS]; /* elements of halo */
	long shift[CO_TILE_DIMS]; /* index in the array where the loop's is 0 */
	/*
	 * Not 0: bytes that its tile takes at most, halo included, in each of its buffers: as a
	 * plan has it (cohart/spm_plan.h). Extents of the tile that are left open are chosen so.
	 */
	size_t buffer;
};

/* An array's tile: co_tile_layer() and co_tile_row() know it. */
struct co_tile {
	unsigned char **layer; /* first own element of a layer, by number: from -before on */
	size_t row;            /* bytes from row to row */
};

/* The block that a call of the body works on. */
struct co_block {
	long from[CO_TILE_DIMS], to[CO_TILE_DIMS]; /* the loop's indices: from on, below to */
	long n[CO_TILE_DIMS];                      /* to - from */
	const struct co_tile *tile;                /* by the array's number */
	void *scratch;                             /* scratch_bytes of this member's own */
	void *partial;                             /* of the reduction, as in struct co_part */
	struct co_cache *cache;                    /* of the launch, as there */
	unsigned member, members;
};

/*
 * A layer is the elements of one index of the first dimension, 0 being the block's first: a row
 * where there are two dimensions, all of it where there is one. @return its first own element,
 * aligned to 16 bytes; the halo lies around it.
 */
static inline void *co_tile_layer(const struct co_block *b, unsigned array, long layer)
{
	return b->tile[array].layer[layer];
}

/* Of three dimensions, a row of a layer. */
static inline void *co_tile_row(const struct co_block *b, unsigned array, long layer, long row)
{
	const struct co_tile *t = &b->tile[array];

	return t->layer[layer] + row * (long)t->row;
}

/* @return 0; anything else ends the loop, as soon as the blocks under way are done. */
typedef int co_tile_fn(void *arg, struct co_block *b);

/* A loop. Shared memory (asserted). Zero-filled is a good start; not written while under way. */
struct co_tiles {
	const char *name; /* a literal: the locality plug-in has a section for it; NULL: "tiles" */
	co_tile_fn *body;
	void *arg;
	size_t arg_bytes; /* not 0: each member has a copy of that many, in its scratchpad */
	unsigned dims;    /* 1..CO_TILE_DIMS */
	struct co_range range[CO_TILE_DIMS]; /* steps are 1 */
	/*
	 * Indices of a block. 0: as many as there is room for, and few enough for every hart. That
	 * takes whole heaps: loops side by side want a `tile` each. (Streams do not take tiles.)
	 */
	long tile[CO_TILE_DIMS];
	struct co_tiled array[CO_TILE_ARRAYS];
	unsigned arrays;
	size_t scratch_bytes;
	bool single; /* one buffer each: less room, and nothing happens side by side */
	/*
	 * As in struct co_parallel. CO_STATIC shares layers out, in runs as long as can be; other
	 * schedules share blocks out, `block` at a time. CO_OWNER is not for tiles.
	 */
	enum co_schedule schedule;
	unsigned block;
	struct co_scope scope;
	struct co_reduction reduction;
	const struct co_loop_cache *cache; /* beside the tiles, which get the rest of the heap */

	/* After the loop: the first error, and where the block began whose body returned it. */
	int error;
	long error_at[CO_TILE_DIMS];
	long most[CO_TILE_DIMS]; /* after -ENOMEM: a tile that would fit */

	struct co_parallel loop; /* from here on the runtime's */
	struct co_tile_plan *plan;
};

/*
 * Start a loop and go on.
 * @return 0: it is under way, and must be waited for; -EINVAL: *t makes no sense, or cannot be
 *         right in any order: an array that is not as large as the range, a halo of an array that
 *         is written, arrays that overlap and of which one is written (but for one that is read and
 *         written element by element); -EFAULT: an array is not memory to hand out (cohart/dma.h);
 *         -ENOMEM: a scratchpad's heap has no room for the tiles, t->most says how large they may
 *         be (0: not even one element); also: this hart's own heap has none for the loop's
 *         description, some KiB, t->most is as t->tile then; -ENOBUFS, -EHOSTDOWN as
 *         co_parallel_start(). Nothing has begun then.
 */
CO_MUST_CHECK int co_tiles_start(struct co_tiles *t);

/*
 * Wait for its end, on the hart that has started it.
 * @return 0: every index is done and written back; the first error of a body, or of an engine
 *         (-EIO, -EFAULT), t->error_at says where; -ENOMEM: a hart's heap was less free than it
 *         looked, t->most says how large a tile would fit; else as co_parallel_wait().
 */
CO_MUST_CHECK int co_tiles_wait(struct co_tiles *t);
CO_MUST_CHECK int co_tiles_wait_until(struct co_tiles *t, uint64_t deadline);

/*
 * Start a loop and wait for its end. A caller that is cancelled cancels the loop. @return as
 * co_tiles_start(), co_tiles_wait(); the loop has ended.
 */
CO_MUST_CHECK int co_tiles_run(struct co_tiles *t);

/* Ask it to end: as co_parallel_cancel(). Finished blocks are written back. */
void co_tiles_cancel(struct co_tiles *t);

/*
 * The largest tile for that many bytes of a scratchpad: of the extents in t->tile (0: of the
 * range), the first is cut down as far as is needed, then the second, then the last.
 * @return bytes that a member needs for it; 0: not even one element fits, or the loop makes no
 *         sense; most[] is untouched then.
 */
size_t co_tiles_fit(const struct co_tiles *t, size_t bytes, long most[CO_TILE_DIMS]);
CO_END_C
#endif
