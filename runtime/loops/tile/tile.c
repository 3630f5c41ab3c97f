/*
 * tile.c - loops over tiles: start, wait, and a member's work on its blocks.
 *
 * Underneath is a loop with one part for each member. A member takes its blocks itself, so that it
 * can take one before the last is done. It has an arena in its scratchpad: for each array a ring of
 * layers, and descriptors of transfers. At block n it waits for the block's transfers, begins to
 * bring in block n + 1, calls the body, and begins to write block n back. Bringing in never waits
 * for writing: the results of block n lie where the results of block n - 2 lay (n - 3, if they are
 * brought in, too).
 */
#include <cohart/debug.h>

#include "../../core/core.h"
#include "../../core/timeline.h"
#include "../../dma/dma.h"
#include "../parallel.h"
#include "tile.h"

struct member {
	struct co_tile_plan *p; /* a copy */
	struct co_tiles *t;
	struct co_part *part; /* of the loop underneath; its first index is the current unit */
	size_t at, end;       /* taken units: layers of columns, column by column */
	bool taken;           /* CO_STATIC: it has taken its share */
	struct co_dealt dealt;
	struct co_dma first; /* brings in the plan; here, since a stack may not be shared */
	size_t unit[2];      /* first units of the two blocks */
	size_t written[2];   /* first units of the blocks whose results are being written */
	void *arg;
	struct co_block block;
	struct co_tile_flow flow; /* last, since few of its many rings are used */
};

size_t co_tile_member_bytes(void)
{
	return sizeof(struct member);
}

/* ---- Which blocks ---- */

/* The first unit of tile k. */
static size_t unit_of_tile(const struct co_tile_plan *p, size_t k)
{
	size_t slow = p->count[SLOW];

	return k / slow * (size_t)p->n[SLOW] + k % slow * (size_t)p->tile[SLOW];
}

/*
 * CO_STATIC shares layers out: there are no more members than layers. Other schedules share tiles.
 */
static bool take_share(struct member *m)
{
	const struct co_tile_plan *p = m->p;
	size_t from, to;

	if (p->schedule == CO_STATIC) {
		m->at = co_first_unit(p->layers, p->members, m->block.member);
		m->end = co_first_unit(p->layers, p->members, m->block.member + 1);
		if (m->taken)
			return false;
		m->taken = true;
		return true;
	}
	if (!co_next_block(&m->dealt, p->schedule, &m->t->loop.next, &from, &to))
		return false;
	m->at = unit_of_tile(p, from);
	m->end = to == p->tiles ? p->layers : unit_of_tile(p, to);
	return true;
}

/* The block that begins at a unit, of `most` layers at most. @return how many it has */
static size_t set_box(const struct co_tile_plan *p, size_t unit, size_t most, struct co_tile_box *b)
{
	size_t column = unit / (size_t)p->n[SLOW];
	const size_t begin[] = { unit % (size_t)p->n[SLOW],
				 column / p->count[FAST] * (size_t)p->tile[MID],
				 column % p->count[FAST] * (size_t)p->tile[FAST] };

	for (unsigned d = SLOW; d <= FAST; d++) {
		size_t n = co_least((size_t)p->n[d] - begin[d], (size_t)p->tile[d]);

		b->from[d] = p->lower[d] + (long)begin[d];
		b->to[d] = b->from[d] + (long)(d == SLOW ? co_least(n, most) : n);
	}
	return (size_t)(b->to[SLOW] - b->from[SLOW]);
}

/*
 * Take this member's next block as box[which], and bring it in. False: no block is left, or the
 * loop has stopped.
 */
static bool bring_block(struct member *m, unsigned which, bool after)
{
	if (co_loop_stopped(&m->t->loop) || (m->at == m->end && !take_share(m)))
		return false;
	m->unit[which] = m->at;
	m->at += set_box(m->p, m->at, m->end - m->at, &m->flow.box[which]);
	co_tile_bring(&m->flow, which, after);
	return true;
}

/* ---- A member's work ---- */

/* Note the loop's first error; the loop underneath has its own. True: this is the first. */
static bool report_error(struct co_tiles *t, size_t unit, int error)
{
	if (!co_loop_failed(&t->loop, &(long){ (long)unit }, -ENOTRECOVERABLE))
		return false;
	t->error = error;
	return true;
}

/* Wait for transfers of the block that begins at a unit. */
static void wait_moved(struct member *m, struct co_tile_pool *q, size_t unit)
{
	int r = co_tile_wait(q);

	if (r)
		(void)report_error(m->t, unit, r);
}

/* Wait until the last results that were written from this block's place are in memory. */
static void wait_written(struct member *m, unsigned which)
{
	wait_moved(m, &m->flow.out[which], m->written[which]);
}

static void do_block(struct member *m, unsigned which)
{
	struct co_block *b = &m->block;
	const struct co_tile_box *box = &m->flow.box[which];
	const struct co_tile_plan *p = m->p;
	int r;

	for (unsigned d = 0; d < p->dims; d++) {
		unsigned in = co_tile_dim(p->dims, d);

		b->from[d] = box->from[in];
		b->to[d] = box->to[in];
		b->n[d] = box->to[in] - box->from[in];
	}
	co_tile_edges(&m->flow, which);
	co_tile_show(&m->flow, which);
	m->written[which] = m->unit[which];
	m->part->from[0] = (long)m->unit[which]; /* for error_at, if a fault ends it here */
	co_timeline_enter("tile", (uintptr_t)p->body);
	r = p->body(m->arg, b);
	co_timeline_leave("tile", (uintptr_t)p->body);
	if (r)
		(void)report_error(m->t, m->unit[which], r);
	else
		co_tile_put(&m->flow, which);
}

static void do_blocks(struct member *m)
{
	unsigned which = 0;
	bool more = bring_block(m, which, false);

	while (more) {
		wait_moved(m, &m->flow.in, m->unit[which]);
		wait_written(m, which);
		if (co_loop_stopped(&m->t->loop))
			break;
		if (!m->p->single)
			more = bring_block(m, !which, true);
		do_block(m, which);
		if (m->p->single) {
			wait_written(m, which);
			more = bring_block(m, !which, true);
		}
		which = !which;
	}
	(void)co_tile_wait(&m->flow.in); /* of a block that will not be done */
	wait_written(m, which);
	wait_written(m, !which);
}

/* The member's state, at the beginning of its arena, and a copy of the plan behind it. */
static int prepare_member(struct member *m, unsigned char *arena)
{
	struct co_tile_flow *f = &m->flow;
	struct co_tile *tile;
	int r;

	m->p = (struct co_tile_plan *)(arena + co_round_up(sizeof(*m), 16));
	m->first = (struct co_dma){ .to = m->p, .from = m->t->plan, .bytes = m->t->plan->bytes };
	r = co_dma_do(&m->first);
	if (r)
		return r;
	m->arg = m->p->at_arg ? (unsigned char *)m->p + m->p->at_arg : m->p->arg;
	f->p = m->p;
	f->arena = arena;
	f->in.d = (struct co_dma *)(arena + m->p->at_in);
	f->out[0].d = (struct co_dma *)(arena + m->p->at_out);
	f->out[1].d = f->out[0].d + m->p->max_out;
	tile = (struct co_tile *)(arena + m->p->at_tiles);
	for (unsigned i = 0; i < m->p->arrays; i++) {
		const struct co_tile_shape *s = &m->p->shape[i];

		tile[i].layer = (unsigned char **)(arena + s->table) + s->before[SLOW];
		tile[i].row = s->row;
		memset(&f->ring[i], 0, sizeof(f->ring[i]));
	}
	m->block.tile = tile;
	m->block.scratch = arena + m->p->at_scratch;
	m->block.members = m->p->members;
	m->dealt = (struct co_dealt){
		.units = m->p->tiles, .n = m->p->members, .block = m->p->block, .k = m->block.member
	};
	return 0;
}

static void work_as_member(struct co_tiles *t, unsigned number, struct co_part *part)
{
	unsigned char *arena = co_spm_alloc(t->plan->arena, CO_LINE);
	struct member *m = (struct member *)arena;
	const char *name = t->loop.name;
	int r;

	part->from[0] = 0;
	if (!arena) {
		if (report_error(t, 0, -ENOMEM))
			t->plan->room = co_spm_largest();
		return;
	}
	co_mark_begin(name);
	memset(m, 0, offsetof(struct member, flow.ring));
	m->t = t;
	m->part = part;
	m->block.member = number;
	m->block.partial = part->partial;
	m->block.cache = part->cache;
	r = prepare_member(m, arena);
	if (r)
		(void)report_error(t, 0, r);
	else
		do_blocks(m);
	co_spm_free(arena);
	co_mark_end(name, 0);
}

/* The loop's body: one member, or several if harts were lost after members had been counted. */
static int run_members(void *arg, struct co_part *part)
{
	struct co_tiles *t = arg;

	for (long m = part->from[0], to = part->to[0]; m < to && !co_loop_stopped(&t->loop); m++)
		work_as_member(t, (unsigned)m, part);
	return 0;
}

/* ---- Start and wait ---- */

static void drop_plan(struct co_tiles *t)
{
	co_spm_free(t->plan);
	t->plan = NULL;
}

/* Set t->most to the largest tile that fits in `room` bytes. The plan has been dropped. */
static void find_most(struct co_tiles *t, size_t room)
{
	memset(t->most, 0, sizeof(t->most));
	(void)co_tiles_fit(t, room, t->most);
}

int co_tiles_start(struct co_tiles *t)
{
	size_t bytes, room;
	unsigned n;
	int r;

	CO_ASSERT_SHARED(t, sizeof(*t), "a struct co_tiles");
	CO_ASSERT_THAT(!t->plan, "tiles that are started do not run already");
	t->loop = (struct co_parallel){ .name = t->name ? t->name : "tiles",
					.body = run_members,
					.arg = t,
					.dims = 1,
					.scope = t->scope,
					.reduction = t->reduction,
					.cache = t->cache };
	n = co_loop_places(&t->loop);
	bytes = co_tile_plan_bytes(t);
	if (!n || !bytes)
		return -EINVAL;
	t->plan = co_spm_alloc(bytes, CO_LINE);
	if (!t->plan) {
		memcpy(t->most, t->tile, sizeof(t->most));
		return -ENOMEM;
	}
	room = co_tile_room(&t->loop); /* after the plan was allocated, maybe in a member's heap */
	r = co_tile_plan_make(t->plan, t, n, room);
	if (r == 0) {
		t->error = 0;
		t->loop.range[0].upper = (long)t->plan->members;
		r = co_parallel_start(&t->loop);
	}
	if (r == 0) {
		co_parallel_uses_memory(&t->loop); /* the plan */
		return 0;
	}
	drop_plan(t);
	if (r == -ENOMEM)
		find_most(t, room);
	return r;
}

/* The members have ended. */
static int finish_loop(struct co_tiles *t, int r)
{
	size_t room = t->plan->room;

	if (r && r != -ENOBUFS && r != -ECANCELED) {
		struct co_tile_box b;

		(void)set_box(t->plan, (size_t)t->loop.error_at[0], 1, &b);
		for (unsigned d = 0; d < t->plan->dims; d++)
			t->error_at[d] = b.from[co_tile_dim(t->plan->dims, d)];
	}
	if (r == -ENOTRECOVERABLE)
		r = t->error;
	drop_plan(t);
	if (room)
		find_most(t, room);
	return t->error = r;
}

int co_tiles_wait_until(struct co_tiles *t, uint64_t deadline)
{
	int r;

	CO_ASSERT_THAT(t->plan, "tiles that are waited for were started");
	r = co_parallel_wait_until(&t->loop, deadline);
	/* The loop was cancelled, but if this coroutine was, too, it has not ended yet. */
	if (r == -ECANCELED && co_atomic_load(&t->loop.stop, CO_RELAXED) & CO_LOOP_CANCELED)
		return finish_loop(t, co_parallel_wait(&t->loop));
	return r == -ETIMEDOUT || r == -ECANCELED ? r : finish_loop(t, r);
}

int co_tiles_wait(struct co_tiles *t)
{
	return co_tiles_wait_until(t, CO_FOREVER);
}

int co_tiles_run(struct co_tiles *t)
{
	int r = co_tiles_start(t);

	if (r)
		return r;
	r = co_tiles_wait(t);
	if (r == -ECANCELED && t->plan) {
		co_tiles_cancel(t);
		r = co_tiles_wait(t);
	}
	return r;
}

void co_tiles_cancel(struct co_tiles *t)
{
	co_parallel_cancel(&t->loop);
}
