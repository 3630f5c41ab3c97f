/*
 * tile_member.c - a loop over tiles: what a member does with its blocks.
 *
 * A member has an arena in its scratchpad: for each array a ring of layers, and descriptors of
 * transfers. At block n: wait for its transfers; bring block n + 1 in; body; write block n back. So
 * what is brought in never waits for what is being written: block n's results lie where those of
 * block n - 2 lay (n - 3, if they are brought in too).
 */
#include <errno.h>
#include <string.h>

#include <cohart/mark.h>

#include "../core/core.h"
#include "parallel.h"
#include "tile_move.h"

/* ---- Which blocks ---- */

/* A run of units that a member has taken: layers of columns, numbered column by column. */
struct share {
	size_t at, end;
	size_t taken; /* how often */
	struct co_guided guided;
};

struct member {
	struct tile_plan *p; /* a copy */
	struct co_tiles *t;
	struct tile_member_note *note;
	struct share share;
	struct co_dma first; /* brings in the plan */
	size_t unit[2];      /* where the two blocks begin, */
	size_t written[2];   /* and those whose results are being written */
	void *arg;
	struct co_block block;
	struct tile_flow flow; /* last: its rings are many, and few are used */
};

size_t tile_member_bytes(void)
{
	return sizeof(struct member);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The unit where tile k begins. */
static size_t unit_of(const struct tile_plan *p, size_t k)
{
	size_t slow = p->count[SLOW];

	return k / slow * (size_t)p->n[SLOW] + k % slow * (size_t)p->tile[SLOW];
}

/* A run of layers each, all as long as can be: there are no more members than layers. */
static bool take_static(const struct tile_plan *p, struct share *s, unsigned member)
{
	size_t each = p->layers / p->members;
	size_t extra = p->layers % p->members;

	s->at = member * each + least(member, extra);
	s->end = s->at + each + (member < extra);
	return s->taken++ == 0;
}

static bool take_tiles(struct member *m)
{
	const struct tile_plan *p = m->p;
	struct share *s = &m->share;
	size_t from = p->tiles, n = p->block;
	size_t k;

	/* relaxed: a number, and nothing comes with it. */
	k = p->schedule == CO_CYCLIC ? m->block.member + s->taken++ * p->members
				     : co_atomic_add(&m->t->next, 1, CO_RELAXED);
	if (p->schedule == CO_GUIDED) {
		from = co_guided_block(&s->guided, p->tiles, p->members, p->block, k);
		n = s->guided.size;
	} else if (k <= p->tiles / n) {
		from = k * n;
	}
	if (from >= p->tiles)
		return false;
	s->at = unit_of(p, from);
	s->end = p->tiles - from <= n ? p->layers : unit_of(p, from + n);
	return true;
}

/* The next block of this member goes to box[which]. Returns false if there is none. */
static bool next_block(struct member *m, unsigned which)
{
	const struct tile_plan *p = m->p;
	struct tile_box *b = &m->flow.box[which];
	struct share *s = &m->share;
	size_t column, layer, n;

	/* relaxed: it only ends sooner. */
	if (co_atomic_load(&m->t->stop, CO_RELAXED))
		return false;
	if (s->at == s->end &&
	    !(p->schedule == CO_STATIC ? take_static(p, s, m->block.member) : take_tiles(m)))
		return false;
	m->unit[which] = s->at;
	column = s->at / (size_t)p->n[SLOW];
	layer = s->at % (size_t)p->n[SLOW];
	n = least(least((size_t)p->tile[SLOW], s->end - s->at), (size_t)p->n[SLOW] - layer);
	s->at += n;
	b->from[SLOW] = p->lower[SLOW] + (long)layer;
	b->to[SLOW] = b->from[SLOW] + (long)n;
	for (unsigned d = MID; d <= FAST; d++) {
		size_t k = d == MID ? column / p->count[FAST] : column % p->count[FAST];
		long begin = (long)k * p->tile[d];

		b->from[d] = p->lower[d] + begin;
		b->to[d] =
			p->lower[d] + (p->n[d] - begin < p->tile[d] ? p->n[d] : begin + p->tile[d]);
	}
	return true;
}

/* ---- What a member does ---- */

/* A block was not done: the first such error is the loop's. Returns false. */
static bool fail(struct member *m, size_t unit, int error)
{
	struct co_tiles *t = m->t;

	/* relaxed: members only stop sooner; the waiter comes after their end. */
	if (!(co_atomic_or(&t->stop, TILE_FAILED, CO_RELAXED) & TILE_FAILED)) {
		t->error = error;
		tile_unit_at(m->p, unit, t->error_at);
	}
	return false;
}

/* Take the next block, and begin to bring it in. Returns false if there is none. */
static bool bring(struct member *m, unsigned which, bool after)
{
	if (!next_block(m, which))
		return false;
	tile_bring(&m->flow, which, after);
	return true;
}

/* Wait until what was written of block n - 2 is where it belongs. */
static bool written(struct member *m, unsigned which)
{
	int r = tile_wait(&m->flow.out[which]);

	return r ? fail(m, m->written[which], r) : true;
}

static bool arrived(struct member *m, unsigned which)
{
	int r = tile_wait(&m->flow.in);

	if (r)
		return fail(m, m->unit[which], r);
	return written(m, which) && !co_atomic_load(&m->t->stop, CO_RELAXED);
}

static bool work(struct member *m, unsigned which)
{
	struct co_block *b = &m->block;
	const struct tile_box *box = &m->flow.box[which];
	const struct tile_plan *p = m->p;
	int r;

	for (unsigned d = 0; d < p->dims; d++) {
		unsigned in = tile_dim(p->dims, d);

		b->from[d] = box->from[in];
		b->to[d] = box->to[in];
		b->n[d] = box->to[in] - box->from[in];
	}
	tile_edges(&m->flow, which);
	tile_show(&m->flow, which);
	m->note->unit = m->written[which] = m->unit[which];
	r = p->body(m->arg, b);
	if (r)
		return fail(m, m->unit[which], r);
	tile_put(&m->flow, which);
	return true;
}

static void work_through(struct member *m)
{
	bool single = m->p->single;
	unsigned which = 0;
	bool there = bring(m, which, false);

	while (there) {
		bool next = false;

		there = arrived(m, which);
		if (there && !single)
			next = bring(m, !which, true);
		there = there && work(m, which);
		if (there && single)
			next = written(m, which) && bring(m, !which, true);
		there = there && next;
		which = !which;
	}
	(void)tile_wait(&m->flow.in); /* of a block that is not to be done any more */
	(void)written(m, which);
	(void)written(m, !which);
}

static int fetch(struct member *m, void *to, const void *from, size_t bytes)
{
	struct co_dma *d = &m->first;

	*d = (struct co_dma){ .to = to, .from = from, .bytes = bytes };
	co_dma_begin(d);
	co_counter_wait_shielded(&d->own);
	co_mark_dma_wait(&d->own);
	return co_dma_check(d);
}

/* The member's things, at the beginning of its arena. */
static int prepare(struct member *m, unsigned char *arena, struct co_tiles *t)
{
	const struct tile_plan *theirs = t->plan;
	size_t at_plan = (sizeof(*m) + 15) & ~(size_t)15;
	struct co_tile *tile;
	int r;

	m->p = (struct tile_plan *)(arena + at_plan);
	r = fetch(m, m->p, theirs, theirs->bytes);
	if (r)
		return r;
	m->arg = m->p->arg;
	if (m->p->at_arg)
		m->arg = (unsigned char *)m->p + m->p->at_arg;
	m->flow.p = m->p;
	m->flow.arena = arena;
	m->flow.in.d = (struct co_dma *)(arena + m->p->at_in);
	m->flow.out[0].d = (struct co_dma *)(arena + m->p->at_out);
	m->flow.out[1].d = m->flow.out[0].d + m->p->max_out;
	tile = (struct co_tile *)(arena + m->p->at_tiles);
	for (unsigned i = 0; i < m->p->arrays; i++) {
		const struct tile_shape *s = &m->p->shape[i];

		tile[i].layer = (unsigned char **)(arena + s->table) + s->before[SLOW];
		tile[i].row = s->row;
		memset(&m->flow.ring[i], 0, sizeof(m->flow.ring[i]));
	}
	m->block.tile = tile;
	m->block.scratch = arena + m->p->at_scratch;
	return 0;
}

/* Nothing was done, not even the plan is here. */
static int give_up(struct co_tiles *t, int error)
{
	if (!(co_atomic_or(&t->stop, TILE_FAILED, CO_RELAXED) & TILE_FAILED)) {
		t->error = error;
		tile_unit_at(t->plan, 0, t->error_at);
	}
	return -ENOTRECOVERABLE;
}

static int as_member(struct co_tiles *t, unsigned number, void *partial)
{
	struct tile_member_note *note = &t->plan->note[number];
	unsigned char *arena = co_spm_alloc(t->plan->arena, CO_LINE);
	struct member *m = (struct member *)arena;
	const char *name;
	int r;

	if (!arena) {
		note->largest = co_spm_largest();
		return give_up(t, -ENOMEM);
	}
	name = t->loop.name;
	co_mark_begin(name);
	memset(m, 0, offsetof(struct member, flow.ring));
	m->t = t;
	m->note = note;
	m->block.member = number;
	m->block.partial = partial;
	r = prepare(m, arena, t);
	m->block.members = m->p->members;
	if (r)
		(void)give_up(t, r);
	else
		work_through(m);
	co_spm_free(arena);
	co_mark_end(name, 0);
	/* relaxed: its own is what it looks for. */
	return co_atomic_load(&t->stop, CO_RELAXED) & TILE_FAILED ? -ENOTRECOVERABLE : 0;
}

/* One member, but more where harts were lost after they had been counted. */
int tile_member(void *arg, struct co_part *part)
{
	long m = part->from[0];
	int r;

	do {
		r = as_member(arg, (unsigned)m, part->partial);
	} while (++m < part->to[0] && r == 0);
	return r;
}
