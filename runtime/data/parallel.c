/*
 * parallel.c - loops in parts: what a member does, and how they are started and waited for.
 *
 * Each member is a coroutine on its hart, so a body may wait, and loops may nest. A launch is a
 * batch of them.
 */
#include <errno.h>
#include <string.h>

#include <cohart/parallel.h>

#include "../core/core.h"
#include "parallel.h"

#define UNITS_A_MEMBER 4 /* fewer of the outer dimensions alone: the next one is cut too */

/* Why a loop stops: bits of `stop`. */
enum { FAILED = 1, UNSTARTED = 2, CANCELED = 4 };

/* ---- Where ---- */

/* The hart of member m. */
static unsigned hart_of(const struct co_parallel *p, unsigned m)
{
	unsigned g = 0;

	if (p->scope == CO_SCOPE_LIST)
		return p->harts[m];
	if (p->scope == CO_SCOPE_GROUP)
		return co_machine.group[p->group].compute + m;
	for (; m >= co_group(g)->computes; g++)
		m -= co_group(g)->computes;
	return co_group(g)->compute + m;
}

/* The member that runs on a hart, which has one. */
static unsigned member_on(const struct co_parallel *p, unsigned hart)
{
	unsigned before = 0;

	if (p->scope == CO_SCOPE_LIST) {
		while (p->harts[before] != hart)
			before++;
		return before;
	}
	if (p->scope == CO_SCOPE_GROUP)
		return hart - co_group(p->group)->compute;
	for (unsigned g = 0; g < co_hart_group(hart); g++)
		before += co_group(g)->computes;
	return before + hart - co_group(co_hart_group(hart))->compute;
}

/* Harts of the scope; 0 if a list names one that is not there, or twice. */
static unsigned scope_harts(const struct co_parallel *p)
{
	uint8_t named[(BOARD_MAX_HARTS + 7) / 8] = { 0 };
	unsigned n = 0;

	if (p->scope == CO_SCOPE_GROUP)
		return co_group(p->group)->computes;
	if (p->scope == CO_SCOPE_ALL) {
		for (unsigned g = 0; g < co_groups(); g++)
			n += co_group(g)->computes;
		return n;
	}
	for (unsigned i = 0; p->harts && i < p->n_harts; i++) {
		unsigned hart = p->harts[i];

		if (hart >= co_harts() || named[hart / 8] & 1u << hart % 8)
			return 0;
		named[hart / 8] |= (uint8_t)(1u << hart % 8);
	}
	return p->harts ? p->n_harts : 0;
}

/* ---- What a member does ---- */

static long step_of(const struct co_parallel *p, unsigned d)
{
	return p->range[d].step ? p->range[d].step : 1;
}

/* True for the first who stops it for that reason. */
static bool stop(struct co_parallel *p, uint32_t why)
{
	/* relaxed: members only stop sooner; the waiter comes after their end. */
	return !(co_atomic_or(&p->stop, why, CO_RELAXED) & why);
}

static bool stopped(struct co_parallel *p)
{
	return co_atomic_load(&p->stop, CO_RELAXED) != 0;
}

/* Unit u and up to `units - 1` after it, as far as a box goes. Returns how many units that are. */
static size_t box(const struct co_parallel *p, struct co_part *part, size_t u, size_t units)
{
	unsigned last = p->cut - 1;
	size_t taken = p->count[last] - u % p->count[last];

	if (taken > units)
		taken = units;
	for (unsigned d = p->cut; d-- > 0;) {
		unsigned long at = u % p->count[d];
		unsigned long step = (unsigned long)step_of(p, d);

		/* Modulo: what lies between may be more than a long can be. */
		at = (unsigned long)p->range[d].lower + at * step;
		u /= p->count[d];
		part->from[d] = (long)at;
		part->to[d] = (long)(at + (d == last ? (taken - 1) * step : 0)) + 1;
	}
	return taken;
}

static void do_units(struct co_parallel *p, struct co_part *part, size_t from, size_t to)
{
	while (from < to && !stopped(p)) {
		int r;

		from += box(p, part, from, to - from);
		r = p->body(p->arg, part);
		if (r && stop(p, FAILED)) {
			p->error = r;
			memcpy(p->error_at, part->from, p->dims * sizeof(*p->error_at));
		}
	}
}

static void do_static(struct co_parallel *p, struct co_part *part)
{
	size_t each = p->units / p->n;
	size_t extra = p->units % p->n;
	size_t m = part->member;
	size_t from = m * each + (m < extra ? m : extra);

	do_units(p, part, from, from + each + (m < extra));
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t block_of(const struct co_parallel *p)
{
	return p->block ? p->block : 1;
}

/* Do block k, if there are so many: returns false if not. */
static bool do_block(struct co_parallel *p, struct co_part *part, size_t k, size_t blocks)
{
	size_t block = block_of(p);

	if (k >= blocks || stopped(p))
		return false;
	do_units(p, part, k * block, k * block + least(block, p->units - k * block));
	return true;
}

static void do_cyclic(struct co_parallel *p, struct co_part *part)
{
	size_t blocks = (p->units - 1) / block_of(p) + 1;

	for (size_t k = part->member; do_block(p, part, k, blocks); k += p->n)
		;
}

static void do_dynamic(struct co_parallel *p, struct co_part *part)
{
	size_t blocks = (p->units - 1) / block_of(p) + 1;

	/* relaxed: a number, and nothing comes with it. Of blocks: units might go round. */
	while (do_block(p, part, co_atomic_add(&p->next, 1, CO_RELAXED), blocks))
		;
}

/* a * b, but no more than `most`. b is not 0. */
static size_t times(size_t a, size_t b, size_t most)
{
	return a > most / b ? most : a * b;
}

/*
 * Rounds of n blocks each, which together are half of what the rounds before have left: so block k
 * can be found from k, which one add gives.
 */
static void do_guided(struct co_parallel *p, struct co_part *part)
{
	size_t least_block = block_of(p);
	size_t round = 0;
	size_t begin = 0; /* of the round */
	size_t size = 0;

	for (;;) {
		size_t k = co_atomic_add(&p->next, 1, CO_RELAXED); /* as in do_dynamic() */
		size_t from;

		for (;; round++) {
			size = (p->units - begin + 2 * p->n - 1) / (2 * p->n);
			size = size < least_block ? least_block : size;
			if (round == k / p->n)
				break;
			begin += times(p->n, size, p->units - begin);
		}
		from = begin + times(k % p->n, size, p->units - begin);
		if (from >= p->units || stopped(p))
			break;
		do_units(p, part, from, from + least(size, p->units - from));
	}
}

static void do_own(struct co_parallel *p, struct co_part *part)
{
	for (size_t u = 0; u < p->units && !stopped(p); u++) {
		box(p, part, u, 1);
		if (p->owner(p->arg, part->from) % p->n == part->member)
			do_units(p, part, u, u + 1);
	}
}

static intptr_t member(void *arg)
{
	static void (*const how[])(struct co_parallel *, struct co_part *) = {
		do_static, do_cyclic, do_dynamic, do_guided, do_own,
	};
	struct co_parallel *p = arg;
	_Alignas(16) unsigned char partial[CO_REDUCTION_BYTES];
	struct co_part part; /* dimensions that the loop has not are left out */

	part.member = member_on(p, co_executor.hart);
	part.members = p->n;
	part.partial = NULL;
	for (unsigned d = 0; d < p->dims; d++) {
		part.from[d] = p->range[d].lower;
		part.to[d] = p->range[d].upper;
		part.step[d] = step_of(p, d);
	}
	if (p->reduction.bytes) {
		memcpy(partial, p->reduction.identity, p->reduction.bytes);
		part.partial = partial;
	}
	how[p->schedule](p, &part);
	if (p->reduction.bytes)
		memcpy(p->partials + part.member * p->stride, partial, p->reduction.bytes);
	return 0;
}

/* ---- Start and wait ---- */

/* Indices of a dimension. */
static size_t indices(const struct co_parallel *p, unsigned d)
{
	const struct co_range *r = &p->range[d];
	unsigned long span = (unsigned long)r->upper - (unsigned long)r->lower;

	return r->upper <= r->lower ? 0 : (span - 1) / (unsigned long)step_of(p, d) + 1;
}

/* How many units there are, and which dimensions are cut for that. Returns false: too many. */
static bool cut(struct co_parallel *p, unsigned n)
{
	size_t all = 1;
	bool empty = false;

	for (unsigned d = 0; d < p->dims; d++) {
		p->count[d] = indices(p, d);
		empty |= !p->count[d];
	}
	p->cut = 0;
	p->units = empty ? 0 : 1;
	for (unsigned d = 0; d < p->dims && !empty; d++) {
		if (__builtin_mul_overflow(all, p->count[d], &all) || all > SIZE_MAX / 2)
			return false;
		if (d == 0 || p->units < (size_t)n * UNITS_A_MEMBER) {
			p->units = all;
			p->cut = d + 1;
		}
	}
	return true;
}

static bool makes_sense(const struct co_parallel *p)
{
	const struct co_reduction *r = &p->reduction;

	for (unsigned d = 0; d < p->dims && d < CO_DIMS_MAX; d++) {
		if (p->range[d].step < 0)
			return false;
	}
	if (r->bytes &&
	    (r->bytes > CO_REDUCTION_BYTES || !r->identity || !r->combine || !r->result))
		return false;
	return p->body && p->dims >= 1 && p->dims <= CO_DIMS_MAX &&
	       (unsigned)p->schedule <= CO_OWNER && (unsigned)p->scope <= CO_SCOPE_LIST &&
	       (p->schedule != CO_OWNER || p->owner);
}

int co_parallel_check(struct co_parallel *p)
{
	unsigned n;

	CO_ASSERT(p && co_spm_shared(p, sizeof(*p)));
	/* Not while it is under way. relaxed: who has waited for it has acquired this. */
	CO_ASSERT(!co_atomic_load(&p->members.running.state, CO_RELAXED));
	CO_ASSERT(!co_atomic_load(&p->ended.state, CO_RELAXED));
	p->group = co_hart_group(co_hart());
	if (!makes_sense(p))
		return -EINVAL;
	/* Other harts read them. */
	CO_ASSERT(!p->reduction.bytes || co_spm_shared(p->reduction.identity, p->reduction.bytes));
	CO_ASSERT(p->scope != CO_SCOPE_LIST || !p->harts ||
		  co_spm_shared(p->harts, p->n_harts * sizeof(*p->harts)));
	n = scope_harts(p);
	if (!n || !cut(p, n))
		return -EINVAL;
	/* More members than units have nothing to do. */
	p->n = p->units > n || (p->units && p->schedule == CO_OWNER) ? n : (unsigned)p->units;
	p->error = 0;
	p->streamed = false;
	p->partials = NULL;
	p->stride = (p->reduction.bytes + 15) & ~(size_t)15;
	co_atomic_store(&p->next, 0, CO_RELAXED); /* the spawns publish both */
	co_atomic_store(&p->stop, 0, CO_RELAXED);
	return 0;
}

/*
 * Whatever comes of it, co_parallel_finish() is to follow when those that were started have ended.
 */
static int start_members(struct co_parallel *p)
{
	struct co_attr attr = { .name = p->name ? p->name : "parallel" };

	p->started = p->n;
	for (unsigned m = 0; m < p->n; m++) {
		int r;

		attr.on = CO_ON_HART(hart_of(p, m));
		r = co_batch_spawn(&p->members, &attr, member, p, NULL);
		if (r) {
			p->started = m;
			(void)stop(p, UNSTARTED);
			return r;
		}
	}
	return 0;
}

int co_parallel_launch(struct co_parallel *p)
{
	int r;

	if (p->reduction.bytes && p->units) {
		p->partials = co_spm_alloc(p->n * p->stride, 16);
		if (!p->partials)
			return -ENOMEM;
	}
	r = start_members(p);
	if (r && p->started == 0) {
		(void)co_parallel_finish(p);
		return r;
	}
	return 0;
}

int co_parallel_finish(struct co_parallel *p)
{
	uint32_t why = co_atomic_load(&p->stop, CO_RELAXED); /* the join has acquired it */

	for (unsigned m = 0; p->partials && !why && m < p->n; m++)
		p->reduction.combine(p->reduction.result, p->partials + m * p->stride);
	co_spm_free(p->partials);
	p->partials = NULL;
	if (why & FAILED)
		return p->error;
	return why & UNSTARTED ? -EAGAIN : why & CANCELED ? -ECANCELED : 0;
}

int co_parallel_start(struct co_parallel *p)
{
	int r = co_parallel_check(p);

	return r ? r : co_parallel_launch(p);
}

int co_parallel_wait_until(struct co_parallel *p, uint64_t deadline)
{
	struct co_counter *running = p->streamed ? &p->ended : &p->members.running;
	int r = co_counter_wait_until(running, deadline);

	/* What was told to end is waited for in any case: else its memory could never be freed. */
	if (r == -ECANCELED && co_atomic_load(&p->stop, CO_RELAXED) & CANCELED) {
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
	if (co_batch_join(&p->members))
		co_parallel_cancel(p);
	return co_parallel_wait(p);
}

void co_parallel_cancel(struct co_parallel *p)
{
	(void)stop(p, CANCELED);
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
