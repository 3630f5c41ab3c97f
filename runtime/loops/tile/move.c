/* move.c - transfers of tiles between memory and a member's arena. */
#include <cohart/detail/mark.h>

#include "../../comm/channel/channel.h"
#include "../../core/core.h"
#include "../../dma/dma.h"
#include "tile.h"

/* A run of n indices of one dimension: from `at` in the array, from `to` in the tile. */
struct piece {
	long to, at, n;
};

/* ---- Transfers ---- */

int co_tile_wait(struct co_tile_pool *q)
{
	int error = 0;

	if (!q->n)
		return 0;
	/* A cancel must not end it, since the arena will be freed. */
	co_counter_wait_shielded(&q->running);
	co_mark_dma_wait(&q->running);
	for (unsigned i = 0; i < q->n && !error; i++)
		error = co_dma_check(&q->d[i]);
	q->n = 0;
	return error;
}

/* ---- Places ---- */

static unsigned char *slot_at(const struct co_tile_flow *f, const struct co_tile_shape *s,
			      size_t slot)
{
	return f->arena + s->buffer + slot % s->slots * s->layer;
}

/* The first own element of a layer's first own row. */
static unsigned char *first_own(unsigned char *slot, const struct co_tile_shape *s)
{
	return slot + s->before[MID] * s->row + s->lead;
}

/* The layers of a block, halo included: from..to in the loop's indices. */
static void layers_of(const struct co_tile_shape *s, const struct co_tile_box *b, long *from,
		      long *to)
{
	*from = s->fixed[SLOW] ? 0 : b->from[SLOW] - s->before[SLOW];
	*to = s->fixed[SLOW] ? 1 : b->to[SLOW] + s->after[SLOW];
}

/* The array's index of loop index l, which may be in the halo; -1: outside of the array. */
static long array_index(const struct co_tile_shape *s, unsigned d, long l)
{
	long at = l + s->shift[d];
	long n = s->extent[d];

	if (at >= 0 && at < n)
		return at;
	if (s->edge[d] == CO_EDGE_PERIODIC)
		return at < 0 ? at + n : at - n;
	if (s->edge[d] == CO_EDGE_CLAMP)
		return at < 0 ? 0 : n - 1;
	return -1;
}

/* Split a block with its halo, in one dimension, into runs of consecutive array indices. */
static unsigned cut_dimension(const struct co_tile_shape *s, unsigned d,
			      const struct co_tile_box *b, struct piece *piece)
{
	long n = s->extent[d];
	long from = b->from[d] + s->shift[d] - s->before[d];
	long to = b->to[d] + s->shift[d] + s->after[d];
	long in_from = from < 0 ? 0 : from;
	long in_to = to > n ? n : to;
	unsigned pieces = 1;

	if (s->fixed[d]) {
		*piece = (struct piece){ 0, 0, 1 };
		return 1;
	}
	piece[0] = (struct piece){ in_from - from, in_from, in_to - in_from };
	if (s->edge[d] != CO_EDGE_PERIODIC)
		return 1;
	if (from < 0)
		piece[pieces++] = (struct piece){ 0, n + from, -from };
	if (to > n)
		piece[pieces++] = (struct piece){ n - from, 0, to - n };
	return pieces;
}

/* ---- In ---- */

/* The pieces of a layer. */
struct cuts {
	struct piece mid[3], fast[3];
	unsigned mids, fasts;
};

/* n layers of the array from `at` on; more than one only where a layer is a row. */
static void bring_layers(struct co_tile_flow *f, const struct co_tile_shape *s,
			 const struct cuts *c, unsigned char *slot, long at, long n)
{
	const unsigned char *array = (const unsigned char *)s->at + (size_t)at * s->stride[SLOW];
	unsigned char *row = slot + s->lead - s->before[FAST] * s->size;

	for (unsigned i = 0; i < c->mids; i++) {
		const struct piece *m = &c->mid[i];

		for (unsigned k = 0; k < c->fasts; k++) {
			const struct piece *x = &c->fast[k];
			struct co_dma *d = &f->in.d[f->in.n++];

			*d = (struct co_dma){
				.running = &f->in.running,
				.to = row + (size_t)m->to * s->row + (size_t)x->to * s->size,
				.from = array + (size_t)m->at * s->stride[MID] +
					(size_t)x->at * s->size,
				.bytes = (size_t)x->n * s->size,
				.rows = (size_t)(s->flat ? n : m->n),
				.to_stride = s->flat ? s->layer : s->row,
				.from_stride = s->stride[s->flat ? SLOW : MID],
			};
			co_dma_begin(d); /* co_tile_plan_make() has checked it */
		}
	}
}

/* How many layers, from `from` on, one transfer can bring: 1, unless layers are rows. */
static long run_of(const struct co_tile_shape *s, long from, long to)
{
	long at = from + s->shift[SLOW];
	long n = s->extent[SLOW];
	long most = at < 0 ? -at : at < n ? n - at : to - from;

	if (!s->flat || ((at < 0 || at >= n) && s->edge[SLOW] != CO_EDGE_PERIODIC))
		return 1;
	return most < to - from ? most : to - from;
}

/* Layers from..to of a block whose first one is `first`. */
static void bring_run(struct co_tile_flow *f, const struct co_tile_shape *s,
		      const struct co_tile_box *b, size_t slot, long from, long to)
{
	struct cuts c;

	c.mids = cut_dimension(s, MID, b, c.mid);
	c.fasts = cut_dimension(s, FAST, b, c.fast);
	while (from < to) {
		long room = (long)(s->slots - slot % s->slots); /* up to the ring's end */
		long at = array_index(s, SLOW, from);
		long n = run_of(s, from, to);

		n = (long)co_least((size_t)n, (size_t)room);
		if (at >= 0)
			bring_layers(f, s, &c, slot_at(f, s, slot), at, n);
		from += n;
		slot += (size_t)n;
	}
}

void co_tile_bring(struct co_tile_flow *f, unsigned which, bool after)
{
	const struct co_tile_box *b = &f->box[which];
	const struct co_tile_box *last = &f->box[!which];
	/* The next block of b's column, which differs along SLOW only. */
	bool goes_on = after && b->from[SLOW] == last->to[SLOW] &&
		       b->from[MID] == last->from[MID] && b->from[FAST] == last->from[FAST];

	for (unsigned i = 0; i < f->p->arrays; i++) {
		const struct co_tile_shape *s = &f->p->shape[i];
		struct co_tile_ring *ring = &f->ring[i];
		long from, to, last_from = 0, last_to = 0;

		layers_of(s, b, &from, &to);
		if (after)
			layers_of(s, last, &last_from, &last_to);
		ring->fresh[which] = goes_on ? last_to : from;
		if (s->access != CO_TILE_IN) /* without halo: a full tile's place for each block */
			ring->first[which] = ring->first[!which] + (after ? f->p->tile[SLOW] : 0);
		else if (goes_on)
			ring->first[which] = ring->first[!which] + (size_t)(from - last_from);
		else
			ring->first[which] = ring->first[!which] + (size_t)(last_to - last_from);
		ring->first[which] %= s->slots;
		if (s->access != CO_TILE_OUT)
			bring_run(f, s, b, ring->first[which] + (size_t)(ring->fresh[which] - from),
				  ring->fresh[which], to);
	}
}

/* ---- The array's border ---- */

/* Fill n elements with the element at `from`, or with zeros if `from` is NULL. */
static void repeat(unsigned char *to, const unsigned char *from, size_t size, long n)
{
	CO_ASSERT_OWN(to);
	if (!from) {
		memset(to, 0, (size_t)n * size);
		return;
	}
	for (; n > 0; n--, to += size)
		co_chan_copy(to, from, size);
}

/* How many indices of the tile before and after the array are to be filled. */
static void outside(const struct co_tile_shape *s, unsigned d, const struct co_tile_box *b,
		    long *before, long *after)
{
	bool filled = !s->fixed[d] && (s->edge[d] == CO_EDGE_CLAMP || s->edge[d] == CO_EDGE_ZERO);

	*before = s->before[d] - (b->from[d] + s->shift[d]);
	*after = b->to[d] + s->shift[d] + s->after[d] - s->extent[d];
	if (!filled || *before < 0)
		*before = 0;
	if (!filled || *after < 0)
		*after = 0;
}

static long width(const struct co_tile_shape *s, unsigned d, const struct co_tile_box *b)
{
	return s->fixed[d] ? 1 : b->to[d] - b->from[d] + s->before[d] + s->after[d];
}

static void edge_of_layer(unsigned char *slot, const struct co_tile_shape *s,
			  const struct co_tile_box *b)
{
	unsigned char *row = slot + s->lead - s->before[FAST] * s->size;
	long rows = width(s, MID, b), wide = width(s, FAST, b);
	long left, right, above, below;
	bool clamp = s->edge[FAST] == CO_EDGE_CLAMP;
	size_t bytes = (size_t)wide * s->size;

	outside(s, FAST, b, &left, &right);
	outside(s, MID, b, &above, &below);
	for (long y = above; y < rows - below; y++) {
		unsigned char *first = row + (size_t)y * s->row + (size_t)left * s->size;
		unsigned char *end = row + (size_t)y * s->row + (size_t)(wide - right) * s->size;

		repeat(first - (size_t)left * s->size, clamp ? first : NULL, s->size, left);
		repeat(end, clamp ? end - s->size : NULL, s->size, right);
	}
	clamp = s->edge[MID] == CO_EDGE_CLAMP;
	for (long y = 0; y < rows; y++) {
		long nearest = y < above ? above : rows - below - 1;

		if (y < above || y >= rows - below)
			repeat(row + (size_t)y * s->row,
			       clamp ? row + (size_t)nearest * s->row : NULL, bytes, 1);
	}
}

/* Does the block, with its halo, leave the array? */
static bool at_border(const struct co_tile_shape *s, const struct co_tile_box *b)
{
	for (unsigned d = SLOW; d <= FAST; d++) {
		if (!s->fixed[d] && (b->from[d] + s->shift[d] < s->before[d] ||
				     b->to[d] + s->shift[d] + s->after[d] > s->extent[d]))
			return true;
	}
	return false;
}

void co_tile_edges(struct co_tile_flow *f, unsigned which)
{
	const struct co_tile_box *b = &f->box[which];

	for (unsigned i = 0; i < f->p->arrays; i++) {
		const struct co_tile_shape *s = &f->p->shape[i];
		const struct co_tile_ring *ring = &f->ring[i];
		long from, to;

		if (s->access != CO_TILE_IN || !at_border(s, b))
			continue;
		layers_of(s, b, &from, &to);
		for (long l = ring->fresh[which]; l < to; l++) {
			unsigned char *slot =
				slot_at(f, s, ring->first[which] + (size_t)(l - from));

			if (array_index(s, SLOW, l) >= 0)
				edge_of_layer(slot, s, b);
			else if (s->edge[SLOW] == CO_EDGE_ZERO)
				memset(slot, 0, s->layer);
		}
	}
}

/* ---- Out ---- */

void co_tile_show(struct co_tile_flow *f, unsigned which)
{
	const struct co_tile_box *b = &f->box[which];

	for (unsigned i = 0; i < f->p->arrays; i++) {
		const struct co_tile_shape *s = &f->p->shape[i];
		unsigned char **layer = (unsigned char **)(f->arena + s->table);
		size_t slot = f->ring[i].first[which];
		size_t n = (size_t)(b->to[SLOW] - b->from[SLOW]) + s->before[SLOW] + s->after[SLOW];

		for (size_t l = 0; l < n; l++)
			layer[l] = first_own(slot_at(f, s, slot + (s->fixed[SLOW] ? 0 : l)), s);
	}
}

void co_tile_put(struct co_tile_flow *f, unsigned which)
{
	const struct co_tile_box *b = &f->box[which];
	long layers = b->to[SLOW] - b->from[SLOW];
	long rows = b->to[MID] - b->from[MID];

	for (unsigned i = 0; i < f->p->arrays; i++) {
		const struct co_tile_shape *s = &f->p->shape[i];
		size_t slot = f->ring[i].first[which];
		unsigned char *array = (unsigned char *)s->at;

		if (s->access == CO_TILE_IN)
			continue;
		array += (size_t)(b->from[SLOW] + s->shift[SLOW]) * s->stride[SLOW] +
			 (size_t)(b->from[MID] + s->shift[MID]) * s->stride[MID] +
			 (size_t)(b->from[FAST] + s->shift[FAST]) * s->size;
		for (long l = 0; l < (s->flat ? 1 : layers); l++) {
			struct co_dma *d = &f->out[which].d[f->out[which].n++];

			*d = (struct co_dma){
				.running = &f->out[which].running,
				.to = array + (size_t)l * s->stride[SLOW],
				.from = first_own(slot_at(f, s, slot + (size_t)l), s),
				.bytes = (size_t)(b->to[FAST] - b->from[FAST]) * s->size,
				.rows = (size_t)(s->flat ? layers : rows),
				.to_stride = s->stride[s->flat ? SLOW : MID],
				.from_stride = s->flat ? s->layer : s->row,
			};
			co_dma_begin(d);
		}
	}
}
