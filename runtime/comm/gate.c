/*
 * gate.c - a tournament of mutexes: taken from the first round up, let go of from the final down.
 */
#include <errno.h>
#include <string.h>

#include <cohart/gate.h>
#include <cohart/spm.h>

/* 65536 contenders, two at a node. */
#define ROUNDS 16

/* The nodes on the way of a contender; how many. */
static unsigned path(struct co_gate *g, unsigned me, struct co_mutex *way[ROUNDS])
{
	struct co_gate_node *round = g->nodes;
	unsigned width = g->contenders;
	unsigned n = 0;

	CO_ASSERT(me < g->contenders);
	do {
		me /= g->k;
		way[n++] = &round[me].mutex;
		width = (width + g->k - 1) / g->k;
		round += width;
	} while (width > 1);
	return n;
}

static void unlock_way(struct co_mutex *const way[], unsigned n)
{
	while (n)
		co_mutex_unlock(way[--n]);
}

int co_gate_init(struct co_gate *g, unsigned contenders, unsigned k, struct co_gate_node *nodes)
{
	size_t bytes;

	if (!contenders || contenders > CO_GATE_MAX || k < 2 || k > CO_GATE_MAX || !nodes ||
	    (uintptr_t)nodes % alignof(struct co_gate_node))
		return -EINVAL;
	bytes = CO_GATE_NODES(contenders, k) * sizeof(*nodes);
	CO_ASSERT(g && co_spm_shared(g, sizeof(*g)) && co_spm_shared(nodes, bytes));
	memset(nodes, 0, bytes);
	*g = (struct co_gate){ .contenders = contenders, .k = k, .nodes = nodes };
	return 0;
}

int co_gate_lock_until(struct co_gate *g, unsigned me, uint64_t deadline)
{
	struct co_mutex *way[ROUNDS];
	unsigned n = path(g, me, way);
	int dead = 0;

	for (unsigned i = 0; i < n; i++) {
		int r = co_mutex_lock_until(way[i], deadline);

		if (r == -EOWNERDEAD) {
			dead = r;
		} else if (r) {
			unlock_way(way, i);
			return r;
		}
	}
	return dead;
}

int co_gate_lock(struct co_gate *g, unsigned me)
{
	return co_gate_lock_until(g, me, CO_FOREVER);
}

void co_gate_unlock(struct co_gate *g, unsigned me)
{
	struct co_mutex *way[ROUNDS];

	unlock_way(way, path(g, me, way));
}
