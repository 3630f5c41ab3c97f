/* parallel.h - a loop's launch in steps (for stream.c), and what its members share. */
#ifndef COHART_DATA_PARALLEL_H
#define COHART_DATA_PARALLEL_H

#include <cohart/parallel.h>

#include "../core/core.h"

/* Why a loop stops: bits of `stop`. */
enum { CO_LOOP_FAILED = 1, CO_LOOP_UNSTARTED = 2, CO_LOOP_CANCELED = 4 };

/* True for the first call that stops it for that reason. */
static inline bool co_parallel_stop(struct co_parallel *p, uint32_t why)
{
	/* relaxed: members only stop sooner; the waiter comes after their end. */
	return !(co_atomic_or(&p->stop, why, CO_RELAXED) & why);
}

static inline bool co_loop_stopped(struct co_parallel *p)
{
	/* relaxed: members only stop sooner; the waiter comes after their end. */
	return co_atomic_load(&p->stop, CO_RELAXED) != 0;
}

/* Note a failure of what begins `at` (NULL: unknown). @return true: it is the first */
bool co_loop_failed(struct co_parallel *p, const long *at, int error);

static inline long co_loop_step(const struct co_parallel *p, unsigned d)
{
	return p->range[d].step ? p->range[d].step : 1;
}

/* The body, for what `part` says. */
static inline void co_loop_call(struct co_parallel *p, struct co_part *part)
{
	int r = p->body(p->arg, part);

	if (r)
		(void)co_loop_failed(p, part->from, r);
}

/* ---- Who does which units; parts of tiles are dealt out in the same way. ---- */

/* CO_STATIC: the first unit of member m's share, the end of the one before. */
static inline size_t co_first_unit(size_t units, size_t n, size_t m)
{
	return m * (units / n) + co_least(m, units % n);
}

/* Units that go to n members by the block, and what one of them has had. */
struct co_dealt {
	size_t units, n, block; /* units is not 0 */
	size_t k;               /* CO_CYCLIC: its next block; at first its number */
	/* CO_GUIDED: rounds of n blocks; the latest one, where it begins, and its blocks' size. */
	size_t round, begin, size;
};

/* The next block, [*from, *to), by CO_CYCLIC, _DYNAMIC or _GUIDED. @return false: none is left */
bool co_next_block(struct co_dealt *d, enum co_schedule schedule, struct co_aword *next,
		   size_t *from, size_t *to);

/* Member part->member's share. */
void co_loop_execute(struct co_parallel *p, struct co_part *part);

/* Is each block taken, so that no member is missed? Not with other schedules or reductions. */
bool co_loop_all_taken(const struct co_parallel *p);

/* Count the scope's harts, lost or not. @return p->places; 0: none, or a senseless list */
unsigned co_loop_places(struct co_parallel *p);

/*
 * The hart at a place of the scope, lost or not; *n: how many of `most` places from there on are of
 * harts that follow one another, in a word with a bit for each.
 */
unsigned co_loop_harts(const struct co_parallel *p, unsigned at, unsigned most, unsigned *n);

/* Start p->n members; p->started says how many there are. @return 0; -EAGAIN: not all */
int co_parallel_start_members(struct co_parallel *p);

/* Look whether p makes sense, and how it is cut. @return 0; -EINVAL */
int co_parallel_check(struct co_parallel *p);
/* The members use memory that this coroutine has of its hart's heap: a fault does not free it. */
static inline void co_parallel_uses_memory(struct co_parallel *p)
{
	/* relaxed: for this coroutine's own look, in its cleanup after a fault. */
	co_atomic_store(&p->members.uses, (uintptr_t)co_executor.current, CO_RELAXED);
}
/* Start its members. @return 0; -ENOMEM; -EAGAIN: none could be started. */
int co_parallel_launch(struct co_parallel *p);
/* Its members have ended: combine. @return as co_parallel_wait(). Context: the launching hart. */
int co_parallel_finish(struct co_parallel *p);
/* Both, with a wait in between that no cancel ends. */
int co_parallel_run(struct co_parallel *p);

#endif
