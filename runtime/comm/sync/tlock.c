/*
 * tlock.c - a tournament of mutexes, locked from the first round up, unlocked from the final down.
 */
#include <errno.h>
#include <string.h>

#include <cohart/sync.h>
#include <hal/monitors.h>

#include "../../core/report.h"

/* 65536 contenders, two at a node. */
#define ROUNDS 16

/* Fill `way` with the mutexes of a contender, first round first; returns how many. */
static unsigned path(struct co_tlock *t, unsigned me, struct co_mutex *way[ROUNDS])
{
	struct co_tlock_node *round = t->nodes;
	unsigned width = t->contenders;
	unsigned n = 0;

	CO_ASSERT_THAT(
		me < t->contenders,
		"a contender of a tournament lock has a number below that of co_tlock_init()");
	do {
		me /= t->k;
		way[n++] = &round[me].mutex;
		width = (width + t->k - 1) / t->k;
		round += width;
	} while (width > 1);
	return n;
}

static void unlock_way(struct co_mutex *const way[], unsigned n)
{
	while (n)
		co_mutex_unlock(way[--n]);
}

int co_tlock_init(struct co_tlock *t, unsigned contenders, unsigned k, struct co_tlock_node *nodes)
{
	size_t bytes;

	if (k == 0)
		k = BOARD_MONITORS ? BOARD_MONITORS : CO_TLOCK_MAX;
	if (!contenders || contenders > CO_TLOCK_MAX || k < 2 || k > CO_TLOCK_MAX || !nodes ||
	    (BOARD_MONITORS && k > BOARD_MONITORS) ||
	    (uintptr_t)nodes % alignof(struct co_tlock_node))
		return -EINVAL;
	bytes = CO_TLOCK_NODES(contenders, k) * sizeof(*nodes);
	CO_ASSERT_SHARED(t, sizeof(*t), "a struct co_tlock");
	CO_ASSERT_SHARED(nodes, bytes, "the memory for the nodes of a tournament lock");
	memset(nodes, 0, bytes);
	*t = (struct co_tlock){ .contenders = contenders, .k = k, .nodes = nodes };
	return 0;
}

int co_tlock_lock_until(struct co_tlock *t, unsigned me, uint64_t deadline)
{
	struct co_mutex *way[ROUNDS];
	unsigned n = path(t, me, way);
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

int co_tlock_lock(struct co_tlock *t, unsigned me)
{
	return co_tlock_lock_until(t, me, CO_FOREVER);
}

void co_tlock_unlock(struct co_tlock *t, unsigned me)
{
	struct co_mutex *way[ROUNDS];

	unlock_way(way, path(t, me, way));
}
