/* parallel.h - the steps of a loop's launch, for stream.c, and the interface of its files. */
#ifndef COHART_LOOPS_PARALLEL_H
#define COHART_LOOPS_PARALLEL_H

#include <cohart/parallel.h>

#include "../core/core.h"

/* Why a loop stops: bits of `stop`. */
enum { CO_LOOP_FAILED = 1, CO_LOOP_UNSTARTED = 2, CO_LOOP_CANCELED = 4 };

/* Stop the loop. Returns true for the first call with that reason. */
static inline bool co_parallel_stop(struct co_parallel *p, uint32_t why)
{
	/* relaxed: seeing it late only means stopping late; the wait acquires it. */
	return !(co_atomic_or(&p->stop, why, CO_RELAXED) & why);
}

static inline bool co_loop_stopped(struct co_parallel *p)
{
	/* relaxed: as in co_parallel_stop(). */
	return co_atomic_load(&p->stop, CO_RELAXED) != 0;
}

/* Stop the loop by an error of the part at `at` (NULL: unknown). Returns true for the first. */
bool co_loop_failed(struct co_parallel *p, const long *at, int error);

static inline long co_loop_step(const struct co_parallel *p, unsigned d)
{
	return p->range[d].step ? p->range[d].step : 1;
}

/* The body has returned r for a part. */
static inline void co_loop_returned(struct co_parallel *p, const struct co_part *part, int r)
{
	if (r)
		(void)co_loop_failed(p, part->from, r);
}

/* Call the body for a part. */
static inline void co_loop_call(struct co_parallel *p, struct co_part *part)
{
	co_loop_returned(p, part, p->body(p->arg, part));
}

/* ---- The distribution of units, used for parts of tiles too ---- */

/* CO_STATIC: the first unit of member m; member m - 1 ends there. */
static inline size_t co_first_unit(size_t units, size_t n, size_t m)
{
	return m * (units / n) + co_least(m, units % n);
}

/* The distribution of units to n members in blocks, as one member sees it. */
struct co_dealt {
	size_t units, n, block; /* units is not 0 */
	size_t k;               /* CO_CYCLIC: its next block; at first the member's number */
	/* CO_GUIDED, of the current round: its first unit, its blocks' size, and their end. */
	size_t begin, size, end;
};

/* The next block, [*from, *to), of CO_CYCLIC, _DYNAMIC or _GUIDED. False: none is left. */
bool co_next_block(struct co_dealt *d, enum co_schedule schedule, struct co_aword *next,
		   size_t *from, size_t *to);

/* CO_GUIDED: the number of the last block. */
size_t co_guided_last(size_t units, size_t n, size_t block);

/*
 * Execute the share of member part->member; the rest of the part is 0, or as an earlier share has
 * left it. Returns the result of the body that the caller is to report by co_loop_returned(): so
 * the only part of a static share is a tail call.
 */
int co_loop_share(struct co_parallel *p, struct co_part *part);
static inline void co_loop_execute(struct co_parallel *p, struct co_part *part)
{
	co_loop_returned(p, part, co_loop_share(p, part));
}

/* Has every block been taken? False for a reduction, or without CO_DYNAMIC and CO_GUIDED. */
bool co_loop_all_taken(const struct co_parallel *p);

/* Count the scope's harts, lost ones included. Returns p->over.n; 0: none, or an invalid list. */
unsigned co_loop_places(struct co_parallel *p);

/*
 * The hart at a place of the scope, lost or not. *n: how many of the next `most` places are harts
 * with consecutive numbers whose bits share a word.
 */
unsigned co_loop_harts(const struct co_parallel *p, unsigned at, unsigned most, unsigned *n);

/* Start p->n members; p->started counts them. Returns 0, or -ENOBUFS if some were not started. */
int co_parallel_start_members(struct co_parallel *p);

/* Check p's arguments and cut it into units. Returns 0 or -EINVAL. */
int co_parallel_check(struct co_parallel *p);
/* Members use the caller's memory of its hart's heap: a fault must not free that. */
static inline void co_parallel_uses_memory(struct co_parallel *p)
{
	/* relaxed: only this coroutine reads it, in its cleanup after a fault. */
	co_atomic_store(&p->members.uses, (uintptr_t)co_executor.current, CO_RELAXED);
}
/* All members have ended: combine. Returns as co_parallel_wait(). Context: the launching hart. */
int co_parallel_finish(struct co_parallel *p);
/* Launch, wait (a cancel does not end that), finish. */
int co_parallel_run(struct co_parallel *p);

#endif
