/*
 * doacross.c - loops with ordered(n): an iteration waits for others that the program names.
 *
 * Blocks of the outermost loop are dealt as dynamic or static ones. For each block a word counts
 * how many of its iterations have been posted, in the order of all n loops.
 */
#include <stdarg.h>

#include "team.h"

typedef unsigned long long ull;

/* The caller comes to a loop. `inner`: iterations of the inner loops in one of the outermost. */
static void begin(struct co_omp_loop l, unsigned dims, ull inner, struct co_omp_common common)
{
	struct co_omp_member *m = co_omp_me();

	if (common.reductions)
		co_omp_reduce_group();
	if (!l.kind)
		co_omp_loop_choose(&l);
	if (l.kind == omp_sched_guided) /* long blocks would wait for each other */
		l.kind = omp_sched_dynamic;
	if (l.kind != omp_sched_dynamic && (l.kind == omp_sched_auto || !l.chunk)) {
		l.kind = omp_sched_static;
		l.chunk = l.count / m->team->n + 1;
	}
	co_omp_loop_begin(m, &l);
	if (l.count && inner && m->loop.chunk > (ull)INTPTR_MAX / inner)
		co_omp_die("a loop with ordered(%u): a block of %llu times %llu iterations is too "
			   "long to be counted (smaller chunks)",
			   dims, m->loop.chunk, inner);
	common.words = (size_t)m->loop.blocks;
	m->loop.dims = dims;
	m->loop.posts = co_omp_share_common(m->loop.share, &common);
}

static struct co_omp_loop up_to(ull count, int kind, ull chunk)
{
	return (struct co_omp_loop){
		.end = count, .step = 1, .count = count, .kind = kind, .chunk = chunk
	};
}

/* A count of 0 makes the product 0: the compiler may not have written more. */
static ull times(ull a, ull b)
{
	ull all;

	return __builtin_mul_overflow(a, b, &all) ? UINT64_MAX : all;
}

static struct co_aword *word_of(const struct co_omp_loop *l, ull index)
{
	return &l->posts[index / l->chunk];
}

/* Word i of an array of longs, or of unsigned long longs. */
static ull word(const void *array, unsigned i, bool is_long)
{
	return is_long ? (ull)((const long *)array)[i] : ((const ull *)array)[i];
}

static bool start(unsigned dims, const void *counts, bool is_long, int kind, ull chunk, ull *from,
		  ull *to, uintptr_t *reductions, void **memory)
{
	struct co_omp_common common = { .head = counts,
					.head_bytes = dims * (is_long ? sizeof(long) : sizeof(ull)),
					.memory = memory,
					.reductions = reductions };
	ull inner = 1;

	for (unsigned i = 1; i < dims; i++)
		inner = times(inner, word(counts, i, is_long));
	begin(up_to(word(counts, 0, is_long), kind, chunk), dims, inner, common);
	return co_omp_loop_next(from, to);
}

/*
 * An iteration's number in its block, in the order in which one thread would execute that, grows by
 * a loop: the outermost one's index comes first.
 */
static ull deeper(const struct co_omp_loop *l, ull number, unsigned loop, ull index, bool is_long)
{
	return number * word(l->share->memory, loop, is_long) + index;
}

static void post(const void *index, bool is_long)
{
	const struct co_omp_loop *l = &co_omp_me()->loop;
	ull first = word(index, 0, is_long), number = first % l->chunk;

	for (unsigned i = 1; i < l->dims; i++)
		number = deeper(l, number, i, word(index, i, is_long), is_long);
	co_omp_pass(l->share, word_of(l, first), (uintptr_t)number + 1);
}

static void await(ull first, va_list rest, bool is_long)
{
	const struct co_omp_loop *l = &co_omp_me()->loop;
	ull number = first % l->chunk;

	for (unsigned i = 1; i < l->dims; i++) {
		ull index = is_long ? (ull)va_arg(rest, long) : va_arg(rest, ull);

		number = deeper(l, number, i, index, is_long);
	}
	co_omp_await(l->share, word_of(l, first), (uintptr_t)number + 1);
}

/* ---- Functions that compilers call ---- */

GOMP(void, doacross_post, long *index)
{
	post(index, true);
}

GOMP(void, doacross_ull_post, ull *index)
{
	post(index, false);
}

GOMP(void, doacross_wait, long first, ...)
{
	va_list rest;

	va_start(rest, first);
	await((ull)first, rest, true);
	va_end(rest);
}

GOMP(void, doacross_ull_wait, ull first, ...)
{
	va_list rest;

	va_start(rest, first);
	await(first, rest, false);
	va_end(rest);
}

static bool start_ull(unsigned dims, ull *counts, long kind, ull chunk, ull *from, ull *to,
		      uintptr_t *reductions, void **memory)
{
	return start(dims, counts, false, CO_OMP_KIND(kind), chunk, from, to, reductions, memory);
}

static bool start_long(unsigned dims, long *counts, long kind, long chunk, long *from, long *to,
		       uintptr_t *reductions, void **memory)
{
	ull a, b;

	if (!start(dims, counts, true, CO_OMP_KIND(kind), (ull)chunk, &a, &b, reductions, memory))
		return false;
	*from = (long)a;
	*to = (long)b;
	return true;
}

#define LOOP(type) unsigned dims, type *counts
#define OUT(type) type *from, type *to
#define MORE uintptr_t *reductions, void **memory
#define START(type, call, start, kind)                                         \
	GOMP(bool, call, LOOP(type), type chunk, OUT(type))                    \
	{                                                                      \
		return start(dims, counts, kind, chunk, from, to, NULL, NULL); \
	}

#define START_BY(loop, type, start)                                                    \
	GOMP(bool, loop##_start, LOOP(type), long kind, type chunk, OUT(type), MORE)   \
	{                                                                              \
		return start(dims, counts, kind, chunk, from, to, reductions, memory); \
	}
#define START_AT_RUN(loop, type, start)                                 \
	GOMP(bool, loop##_runtime_start, LOOP(type), OUT(type))         \
	{                                                               \
		return start(dims, counts, 0, 0, from, to, NULL, NULL); \
	}

/* The calls for loops whose variable has the type. */
#define STARTS(type, loop, start)                                   \
	START(type, loop##_static_start, start, omp_sched_static)   \
	START(type, loop##_dynamic_start, start, omp_sched_dynamic) \
	START(type, loop##_guided_start, start, omp_sched_guided)   \
	START_AT_RUN(loop, type, start)                             \
	START_BY(loop, type, start)

STARTS(long, loop_doacross, start_long)
STARTS(ull, loop_ull_doacross, start_ull)
