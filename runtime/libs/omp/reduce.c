/*
 * reduce.c - reductions in which tasks take part: each thread has copies of the variables.
 *
 * The compiler describes variables by arrays of words, in a chain whose last one leads to the
 * arrays of the taskgroup around. A task asks for its thread's copy of a variable by the address of
 * the variable, or of another thread's copy.
 */
#include <stdlib.h>

#include "team.h"

/* The words of a description, and of each of its variables behind them. */
enum { VARIABLES, BYTES, COPIES, ALLOCATOR, AROUND, IS_FIRST, COPIES_END, HEAD };
enum { ADDRESS, OFFSET, UNUSED, VARIABLE };

static uintptr_t *after(const uintptr_t *d)
{
	return (uintptr_t *)d[AROUND];
}

/*
 * Make the copies that a chain describes, zeroed, or take over the copies of a thread of the
 * work-share that has come before: `first`. @param around  descriptions of the taskgroup around;
 * NULL: none
 */
static void add(uintptr_t *chain, uintptr_t *around, const uintptr_t *first, unsigned threads)
{
	uintptr_t *d = chain;

	for (;; d = after(d)) {
		if (first) {
			d[COPIES] = first[COPIES];
			d[COPIES_END] = first[COPIES_END];
			first = after(first);
		} else { /* COPIES is their alignment, which a line's is, or more */
			size_t bytes = d[BYTES] * threads, align = d[COPIES];
			void *p = align <= CO_LINE ? co_omp_table(1, bytes, "a reduction")
						   : aligned_alloc(align, bytes);

			if (!p)
				co_omp_die("there is no memory for a reduction");
			if (align > CO_LINE)
				__builtin_memset(p, 0, bytes);
			d[COPIES] = (uintptr_t)p;
			d[COPIES_END] = d[COPIES] + bytes;
		}
		d[IS_FIRST] = d == chain;
		if (!d[AROUND])
			break;
	}
	d[AROUND] = (uintptr_t)around;
}

static void remove(uintptr_t *chain)
{
	do {
		free((void *)chain[COPIES]);
		chain = after(chain);
	} while (chain && !chain[IS_FIRST]);
}

void co_omp_reduce_group(void)
{
	GOMP_taskgroup_start();
	co_omp_self()->task->group->shared = true;
}

void co_omp_reduce(uintptr_t *reductions, const uintptr_t *first)
{
	struct co_omp_thread *me = co_omp_self();
	struct co_omp_group *g = me->task->group;

	add(reductions, g->reductions, first, me->member->team->n);
	g->reductions = reductions;
}

GOMP(void, taskgroup_reduction_register, uintptr_t *reductions)
{
	co_omp_reduce(reductions, NULL);
}

GOMP(void, taskgroup_reduction_unregister, uintptr_t *reductions)
{
	remove(reductions);
}

/* A work-share's threads leave it; the first one has combined the copies. */
GOMP(void, workshare_task_reduction_unregister, bool cancelled)
{
	struct co_omp_thread *me = co_omp_self();
	uintptr_t *reductions = me->task->group->reductions;

	GOMP_taskgroup_end();
	if (me->member->num == 0)
		remove(reductions);
	if (!cancelled)
		co_omp_barrier(me->member);
}

GOMP(void, scope_start, uintptr_t *reductions)
{
	struct co_omp_member *m = co_omp_me();
	struct co_omp_share *s;

	co_omp_reduce_group();
	s = co_omp_enter(m);
	co_omp_share_common(s, &(struct co_omp_common){ .reductions = reductions });
	co_omp_leave(m, s);
}

GOMP(unsigned, parallel_reductions, void (*fn)(void *), void *data, unsigned n, unsigned flags)
{
	uintptr_t *reductions = *(uintptr_t **)data;
	struct co_omp_group group = { .reductions = reductions };

	(void)flags;
	n = co_omp_threads_of(co_omp_self(), n);
	add(reductions, NULL, NULL, n);
	return co_omp_parallel(
		&(struct co_omp_region){ .fn = fn, .data = data, .n = n, .group = &group });
}

/* The variable at the address; or its offset in `copies`, if the address is of a thread's copy. */
static const uintptr_t *find(const uintptr_t *d, uintptr_t address, uintptr_t *offset)
{
	for (uintptr_t i = 0; i < d[VARIABLES]; i++) {
		const uintptr_t *v = d + HEAD + i * VARIABLE;

		if (address != v[ADDRESS] && (address < d[COPIES] || address >= d[COPIES_END] ||
					      (address - d[COPIES]) % d[BYTES] != v[OFFSET]))
			continue;
		*offset = v[OFFSET];
		return v;
	}
	return NULL;
}

/*
 * Replace each of n addresses by that of the calling thread's copy.
 * @param originals  of the first of them, their variables' addresses are written behind all
 */
GOMP(void, task_reduction_remap, size_t n, size_t originals, void **addresses)
{
	const struct co_omp_thread *me = co_omp_self();
	const uintptr_t *all = me->task->group ? me->task->group->reductions : NULL;

	for (size_t i = 0; i < n; i++) {
		const uintptr_t *v = NULL, *d = all;
		uintptr_t offset = 0;

		while (d && !(v = find(d, (uintptr_t)addresses[i], &offset)))
			d = after(d);
		if (!v)
			co_omp_die("in_reduction: the variable at %p has no reduction around it "
				   "(task_reduction, or reduction(task, ...))",
				   addresses[i]);
		addresses[i] = (void *)(d[COPIES] + me->member->num * d[BYTES] + offset);
		if (i < originals)
			addresses[n + i] = (void *)v[ADDRESS];
	}
}
