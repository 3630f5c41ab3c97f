/* join.c - the model of a coroutine's end: its joiner sees the result; its block is freed once. */
/* Sources: core/coroutine.c core/end.c core/block.c */
/* Sources: core/counter.c core/wait.c core/executor.c core/timer.c */
#include <errno.h>
#include <string.h>

#include "core/block.h"
#include "core/counter.h"
#include "relacy/machine.h"

#define BLOCK 1

static struct co_batch batch;
static int work;
static bool taken_over;

/* A coroutine of the second hart, about to end, with as many handles. */
static struct co *ending(void)
{
	return &co_area_at(2)->co[BLOCK];
}

static void reset(unsigned threads, unsigned handles)
{
	machine_reset(threads);
	memset(&batch, 0, sizeof(batch));
	work = 0;
	taken_over = false;
	co_atomic_store(&ending()->refs, CO_RUNNING + handles, CO_RELAXED);
	co_atomic_store(&ending()->state, CO_LIVE, CO_RELAXED);
}

static void with_handle(void)
{
	reset(3, 1);
}

static void in_batch(void)
{
	reset(3, 0);
	ending()->batch = &batch;
	co_counter_add(&batch.running, 1);
}

/* Its end, on its hart: as in finish() and finish_quickly(), end.c. */
static void end(void)
{
	struct co *c = ending();
	struct co_batch *own = c->batch;

	co_plain_store(&work, 42);
	if (!co_block_unheld(c)) {
		c->result = 7;
		co_finish(c);
		return;
	}
	co_block_give_pair(co_hart_at(2), c);
	if (own)
		co_counter_less(&own->running);
}

/* The block, with or without its stack; -EAGAIN. */
static int take_block(void)
{
	struct co_hart *h = co_hart_at(2);
	int index = co_bits_take(&h->free_pairs, 1, 0);

	return index >= 0 ? index : co_bits_take(h->free, 1, 0);
}

/* A third hart waits for the block and takes it for something new. */
static void take_over(void)
{
	while (take_block() != BLOCK)
		model_yield();
	model_retire(ending(), sizeof(struct co));
	taken_over = true;
}

static void join(unsigned i)
{
	machine_enter();
	if (i == 0) {
		intptr_t result = 0;

		MODEL_CHECK(co_join(ending(), &result) == 0);
		MODEL_CHECK(result == 7 && co_plain_load(&work) == 42);
	} else if (i == 1) {
		end();
	} else {
		take_over();
	}
}

static void detach(unsigned i)
{
	machine_enter();
	if (i == 0)
		co_detach(ending());
	else if (i == 1)
		end();
	else
		take_over();
}

/*
 * Cancelled while it ends. The message makes its hart look at all blocks, when this one may have
 * its next user: that one is not cancelled.
 */
static void cancel(unsigned i)
{
	machine_enter();
	if (i == 0) {
		co_cancel(ending());
		co_detach(ending());
	} else if (i == 1) {
		end();
		/* Its hart goes on, and runs the message. */
		while (!taken_over) {
			co_poll(&co_executor);
			model_yield();
		}
	} else {
		while (take_block() != BLOCK)
			model_yield();
		/* As launch() in coroutine.c. */
		co_atomic_store(&ending()->cancel, 0, CO_RELAXED);
		co_atomic_store(&ending()->state, CO_LIVE, CO_RELAXED);
		taken_over = true;
	}
}

static void late(unsigned i)
{
	machine_enter();
	if (i == 0) {
		intptr_t result = 0;
		int r;

		machine_hasten();
		r = co_join_until(ending(), &result, MACHINE_DEADLINE);
		MODEL_CHECK(r == 0 || r == -ETIMEDOUT);
		if (r)
			MODEL_CHECK(co_join(ending(), &result) == 0);
		MODEL_CHECK(result == 7 && co_plain_load(&work) == 42);
	} else if (i == 1) {
		end();
	} else {
		take_over();
	}
}

static void batched(unsigned i)
{
	machine_enter();
	if (i == 0) {
		MODEL_CHECK(co_batch_join(&batch) == 0);
		MODEL_CHECK(co_plain_load(&work) == 42);
		model_retire(&batch, sizeof(batch));
	} else if (i == 1) {
		end();
	} else {
		take_over();
	}
}

/* Freed once: nobody finds the block a second time. */
static void freed_once(void)
{
	MODEL_CHECK(take_block() == -EAGAIN);
	MODEL_CHECK(co_bits_take(&co_hart_at(2)->free_stacks, 1, 0) == -EAGAIN);
}

static void freed_uncancelled(void)
{
	freed_once();
	MODEL_CHECK(!co_atomic_load(&ending()->cancel, CO_RELAXED));
}

const struct model models[] = {
	{ "joined", 3, with_handle, join, freed_once, .bound = 2 },
	{ "joined after a deadline", 3, with_handle, late, freed_once, .bound = 1 },
	{ "detached", 3, with_handle, detach, freed_once, .bound = 2 },
	{ "cancelled and detached", 3, with_handle, cancel, freed_uncancelled, .bound = 2 },
	{ "one of a batch", 3, in_batch, batched, freed_once, .bound = 2 },
	{ 0 },
};
