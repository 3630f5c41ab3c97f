/*
 * loop.c - loops and sections: their iterations are numbered, and dealt to the threads in blocks.
 *
 * A thread takes a block of a dynamic or guided loop by one atomic add. The blocks of a guided loop
 * have the sizes that follow from their numbers: each thread computes them.
 */
#include "team.h"

/* ---- Beginning ---- */

/* Iterations of a loop from `start`, by `step`, to `end`, which is not executed. */
static unsigned long long count_of(bool up, unsigned long long start, unsigned long long end,
				   unsigned long long step)
{
	return up ? (end - start - 1) / step + 1 : (start - end - 1) / -step + 1;
}

static struct co_omp_loop describe(long start, long end, long step, int kind, long chunk)
{
	bool up = step > 0;

	return (struct co_omp_loop){
		.start = (unsigned long long)start,
		.end = (unsigned long long)end,
		.step = (unsigned long long)step,
		.count = (up ? start < end : start > end)
				 ? count_of(up, (unsigned long long)start, (unsigned long long)end,
					    (unsigned long long)step)
				 : 0,
		.kind = kind,
		.chunk = chunk > 0 ? (unsigned long long)chunk : 0,
	};
}

static struct co_omp_loop describe_ull(bool up, unsigned long long start, unsigned long long end,
				       unsigned long long step, int kind, unsigned long long chunk)
{
	return (struct co_omp_loop){
		.start = start,
		.end = end,
		.step = step,
		.count = (up ? start < end : start > end) ? count_of(up, start, end, step) : 0,
		.kind = kind,
		.chunk = chunk,
	};
}

void co_omp_loop_choose(struct co_omp_loop *l)
{
	const struct co_omp_icv *icv = &co_omp_self()->task->icv;

	l->kind = icv->kind & ~(int)omp_sched_monotonic;
	l->chunk = icv->chunk > 0 ? (unsigned)icv->chunk : 0;
}

void co_omp_loop_begin(struct co_omp_member *m, const struct co_omp_loop *described)
{
	struct co_omp_loop *l = &m->loop;

	*l = *described;
	if (!l->kind)
		co_omp_loop_choose(l);
	l->share = co_omp_enter(m);
	l->begun = false;
	l->at = l->seen = 0;
	l->block = m->num;
	if (l->kind == omp_sched_auto)
		l->kind = omp_sched_static;
	if (l->kind != omp_sched_static && !l->chunk)
		l->chunk = 1;
	if (l->kind == omp_sched_guided || !l->chunk)
		return;
	/* Words count blocks: that may be fewer than iterations, where a word has 32 bits. */
	while (l->count / l->chunk > UINTPTR_MAX / 2)
		l->chunk *= 2;
	l->blocks = l->count ? (l->count - 1) / l->chunk + 1 : 0;
	l->stride = l->chunk * l->step;
}

/* ---- The next block ---- */

/* A thread's share of a static loop: as long as its neighbours', or longer by one. */
static bool whole_share(const struct co_omp_member *m, struct co_omp_loop *l,
			unsigned long long *from, unsigned long long *to)
{
	unsigned n = m->team->n;
	unsigned long long each = l->count / n;
	unsigned more = (unsigned)(l->count % n);

	if (l->begun)
		return false;
	l->block = m->num;
	*from = each * m->num + (m->num < more ? m->num : more);
	*to = *from + each + (m->num < more);
	return *from < *to;
}

/* The n-th part of the rest, but at least a chunk. */
static unsigned long long guided_size(const struct co_omp_loop *l, unsigned n)
{
	unsigned long long left = l->count - l->at, size = (left - 1) / n + 1;

	if (size < l->chunk)
		size = l->chunk;
	return size < left ? size : left;
}

static bool guided(const struct co_omp_member *m, struct co_omp_loop *l, unsigned long long *from,
		   unsigned long long *to)
{
	/* relaxed: a number alone. */
	l->block = co_atomic_add(&l->share->next, 1, CO_RELAXED);
	while (l->at < l->count && l->seen < l->block) {
		l->at += guided_size(l, m->team->n);
		l->seen++;
	}
	*from = l->at;
	if (l->at == l->count)
		return false;
	*to = l->at + guided_size(l, m->team->n);
	return true;
}

static bool next_block(const struct co_omp_member *m, struct co_omp_loop *l,
		       unsigned long long *from, unsigned long long *to)
{
	if (l->kind == omp_sched_guided)
		return guided(m, l, from, to);
	if (l->kind == omp_sched_dynamic) /* relaxed: a number alone. */
		l->block = co_atomic_add(&l->share->next, 1, CO_RELAXED);
	else if (!l->chunk)
		return whole_share(m, l, from, to);
	else if (l->begun)
		l->block += m->team->n;
	if (l->block >= l->blocks)
		return false;
	*from = l->block * l->chunk;
	*to = l->block + 1 == l->blocks ? l->count : *from + l->chunk;
	return true;
}

/* The thread's block has been executed: ordered regions of the next one may be. */
static void pass_turn(struct co_omp_loop *l)
{
	co_omp_await(l->share, &l->share->turn, (uintptr_t)l->block);
	co_omp_pass(l->share, &l->share->turn, (uintptr_t)l->block + 1);
}

/* `m`: the caller. False: nothing is left for it. */
static bool next(struct co_omp_member *m, unsigned long long *start, unsigned long long *end)
{
	struct co_omp_loop *l = &m->loop;
	unsigned long long from, to;

	if (l->ordered && l->begun)
		pass_turn(l);
	if (!next_block(m, l, &from, &to)) {
		l->ordered = false;
		return false;
	}
	l->begun = true;
	*start = l->start + from * l->step;
	*end = to == l->count ? l->end : l->start + to * l->step;
	return true;
}

/* The next block of a dynamic loop that has no order: in few instructions. */
static bool next_dynamic(unsigned long long *start, unsigned long long *end)
{
	struct co_omp_loop *l = &co_omp_me()->loop;
	/* relaxed: a number alone. */
	uintptr_t block = co_atomic_add(&l->share->next, 1, CO_RELAXED);

	if (block >= l->blocks)
		return false;
	*start = l->start + block * l->stride;
	*end = block + 1 == l->blocks ? l->end : *start + l->stride;
	return true;
}

static bool next_dynamic_long(long *start, long *end)
{
	unsigned long long from, to;

	if (!next_dynamic(&from, &to))
		return false;
	*start = (long)from;
	*end = (long)to;
	return true;
}

static bool next_long(long *start, long *end)
{
	unsigned long long from, to;

	if (!next(co_omp_me(), &from, &to))
		return false;
	*start = (long)from;
	*end = (long)to;
	return true;
}

bool co_omp_loop_next(unsigned long long *start, unsigned long long *end)
{
	return next(co_omp_me(), start, end);
}

struct co_omp_member *co_omp_loop_abandon(void)
{
	struct co_omp_member *m = co_omp_me();

	if (m->loop.dispatched)
		co_omp_leave(m, m->loop.share);
	m->loop.dispatched = false;
	return m;
}

static bool begin_long(struct co_omp_loop l, long *start, long *end)
{
	co_omp_loop_begin(co_omp_me(), &l);
	return next_long(start, end);
}

static bool begin_ull(struct co_omp_loop l, unsigned long long *start, unsigned long long *end)
{
	co_omp_loop_begin(co_omp_me(), &l);
	return co_omp_loop_next(start, end);
}

/* The loop's threads have memory in common, or reductions of tasks. */
static void begin_equipped(struct co_omp_loop l, uintptr_t *reductions, void **memory)
{
	struct co_omp_member *m = co_omp_me();

	if (reductions)
		co_omp_reduce_group();
	co_omp_loop_begin(m, &l);
	if (reductions || memory)
		co_omp_share_common(
			m->loop.share,
			&(struct co_omp_common){ .memory = memory, .reductions = reductions });
}

static struct co_omp_loop in_order(struct co_omp_loop l)
{
	l.ordered = true;
	return l;
}

/* ---- Functions that compilers call ---- */

typedef unsigned long long ull;
#define RANGE(type) type from, type to, type step
#define OUT(type) type *start, type *end

#define START(name, kind, order)                                                             \
	GOMP(bool, loop_##name##_start, RANGE(long), long chunk, OUT(long))                  \
	{                                                                                    \
		return begin_long(order(describe(from, to, step, kind, chunk)), start, end); \
	}
#define START_ULL(name, kind, order)                                                          \
	GOMP(bool, loop_ull_##name##_start, bool up, RANGE(ull), ull chunk, OUT(ull))         \
	{                                                                                     \
		return begin_ull(order(describe_ull(up, from, to, step, kind, chunk)), start, \
				 end);                                                        \
	}
/* Of schedule(runtime), which names no chunk. */
#define START_RUNTIME(name, order)                                                    \
	GOMP(bool, loop_##name##_start, RANGE(long), OUT(long))                       \
	{                                                                             \
		return begin_long(order(describe(from, to, step, 0, 0)), start, end); \
	}
#define START_RUNTIME_ULL(name, order)                                                       \
	GOMP(bool, loop_ull_##name##_start, bool up, RANGE(ull), OUT(ull))                   \
	{                                                                                    \
		return begin_ull(order(describe_ull(up, from, to, step, 0, 0)), start, end); \
	}
#define NEXT(name, take, take_ull)                \
	GOMP(bool, loop_##name##_next, OUT(long)) \
	{                                         \
		return take(start, end);          \
	}                                         \
	NEXT_ULL(name, take_ull)
#define NEXT_ULL(name, take)                         \
	GOMP(bool, loop_ull_##name##_next, OUT(ull)) \
	{                                            \
		return take(start, end);             \
	}

/* For each name of a schedule: a loop's beginning, of both types. */
#define LOOPS(name, kind, order) START(name, kind, order) START_ULL(name, kind, order)
#define RUNTIME_LOOPS(name, order) START_RUNTIME(name, order) START_RUNTIME_ULL(name, order)

LOOPS(static, omp_sched_static, )
LOOPS(dynamic, omp_sched_dynamic, )
LOOPS(guided, omp_sched_guided, )
LOOPS(nonmonotonic_dynamic, omp_sched_dynamic, )
LOOPS(nonmonotonic_guided, omp_sched_guided, )
LOOPS(ordered_static, omp_sched_static, in_order)
LOOPS(ordered_dynamic, omp_sched_dynamic, in_order)
LOOPS(ordered_guided, omp_sched_guided, in_order)
RUNTIME_LOOPS(runtime, )
RUNTIME_LOOPS(nonmonotonic_runtime, )
RUNTIME_LOOPS(maybe_nonmonotonic_runtime, )
RUNTIME_LOOPS(ordered_runtime, in_order)
NEXT(dynamic, next_dynamic_long, next_dynamic)
NEXT(nonmonotonic_dynamic, next_dynamic_long, next_dynamic)
NEXT(static, next_long, co_omp_loop_next)
NEXT(guided, next_long, co_omp_loop_next)
NEXT(nonmonotonic_guided, next_long, co_omp_loop_next)
NEXT(ordered_static, next_long, co_omp_loop_next)
NEXT(ordered_dynamic, next_long, co_omp_loop_next)
NEXT(ordered_guided, next_long, co_omp_loop_next)
NEXT(runtime, next_long, co_omp_loop_next)
NEXT(nonmonotonic_runtime, next_long, co_omp_loop_next)
NEXT(maybe_nonmonotonic_runtime, next_long, co_omp_loop_next)
NEXT(ordered_runtime, next_long, co_omp_loop_next)

/*
 * The compiler names the schedule, if the loop has task reductions or memory in common. `start` may
 * be NULL: the compiler itself deals the iterations. Automatic means here what runtime does.
 */
#define ANY(name, order)                                                                  \
	GOMP(bool, loop_##name, RANGE(long), long kind, long chunk, OUT(long),            \
	     uintptr_t *reductions, void **memory)                                        \
	{                                                                                 \
		begin_equipped(order(describe(from, to, step, CO_OMP_KIND(kind), chunk)), \
			       reductions, memory);                                       \
		return !start || next_long(start, end);                                   \
	}
#define ANY_ULL(name, order)                                                                      \
	GOMP(bool, loop_ull_##name, bool up, RANGE(ull), long kind, ull chunk, OUT(ull),          \
	     uintptr_t *reductions, void **memory)                                                \
	{                                                                                         \
		begin_equipped(order(describe_ull(up, from, to, step, CO_OMP_KIND(kind), chunk)), \
			       reductions, memory);                                               \
		return !start || co_omp_loop_next(start, end);                                    \
	}

ANY(start, )
ANY(ordered_start, in_order)
ANY_ULL(start, )
ANY_ULL(ordered_start, in_order)

GOMP(void, loop_end_nowait, void)
{
	struct co_omp_member *m = co_omp_me();

	co_omp_leave(m, m->loop.share);
}

GOMP(void, loop_end, void)
{
	struct co_omp_member *m = co_omp_me();

	co_omp_leave(m, m->loop.share);
	co_omp_barrier(m);
}

/* A region that is a loop: its function asks for the loop's next block, and leaves it. */
static void parallel_loop(void (*fn)(void *), void *data, unsigned n, struct co_omp_loop l,
			  bool old)
{
	const struct co_omp_region r = { fn, data, n, &l, NULL };

	if (old)
		co_omp_parallel_start(&r);
	else
		co_omp_parallel(&r);
}

#define REGION void (*fn)(void *), void *data, unsigned n
#define PARALLEL(name, kind)                                                              \
	GOMP(void, parallel_loop_##name, REGION, RANGE(long), long chunk, unsigned flags) \
	{                                                                                 \
		(void)flags;                                                              \
		parallel_loop(fn, data, n, describe(from, to, step, kind, chunk), false); \
	}
#define PARALLEL_RUNTIME(name)                                                     \
	GOMP(void, parallel_loop_##name, REGION, RANGE(long), unsigned flags)      \
	{                                                                          \
		(void)flags;                                                       \
		parallel_loop(fn, data, n, describe(from, to, step, 0, 0), false); \
	}
#define PARALLEL_START(name, kind)                                                       \
	GOMP(void, parallel_loop_##name##_start, REGION, RANGE(long), long chunk)        \
	{                                                                                \
		parallel_loop(fn, data, n, describe(from, to, step, kind, chunk), true); \
	}

PARALLEL(static, omp_sched_static)
PARALLEL(dynamic, omp_sched_dynamic)
PARALLEL(guided, omp_sched_guided)
PARALLEL(nonmonotonic_dynamic, omp_sched_dynamic)
PARALLEL(nonmonotonic_guided, omp_sched_guided)
PARALLEL_RUNTIME(runtime)
PARALLEL_RUNTIME(nonmonotonic_runtime)
PARALLEL_RUNTIME(maybe_nonmonotonic_runtime)
PARALLEL_START(static, omp_sched_static)
PARALLEL_START(dynamic, omp_sched_dynamic)
PARALLEL_START(guided, omp_sched_guided)

GOMP(void, parallel_loop_runtime_start, REGION, RANGE(long))
{
	parallel_loop(fn, data, n, describe(from, to, step, 0, 0), true);
}

/* ---- Ordered ---- */

GOMP(void, ordered_start, void)
{
	struct co_omp_loop *l = &co_omp_me()->loop;

	if (l->ordered) /* else it stands in no loop */
		co_omp_await(l->share, &l->share->turn, (uintptr_t)l->block);
}

GOMP(void, ordered_end, void)
{
	/* The turn is passed with the block. */
}

/* ---- Sections: a dynamic loop over their numbers, 1 to n; 0: none is left ---- */

GOMP(unsigned, sections_next, void)
{
	long section, end;

	return next_long(&section, &end) ? (unsigned)section : 0;
}

static struct co_omp_loop sections(unsigned n)
{
	return describe(1, (long)n + 1, 1, omp_sched_dynamic, 1);
}

GOMP(unsigned, sections_start, unsigned n)
{
	begin_equipped(sections(n), NULL, NULL);
	return GOMP_sections_next();
}

GOMP(unsigned, sections2_start, unsigned n, uintptr_t *reductions, void **memory)
{
	begin_equipped(sections(n), reductions, memory);
	return GOMP_sections_next();
}

GOMP(void, parallel_sections, REGION, unsigned sections_n, unsigned flags)
{
	(void)flags;
	parallel_loop(fn, data, n, sections(sections_n), false);
}

GOMP(void, parallel_sections_start, REGION, unsigned sections_n)
{
	parallel_loop(fn, data, n, sections(sections_n), true);
}

GOMP(void, sections_end_nowait, void)
{
	GOMP_loop_end_nowait();
}

GOMP(void, sections_end, void)
{
	GOMP_loop_end();
}
