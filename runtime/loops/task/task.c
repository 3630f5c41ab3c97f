/*
 * task.c - tasks are handed out, executed by a worker on each compute hart, and tried again.
 *
 * The workers are the members of a loop. When a worker ends in a task, by a fault or with its hart,
 * all other workers finish theirs, its task is handed back, and there is another round.
 */
#include <cohart/debug.h>

#include "../../core/lost.h"
#include "../../core/timeline.h"
#include "../parallel.h"
#include "task.h"

#define HALF (CO_WORD_BITS / 2)
#define OFFSET (((uintptr_t)1 << HALF) - 1)
#define CLOSED OFFSET /* in place of a chunk: there are no more */
#define CHUNK_MOST 64u
#define SPINS 512u /* looks at a pool that is being filled; after that its hart counts as lost */

/* ---- Begin ---- */

static size_t words_of(long total)
{
	return ((size_t)total + CO_TASKS_A_WORD - 1) / CO_TASKS_A_WORD;
}

size_t co_tasks_bytes(long total)
{
	if (total < 1 || total > CO_TASKS_MAX)
		return 0;
	return CO_LINE + words_of(total) * sizeof(struct co_aword) + CO_LINE +
	       co_machine.groups * sizeof(struct co_task_pool) +
	       co_machine.harts * sizeof(struct co_task_worker);
}

/* Choose the chunk: several a hart, for balance, but large enough to spare the common pool. */
static unsigned chunk_of(const struct co_tasks *t)
{
	size_t least = (size_t)t->total / CLOSED + 1; /* so that chunk numbers fit */
	size_t chunk = t->chunk ? t->chunk : (size_t)t->total / (8 * co_machine.harts);

	if (!t->chunk && chunk > CHUNK_MOST)
		chunk = CHUNK_MOST;
	if (chunk > (size_t)t->total)
		chunk = (size_t)t->total; /* workers take numbers beyond the last task, too */
	if (chunk > OFFSET / 4)
		chunk = OFFSET / 4;
	return (unsigned)(chunk < least ? least : chunk);
}

static void *line_after(void *p)
{
	return (void *)co_round_up((uintptr_t)p, CO_LINE);
}

int co_tasks_open(struct co_tasks *t)
{
	CO_ASSERT_SHARED(t, sizeof(*t), "a struct co_tasks");
	if (t->total < 1 || t->total > CO_TASKS_MAX || !t->memory ||
	    (uintptr_t)t->memory % sizeof(uint64_t) ||
	    !co_spm_shared(t->memory, co_tasks_bytes(t->total)))
		return -EINVAL;
	memset(t->memory, 0, co_tasks_bytes(t->total));
	t->words = (uint32_t)words_of(t->total);
	t->state = line_after(t->memory);
	t->pools = line_after(t->state + t->words);
	t->workers = (struct co_task_worker *)(t->pools + co_machine.groups);
	t->each = chunk_of(t);
	t->chunks = ((size_t)t->total + t->each - 1) / t->each;
	for (unsigned g = 0; g < co_machine.groups; g++)
		co_atomic_store(&t->pools[g].word, (g < t->chunks ? g : CLOSED) << HALF,
				CO_RELAXED);
	co_atomic_store(&t->next, co_machine.groups, CO_RELAXED);
	co_atomic_store(&t->to_repeat, 0, CO_RELAXED);
	t->resumed = 0;
	t->error = 0;
	t->writer = NULL;
	t->stream = NULL;
	return co_task_file_open(t);
}

/* ---- Numbers ---- */

/* Take the next chunk of the common pool; CLOSED: it is empty. */
static size_t fetch_chunk(struct co_tasks *t)
{
	/* relaxed, both: a number. No add when there are none left, so that it never wraps. */
	size_t chunk = co_atomic_load(&t->next, CO_RELAXED);

	if (chunk < t->chunks)
		chunk = co_atomic_add(&t->next, 1, CO_RELAXED);
	return chunk < t->chunks ? chunk : CLOSED;
}

/* Spin for another hart's store. False: that hart may be lost; the next round does its tasks. */
static bool spin_for_pool(unsigned *spins)
{
	if (*spins >= SPINS && co_harts_lost())
		return false;
	co_spin(spins);
	return true;
}

/*
 * Bring the next chunk: the caller has taken the number after a chunk's last. False: see
 * spin_for_pool().
 */
static bool refill_pool(struct co_task_pool *pool)
{
	unsigned spins = 0;
	uintptr_t ahead;

	while (!(ahead = co_atomic_load(&pool->ahead, CO_RELAXED))) { /* a number */
		if (!spin_for_pool(&spins))
			return false;
	}
	co_atomic_store(&pool->ahead, 0, CO_RELAXED);
	/* release: `ahead` is free for the following chunk; pairs with take_number(). */
	co_atomic_store(&pool->word, (ahead - 1) << HALF, CO_RELEASE);
	return true;
}

/* Take a number of a pool whose task is not done; -1: the pool has none. */
static long take_number(struct co_tasks *t, struct co_task_pool *pool)
{
	unsigned spins = 0;

	for (;;) {
		uintptr_t word = co_atomic_load(&pool->word, CO_RELAXED);
		size_t number;

		if (word >> HALF == CLOSED)
			return -1;
		if ((word & OFFSET) > t->each) { /* it is being filled */
			if (!spin_for_pool(&spins))
				return -1;
			continue;
		}
		/* acquire: `ahead` is free, if it is filled below; pairs with refill_pool(). */
		word = co_atomic_add(&pool->word, 1, CO_ACQUIRE);
		if (word >> HALF == CLOSED || (word & OFFSET) > t->each)
			continue;
		if ((word & OFFSET) == t->each) {
			if (!refill_pool(pool))
				return -1;
			continue;
		}
		/* Half of the chunk is used: put the next one, or CLOSED, into `ahead`. */
		if ((word & OFFSET) == t->each / 2)
			co_atomic_store(&pool->ahead, fetch_chunk(t) + 1, CO_RELAXED);
		number = (size_t)(word >> HALF) * t->each + (word & OFFSET);
		/* Skip what an earlier run or round has done. */
		if (number < (size_t)t->total && !co_task_state(t, (long)number))
			return (long)number;
	}
}

/* Take a task that is to be tried again; -1: no task is. */
static long take_again(struct co_tasks *t)
{
	/* acquire: pairs with hand_back(), which marks the task before. */
	if (!co_atomic_load(&t->to_repeat, CO_ACQUIRE))
		return -1;
	for (size_t w = 0; w < t->words; w++) {
		uintptr_t word = co_atomic_load(&t->state[w], CO_RELAXED);
		/* AGAIN where DONE, which is the bit below it, is not set. */
		uintptr_t again = word & CO_TASKS_ALL(CO_TASK_AGAIN) & ~(word << 1);

		for (; again; again &= again - 1) {
			uintptr_t bit = again & -again;

			/* acquire: the work done for it before. One worker gets it. */
			if (!(co_atomic_and(&t->state[w], ~bit, CO_ACQUIRE) & bit))
				continue;
			co_atomic_add(&t->to_repeat, (uint32_t)-1, CO_RELAXED);
			return (long)(w * CO_TASKS_A_WORD) +
			       (long)(co_bit_number(bit) / CO_TASK_BITS);
		}
	}
	return -1;
}

long co_task_next(struct co_tasks *t)
{
	unsigned own = co_hart_group(co_hart());

	for (unsigned i = 0, g = own; i < co_machine.groups; i++) {
		long task = take_number(t, &t->pools[g]);

		if (task >= 0)
			return task;
		g = g + 1 < co_machine.groups ? g + 1 : 0;
	}
	return take_again(t);
}

void co_task_done(struct co_tasks *t, long task)
{
	uintptr_t before;

	CO_ASSERT_THAT(task >= 0 && task < t->total,
		       "a task that is done is one of the 0 .. total - 1 that there are");
	/* release: the task's work; pairs with file.c's acquire. */
	before = co_atomic_or(co_task_word(t, task), co_task_mask(task, CO_TASK_DONE), CO_RELEASE);
	CO_ASSERT_THAT(!(before & co_task_mask(task, CO_TASK_DONE | CO_TASK_AGAIN)),
		       "a task that is done was handed out, and is not done or given back yet");
	if (t->file && !t->interval_us)
		co_task_file_catch_up(t);
}

/* Give the caller's task back, for any worker. */
static void hand_back(struct co_tasks *t, long task)
{
	/* release, both: the work done for it so far; pair with take_again(). */
	co_atomic_or(co_task_word(t, task), co_task_mask(task, CO_TASK_AGAIN), CO_RELEASE);
	co_atomic_add(&t->to_repeat, 1, CO_RELEASE);
}

bool co_task_failed(struct co_tasks *t, long task)
{
	unsigned state;

	CO_ASSERT_THAT(task >= 0 && task < t->total,
		       "a task that has failed is one of the 0 .. total - 1 that there are");
	state = co_task_state(t, task);
	CO_ASSERT_THAT(!(state & (CO_TASK_DONE | CO_TASK_AGAIN)),
		       "a task that has failed was handed out, and is not done or given back yet");
	if (state == CO_TASK_TRIES)
		return false;
	/* relaxed: the caller has the task. */
	co_atomic_add(co_task_word(t, task), co_task_mask(task, 1), CO_RELAXED);
	if (state + 1 == CO_TASK_TRIES)
		return false;
	hand_back(t, task);
	return true;
}

/* ---- Look ---- */

long co_task_given_up(const struct co_tasks *t, long after)
{
	CO_ASSERT_THAT(after >= -1 && after < t->total,
		       "co_task_given_up() is given -1, or a task: one of 0 .. total - 1");
	for (long task = after + 1; task < t->total; task++) {
		if (co_task_state(t, task) == CO_TASK_TRIES)
			return task;
	}
	return -1;
}

long co_tasks_done(const struct co_tasks *t)
{
	long n = 0;

	for (size_t w = 0; w < t->words; w++) {
		/* acquire: pairs with co_task_done(). */
		uintptr_t done = co_atomic_load(&t->state[w], CO_ACQUIRE) / CO_TASK_DONE &
				 CO_TASKS_ALL(1);

		/* Count two tasks a byte, then sum all bytes into the highest one. */
		done = (done + (done >> CO_TASK_BITS)) & (UINTPTR_MAX / 255 * 15);
		n += (long)(done * (UINTPTR_MAX / 255) >> (CO_WORD_BITS - 8));
	}
	return n;
}

/* ---- Workers ---- */

static int call(struct co_tasks *t, long task)
{
	return t->body(t->arg, task);
}

/* call() with a timeline: a task is a span. */
static int call_noting(struct co_tasks *t, long task)
{
	int r;

	co_timeline_enter("task", (uintptr_t)t->body);
	co_trace_value("number", task);
	r = call(t, task);
	co_timeline_leave("task", (uintptr_t)t->body);
	return r;
}

/* The loop's body: a member is a worker until no task is left, or another one has failed. */
INLINE int work_by(int (*execute)(struct co_tasks *t, long task), void *arg, struct co_part *part)
{
	struct co_tasks *t = arg;
	long *held = &t->workers[part->member].held;
	long task;

	while (!co_loop_stopped(&t->loop) && (task = co_task_next(t)) >= 0) {
		int r;

		*held = task;
		r = execute(t, task);
		if (r == 0)
			co_task_done(t, task);
		else
			(void)co_task_failed(t, task);
		*held = -1;
	}
	return 0;
}

static int work(void *arg, struct co_part *part)
{
	return work_by(call, arg, part);
}

static int work_noting(void *arg, struct co_part *part)
{
	return work_by(call_noting, arg, part);
}

/* All workers have ended. A task in which one ended has failed. */
static void hand_back_held(struct co_tasks *t)
{
	for (unsigned m = 0; m < co_machine.harts; m++) {
		long task = t->workers[m].held;

		if (task >= 0 && !(co_task_state(t, task) & CO_TASK_DONE))
			(void)co_task_failed(t, task);
		t->workers[m].held = -1;
	}
}

/*
 * A task that is not done, given up or to be tried again was with a coroutine that did not come
 * back, or in a pool that a lost hart was to fill: mark it to be tried again, and close the pools.
 */
static void find_lost(struct co_tasks *t)
{
	co_atomic_store(&t->next, t->chunks, CO_RELAXED); /* the spawns publish it */
	for (unsigned g = 0; g < co_machine.groups; g++) {
		co_atomic_store(&t->pools[g].ahead, 0, CO_RELAXED);
		co_atomic_store(&t->pools[g].word, CLOSED << HALF, CO_RELAXED);
	}
	for (long task = 0; task < t->total; task++) {
		if (co_task_state(t, task) < CO_TASK_TRIES)
			hand_back(t, task);
	}
}

/* @return 0: pools are empty; -EFAULT, -EHOSTDOWN: a worker has ended; -ENOBUFS; -ECANCELED */
static int run_round(struct co_tasks *t)
{
	int r;

	t->loop = (struct co_parallel){ .name = "tasks",
					.body = co_timeline ? work_noting : work,
					.arg = t,
					.dims = 1,
					.scope = t->scope };
	t->loop.range[0].upper = (long)co_loop_places(&t->loop);
	r = co_parallel_start(&t->loop);
	if (r)
		return r == -EINVAL ? r : -ENOBUFS;
	r = co_parallel_wait(&t->loop);
	if (r == -ECANCELED) {
		co_parallel_cancel(&t->loop);
		(void)!co_parallel_wait(&t->loop);
	}
	hand_back_held(t);
	return r;
}

int co_tasks_run(struct co_tasks *t, int (*body)(void *arg, long task), void *arg)
{
	unsigned lost;
	int r;

	CO_ASSERT_THAT(t && body && t->words,
		       "co_tasks_run() is given tasks that are open, and a function");
	t->body = body;
	t->arg = arg;
	for (unsigned m = 0; m < co_machine.harts; m++)
		t->workers[m].held = -1;
	do {
		lost = co_harts_lost();
		r = run_round(t);
		if (r == 0 && co_tasks_done(t) < t->total)
			find_lost(t);
		/* acquire: pairs with hand_back(). */
	} while (r == -EFAULT || r == -EHOSTDOWN || (r == -ENOBUFS && lost != co_harts_lost()) ||
		 (r == 0 && co_atomic_load(&t->to_repeat, CO_ACQUIRE)));
	if (t->file)
		co_task_file_catch_up(t);
	if (co_tasks_done(t) == t->total)
		return 0;
	return r ? r : -EIO;
}
