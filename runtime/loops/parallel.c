/*
 * parallel.c - parallel loops: how they are cut into units, started and waited for.
 *
 * Members run in coroutines (member.c), so a body may wait and loops may nest. A loop counts its
 * members as a batch.
 */
#include <cohart/cache.h>
#include <cohart/parallel.h>

#include "../core/core.h"
#include "../core/lost.h"
#include "stopwatch.h"
#include "parallel.h"

#define UNITS_A_MEMBER 4 /* units for each member: dimensions are cut until there are enough */

/* How many indices a dimension has. Unsigned: the span may exceed a long. */
static size_t count_of(const struct co_range *r, long step)
{
	unsigned long lower = (unsigned long)r->lower, upper = (unsigned long)r->upper;

	if (step > 0)
		return r->upper <= r->lower ? 0 : (upper - lower - 1) / (unsigned long)step + 1;
	return r->upper >= r->lower ? 0 : (lower - upper - 1) / -(unsigned long)step + 1;
}

/*
 * Is dimension d cut, where the dimensions before it give p->units? A static share may begin and
 * end anywhere: both of two dimensions are cut, and of more all but the last, whose lines stay
 * whole.
 */
static bool is_cut(const struct co_parallel *p, unsigned d, unsigned n)
{
	if (p->schedule == CO_STATIC)
		return p->dims < 3 || d < p->dims - 1;
	return d < 1 || p->units < (size_t)n * UNITS_A_MEMBER;
}

/* Does every hart of the list exist, and stand there once? */
static bool list_makes_sense(const struct co_scope *s)
{
	uint8_t named[(BOARD_MAX_HARTS + 7) / 8] = { 0 };

	for (unsigned i = 0; s->harts && i < s->n; i++) {
		unsigned hart = s->harts[i];

		if (hart >= co_harts() || named[hart / 8] & 1u << hart % 8)
			return false;
		named[hart / 8] |= (uint8_t)(1u << hart % 8);
	}
	return s->harts;
}

unsigned co_loop_places(struct co_parallel *p)
{
	const struct co_scope all = co_machine.computes;
	uintptr_t at;

	p->over = p->scope;
	if (!p->over.harts && !p->over.n)
		p->over = all;
	at = ((uintptr_t)p->over.harts - (uintptr_t)all.harts) / sizeof(*all.harts);
	p->computes = at < all.n && p->over.n <= all.n - at;
	if (!p->computes && !list_makes_sense(&p->over))
		p->over.n = 0;
	return p->over.n;
}

/* Cut the outer dimensions into units. Returns false if there are too many. */
static bool cut_range(struct co_parallel *p, unsigned n)
{
	size_t all = 1;
	bool empty = false;

	for (unsigned d = 0; d < p->dims; d++) {
		p->count[d] = count_of(&p->range[d], co_loop_step(p, d));
		empty |= !p->count[d];
	}
	p->cut = 0;
	p->units = empty ? 0 : 1;
	for (unsigned d = 0; d < p->dims && !empty; d++) {
		if (__builtin_mul_overflow(all, p->count[d], &all) || all > SIZE_MAX / 2)
			return false;
		if (is_cut(p, d, n)) {
			p->units = all;
			p->cut = d + 1;
		}
	}
	return true;
}

static bool makes_sense(const struct co_parallel *p)
{
	const struct co_reduction *r = &p->reduction;

	if (!p->body || p->dims < 1 || p->dims > CO_DIMS_MAX)
		return false;
	/* Results that were in the scratchpad of a lost hart cannot be had again. */
	if (p->redo &&
	    ((p->schedule != CO_DYNAMIC && p->schedule != CO_GUIDED) || r->bytes || p->cache))
		return false;
	if (r->bytes &&
	    (r->bytes > CO_REDUCTION_BYTES || !r->identity || !r->combine || !r->result))
		return false;
	return (unsigned)p->schedule <= CO_OWNER && (p->schedule != CO_OWNER || p->owner);
}

/* Deal the units to the members. */
static void deal(struct co_parallel *p)
{
	p->each = p->n ? p->units / p->n : 0;
	p->more = p->units - p->each * p->n;
	if (p->schedule == CO_GUIDED && p->each)
		p->last = co_guided_last(p->units, p->n, p->width);
}

/* Some harts are lost: use the live ones only. */
static int leave_out_lost(struct co_parallel *p)
{
	unsigned live = 0, n;

	p->lost = true;
	for (unsigned at = 0; at < p->over.n; at++)
		live += !co_hart_lost(co_loop_harts(p, at, 1, &n));
	p->n = (unsigned)co_least(p->n, live);
	deal(p);
	return live ? 0 : -EHOSTDOWN;
}

/* ---- Start and wait ---- */

static void assert_idle(const struct co_parallel *p)
{
	CO_ASSERT_SHARED(p, sizeof(*p), "a struct co_parallel");
	/* Not while the loop runs. relaxed: the wait for its last run has acquired it. */
	CO_ASSERT_THAT(!co_atomic_load(&p->members.running.state, CO_RELAXED),
		       "a loop that is started does not run already (its memory is zero at first)");
	CO_ASSERT_THAT(!co_atomic_load(&p->ended.state, CO_RELAXED),
		       "a loop that is started does not run already (its memory is zero at first)");
}

/* Cut it for at most n members. Returns 0 or -EINVAL. */
static int make_ready(struct co_parallel *p, unsigned n)
{
	if (!n || !cut_range(p, n))
		return -EINVAL;
	/* No more members than units, which would have nothing to do. */
	p->n = p->units > n || (p->units && p->schedule == CO_OWNER) ? n : (unsigned)p->units;
	p->width = p->block ? p->block : 1;
	p->last = p->units ? (p->units - 1) / p->width : 0;
	deal(p);
	p->lost = false;
	p->label = p->name ? p->name : "parallel";
	p->special = p->reduction.bytes || p->cache || co_stopwatch_loops;
	p->plain = p->schedule == CO_STATIC && p->dims == 1 && !p->special;
	p->error = 0;
	p->streamed = false;
	p->partials = NULL;
	p->stride = co_round_up(p->reduction.bytes, 16);
	co_atomic_store(&p->members.uses, 0, CO_RELAXED);
	co_atomic_store(&p->redos, 0, CO_RELAXED);
	co_atomic_store(&p->next, 0, CO_RELAXED); /* the start of the members publishes all */
	co_atomic_store(&p->stop, 0, CO_RELAXED);
	return 0;
}

int co_parallel_check(struct co_parallel *p)
{
	assert_idle(p);
	if (!makes_sense(p))
		return -EINVAL;
	/* Other harts read these. */
	CO_ASSERT_THAT(!p->reduction.bytes ||
			       co_spm_shared(p->reduction.identity, p->reduction.bytes),
		       CO_SHARED("the identity of a reduction"));
	CO_ASSERT_THAT(!p->cache || co_spm_shared(p->cache, sizeof(*p->cache)),
		       CO_SHARED("the cache of a loop"));
	CO_ASSERT_THAT(!p->scope.harts ||
			       co_spm_shared(p->scope.harts, p->scope.n * sizeof(*p->scope.harts)),
		       CO_SHARED("the list of the scope's harts"));
	return make_ready(p, co_loop_places(p));
}

/* Start the members. Returns 0, -ENOMEM, or -ENOBUFS if none could be started. */
static int launch(struct co_parallel *p)
{
	int r = co_harts_lost() ? leave_out_lost(p) : 0;

	if (r)
		return r;
	if (p->reduction.bytes && p->units) {
		p->partials = co_spm_alloc(p->n * p->stride, 16);
		if (!p->partials)
			return -ENOMEM;
		co_parallel_uses_memory(p);
	}
	r = co_parallel_start_members(p);
	if (r)
		(void)co_parallel_stop(p, CO_LOOP_UNSTARTED);
	if (r && p->started == 0) {
		(void)co_parallel_finish(p);
		return r;
	}
	return 0;
}

/* Members were lost with their harts: fail, unless others have done all their units. */
static NOINLINE void look_for_missing(struct co_parallel *p)
{
	co_atomic_store(&p->members.ended, 0, CO_RELAXED);
	if (!co_loop_stopped(p) && (co_atomic_load(&p->redos, CO_RELAXED) || !co_loop_all_taken(p)))
		co_loop_failed(p, NULL, -EHOSTDOWN);
}

int co_parallel_finish(struct co_parallel *p)
{
	uint32_t why;

	if (co_atomic_load(&p->members.ended, CO_RELAXED)) /* relaxed: the wait has acquired it */
		look_for_missing(p);
	why = co_atomic_load(&p->stop, CO_RELAXED);
	if (p->partials && !why) {
		for (unsigned m = 0; m < p->n; m++)
			p->reduction.combine(p->reduction.result, p->partials + m * p->stride);
	}
	co_spm_free(p->partials);
	p->partials = NULL;
	if (why & CO_LOOP_FAILED)
		return p->error;
	return why & CO_LOOP_UNSTARTED ? -ENOBUFS : why & CO_LOOP_CANCELED ? -ECANCELED : 0;
}

int co_parallel_run(struct co_parallel *p)
{
	int r = launch(p);

	if (r)
		return r;
	co_counter_wait_shielded(&p->members.running);
	return co_parallel_finish(p);
}

int co_parallel_start(struct co_parallel *p)
{
	int r = co_parallel_check(p);

	return r ? r : launch(p);
}

int co_parallel_wait_until(struct co_parallel *p, uint64_t deadline)
{
	struct co_counter *running = p->streamed ? &p->ended : &p->members.running;
	int r = co_counter_wait_until(running, deadline);

	/* A cancelled loop is waited for in any case, so that its memory can be freed. */
	if (r == -ECANCELED && co_atomic_load(&p->stop, CO_RELAXED) & CO_LOOP_CANCELED) {
		co_counter_wait_shielded(running);
		r = 0;
	}
	if (r)
		return r;
	return p->streamed ? p->error : co_parallel_finish(p);
}

int co_parallel_wait(struct co_parallel *p)
{
	return co_parallel_wait_until(p, CO_FOREVER);
}

int co_parallel_for(struct co_parallel *p)
{
	int r = co_parallel_start(p);

	if (r)
		return r;
	if (co_counter_wait(&p->members.running))
		co_parallel_cancel(p);
	return co_parallel_wait(p);
}

int co_parallel_for_timed(struct co_parallel *p)
{
	uint64_t since;
	int r;

	if (!p->name)
		return co_parallel_for(p);
	since = co_stopwatch_start(p->name);
	r = co_parallel_for(p);
	co_stopwatch_stop(p->name, since);
	return r;
}

void co_parallel_cancel(struct co_parallel *p)
{
	(void)co_parallel_stop(p, CO_LOOP_CANCELED);
}

/* ---- Sharing ---- */

int co_parallel_prepare(struct co_parallel *p, unsigned members)
{
	assert_idle(p);
	if (!makes_sense(p) || p->reduction.bytes)
		return -EINVAL;
	p->sharers = members;
	co_atomic_store(&p->done, 0, CO_RELAXED); /* the caller publishes it, with the rest */
	return make_ready(p, members);
}

int co_parallel_share(struct co_parallel *p, unsigned member)
{
	struct co_part part; /* the rest is set with each part */
	bool stopped;

	CO_ASSERT_THAT(p && member < p->sharers,
		       "a member of a shared loop has a number below co_parallel.sharers");
	part.member = member;
	part.partial = NULL;
	part.cache = NULL;
	if (member < p->n)
		co_loop_execute(p, &part);
	stopped = co_loop_stopped(p);
	/*
	 * acq_rel: the last member resets the words that all members have read. The members' own
	 * meeting publishes that to the next round.
	 */
	if (co_atomic_add(&p->done, 1, CO_ACQ_REL) == p->sharers - 1) {
		co_atomic_store(&p->next, 0, CO_RELAXED);
		co_atomic_store(&p->stop, 0, CO_RELAXED);
		co_atomic_store(&p->done, 0, CO_RELAXED);
	}
	return stopped ? -ECANCELED : 0;
}

/* ---- Reductions ---- */

#define COMBINE(name, type, expression)                             \
	void name(void *into, const void *partial)                  \
	{                                                           \
		type a = *(type *)into, b = *(type const *)partial; \
		*(type *)into = (expression);                       \
	}

COMBINE(co_sum_double, double, a + b)
COMBINE(co_min_double, double, b < a ? b : a)
COMBINE(co_max_double, double, b > a ? b : a)
COMBINE(co_sum_long, long, a + b)
COMBINE(co_min_long, long, b < a ? b : a)
COMBINE(co_max_long, long, b > a ? b : a)
