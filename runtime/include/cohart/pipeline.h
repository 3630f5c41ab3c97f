/*
 * pipeline.h - a stream of items through stages: pipelines, and farms and maps as stages of them.
 *
 * Example: blocks are read here, squeezed by eight harts and written in any order
 *	static int squeeze(struct co_worker *me, void *arg)
 *	{
 *		uintptr_t item;
 *		int r;
 *
 *		for (r = 0; r == 0;) {
 *			r = co_worker_take(me, &item);
 *			if (r)
 *				break;                // -EPIPE: there are no more
 *			squeeze_block((struct block *)item);
 *			r = co_worker_give(me, item);
 *		}
 *		return r;
 *	}
 *
 *	static struct co_stage stages[] = {
 *		{ .fn = read_blocks },                // gives items, then returns 0
 *		{ .fn = squeeze, .on = { eight, 8 } },
 *		{ .fn = write_blocks },               // takes items
 *	};
 *	static struct co_pipeline p = { .stages = stages, .n = 3 };
 *	int r = co_pipeline_run(&p);
 *
 * An item is a word, mostly an address. A stage is a function that runs as one worker or more, each
 * a coroutine on a hart of the stage's own:
 *	one worker  items come and go in their order
 *	a farm      several workers: each item goes to the first that takes it; the order is lost
 *	a map       each item goes to all workers, each does its part of it (co_worker_rank()), and
 *	            what worker 0 gives for it goes on when all have done theirs; in order
 *
 * Between two stages is a channel of CO_STAGE_DEPTH items. Within a map an item goes from worker 0
 * down a tree of lines into the workers' scratchpads, and word that it is done comes back up by
 * remote writes that nobody waits for (cohart/team.h): each worker exchanges with three others at
 * most, and up to CO_TEAM_DEPTH items are under way at a time.
 * Source: seed C8.
 */
#ifndef COHART_PIPELINE_H
#define COHART_PIPELINE_H

#include <cohart/channel.h>
#include <cohart/coroutine.h>
#include <cohart/detail/base.h>
#include <cohart/hart.h>
#include <cohart/sync.h>
#include <cohart/team.h>

CO_BEGIN_C
#define CO_STAGE_DEPTH 8 /* items between two stages */

struct co_worker; /* one, while its function runs */

/* What each worker does. 0 and -EPIPE: it has ended as it should; else all of the pipeline end. */
typedef int co_worker_fn(struct co_worker *me, void *arg);

/* A stage, in memory that every hart may use. Zero-filled but for fn: one worker on this hart. */
struct co_stage {
	co_worker_fn *fn;
	void *arg;
	const char *name;       /* of its coroutines; NULL: "worker" */
	struct co_scope on;     /* a worker on each; none: one, on the hart of co_pipeline_run() */
	bool map;               /* each item goes to all workers, else to one */
	enum co_team_form form; /* of a map: how items are spread */

	struct co_chan in; /* from here on the runtime's: items from the stage before */
	struct co_team team;
	struct co_a32 left; /* workers that have not ended */
	alignas(CO_LINE) unsigned char items[CO_CHAN_BYTES(sizeof(uintptr_t), CO_STAGE_DEPTH)];
};

/* A pipeline, in memory that every hart may use. */
struct co_pipeline {
	struct co_stage *stages; /* the first makes the items, the last keeps them */
	unsigned n;

	struct co_event go; /* the runtime's: all workers are there */
	struct co_batch workers;
};

/*
 * Start the workers of all stages, and wait until all have ended: items that the first stage gave
 * before it ended still go through to the last stage. A stage that ends early ends the stages
 * before it.
 * @param p  not running yet; the runtime's part need not be zero
 * @return 0; -EINVAL: there are no stages, or one without a function, or on harts that do not
 *         exist, or a map that is the first one or names no harts; -ENOBUFS, -EHOSTDOWN: a worker
 * could not be started, and none has run; -ENOMEM: no room for their records in this hart's public
 * heap, or for a member of a map in its hart's; the result of the first worker to fail; -EFAULT: a
 * fault has ended one; -EHOSTDOWN: a hart is lost; -ECANCELED: this coroutine was cancelled. All
 * have ended in any case. Context: coroutine. Order: workers see all that the caller wrote, and it
 * sees all that they wrote. Cost: a spawn and a join for each worker, and of a map's, an opening
 * and a close.
 */
CO_MUST_CHECK int co_pipeline_run(struct co_pipeline *p);

/*
 * Take the next item; each worker of a map takes every item. Waits until there is an item. In a
 * map, an item is done by this worker when it has given it, or takes the next one.
 * @param item  untouched on error
 * @return 0; -EPIPE: there are no more, as always in the first stage; -EOWNERDEAD: another worker
 *         of the map has failed; -ECANCELED.
 * Context: the worker's coroutine. Order: sees all that the giver of the item wrote. Cost: as
 * co_chan_recv(); in a map nothing remote, but for a wake-up, and for worker 0, which receives for
 * all.
 */
CO_MUST_CHECK int co_worker_take(struct co_worker *me, uintptr_t *item);

/*
 * Give an item to the next stage; waits while there is no room. From the last stage it goes
 * nowhere. In a map the item that worker 0 gives goes on, once for each item taken (asserted);
 * items that other workers of the map give are ignored.
 * @return 0; -EPIPE: all of the next stage have ended; -EOWNERDEAD, -ECANCELED as
 *         co_worker_take().
 * Context: the worker's coroutine. Order: the taker sees all that this worker wrote before, in a
 * map all that its workers wrote. Cost: as co_chan_send(); in a map, but for worker 0's, a remote
 * write, and a wake-up.
 */
CO_MUST_CHECK int co_worker_give(struct co_worker *me, uintptr_t item);

/* Its number in the stage, in the order of `on`, and how many there are. Context: any. */
unsigned co_worker_rank(const struct co_worker *me);
unsigned co_worker_ranks(const struct co_worker *me);
CO_END_C
#endif
