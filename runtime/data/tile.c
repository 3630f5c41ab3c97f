/*
 * tile.c - loops over tiles: how they are started and waited for.
 *
 * Underneath is a loop with one part for each member, which takes its blocks itself: so it can take
 * one before the last is done.
 */
#include <errno.h>
#include <string.h>

#include "../core/core.h"
#include "tile.h"

static void drop_plan(struct co_tiles *t)
{
	co_spm_free(t->plan);
	t->plan = NULL;
}

/*
 * Of the tiles that are asked for, the largest that `room` bytes have room for. The plan has been
 * dropped: this wants as much of the heap.
 */
static void tell_most(struct co_tiles *t, size_t room)
{
	memset(t->most, 0, sizeof(t->most));
	(void)co_tiles_fit(t, room, t->most);
}

static int start(struct co_tiles *t)
{
	struct tile_plan *p = t->plan;

	t->error = 0;
	co_atomic_store(&t->stop, 0, CO_RELAXED); /* the spawns publish both */
	co_atomic_store(&t->next, 0, CO_RELAXED);
	t->loop = (struct co_parallel){
		.name = t->name ? t->name : "tiles",
		.body = tile_member,
		.arg = t,
		.dims = 1,
		.range = { { 0, (long)p->members, 1 } },
		.scope = t->scope,
		.harts = t->harts,
		.n_harts = t->n_harts,
		.reduction = t->reduction,
	};
	return co_parallel_start(&t->loop);
}

int co_tiles_start(struct co_tiles *t)
{
	size_t bytes, room;
	unsigned n;
	int r;

	CO_ASSERT(t && co_spm_shared(t, sizeof(*t)));
	CO_ASSERT(!t->plan); /* it is under way */
	n = tile_members(t, NULL);
	bytes = tile_plan_bytes(t);
	if (!n || !bytes)
		return -EINVAL;
	bytes = (bytes + 15) & ~(size_t)15;
	t->plan = co_spm_alloc(bytes + n * sizeof(struct tile_member_note), CO_LINE);
	if (!t->plan) {
		memcpy(t->most, t->tile, sizeof(t->most));
		return -ENOMEM;
	}
	t->plan->note = (struct tile_member_note *)((unsigned char *)t->plan + bytes);
	memset(t->plan->note, 0, n * sizeof(*t->plan->note));
	(void)tile_members(t, &room); /* now that the plan is there: maybe in the heap of one */
	r = tile_plan_make(t->plan, t, n, room);
	if (r) {
		drop_plan(t);
		if (r == -ENOMEM)
			tell_most(t, room);
		return r;
	}
	r = start(t);
	if (r)
		drop_plan(t);
	return r;
}

/* The members have ended. */
static int finish(struct co_tiles *t, int r)
{
	const struct tile_plan *p = t->plan;
	size_t room = 0;

	for (unsigned m = 0; m < p->members; m++) {
		size_t largest = p->note[m].largest;

		if (largest && (!room || largest < room))
			room = largest;
	}
	if (r == -ENOTRECOVERABLE)
		r = t->error;
	else if (r && r != -EAGAIN && r != -ECANCELED) /* a member's coroutine has gone down */
		tile_unit_at(p, p->note[t->loop.error_at[0]].unit, t->error_at);
	drop_plan(t);
	if (room)
		tell_most(t, room);
	return t->error = r;
}

int co_tiles_wait_until(struct co_tiles *t, uint64_t deadline)
{
	int r;

	CO_ASSERT(t->plan); /* it has been started */
	r = co_parallel_wait_until(&t->loop, deadline);
	if (r == -ETIMEDOUT)
		return r;
	if (r == -ECANCELED && !(co_atomic_load(&t->stop, CO_RELAXED) & TILE_CANCELED))
		return r;
	/*
	 * Told to end; but if this coroutine was cancelled just before that, it has not ended yet.
	 */
	if (r == -ECANCELED) {
		co_parallel_cancel(&t->loop);
		r = co_parallel_wait(&t->loop);
	}
	return finish(t, r);
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
	(void)co_atomic_or(&t->stop, TILE_CANCELED, CO_RELAXED);
	co_parallel_cancel(&t->loop);
}
