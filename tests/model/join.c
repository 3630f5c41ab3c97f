/* join.c - the model of a coroutine's end: its joiner sees the result; its block is freed once. */
/* Sources: scheduler */
#include <setjmp.h>

#include "core/memory/block.h"
#include "core/sched/counter.h"
#include "relacy/machine.h"

#define BLOCK 1

static struct co_batch batch, second;
static struct co_child child[2];
static int work;
static bool taken_over;
static struct co_a32 idle, gone_on, stopped;
static unsigned refused;  /* joins */
static unsigned taken_by; /* how many were given the one record; the queue's lock orders them */

/* A coroutine of the second hart, about to end. */
static struct co *ending(void)
{
	return &co_area_at(2)->co[BLOCK];
}

static void reset(unsigned threads, uint32_t refs)
{
	machine_reset(threads);
	for (unsigned hart = 1; hart <= threads; hart++)
		co_atomic_store(&co_hart_at(hart)->made[0], 3, CO_RELAXED);
	memset(&batch, 0, sizeof(batch));
	memset(&second, 0, sizeof(second));
	memset(child, 0, sizeof(child));
	work = 0;
	taken_over = false;
	taken_by = 0;
	refused = 0;
	co_atomic_store(&ending()->refs, refs, CO_RELAXED);
}

BEFORE(with_handle, reset(threads, CO_RUNNING | CO_HANDLE))

static void in_batch(unsigned threads)
{
	reset(threads, CO_RUNNING);
	ending()->batch = &batch;
	co_counter_add(&batch.running, 1);
}

/* A child of the batch with a record: as co_batch_spawn_child() would have begun it. */
static void record(struct co *c, struct co_child *of)
{
	c->batch = &batch;
	c->batch_result = &of->result;
	c->flags = CO_FLAG_CHILD;
	of->status = -EINPROGRESS;
	co_atomic_store(&batch.ended, CO_ENDED_CHILD, CO_RELAXED);
	co_atomic_store(&batch.children, co_atomic_load(&batch.children, CO_RELAXED) + 1,
			CO_RELAXED);
	co_counter_add(&batch.running, 1);
}

static void with_record(unsigned threads)
{
	reset(threads, CO_RUNNING);
	record(ending(), &child[0]);
}

/* And another one, of the third hart. */
static void with_two_records(unsigned threads)
{
	struct co *second = &co_area_at(3)->co[BLOCK];

	with_record(threads);
	co_atomic_store(&second->refs, CO_RUNNING, CO_RELAXED);
	record(second, &child[1]);
}

/* Its end, on its hart: as in co_finish(), end.c. */
static void end(void)
{
	struct co *c = ending();
	struct co_batch *own = c->batch;

	co_plain_store(&work, 42);
	if (!own) {
		c->result = 7;
		co_finish(c);
		return;
	}
	MODEL_CHECK(co_leave_batch(c));
	co_block_give(co_hart_at(2), c);
	co_counter_less(&own->running);
}

static struct co *take_block(void)
{
	return co_block_take_own(co_hart_at(2), 2);
}

/*
 * A third hart waits for the block and takes it for something new. Only its queue is still used: a
 * waker that is late looks for a joiner in it.
 */
static void take_over(void)
{
	struct co *c = ending();

	while (take_block() != c)
		model_yield();
	model_retire(c, offsetof(struct co, joiner));
	model_retire(&c->joiner + 1, sizeof(*c) - offsetof(struct co, joiner) - sizeof(c->joiner));
	taken_over = true;
}

static void join(unsigned i)
{
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

/* Two join it, which one of them is refused: that one takes nothing. */
static jmp_buf second_joiner[MODEL_THREADS];

void co_assert_failed(const char *what, const char *file, int line)
{
	MODEL_CHECK(!refused++);
	longjmp(second_joiner[model_thread()], 1);
}

static void joined_by_two(unsigned i)
{
	intptr_t result = 0;

	if (i == 1) {
		end();
	} else if (!setjmp(second_joiner[i])) {
		MODEL_CHECK(co_join(ending(), &result) == 0 && result == 7);
		taken_by++;
	}
}

static void detach(unsigned i)
{
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
		while (take_block() != ending())
			model_yield();
		/* As launch() in spawn.c; the look for cancelled batches reads this one. */
		co_plain_store(&ending()->batch, &batch);
		co_atomic_store(&ending()->cancel, 0, CO_RELAXED);
		co_atomic_store(&ending()->refs, CO_RUNNING, CO_RELEASE);
		taken_over = true;
	}
}

static void late(unsigned i)
{
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

/* As in finish_slowly(), end.c. */
static void end_child(struct co *c)
{
	*c->batch_result = 7;
	co_finish(c);
}

/* Its end, for one that takes its record at once and uses the memory for something else. */
static void child_of_batch(unsigned i)
{
	if (i == 0) {
		struct co_child *one = NULL;

		MODEL_CHECK(co_batch_join_any(&batch, &one) == 0);
		MODEL_CHECK(one == child && one->status == 0 && one->result == 7);
		MODEL_CHECK(co_plain_load(&work) == 42);
		model_retire(child, sizeof(child));
		MODEL_CHECK(co_batch_join_any(&batch, &one) == -ECHILD);
		MODEL_CHECK(co_batch_join(&batch) == 0);
		model_retire(&batch, sizeof(batch));
	} else if (i == 1) {
		co_plain_store(&work, 42);
		end_child(ending());
	} else {
		take_over();
	}
}

/* Two want the end of one: the other learns that there is none left. */
static void wanted_by_two(unsigned i)
{
	struct co_child *one = NULL;
	int r;

	if (i == 1) {
		end_child(ending());
		return;
	}
	r = co_batch_join_any(&batch, &one);
	MODEL_CHECK(r == 0 ? one == child && one->result == 7 : r == -ECHILD && !one);
	if (r == 0)
		taken_by++;
}

/* One wants any of two, may give up, and joins both: the records are as they are to be then. */
static void late_for_any(unsigned i)
{
	struct co_child *one = NULL;
	int r;

	if (i) {
		end_child(&co_area_at(i + 1)->co[BLOCK]);
		return;
	}
	machine_hasten();
	r = co_batch_join_any_until(&batch, &one, MACHINE_DEADLINE);
	MODEL_CHECK(r == 0 ? one && one->status == 0 : r == -ETIMEDOUT);
	MODEL_CHECK(co_batch_join(&batch) == 0);
	for (unsigned k = 0; k < 2; k++)
		MODEL_CHECK(child[k].status == 0 && child[k].result == 7);
	MODEL_CHECK(co_batch_try_join_any(&batch, &one) == -ECHILD);
	model_retire(child, sizeof(child));
	model_retire(&batch, sizeof(batch));
}

/* ---- A hart that hart 0 has given up, and that goes on ---- */

static intptr_t never_run(void *arg)
{
	return 0;
}

/* Another one of each batch goes on, so that no count is the last. */
static void in_large_batch(unsigned threads)
{
	in_batch(threads);
	co_counter_add(&batch.running, 1);
	co_counter_add(&second.running, 1);
	co_atomic_store(&idle, 0, CO_RELAXED);
	co_atomic_store(&gone_on, 0, CO_RELAXED);
	co_atomic_store(&stopped, 0, CO_RELAXED);
}

static void give_up(void)
{
	struct co_batch *of;
	bool last;

	if (co_give_up(ending(), &of, &last))
		co_counter_less(&of->running);
}

/* For one that faults and is about to free what the batch uses: as orphans(), recover.c. */
static void look_for_orphans(void)
{
	if (!co_refs_live(co_atomic_load(&ending()->refs, CO_ACQUIRE)) &&
	    !co_atomic_load(&co_hart_at(2)->ending_batch, CO_ACQUIRE))
		MODEL_CHECK(co_plain_load(&work) == 42);
}

static void given_up(unsigned i)
{
	if (i == 0) {
		give_up();
	} else if (i == 2) {
		look_for_orphans();
	} else {
		co_plain_store(&work, 42);
		co_ending(co_hart_at(2), &batch);
		if (!co_leave_batch(ending()))
			return;
		co_counter_less(&batch.running);
		co_ending_none(co_hart_at(2));
	}
}

/* A worker's part in a loop; false: its hart has stopped. As co_idle_begin() and co_idle_wait(). */
static bool part(struct co_batch *loop)
{
	co_plain_store(&work, 42);
	co_ending(co_hart_at(2), loop);
	if (!co_leave_idle(ending())) {
		/* release: as in co_hart_stopping(). */
		co_atomic_store(&stopped, 1, CO_RELEASE);
		return false;
	}
	co_atomic_store(&idle, 1, CO_RELEASE);
	co_counter_less(&loop->running);
	co_ending_none(co_hart_at(2));
	return true;
}

/* Another hart gives the worker a part in a second loop; hart 0 looks again when its hart has
 * stopped. */
static void worker_given_up(unsigned i)
{
	if (i == 0) {
		give_up();
		while (!co_atomic_load(&gone_on, CO_ACQUIRE) &&
		       !co_atomic_load(&stopped, CO_ACQUIRE))
			model_yield();
		if (co_atomic_load(&stopped, CO_ACQUIRE))
			give_up();
	} else if (i == 1) {
		if (!part(&batch))
			return;
		while (co_atomic_load(&idle, CO_ACQUIRE))
			model_yield();
		if (part(&second))
			co_atomic_store(&gone_on, 1, CO_RELEASE);
	} else {
		look_for_orphans();
		while (!co_atomic_load(&idle, CO_ACQUIRE)) {
			if (co_atomic_load(&stopped, CO_ACQUIRE))
				return;
			model_yield();
		}
		/* As start_run() and co_idle_end() do it. */
		co_counter_more(&second.running, 1);
		co_plain_store(&ending()->batch, &second);
		co_atomic_and(&ending()->refs, ~CO_SERVICE, CO_RELEASE);
		co_atomic_store(&idle, 0, CO_RELEASE);
	}
}

static void counted_once(void)
{
	MODEL_CHECK(co_atomic_load(&batch.running.state, CO_RELAXED) / CO_JOB == 1);
	MODEL_CHECK(co_atomic_load(&second.running.state, CO_RELAXED) / CO_JOB == 1);
}

/* As co_blocks_init() leaves the second hart, but for what the model leaves out: block 0 is in use.
 */
static void set_blocks(uintptr_t made)
{
	co_atomic_store(&co_hart_at(2)->made[0], made, CO_RELAXED);
	co_atomic_store(&co_hart_at(2)->free[0], (uintptr_t)1 << BLOCK, CO_RELAXED);
}

/* The other block is free, and has had a coroutine of another batch. */
static void in_none(unsigned threads)
{
	reset(threads, 0);
	ending()->batch = &second;
	set_blocks(3);
}

/* Hart 0 finds one that is just being spawned. */
static void started_late(unsigned i)
{
	const struct co_attr there = { .on = CO_ON_HART(2) };

	if (i == 0)
		give_up();
	else if (i == 2)
		MODEL_CHECK(co_batch_spawn(&batch, &there, never_run, NULL, NULL) == 0);
}

static void counted_if_given_up(void)
{
	bool is = co_atomic_load(&ending()->refs, CO_RELAXED) & CO_GIVEN_UP;

	MODEL_CHECK(co_atomic_load(&batch.running.state, CO_RELAXED) / CO_JOB == !is);
}

/* ---- Blocks that are filled in when they are first taken ---- */

static void not_made(unsigned threads)
{
	machine_reset(threads);
	set_blocks(1);
}

/*
 * A coroutine that takes the block finds one that is made, or makes it, and nobody else touches it.
 * Another looks at all that are made: as is_made(), slab.c.
 */
static void taken_anew(unsigned i)
{
	struct co_a32 *token = &ending()->token;
	struct co *c;

	if (i == 2) {
		if (co_atomic_load(&co_hart_at(2)->made[0], CO_ACQUIRE) >> BLOCK & 1)
			MODEL_CHECK(co_plain_load(&ending()->waiter.token) == token);
		return;
	}
	while (!(c = co_block_take(2, CO_STACK_SPM)))
		model_yield();
	MODEL_CHECK(c == ending() && c->hart == 2 && c->index == BLOCK);
	MODEL_CHECK(c->waiter.token == token);
	co_plain_store(&c->arg, &work);
	co_block_give(co_hart_at(2), c);
}

static void made_once(void)
{
	MODEL_CHECK(co_atomic_load(&co_hart_at(2)->made[0], CO_RELAXED) == 3);
	MODEL_CHECK(ending()->arg == &work && take_block() == ending());
}

/* Two blocks of a hart that no model runs on, made and in use. */
static void two_in_use(unsigned threads)
{
	struct co_hart *h = co_hart_at(0);

	machine_reset(threads);
	co_atomic_store(&h->made[0], 3, CO_RELAXED);
	co_atomic_store(&h->free[0], 0, CO_RELAXED);
	co_atomic_store(&h->recent, 0, CO_RELAXED);
	for (unsigned i = 0; i < 2; i++)
		co_area_at(0)->co[i].index = i;
}

/* Both are freed at once: whoever takes one sees what was done in it, wherever it came from. */
static void two_given(unsigned i)
{
	struct co *c;

	if (i < 2) {
		c = &co_area_at(0)->co[i];
		co_plain_store(&c->arg, &work);
		co_block_give(co_hart_at(0), c);
		return;
	}
	for (unsigned n = 0; n < 2; n++) {
		while (!(c = co_block_take_own(co_hart_at(0), 0)))
			model_yield();
		MODEL_CHECK(co_plain_load(&c->arg) == &work);
		co_plain_store(&c->arg, NULL);
	}
}

static void both_taken(void)
{
	MODEL_CHECK(!co_block_take_own(co_hart_at(0), 0));
}

/* Freed once: nobody finds the block a second time. */
static void freed_once(void)
{
	MODEL_CHECK(!take_block());
}

static void free_still(void)
{
	MODEL_CHECK(take_block() == ending());
	freed_once();
}

static void taken_once(void)
{
	free_still();
	MODEL_CHECK(taken_by == 1);
}

static void freed_uncancelled(void)
{
	freed_once();
	MODEL_CHECK(!co_atomic_load(&ending()->cancel, CO_RELAXED));
}

const struct model models[] = {
	{ "joined", 3, with_handle, join, freed_once, .bound = 2 },
	{ "joined by two", 3, with_handle, joined_by_two, taken_once, .bound = 2 },
	{ "joined after a deadline", 3, with_handle, late, freed_once, .bound = 1 },
	{ "detached", 3, with_handle, detach, freed_once, .bound = 2 },
	{ "cancelled and detached", 3, with_handle, cancel, freed_uncancelled, .bound = 2 },
	{ "one of a batch", 3, in_batch, batched, freed_once, .bound = 2 },
	{ "a child of a batch", 3, with_record, child_of_batch, freed_once, .bound = 2 },
	{ "a child for two", 3, with_record, wanted_by_two, taken_once, .bound = 2 },
	{ "any of two, late", 3, with_two_records, late_for_any, free_still, .bound = 1 },
	{ "given up as it ends", 3, in_large_batch, given_up, counted_once, .bound = 2 },
	{ "a worker given up", 3, in_large_batch, worker_given_up, counted_once, .bound = 2 },
	{ "given up as it starts", 3, in_none, started_late, counted_if_given_up, .bound = 2 },
	{ "made when first taken", 3, not_made, taken_anew, made_once, .bound = 3 },
	{ "two freed at once", 3, two_in_use, two_given, both_taken, .bound = 3 },
	{ 0 },
};
