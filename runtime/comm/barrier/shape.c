/*
 * shape.c - which members of a barrier hang on which: a tree that keeps to the machine's groups.
 *
 * Members in a row whose data is in windows of one group are a run. The members of a run are a tree
 * of fixed fan-in, whose root is the first member; the first members of all runs are a tree, too.
 * So each group but the root's is left once on the way up, and entered once on the way down. Where
 * the data is in main memory, all members are one run.
 */
#include <cohart/spm.h>

#include "../../core/core.h"
#include "barrier.h"

/* With several runs: log2 of the fan-in among runs, and of the largest within a run. */
#define RUNS_SHIFT 2u

_Static_assert(2u << RUNS_SHIFT <= CO_BARRIER_BELOW, "a first member has two kinds of children");

struct run {
	uint32_t index, first, end;
};

/* A tree of n nodes, in which node i has the nodes (i << shift) + 1 and so on below it. */
static uint32_t nodes_below(uint32_t i, uint32_t n, uint32_t shift)
{
	uint32_t first = (i << shift) + 1;
	uint32_t most = 1u << shift;

	if (first >= n)
		return 0;
	return n - first < most ? n - first : most;
}

static unsigned group_of(const struct co_barrier *b, uint32_t member)
{
	int hart = co_spm_hart(co_barrier_member_at(b, member));

	return hart < 0 ? UINT32_MAX : co_machine.group_of[hart];
}

/* The run that begins at r->end. */
static void next_run(const struct co_barrier *b, struct run *r)
{
	unsigned group = group_of(b, r->end);

	r->index++;
	r->first = r->end;
	do
		r->end++;
	while (r->end < b->members && group_of(b, r->end) == group);
}

static struct run run_of(const struct co_barrier *b, uint32_t member)
{
	struct run r = { .index = UINT32_MAX };

	if (co_machine.groups < 2 || (!b->table && co_spm_hart(b->first) < 0))
		return (struct run){ .end = b->members };
	do
		next_run(b, &r);
	while (r.end <= member);
	return r;
}

static void add_below(struct co_barrier_member *m, struct co_barrier_member *below)
{
	m->below[m->children++] = below;
}

/* Hang m on `above`, as its child number `child`. Returns where m announces its doorbell there. */
static struct co_aword *hang_on(struct co_barrier_member *m, struct co_barrier_member *above,
				uint32_t child)
{
	m->above = above;
	m->up = &above->rest.word[1 + child];
	return &above->ring_by[child];
}

/* Link m, the first member of its run, with the first members of other runs. */
static struct co_aword *link_runs(const struct co_barrier *b, const struct run *own,
				  struct co_barrier_member *m, uint32_t shift)
{
	uint32_t above = own->index ? (own->index - 1) >> RUNS_SHIFT : UINT32_MAX;
	uint32_t below = (own->index << RUNS_SHIFT) + 1;
	struct run r = { .index = UINT32_MAX };
	struct co_aword *ring_by = NULL;

	while (r.end < b->members && r.index + 1 < below + (1u << RUNS_SHIFT)) {
		next_run(b, &r);
		if (r.index == above)
			ring_by = hang_on(m, co_barrier_member_at(b, r.first),
					  nodes_below(0, r.end - r.first, shift) +
						  ((own->index - 1) & ((1u << RUNS_SHIFT) - 1)));
		if (r.index >= below)
			add_below(m, co_barrier_member_at(b, r.first));
	}
	return ring_by;
}

struct co_aword *co_barrier_link(const struct co_barrier *b, uint32_t member,
				 struct co_barrier_member *m)
{
	struct run own = run_of(b, member);
	uint32_t n = own.end - own.first, i = member - own.first;
	bool alone = n == b->members;
	uint32_t shift = alone || b->shift < RUNS_SHIFT ? b->shift : RUNS_SHIFT;
	uint32_t below = nodes_below(i, n, shift);

	m->above = NULL;
	m->up = NULL;
	m->children = 0;
	for (uint32_t k = 0; k < below; k++)
		add_below(m, co_barrier_member_at(b, own.first + (i << shift) + 1 + k));
	if (i)
		return hang_on(m, co_barrier_member_at(b, own.first + ((i - 1) >> shift)),
			       (i - 1) & ((1u << shift) - 1));
	return alone ? NULL : link_runs(b, &own, m, shift);
}
