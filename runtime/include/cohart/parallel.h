/*
 * parallel.h - loops over 1 to 6 dimensions, cut into parts that compute harts do side by side.
 *
 * Example
 *	static int smooth(void *arg, struct co_part *p)
 *	{
 *		struct field *f = arg;
 *
 *		for (long y = p->from[0]; y < p->to[0]; y += p->step[0])
 *			for (long x = p->from[1]; x < p->to[1]; x += p->step[1])
 *				f->out[y][x] = ...;
 *		return 0;
 *	}
 *
 *	static struct co_parallel loop = {
 *		.name = "smooth", .body = smooth, .arg = &field, .dims = 2,
 *		.range = { { 1, HEIGHT - 1 }, { 1, WIDTH - 1 } }, .schedule = CO_DYNAMIC,
 *	};
 *	int r = co_parallel_for(&loop);
 *
 * The outermost dimension is cut first; where it alone has too few indices for the harts, the next
 * ones with it: a unit is one index of the dimensions that are cut, with all indices of the
 * dimensions inside it. With CO_STATIC two dimensions are always cut both, and of more all but the
 * last, so that shares differ by one unit at most. A part is a box of neighbouring units, and the
 * body is called once for each: for a share that begins or ends within a line, that is a few times.
 *
 * The members are workers: a compute hart keeps a coroutine that waits for parts of loops, from the
 * first loop on. Where it is busy, as in a loop inside a loop, a member is a coroutine of its own.
 *
 * Context: coroutine, for every function. Source: seeds B1, B2, E5.
 */
#ifndef COHART_PARALLEL_H
#define COHART_PARALLEL_H

#include <cohart/coroutine.h>
#include <cohart/detail/base.h>
#include <cohart/hart.h>

CO_BEGIN_C
#define CO_DIMS_MAX 6

/*
 * lower, lower + step, ... below upper; with a negative step, above upper. A step of 0 means 1. The
 * indices 9, 8, ... 0 are { 9, -1, -1 }.
 */
struct co_range {
	long lower, upper, step;
};

struct co_cache;      /* cache.h */
struct co_loop_cache; /* CO_LOOP_CACHE() there */

/*
 * The indices that a call of the body is for, in each dimension of the loop: from[d], from[d] +
 * step[d], ... below to[d]; with a negative step, above to[d].
 */
struct co_part {
	long from[CO_DIMS_MAX], to[CO_DIMS_MAX], step[CO_DIMS_MAX];
	unsigned member; /* 0..members-1: executes this part */
	unsigned members;
	void *partial;          /* this member's share of the reduction; NULL: no reduction */
	struct co_cache *cache; /* this member's; NULL: no cache */
};

/* for each index i of dimension d of a part; the last one plus the step must be a long, too */
#define CO_EACH(i, part, d)            \
	for (long i = (part)->from[d]; \
	     (part)->step[d] > 0 ? i < (part)->to[d] : i > (part)->to[d]; i += (part)->step[d])

/* @return 0; anything else ends the loop, as soon as the parts under way are done. */
typedef int co_body_fn(void *arg, struct co_part *part);

/*
 * Which of n members does which units. `block` is the number of units that a member takes at a
 * time.
 */
enum co_schedule {
	CO_STATIC,  /* a run of neighbours each, all as long as can be; block is not looked at */
	CO_CYCLIC,  /* blocks in turn: member m does blocks m, m + n, ... */
	CO_DYNAMIC, /* a free member takes the next block: one atomic add */
	CO_GUIDED,  /* blocks shrink, down to `block`: half of the rest in n */
	CO_OWNER,   /* owner() says, for every unit */
};

#define CO_REDUCTION_BYTES 256

/*
 * Each member has `bytes` of its own, that begin as a copy of `identity`; when every index is done
 * they are combined into *result in the order of the members, else it stays as it was. So with a
 * static or cyclic schedule, or owners, the result of floating-point sums repeats from run to run.
 */
struct co_reduction {
	size_t bytes; /* at most CO_REDUCTION_BYTES; 0: there is no reduction */
	const void *identity;
	void (*combine)(void *into, const void *partial);
	void *result; /* its value before the loop is combined, too */
};

/* For `combine`. */
void co_sum_double(void *into, const void *partial);
void co_min_double(void *into, const void *partial);
void co_max_double(void *into, const void *partial);
void co_sum_long(void *into, const void *partial);
void co_min_long(void *into, const void *partial);
void co_max_long(void *into, const void *partial);

/*
 * A loop. Shared memory (asserted), as is all memory that its pointers lead to. Zero-filled is a
 * good start; one that is under way is not written, and not started again (asserted).
 */
struct co_parallel {
	const char *name; /* of the members' coroutines; NULL: "parallel" */
	co_body_fn *body;
	void *arg;
	unsigned dims; /* 1..CO_DIMS_MAX */
	struct co_range range[CO_DIMS_MAX];
	enum co_schedule schedule;
	unsigned block; /* units; 0 means 1 */
	/*
	 * With CO_DYNAMIC or CO_GUIDED, no reduction and no cache: a part that a worker was in
	 * whose hart is lost is done again from its beginning, by another hart. So a body may find
	 * a part half done.
	 */
	bool redo;
	/* CO_OWNER: the member, modulo their number, that does the unit of that index. */
	unsigned (*owner)(void *arg, const long *index);
	/*
	 * Which harts, each once. Lost harts are left out, and there are fewer members then.
	 */
	struct co_scope scope;
	struct co_reduction reduction;
	/* How much of each member's scratchpad is a cache; NULL: nothing. It is shared memory. */
	const struct co_loop_cache *cache;

	/* After the loop: the first error, and where the part began whose body returned it. */
	int error;
	long error_at[CO_DIMS_MAX];

	struct co_batch members; /* from here on the runtime's */
	struct co_aword next;    /* block to be taken */
	struct co_a32 stop;
	const char *label; /* its name, or one for all */
	size_t count[CO_DIMS_MAX];
	size_t units;
	size_t width, last;   /* units of a block, and the number of the last block */
	size_t each, more;    /* CO_STATIC: units of a member; the first `more` have one more */
	unsigned cut;         /* dimensions that are cut */
	unsigned n;           /* members */
	unsigned started;     /* members that have been started */
	struct co_scope over; /* the scope's harts */
	bool computes;        /* all of them are compute harts, in the order of their numbers */
	bool lost;            /* some of them are lost, and are passed over */
	size_t stride;        /* from one member's partial result to the next */
	unsigned char *partials;
	bool streamed;
	bool special;            /* it has a reduction or a cache, or its parts are timed */
	bool plain;              /* CO_STATIC of one dimension, and not special */
	struct co_a32 redos;     /* parts lost with their harts and not begun again yet */
	struct co_counter ended; /* in a stream; `error` is the result then */
	unsigned sharers;
	struct co_a32 done; /* sharers that are, in this round */
};

/*
 * Start a loop and go on.
 * @return 0: it is under way, and must be waited for; -EINVAL: *p makes no sense (no body,
 *         dimensions, an owner that is missing, a hart that does not exist or is named twice, a
 *         scope without harts, more than SIZE_MAX / 2 indices, a loop that cannot `redo`);
 *         -ENOMEM: this hart's scratchpad heap has no room for the members' partial results;
 *         -ENOBUFS: no hart has a control block or stack to spare; -EHOSTDOWN: all harts of the
 *         scope are lost. Nothing has begun then.
 * Order: the members see all that the caller wrote. Cost: some 60 instructions for each member
 * whose hart's worker is idle; else a spawn.
 */
CO_MUST_CHECK int co_parallel_start(struct co_parallel *p);

/*
 * Wait for its end, on the hart that has started it; combine the members' partial results.
 * @return 0: every index is done; the body's first error, then p->error_at says where, -EFAULT if
 *         the coroutine of a part has ended in it (a fault, co_exit()); -ENOBUFS: a member could
 *         not be started, so not all was done; -EHOSTDOWN: a hart was lost in the middle of a part
 *         (without `redo`, or in a member that was no worker) or before its own share, or all are
 *         lost; -ECANCELED: co_parallel_cancel() has ended it, or,
 *         without that, this coroutine was cancelled and the loop goes on; -ETIMEDOUT: it goes on.
 */
CO_MUST_CHECK int co_parallel_wait(struct co_parallel *p);
CO_MUST_CHECK int co_parallel_wait_until(struct co_parallel *p, uint64_t deadline);

/*
 * Start a loop and wait for its end. A caller that is cancelled cancels the loop. @return as
 * co_parallel_start(), co_parallel_wait(); the loop has ended.
 */
CO_MUST_CHECK int co_parallel_for(struct co_parallel *p);

/*
 * co_parallel_for(), counted by a stopwatch (cohart/stopwatch.h) under the loop's name, if it has
 * one. @return, Context: as co_parallel_for(). It is counted on error, too.
 */
CO_MUST_CHECK int co_parallel_for_timed(struct co_parallel *p);

/*
 * Ask the loop to end: parts that have begun are done, others are not. It must still be waited for;
 * a cancel of the waiter does not cut this wait short.
 */
void co_parallel_cancel(struct co_parallel *p);

/*
 * Prepare a loop that coroutines which run already share among themselves. One prepares it, then
 * each calls co_parallel_share() with its number; nobody waits for others there. Before the next
 * round all of them meet, as at a barrier.
 *
 *	if (self == 0)
 *		r = co_parallel_prepare(&loop, members);
 *	co_barrier_wait(&meet, self);
 *	for (int step = 0; step < STEPS; step++) {
 *		r = co_parallel_share(&loop, self);
 *		co_barrier_wait(&meet, self);
 *	}
 *
 * @param members  that share it: numbers 0 to members - 1. `scope` is not looked at
 * @return 0; -EINVAL: as co_parallel_start(), or it has a reduction
 */
CO_MUST_CHECK int co_parallel_prepare(struct co_parallel *p, unsigned members);

/*
 * Do the parts of the caller's share.
 * @return 0; -ECANCELED: a body's error, then p->error says which once all have met, or a cancel
 *         has ended the round early
 * Order: the work of other members is seen after all have met. Cost: some 40 instructions and the
 * bodies. A member that ends by a fault within a part leaves the round unfinished: prepare the loop
 * anew.
 */
CO_MUST_CHECK int co_parallel_share(struct co_parallel *p, unsigned member);
CO_END_C
#endif
