/*
 * parallel.h - a loop's launch in its steps, for who does not wait right after it (stream.c), and
 * those who do it (schedule.c, member.c).
 */
#ifndef COHART_DATA_PARALLEL_H
#define COHART_DATA_PARALLEL_H

#include <cohart/parallel.h>

#include "../core/core.h"

/* Why a loop stops: bits of `stop`. */
enum { CO_LOOP_FAILED = 1, CO_LOOP_UNSTARTED = 2, CO_LOOP_CANCELED = 4 };

/* True for the first who stops it for that reason. */
static inline bool co_parallel_stop(struct co_parallel *p, uint32_t why)
{
	/* relaxed: members only stop sooner; the waiter comes after their end. */
	return !(co_atomic_or(&p->stop, why, CO_RELAXED) & why);
}

static inline long co_loop_step(const struct co_parallel *p, unsigned d)
{
	return p->range[d].step ? p->range[d].step : 1;
}

static inline bool co_loop_stopped(struct co_parallel *p)
{
	/* relaxed: members only stop sooner; the waiter comes after their end. */
	return co_atomic_load(&p->stop, CO_RELAXED) != 0;
}

/* Note that a part has failed, unless one has already. `part` NULL: nobody knows which. */
void co_loop_failed(struct co_parallel *p, const struct co_part *part, int error);

/* The body, for what `part` says. */
static inline void co_loop_call(struct co_parallel *p, struct co_part *part)
{
	int r = p->body(p->arg, part);

	if (r)
		co_loop_failed(p, part, r);
}

/*
 * The guided order: rounds of n blocks each, which together are half of what the rounds before have
 * left. So block k can be found from k, which one add gives. Zero-filled: before the first.
 */
struct co_guided {
	size_t round, begin; /* it is at */
	size_t size;         /* of the block that was asked for */
};

/* @param k  no less than at the last call. @return where block k begins; `units`: there is none */
size_t co_guided_block(struct co_guided *g, size_t units, size_t n, size_t least_block, size_t k);

/* Member part->member's share. */
void co_loop_execute(struct co_parallel *p, struct co_part *part);

/*
 * Has somebody taken each block, so that who never took one is not missed? No: with another
 * schedule, or partial results.
 */
bool co_loop_all_taken(const struct co_parallel *p);

/* The hart of member m. */
unsigned co_loop_hart(const struct co_parallel *p, unsigned m);

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
/*
 * Its members have ended: combine their partial results. @return as co_parallel_wait(). Context:
 * the hart that has launched it.
 */
int co_parallel_finish(struct co_parallel *p);
/* Both, with a wait in between that no cancel ends. */
int co_parallel_run(struct co_parallel *p);

#endif
