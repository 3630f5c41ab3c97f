/*
 * tiles.c - a pass by tiles: each compute hart brings what a tile is made of into its scratchpad,
 * the next one's while it works on this one's, and sends the result away while it goes on.
 *
 * An array that is read has two buffers, one that is written too, and one that is both has three:
 * while one tile is worked on the next comes in and the last goes out.
 */
#include <errno.h>
#include <string.h>

#include "stencil.h"

#define BUFFERS 3
#define PLANES_MAX 10  /* of a tile, halo included: each is a transfer */
#define BEHIND 2       /* tiles that a result may be on its way */
#define TILES_A_HART 4 /* as many at least, if that can be: harts have as much to do */

/* What a tile needs of an array. */
struct share {
	bool used, read, written;
	uint8_t before[AXES], after[AXES]; /* the halo */
	unsigned buffers;
	size_t stride, plane; /* elements from row to row, and from plane to plane */
	double *buffer[BUFFERS];
	struct co_dma *in, *out; /* BUFFERS x PLANES_MAX of them */
};

struct plan {
	struct pass pass;
	struct space space;
	bool scalar;
	long from[AXES], to[AXES];
	long tile[AXES], tiles[AXES];
	struct share share[ARRAYS];
};

static struct plan shared;
static struct co_parallel loop;

/* ---- What is needed ---- */

static void find_shares(struct plan *p)
{
	memset(p->share, 0, sizeof(p->share));
	for (unsigned i = 0; i < p->pass.n_in; i++) {
		const struct neighbour *n = &p->pass.in[i];
		struct share *s = &p->share[n->array];

		s->used = s->read = true;
		if (n->dz < 0)
			s->before[Z] = 1;
		if (n->dz > 0)
			s->after[Z] = 1;
		if (n->dy < 0)
			s->before[Y] = 1;
		if (n->dy > 0)
			s->after[Y] = 1;
		s->before[X] = p->pass.left;
		s->after[X] = p->pass.right;
	}
	p->share[p->pass.out].used = p->share[p->pass.out].written = true;
	if (p->share[p->pass.out].read) /* its own element alone */
		p->share[p->pass.out].before[X] = p->share[p->pass.out].after[X] = 0;
	for (unsigned a = 0; a < ARRAYS; a++)
		p->share[a].buffers = p->share[a].read && p->share[a].written ? 3 : 2;
}

static size_t extent(const struct plan *p, const struct share *s, unsigned d)
{
	return (size_t)p->tile[d] + s->before[d] + s->after[d];
}

/* Bytes of scratchpad that tiles of that size take. */
static size_t need(const struct plan *p)
{
	size_t bytes = 0;

	for (unsigned a = 0; a < ARRAYS; a++) {
		const struct share *s = &p->share[a];

		if (s->used)
			bytes += s->buffers * sizeof(double) * extent(p, s, Z) * extent(p, s, Y) *
					 extent(p, s, X) +
				 (size_t)(s->read + s->written) * BUFFERS * PLANES_MAX *
					 sizeof(struct co_dma) +
				 (BUFFERS + 2) * 64;
	}
	return bytes;
}

static long tiles_of(struct plan *p)
{
	long all = 1;

	for (unsigned d = 0; d < AXES; d++) {
		p->tiles[d] = (p->to[d] - p->from[d] + p->tile[d] - 1) / p->tile[d];
		all *= p->tiles[d];
	}
	return all;
}

/* Twice as long there, if it fits and leaves every hart some. */
static bool grow(struct plan *p, unsigned d, long most, size_t room, long harts)
{
	long was = p->tile[d];

	if (was >= p->to[d] - p->from[d])
		return false;
	p->tile[d] = 2 * was < most ? 2 * was : most;
	if (p->tile[d] > was && need(p) <= room && tiles_of(p) >= harts * TILES_A_HART)
		return true;
	p->tile[d] = was;
	return false;
}

/* Long rows first: a transfer is rows. Then lines and planes in turn. Returns their number. */
static long cut(struct plan *p, size_t room, long harts)
{
	for (unsigned d = 0; d < AXES; d++)
		p->tile[d] = 1;
	p->tile[X] = p->to[X] - p->from[X] < 16 ? p->to[X] - p->from[X] : 16;
	if (need(p) > room)
		return -ENOMEM;
	while (grow(p, X, 128, room, harts))
		;
	while (grow(p, Y, 64, room, harts) | grow(p, Z, PLANES_MAX - 2, room, harts))
		;
	return tiles_of(p);
}

/* ---- A hart's part ---- */

static int take_buffers(struct share *s, const struct plan *p)
{
	s->stride = extent(p, s, X);
	s->plane = s->stride * extent(p, s, Y);
	for (unsigned b = 0; b < s->buffers; b++) {
		s->buffer[b] = co_spm_alloc(s->plane * extent(p, s, Z) * sizeof(double), 64);
		if (!s->buffer[b])
			return -ENOMEM;
	}
	for (int i = 0; i < 2; i++) {
		size_t bytes = BUFFERS * PLANES_MAX * sizeof(struct co_dma);
		struct co_dma *d;

		if (!(i ? s->written : s->read))
			continue;
		d = co_spm_alloc(bytes, 16);
		if (!d)
			return -ENOMEM;
		memset(d, 0, bytes);
		*(i ? &s->out : &s->in) = d;
	}
	return 0;
}

/* After an error some may still be on their way. */
static void settle(struct co_dma *d)
{
	for (unsigned i = 0; d && i < BUFFERS * PLANES_MAX; i++) {
		if (d[i].bytes && co_dma_wait(&d[i]))
			continue; /* the first error is known */
	}
}

static void give_back(struct plan *p)
{
	for (unsigned a = 0; a < ARRAYS; a++) {
		settle(p->share[a].in);
		settle(p->share[a].out);
		for (unsigned b = 0; b < BUFFERS; b++)
			co_spm_free(p->share[a].buffer[b]);
		co_spm_free(p->share[a].in);
		co_spm_free(p->share[a].out);
	}
}

/* Where tile number t begins and ends. */
static void box_of(const struct plan *p, long t, long from[AXES], long to[AXES])
{
	for (unsigned d = AXES; d-- > 0;) {
		from[d] = p->from[d] + t % p->tiles[d] * p->tile[d];
		to[d] = from[d] + p->tile[d] < p->to[d] ? from[d] + p->tile[d] : p->to[d];
		t /= p->tiles[d];
	}
}

/* Begin to move the planes of a tile of an array, in or out. */
static int move(const struct plan *p, struct share *s, unsigned a, long t, bool out)
{
	struct co_dma *d = (out ? s->out : s->in) + t % s->buffers * PLANES_MAX;
	double *spm = s->buffer[t % s->buffers];
	long from[AXES], to[AXES];
	int r = 0;

	box_of(p, t, from, to);
	for (long z = from[Z] - s->before[Z]; z < to[Z] + s->after[Z] && r == 0; z++) {
		double *main = p->space.array[a] +
			       at(&p->space, z, from[Y] - s->before[Y], from[X] - s->before[X]);
		size_t wide = p->space.n[X] * sizeof(double), tight = s->stride * sizeof(double);

		*d = (struct co_dma){
			.to = out ? main : spm,
			.from = out ? spm : main,
			.bytes = (size_t)(to[X] - from[X] + s->before[X] + s->after[X]) *
				 sizeof(double),
			.rows = (size_t)(to[Y] - from[Y] + s->before[Y] + s->after[Y]),
			.to_stride = out ? wide : tight,
			.from_stride = out ? tight : wide,
		};
		r = co_dma_start(d++);
		spm += s->plane;
	}
	return r;
}

/* Wait for what move() has begun. */
static int await(const struct plan *p, struct share *s, long t, bool out)
{
	struct co_dma *d = (out ? s->out : s->in) + t % s->buffers * PLANES_MAX;
	long from[AXES], to[AXES];
	int r = 0;

	box_of(p, t, from, to);
	for (long n = to[Z] - from[Z] + s->before[Z] + s->after[Z]; n > 0 && r == 0; n--)
		r = co_dma_wait(d++);
	return r;
}

static int fetch(struct plan *p, long t)
{
	int r = 0;

	for (unsigned a = 0; a < ARRAYS && r == 0; a++) {
		if (p->share[a].read)
			r = move(p, &p->share[a], a, t, false);
	}
	return r;
}

static int fetched(struct plan *p, long t)
{
	int r = 0;

	for (unsigned a = 0; a < ARRAYS && r == 0; a++) {
		if (p->share[a].read)
			r = await(p, &p->share[a], t, false);
	}
	return r;
}

static void compute(struct plan *p, long t)
{
	struct share *o = &p->share[p->pass.out];
	const double *in[ROWS_MAX];
	long from[AXES], to[AXES];

	box_of(p, t, from, to);
	for (long z = 0; z < to[Z] - from[Z]; z++) {
		for (long y = 0; y < to[Y] - from[Y]; y++) {
			for (unsigned i = 0; i < p->pass.n_in; i++) {
				const struct neighbour *n = &p->pass.in[i];
				const struct share *s = &p->share[n->array];

				in[i] = s->buffer[t % s->buffers] + s->before[X] +
					(size_t)(z + n->dz + s->before[Z]) * s->plane +
					(size_t)(y + n->dy + s->before[Y]) * s->stride;
			}
			p->pass.row[p->scalar](o->buffer[t % o->buffers] + (size_t)z * o->plane +
						       (size_t)y * o->stride,
					       in, (size_t)(to[X] - from[X]), p->pass.k);
		}
	}
}

/* Tiles first..last - 1. */
static int do_tiles(struct plan *p, long first, long last)
{
	struct share *o = &p->share[p->pass.out];
	int r = fetch(p, first);

	for (long t = first; t < last && r == 0; t++) {
		/* The buffer that is filled or written next is that of a tile that has gone out. */
		if (t - BEHIND >= first)
			r = await(p, o, t - BEHIND, true);
		if (r == 0 && t + 1 < last)
			r = fetch(p, t + 1);
		if (r == 0)
			r = fetched(p, t);
		if (r)
			break;
		compute(p, t);
		r = move(p, o, p->pass.out, t, true);
	}
	for (long t = last - BEHIND < first ? first : last - BEHIND; t < last && r == 0; t++)
		r = await(p, o, t, true);
	return r;
}

static int body(void *arg, struct co_part *part)
{
	struct plan mine = shared; /* read but once from main memory */
	int r = 0;

	(void)arg;
	for (unsigned a = 0; a < ARRAYS && r == 0; a++) {
		if (mine.share[a].used)
			r = take_buffers(&mine.share[a], &mine);
	}
	if (r == 0)
		r = do_tiles(&mine, part->from[0], part->to[0]);
	give_back(&mine);
	return r;
}

int pass_tiled(const struct pass *p, const struct space *s, const struct setup *how)
{
	unsigned hart = co_group(0)->compute;
	struct co_spm_use use;
	long tiles;

	co_spm_use(hart, &use);
	shared.pass = *p;
	shared.space = *s;
	shared.scalar = how->scalar;
	pass_range(p, s, shared.from, shared.to);
	find_shares(&shared);
	tiles = cut(&shared, use.heap_bytes - use.used - use.heap_bytes / 8, how->harts);
	if (tiles < 0)
		return (int)tiles;
	loop = (struct co_parallel){ .name = "stencil, tiled",
				     .body = body,
				     .dims = 1,
				     .range = { { 0, tiles, 1 } },
				     .schedule = how->schedule,
				     .block = how->block };
	return co_parallel_for(&loop);
}
