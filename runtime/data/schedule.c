/*
 * schedule.c - which units a member does, and in what parts.
 */
#include <string.h>

#include "parallel.h"

void co_loop_failed(struct co_parallel *p, const struct co_part *part, int error)
{
	if (!co_parallel_stop(p, CO_LOOP_FAILED))
		return;
	p->error = error;
	for (unsigned d = 0; d < p->dims; d++)
		p->error_at[d] = part ? part->from[d] : p->range[d].lower;
}

/* The first unit of member m's share of a static schedule. */
static size_t first_unit(const struct co_parallel *p, size_t m)
{
	return m * p->each + (m < p->extra ? m : p->extra);
}

/*
 * Dimension d of a box: k-th to l-th of its indices. Modulo: what lies between may be more than a
 * long can be.
 */
static void set_extent(const struct co_parallel *p, struct co_part *part, unsigned d, size_t k,
		       size_t l)
{
	unsigned long step = (unsigned long)co_loop_step(p, d);
	unsigned long lower = (unsigned long)p->range[d].lower;

	part->from[d] = (long)(lower + k * step);
	part->to[d] = (long)(lower + l * step) + 1;
}

/* Unit u and up to `units - 1` after it, as far as a box goes. Returns how many units that are. */
static size_t box(const struct co_parallel *p, struct co_part *part, size_t u, size_t units)
{
	unsigned last = p->cut - 1;
	size_t taken = p->count[last] - u % p->count[last];

	if (taken > units)
		taken = units;
	for (unsigned d = p->cut; d-- > 0;) {
		size_t k = u % p->count[d];

		u /= p->count[d];
		set_extent(p, part, d, k, d == last ? k + taken - 1 : k);
	}
	return taken;
}

static __attribute__((noinline)) void do_boxes(struct co_parallel *p, struct co_part *part,
					       size_t from, size_t to)
{
	while (from < to && !co_loop_stopped(p)) {
		from += box(p, part, from, to - from);
		co_loop_call(p, part);
	}
}

/* With one dimension cut, which is usual, all of them are one box. */
static inline void do_units(struct co_parallel *p, struct co_part *part, size_t from, size_t to)
{
	if (p->cut != 1) {
		do_boxes(p, part, from, to);
	} else if (from < to && !co_loop_stopped(p)) {
		set_extent(p, part, 0, from, to - 1);
		co_loop_call(p, part);
	}
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void do_static(struct co_parallel *p, struct co_part *part)
{
	size_t m = part->member;

	do_units(p, part, first_unit(p, m), first_unit(p, m + 1));
}

static size_t block_of(const struct co_parallel *p)
{
	return p->block ? p->block : 1;
}

/* Do block k, if there are so many: returns false if not. */
static bool do_block(struct co_parallel *p, struct co_part *part, size_t k, size_t blocks)
{
	size_t block = block_of(p);

	if (k >= blocks || co_loop_stopped(p))
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

size_t co_guided_block(struct co_guided *g, size_t units, size_t n, size_t least_block, size_t k)
{
	for (;; g->round++) {
		size_t left = units - g->begin;

		g->size = (left + 2 * n - 1) / (2 * n);
		g->size = g->size < least_block ? least_block : g->size;
		if (g->round == k / n)
			return g->begin + times(k % n, g->size, left);
		g->begin += times(n, g->size, left);
	}
}

static void do_guided(struct co_parallel *p, struct co_part *part)
{
	struct co_guided g = { 0 };

	for (;;) {
		size_t k = co_atomic_add(&p->next, 1, CO_RELAXED); /* as in do_dynamic() */
		size_t from = co_guided_block(&g, p->units, p->n, block_of(p), k);

		if (from >= p->units || co_loop_stopped(p))
			break;
		do_units(p, part, from, from + least(g.size, p->units - from));
	}
}

bool co_loop_all_taken(const struct co_parallel *p)
{
	size_t k = co_atomic_load(&p->next, CO_RELAXED); /* the join has acquired it */
	struct co_guided g = { 0 };

	if (p->reduction.bytes)
		return false;
	if (p->schedule == CO_DYNAMIC)
		return k > (p->units - 1) / block_of(p);
	return p->schedule == CO_GUIDED &&
	       co_guided_block(&g, p->units, p->n, block_of(p), k) >= p->units;
}

static void do_own(struct co_parallel *p, struct co_part *part)
{
	for (size_t u = 0; u < p->units; u++) {
		if (co_loop_stopped(p))
			return;
		box(p, part, u, 1);
		if (p->owner(p->arg, part->from) % p->n == part->member)
			do_units(p, part, u, u + 1);
	}
}

static void (*const by_schedule[])(struct co_parallel *, struct co_part *) = {
	do_static, do_cyclic, do_dynamic, do_guided, do_own,
};

static __attribute__((noinline)) void reduce(struct co_parallel *p, struct co_part *part)
{
	_Alignas(16) unsigned char partial[CO_REDUCTION_BYTES];

	memcpy(partial, p->reduction.identity, p->reduction.bytes);
	part->partial = partial;
	by_schedule[p->schedule](p, part);
	memcpy(p->partials + part->member * p->stride, partial, p->reduction.bytes);
	part->partial = NULL;
}

void co_loop_execute(struct co_parallel *p, struct co_part *part)
{
	part->members = p->n;
	part->partial = NULL;
	part->step[0] = co_loop_step(p, 0);
	for (unsigned d = 1; d < p->dims; d++) {
		part->from[d] = p->range[d].lower;
		part->to[d] = p->range[d].upper;
		part->step[d] = co_loop_step(p, d);
	}
	if (p->reduction.bytes)
		reduce(p, part);
	else
		by_schedule[p->schedule](p, part);
}
