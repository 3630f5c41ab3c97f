/* schedule.c - which units a member executes, and in which parts. */
#include <cohart/cache.h>
#include <cohart/debug.h>

#include "../core/timeline.h"
#include "stopwatch.h"
#include "parallel.h"

bool co_loop_failed(struct co_parallel *p, const long *at, int error)
{
	if (!co_parallel_stop(p, CO_LOOP_FAILED))
		return false;
	p->error = error;
	for (unsigned d = 0; d < p->dims; d++)
		p->error_at[d] = at ? at[d] : p->range[d].lower;
	return true;
}

/* Set dimension d of a part to its k-th to l-th index. Unsigned: the span may exceed a long. */
static void set_extent(const struct co_parallel *p, struct co_part *part, unsigned d, size_t k,
		       size_t l)
{
	unsigned long step = (unsigned long)co_loop_step(p, d);
	unsigned long lower = (unsigned long)p->range[d].lower;

	part->from[d] = (long)(lower + k * step);
	part->to[d] = (long)(lower + l * step) + ((long)step > 0 ? 1 : -1);
}

/*
 * Make a part of unit u and the units after it that form a box with it: whole lines if u is the
 * first of a line, else the rest of its line. Returns how many of `units`.
 */
static size_t box(const struct co_parallel *p, struct co_part *part, size_t u, size_t units)
{
	size_t line = 1; /* units in one index of dimension d */
	size_t taken;
	unsigned d = p->cut - 1;

	while (d && u % p->count[d] == 0 && units / line >= p->count[d]) {
		set_extent(p, part, d, 0, p->count[d] - 1);
		line *= p->count[d];
		u /= p->count[d--];
	}
	taken = co_least(p->count[d] - u % p->count[d], units / line);
	set_extent(p, part, d, u % p->count[d], u % p->count[d] + taken - 1);
	while (d > 0) {
		u /= p->count[d--];
		set_extent(p, part, d, u % p->count[d], u % p->count[d]);
	}
	return taken * line;
}

static NOINLINE int do_boxes(struct co_parallel *p, struct co_part *part, size_t from, size_t to)
{
	while (from < to && !co_loop_stopped(p)) {
		from += box(p, part, from, to - from);
		co_loop_call(p, part);
	}
	return 0;
}

/* With one dimension cut, the usual case, all units are one box. Returns as co_loop_share(). */
static inline int do_line(struct co_parallel *p, struct co_part *part, size_t from, size_t to)
{
	set_extent(p, part, 0, from, to - 1);
	return p->body(p->arg, part);
}

/* Execute at least one unit. */
static inline int do_units(struct co_parallel *p, struct co_part *part, size_t from, size_t to)
{
	return p->cut == 1 ? do_line(p, part, from, to) : do_boxes(p, part, from, to);
}

static inline void units_done(struct co_parallel *p, struct co_part *part, size_t from, size_t to)
{
	co_loop_returned(p, part, do_units(p, part, from, to));
}

/* The smaller of a * b and `most`. */
static size_t times(size_t a, size_t b, size_t most)
{
	size_t n;

	return __builtin_mul_overflow(a, b, &n) ? most : co_least(n, most);
}

/*
 * Go to the next round of n blocks, which are half of the units that the rounds before have left,
 * so that a block follows from its number, which one atomic add gives.
 */
static inline void next_round(struct co_dealt *d)
{
	size_t left;

	d->begin += times(d->n, d->size, d->units - d->begin);
	left = d->units - d->begin;
	d->size = (left + 2 * d->n - 1) / (2 * d->n);
	d->size = d->size < d->block ? d->block : d->size;
	d->end += d->n;
}

/* The first unit of block k; `units`: there is no block k. */
static inline size_t guided_block(struct co_dealt *d, size_t k)
{
	while (k >= d->end)
		next_round(d);
	return d->begin + times(k + d->n - d->end, d->size, d->units - d->begin);
}

size_t co_guided_last(size_t units, size_t n, size_t block)
{
	struct co_dealt d = { .units = units, .n = n, .block = block };

	do
		next_round(&d);
	while (times(n, d.size, units - d.begin) < units - d.begin);
	return d.end - n + (units - d.begin - 1) / d.size;
}

bool co_next_block(struct co_dealt *d, enum co_schedule schedule, struct co_aword *next,
		   size_t *from, size_t *to)
{
	size_t k = d->k;

	if (schedule == CO_CYCLIC)
		d->k += d->n;
	else
		k = co_atomic_add(next, 1, CO_RELAXED); /* it publishes nothing */
	if (schedule == CO_GUIDED) {
		*from = guided_block(d, k);
		if (*from >= d->units)
			return false;
	} else {
		if (k > (d->units - 1) / d->block)
			return false;
		*from = k * d->block;
		d->size = d->block;
	}
	*to = *from + co_least(d->size, d->units - *from);
	return true;
}

static inline struct co_dealt dealt(const struct co_parallel *p, size_t member)
{
	return (struct co_dealt){ .units = p->units, .n = p->n, .block = p->width, .k = member };
}

/* As co_next_block() has it. */
static inline size_t next_dynamic(struct co_parallel *p)
{
	return co_atomic_add(&p->next, 1, CO_RELAXED); /* it publishes nothing */
}

/* Block k, and all that are left after it. */
static NOINLINE int do_blocks(struct co_parallel *p, struct co_part *part, size_t k)
{
	for (; k <= p->last && !co_loop_stopped(p); k = next_dynamic(p))
		units_done(p, part, k * p->width, k == p->last ? p->units : (k + 1) * p->width);
	return 0;
}

static NOINLINE int do_guided(struct co_parallel *p, struct co_part *part, size_t k)
{
	struct co_dealt d = dealt(p, 0);

	for (; k <= p->last && !co_loop_stopped(p); k = next_dynamic(p)) {
		size_t from = guided_block(&d, k);

		units_done(p, part, from, from + co_least(d.size, d.units - from));
	}
	return 0;
}

/* A member that finds none left needs no frame. */
static inline int do_dynamic(struct co_parallel *p, struct co_part *part)
{
	size_t k = next_dynamic(p);

	if (k > p->last)
		return 0;
	return p->schedule == CO_DYNAMIC ? do_blocks(p, part, k) : do_guided(p, part, k);
}

static NOINLINE int do_cyclic(struct co_parallel *p, struct co_part *part)
{
	struct co_dealt d = dealt(p, part->member);
	size_t from, to;

	while (co_next_block(&d, CO_CYCLIC, NULL, &from, &to) && !co_loop_stopped(p))
		units_done(p, part, from, to);
	return 0;
}

bool co_loop_all_taken(const struct co_parallel *p)
{
	size_t k = co_atomic_load(&p->next, CO_RELAXED); /* the wait has acquired it */

	return (p->schedule == CO_DYNAMIC || p->schedule == CO_GUIDED) && k > p->last &&
	       !p->reduction.bytes && !p->cache;
}

static NOINLINE int do_own(struct co_parallel *p, struct co_part *part)
{
	for (size_t u = 0; u < p->units; u++) {
		if (co_loop_stopped(p))
			return 0;
		box(p, part, u, 1);
		if (p->owner(p->arg, part->from) % p->n == part->member)
			units_done(p, part, u, u + 1);
	}
	return 0;
}

static inline int do_static(struct co_parallel *p, struct co_part *part)
{
	size_t m, from, n;

	if (co_loop_stopped(p))
		return 0;
	m = part->member;
	from = p->more;
	n = p->each;
	if (m < from) {
		from = 0;
		n++;
	}
	from += m * n;
	return p->plain ? do_line(p, part, from, from + n) : do_units(p, part, from, from + n);
}

static inline int do_share(struct co_parallel *p, struct co_part *part)
{
	if (p->schedule == CO_STATIC)
		return do_static(p, part);
	if (p->schedule == CO_DYNAMIC || p->schedule == CO_GUIDED)
		return do_dynamic(p, part);
	return p->schedule == CO_OWNER ? do_own(p, part) : do_cyclic(p, part);
}

/* Execute units with a timeline: each part is a span. */
static void note_units(struct co_parallel *p, struct co_part *part, size_t from, size_t to)
{
	const uintptr_t fn = p->name ? 0 : (uintptr_t)p->body;

	while (from < to && !co_loop_stopped(p)) {
		from += box(p, part, from, to - from);
		co_timeline_enter(p->label, fn);
		co_trace_value("from", part->from[0]);
		co_trace_value("to", part->to[0]);
		co_loop_call(p, part);
		co_timeline_leave(p->label, fn);
	}
}

/* do_share() with a timeline. */
static NOINLINE int note_share(struct co_parallel *p, struct co_part *part)
{
	struct co_dealt d = dealt(p, p->schedule == CO_CYCLIC ? part->member : 0);
	size_t from, to;

	if (p->schedule == CO_STATIC)
		note_units(p, part, co_first_unit(p->units, p->n, part->member),
			   co_first_unit(p->units, p->n, part->member + 1));
	for (from = 0; p->schedule == CO_OWNER && from < p->units; from++) {
		box(p, part, from, 1);
		if (p->owner(p->arg, part->from) % p->n == part->member)
			note_units(p, part, from, from + 1);
	}
	while (p->schedule != CO_STATIC && p->schedule != CO_OWNER &&
	       co_next_block(&d, p->schedule, &p->next, &from, &to) && !co_loop_stopped(p))
		note_units(p, part, from, to);
	return 0;
}

static int share_specially(struct co_parallel *p, struct co_part *part)
{
	return co_stopwatch_loops & CO_LOOPS_NOTED && p->units ? note_share(p, part)
							       : do_share(p, part);
}

static NOINLINE void reduce(struct co_parallel *p, struct co_part *part)
{
	_Alignas(16) unsigned char partial[CO_REDUCTION_BYTES];

	memcpy(partial, p->reduction.identity, p->reduction.bytes);
	part->partial = partial;
	co_loop_returned(p, part, share_specially(p, part));
	memcpy(p->partials + part->member * p->stride, partial, p->reduction.bytes);
	part->partial = NULL;
}

/* Open the loop's cache for this member, or close it. */
static void open_cache(struct co_parallel *p, struct co_part *part)
{
	int r = p->cache ? p->cache->open(&part->cache, &p->cache->shape) : 0;

	if (r)
		(void)co_loop_failed(p, NULL, r);
}

static void close_cache(struct co_parallel *p, struct co_part *part)
{
	int r = part->cache ? p->cache->close(part->cache) : 0;

	part->cache = NULL;
	if (r)
		(void)co_loop_failed(p, NULL, r);
}

/* With a reduction, a cache, --kernel-times, a timeline. After an error no part is begun. */
static NOINLINE int do_specially(struct co_parallel *p, struct co_part *part)
{
	bool timed = co_stopwatch_loops & CO_LOOPS_TIMED;
	uint64_t since = timed ? co_stopwatch_start(p->label) : 0;

	open_cache(p, part);
	if (p->reduction.bytes)
		reduce(p, part);
	else
		co_loop_returned(p, part, share_specially(p, part));
	close_cache(p, part);
	if (timed)
		co_stopwatch_stop(p->label, since);
	return 0;
}

int co_loop_share(struct co_parallel *p, struct co_part *part)
{
	part->members = p->n;
	part->step[0] = co_loop_step(p, 0);
	if (p->plain)
		return do_static(p, part);
	for (unsigned d = 1; d < p->dims; d++) {
		part->from[d] = p->range[d].lower;
		part->to[d] = p->range[d].upper;
		part->step[d] = co_loop_step(p, d);
	}
	return p->special ? do_specially(p, part) : do_share(p, part);
}
