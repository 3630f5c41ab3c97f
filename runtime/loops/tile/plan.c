/* plan.c - checks a loop over tiles, chooses the size of tiles, lays out the arena. */
#include <cohart/cache.h>

#include "../../core/core.h"
#include "../../dma/dma.h"
#include "../parallel.h"
#include "tile.h"

#define ALIGN 16u
#define BLOCKS_A_MEMBER 4 /* at least, where the program leaves the size of tiles open */

static size_t up(size_t n)
{
	return co_round_up(n, ALIGN);
}

/* ---- Checks ---- */

/* Fill in one dimension of an array, given as the loop's d. Returns false if it is invalid. */
static bool set_dimension(struct co_tile_shape *s, const struct co_tiles *t,
			  const struct co_tiled *a, unsigned d)
{
	unsigned in = co_tile_dim(t->dims, d);
	long lower, upper;

	if (a->extent[d] < 1 || (unsigned)a->edge[d] > CO_EDGE_PERIODIC ||
	    __builtin_add_overflow(t->range[d].lower, a->shift[d], &lower) ||
	    __builtin_add_overflow(t->range[d].upper, a->shift[d], &upper))
		return false;
	s->extent[in] = a->extent[d];
	s->shift[in] = a->shift[d];
	s->before[in] = a->before[d];
	s->after[in] = a->after[d];
	s->edge[in] = (uint8_t)a->edge[d];
	s->fixed[in] = a->extent[d] == 1 && t->range[d].upper - t->range[d].lower > 1;
	if ((a->before[d] | a->after[d]) &&
	    (s->fixed[in] || s->access != CO_TILE_IN || a->before[d] > a->extent[d] ||
	     a->after[d] > a->extent[d]))
		return false;
	if (s->fixed[in])
		return s->access == CO_TILE_IN && a->shift[d] == 0;
	return lower >= 0 && upper <= a->extent[d];
}

/* Bytes from the first to the end of the last element; set_array() has checked for overflow. */
static size_t span(const struct co_tile_shape *s)
{
	size_t n = (size_t)s->extent[FAST] * s->size;

	for (int d = MID; d >= SLOW; d--)
		n += ((size_t)s->extent[d] - 1) * s->stride[d];
	return n;
}

static bool set_array(struct co_tile_shape *s, const struct co_tiles *t, const struct co_tiled *a)
{
	size_t dense = a->size;

	*s = (struct co_tile_shape){
		.at = (uintptr_t)a->at,
		.size = a->size,
		.access = (uint8_t)a->access,
		.extent = { 1, 1, 1 },
	};
	if (!a->at || !a->size || (unsigned)a->access > CO_TILE_UPDATE)
		return false;
	for (unsigned d = t->dims; d-- > 0;) {
		unsigned in = co_tile_dim(t->dims, d);

		if (!set_dimension(s, t, a, d))
			return false;
		if (in != FAST) {
			s->stride[in] = a->stride[d] ? a->stride[d] : dense;
			if (s->stride[in] < dense)
				return false;
			dense = s->stride[in];
		}
		if (__builtin_mul_overflow(dense, (size_t)a->extent[d], &dense))
			return false;
	}
	return true;
}

static bool same_elements(const struct co_tile_shape *a, const struct co_tile_shape *b)
{
	return a->at == b->at && a->size == b->size &&
	       memcmp(a->stride, b->stride, sizeof(a->stride)) == 0 &&
	       memcmp(a->shift, b->shift, sizeof(a->shift)) == 0 &&
	       memcmp(a->fixed, b->fixed, sizeof(a->fixed)) == 0;
}

static bool has_halo(const struct co_tile_shape *s)
{
	unsigned any = 0;

	for (unsigned d = SLOW; d <= FAST; d++)
		any |= s->before[d] | s->after[d];
	return any != 0;
}

static struct co_row_set rows_of(const struct co_tile_shape *s)
{
	return (struct co_row_set){
		.at = s->at,
		.bytes = s->size * (size_t)s->extent[FAST],
		.count = { (size_t)s->extent[SLOW], (size_t)s->extent[MID] },
		.stride = { s->stride[SLOW], s->stride[MID] },
	};
}

/* Do two arrays overlap? With different strides, gaps count as part of an array. */
static bool shapes_overlap(const struct co_tile_shape *a, const struct co_tile_shape *b)
{
	struct co_row_set rows_a = rows_of(a), rows_b = rows_of(b);

	if (a->at + span(a) <= b->at || b->at + span(b) <= a->at)
		return false;
	return memcmp(a->stride, b->stride, sizeof(a->stride)) != 0 ||
	       co_rows_meet(&rows_a, &rows_b);
}

/* Might the body of one block read or write elements that the body of another block writes? */
static bool conflict(const struct co_tile_shape *a, const struct co_tile_shape *b)
{
	bool a_written = a->access != CO_TILE_IN, b_written = b->access != CO_TILE_IN;

	if ((!a_written && !b_written) || !shapes_overlap(a, b))
		return false;
	return (a_written && b_written) || !same_elements(a, b) || has_halo(a) || has_halo(b);
}

/* Returns 0, -EINVAL, or -EFAULT if members may not use the memory. */
static int set_arrays(struct co_tile_plan *p, const struct co_tiles *t)
{
	int r = 0;

	for (unsigned i = 0; i < t->arrays; i++) {
		struct co_tile_shape *s = &p->shape[i];

		if (!set_array(s, t, &t->array[i]))
			return -EINVAL;
		for (unsigned k = 0; k < i; k++) {
			if (conflict(&p->shape[k], s))
				return -EINVAL;
		}
		if (!co_dma_usable(s->at, span(s), s->access != CO_TILE_IN))
			r = -EFAULT;
	}
	return r;
}

size_t co_tile_plan_bytes(const struct co_tiles *t)
{
	if (!t->body || t->dims < 1 || t->dims > CO_TILE_DIMS || t->arrays > CO_TILE_ARRAYS ||
	    (unsigned)t->schedule > CO_GUIDED || t->arg_bytes > BOARD_SPM_BYTES)
		return 0;
	for (unsigned d = 0; d < t->dims; d++) {
		const struct co_range *r = &t->range[d];
		long n;

		if (r->step < 0 || r->step > 1 || t->tile[d] < 0 ||
		    __builtin_sub_overflow(r->upper, r->lower, &n))
			return 0;
	}
	return up(sizeof(struct co_tile_plan) + t->arrays * sizeof(struct co_tile_shape)) +
	       up(t->arg_bytes);
}

/* ---- Sizes ---- */

/* Indices of a tile in one dimension of an array. */
static size_t own(const struct co_tile_plan *p, const struct co_tile_shape *s, unsigned d)
{
	return s->fixed[d] ? 1 : (size_t)p->tile[d];
}

static size_t with_halo(const struct co_tile_plan *p, const struct co_tile_shape *s, unsigned d)
{
	return own(p, s, d) + s->before[d] + s->after[d];
}

/* The most runs of a tile with its halo, where the array is periodic. */
static size_t pieces(const struct co_tile_shape *s, unsigned d)
{
	if (s->edge[d] != CO_EDGE_PERIODIC)
		return 1;
	return 1u + (s->before[d] != 0) + (s->after[d] != 0);
}

static size_t transfers_in(const struct co_tile_plan *p, const struct co_tile_shape *s)
{
	size_t layers = with_halo(p, s, SLOW);

	/* Runs of layers: the inside, in two parts at the ring's end, and the halo. */
	if (s->flat)
		layers = co_least(layers, 2u + s->before[SLOW] + s->after[SLOW]);
	return s->access == CO_TILE_OUT ? 0 : layers * pieces(s, MID) * pieces(s, FAST);
}

/* a + b * c, at most SIZE_MAX / 2, which is more than any scratchpad. */
static size_t plus(size_t a, size_t b, size_t c)
{
	size_t n;

	if (__builtin_mul_overflow(b, c, &n) || __builtin_add_overflow(a, n, &n) ||
	    n > SIZE_MAX / 2)
		return SIZE_MAX / 2;
	return n;
}

/*
 * Lay out the arena for tiles of p->tile. Returns its size; more than any room if a tile is larger
 * than its array's buffer may be.
 */
static size_t lay_out(struct co_tile_plan *p, const struct co_tiles *t)
{
	static const unsigned char times[] = { 2, 2, 3 }; /* layers of as many blocks, by access */
	size_t at = up(co_tile_member_bytes()) + up(p->bytes);
	size_t in = 0, out = 0, layers;
	bool fits = true;

	p->at_scratch = at;
	at = up(plus(at, 1, t->scratch_bytes));
	p->at_tiles = at;
	at = plus(at, p->arrays, up(sizeof(struct co_tile)));
	for (unsigned i = 0; i < p->arrays; i++) {
		struct co_tile_shape *s = &p->shape[i];

		s->flat = with_halo(p, s, MID) == 1;
		s->lead = up(s->before[FAST] * s->size);
		s->row = up(plus(s->lead, own(p, s, FAST) + s->after[FAST], s->size));
		s->layer = plus(0, with_halo(p, s, MID), s->row);
		s->slots = with_halo(p, s, SLOW) * (p->single ? 1 : times[s->access]);
		fits &= !t->array[i].buffer ||
			plus(0, with_halo(p, s, SLOW), s->layer) <= t->array[i].buffer;
		s->buffer = at;
		at = plus(at, s->slots, s->layer);
		s->table = at;
		layers = s->fixed[SLOW] ? (size_t)p->tile[SLOW] : with_halo(p, s, SLOW);
		at = plus(at, 1, up(plus(0, layers, sizeof(void *))));
		in = plus(in, 1, transfers_in(p, s));
		if (s->access != CO_TILE_IN)
			out = plus(out, 1, s->flat ? 1 : (size_t)p->tile[SLOW]);
	}
	p->max_out = (unsigned)out;
	p->at_in = at = co_round_up(at, CO_LINE);
	at = plus(at, in, sizeof(struct co_dma));
	p->at_out = at;
	p->arena = plus(at, 2 * out, sizeof(struct co_dma));
	return fits ? p->arena : SIZE_MAX / 2;
}

/* Make dimension d as large as fits beside the tile's other dimensions, at least 1. */
static void cut_down(struct co_tile_plan *p, const struct co_tiles *t, unsigned d, size_t room)
{
	long low = 1, high = p->tile[d];

	while (low < high) {
		long mid = low + (high - low + 1) / 2;

		p->tile[d] = mid;
		if (lay_out(p, t) <= room)
			low = mid;
		else
			high = mid - 1;
	}
	p->tile[d] = low;
}

/* Cut the dimensions in `which` down until a tile fits. Returns false if it does not even then. */
static bool fit_tile(struct co_tile_plan *p, const struct co_tiles *t, unsigned which, size_t room)
{
	for (unsigned d = SLOW; d <= FAST && lay_out(p, t) > room; d++) {
		if (which & 1u << d)
			cut_down(p, t, d, room);
	}
	return lay_out(p, t) <= room;
}

/* Returns false if there are too many to be counted. */
static bool count_tiles(struct co_tile_plan *p)
{
	size_t columns;

	for (unsigned d = SLOW; d <= FAST; d++)
		p->count[d] = p->n[d] ? (size_t)((p->n[d] - 1) / p->tile[d] + 1) : 0;
	if (__builtin_mul_overflow(p->count[MID], p->count[FAST], &columns) ||
	    __builtin_mul_overflow(columns, (size_t)p->n[SLOW], &p->layers) ||
	    p->layers > SIZE_MAX / 2)
		return false;
	p->tiles = columns * p->count[SLOW];
	return true;
}

/* In the open dimensions, make tiles so small that all members get some. */
static void share_out(struct co_tile_plan *p, unsigned which, unsigned members)
{
	size_t wanted = (size_t)members * BLOCKS_A_MEMBER;

	for (unsigned d = MID; d <= FAST; d++) {
		while (which & 1u << d && p->tile[d] > 1 && count_tiles(p) && p->layers < wanted)
			p->tile[d] = (p->tile[d] + 1) / 2;
	}
	if (which & 1u << SLOW && count_tiles(p))
		p->tile[SLOW] = (long)co_least((size_t)p->tile[SLOW], p->layers / wanted ?: 1);
}

/* Copy the loop's sizes; open ones start at their largest. Returns the open dimensions. */
static unsigned copy_loop(struct co_tile_plan *p, const struct co_tiles *t)
{
	unsigned left = 0;

	p->bytes = co_tile_plan_bytes(t);
	p->body = t->body;
	p->arg = t->arg;
	p->at_arg = t->arg_bytes ? p->bytes - up(t->arg_bytes) : 0;
	p->dims = t->dims;
	p->arrays = t->arrays;
	p->schedule = t->schedule;
	p->single = t->single;
	p->room = 0;
	p->block = t->block ? t->block : 1;
	for (unsigned d = SLOW; d <= FAST; d++) {
		p->lower[d] = 0;
		p->n[d] = p->tile[d] = 1;
	}
	for (unsigned d = 0; d < t->dims; d++) {
		unsigned in = co_tile_dim(t->dims, d);
		long n = t->range[d].upper - t->range[d].lower;

		p->lower[in] = t->range[d].lower;
		p->n[in] = n > 0 ? n : 0;
		p->tile[in] = t->tile[d] && t->tile[d] < n ? t->tile[d] : n > 1 ? n : 1;
		left |= t->tile[d] ? 0 : 1u << in;
	}
	return left;
}

int co_tile_plan_make(struct co_tile_plan *p, const struct co_tiles *t, unsigned members,
		      size_t room)
{
	unsigned left = copy_loop(p, t);
	int r = set_arrays(p, t);
	size_t pieces;

	if (r)
		return r;
	if (p->at_arg)
		memcpy((unsigned char *)p + p->at_arg, t->arg, t->arg_bytes);
	share_out(p, left, members);
	if (!fit_tile(p, t, left, room))
		return -ENOMEM;
	if (!count_tiles(p))
		return -EINVAL;
	pieces = p->schedule == CO_STATIC ? p->layers : p->tiles;
	p->members = pieces < members ? (unsigned)pieces : members;
	return 0;
}

size_t co_tiles_fit(const struct co_tiles *t, size_t bytes, long most[CO_TILE_DIMS])
{
	size_t need = co_tile_plan_bytes(t);
	struct co_tile_plan *p = need ? co_spm_alloc(need, ALIGN) : NULL;
	size_t arena = 0;

	if (!p)
		return 0;
	(void)copy_loop(p, t);
	if (set_arrays(p, t) != -EINVAL && fit_tile(p, t, 7, bytes)) {
		arena = p->arena;
		for (unsigned d = 0; d < t->dims; d++)
			most[d] = p->tile[co_tile_dim(t->dims, d)];
	}
	co_spm_free(p);
	return arena;
}

size_t co_tile_room(const struct co_parallel *p)
{
	size_t room = SIZE_MAX;

	for (unsigned at = 0, n; at < p->over.n; at++) {
		unsigned hart = co_loop_harts(p, at, 1, &n);
		size_t beside = 2 * CO_LINE, free_bytes;
		struct co_spm_use use;

		co_spm_use(hart, &use);
		free_bytes = use.heap_bytes - use.used;
		/* Less for the heap's headers and alignment; the cache is opened first. */
		if (p->cache)
			beside += p->cache->bytes(&p->cache->shape, hart) + 2 * CO_LINE;
		room = co_least(room, free_bytes > beside ? free_bytes - beside : 0);
	}
	return room;
}
