/*
 * task.c - numbers of tasks: the common pool, the groups', and sets of those that are done or to be
 * tried again.
 */
#include <errno.h>
#include <string.h>

#include "../core/lost.h"
#include "task.h"

#define HALF (CO_WORD_BITS / 2)
#define OFFSET (((uintptr_t)1 << HALF) - 1)
#define CLOSED OFFSET /* for a chunk: there is none any more */
#define SETS 5
#define CHUNK_MOST 64u
#define SPINS 512u /* looks at a pool that is being filled; then harts may be lost */

/* ---- Begin ---- */

static size_t words_of(long total)
{
	return ((size_t)total + CO_WORD_BITS - 1) / CO_WORD_BITS;
}

size_t co_tasks_bytes(long total)
{
	if (total < 1 || total > CO_TASKS_MAX)
		return 0;
	return CO_LINE + SETS * words_of(total) * sizeof(struct co_aword) + CO_LINE +
	       co_machine.groups * sizeof(struct co_task_pool) +
	       co_machine.harts * sizeof(struct co_task_seat);
}

/*
 * Some for each hart, so that the last ones are spread; not so few that all go to the common pool.
 */
static unsigned chunk_of(const struct co_tasks *t)
{
	size_t least = (size_t)t->total / CLOSED + 1; /* so that their numbers fit */
	size_t chunk = t->chunk ? t->chunk : (size_t)t->total / (8 * co_machine.harts);

	if (!t->chunk && chunk > CHUNK_MOST)
		chunk = CHUNK_MOST;
	if (chunk > (size_t)t->total)
		chunk = (size_t)t->total; /* numbers are taken one by one, those of no task, too */
	if (chunk > OFFSET / 4)
		chunk = OFFSET / 4;
	return (unsigned)(chunk < least ? least : chunk);
}

static void *line_after(void *p)
{
	return (void *)(((uintptr_t)p + CO_LINE - 1) & ~(uintptr_t)(CO_LINE - 1));
}

int co_tasks_open(struct co_tasks *t)
{
	struct co_aword *sets;

	CO_ASSERT(t && co_spm_shared(t, sizeof(*t)));
	if (t->total < 1 || t->total > CO_TASKS_MAX || !t->memory ||
	    (uintptr_t)t->memory % sizeof(uint64_t) ||
	    !co_spm_shared(t->memory, co_tasks_bytes(t->total)))
		return -EINVAL;
	memset(t->memory, 0, co_tasks_bytes(t->total));
	t->words = (uint32_t)words_of(t->total);
	sets = line_after(t->memory);
	t->done = sets;
	t->again = sets + t->words;
	t->once = sets + (size_t)2 * t->words;
	t->twice = sets + (size_t)3 * t->words;
	t->saved = sets + (size_t)4 * t->words;
	t->pools = line_after(sets + (size_t)SETS * t->words);
	t->seats = (struct co_task_seat *)(t->pools + co_machine.groups);
	t->each = chunk_of(t);
	t->chunks = ((size_t)t->total + t->each - 1) / t->each;
	for (unsigned g = 0; g < co_machine.groups; g++)
		co_atomic_store(&t->pools[g].word, t->each, CO_RELAXED); /* none left of none */
	co_atomic_store(&t->next, 0, CO_RELAXED);
	co_atomic_store(&t->to_repeat, 0, CO_RELAXED);
	co_atomic_store(&t->stop, 0, CO_RELAXED);
	t->resumed = 0;
	t->error = 0;
	t->clerk = NULL;
	t->stream = NULL;
	return co_task_file_open(t);
}

/* ---- Numbers ---- */

/* The next chunk of the common pool; at least t->chunks: there is none. */
static size_t fetch(struct co_tasks *t)
{
	/*
	 * relaxed, both: a number. It does not go on when there are none, so that it never wraps.
	 */
	if (co_atomic_load(&t->next, CO_RELAXED) >= t->chunks)
		return CLOSED;
	return co_atomic_add(&t->next, 1, CO_RELAXED);
}

/* Put a chunk that was brought ahead into a pool that has closed meanwhile. */
static void reopen(struct co_task_pool *pool)
{
	/* seq_cst: after the pool has closed, or what was brought is there; one of two finds it. */
	uintptr_t ahead = co_atomic_swap(&pool->ahead, 0, CO_SEQ_CST);

	if (ahead)
		co_atomic_store(&pool->word, (ahead - 1) << HALF, CO_SEQ_CST);
}

/* One at a time, and none while there is one: so `ahead` is never written over. */
static void prefetch(struct co_tasks *t, struct co_task_pool *pool)
{
	size_t chunk;

	/* acquire: what the one before has brought; pairs with its release. */
	if (co_atomic_swap(&pool->fetching, 1, CO_ACQUIRE))
		return;
	chunk = co_atomic_load(&pool->ahead, CO_RELAXED) ? CLOSED : fetch(t);
	/*
	 * seq_cst: before the look whether the pool has closed; pairs with refill(), which closes
	 * it and then looks for this.
	 */
	if (chunk < t->chunks)
		co_atomic_store(&pool->ahead, chunk + 1, CO_SEQ_CST);
	if (chunk < t->chunks && co_atomic_load(&pool->word, CO_SEQ_CST) >> HALF == CLOSED)
		reopen(pool);
	co_atomic_store(&pool->fetching, 0, CO_RELEASE);
}

/* The chunk is used up; the caller has taken the number after its last. */
static void refill(struct co_tasks *t, struct co_task_pool *pool)
{
	uintptr_t ahead = co_atomic_swap(&pool->ahead, 0, CO_SEQ_CST);
	size_t chunk = ahead ? ahead - 1 : fetch(t);

	if (chunk < t->chunks) {
		co_atomic_store(&pool->word, chunk << HALF, CO_RELEASE);
		return;
	}
	co_atomic_store(&pool->word, CLOSED << HALF, CO_SEQ_CST); /* as in prefetch() */
	reopen(pool);
}

/* A task of an earlier run's is not handed out again. */
static bool is_new(const struct co_tasks *t, size_t number)
{
	return number < (size_t)t->total && !co_task_in(t->done, (long)number);
}

/*
 * Whoever was to fill the pool does not come: another hart's, that is lost. So nobody waits for it
 * any more: a chunk goes to the set of those that are to be tried again, and its first number to
 * the caller. Returns false: there is no chunk left.
 */
static bool take_around(struct co_tasks *t, struct co_task_pool *pool, long *task)
{
	for (;;) {
		uintptr_t ahead = co_atomic_swap(&pool->ahead, 0, CO_SEQ_CST);
		size_t chunk = ahead ? ahead - 1 : fetch(t);
		size_t end = (chunk + 1) * t->each;
		long mine = -1;

		if (chunk >= t->chunks)
			return false;
		for (size_t number = end - t->each; number < end; number++) {
			if (!is_new(t, number))
				continue;
			if (mine < 0) {
				mine = (long)number;
				continue;
			}
			co_bits_give(t->again, (unsigned)number);
			co_atomic_add(&t->to_repeat, 1, CO_RELEASE); /* as co_task_failed() */
		}
		if (mine >= 0) {
			*task = mine;
			return true;
		}
	}
}

/* A number of a pool that was not done in an earlier run. Returns false: it has none. */
static bool take(struct co_tasks *t, struct co_task_pool *pool, long *task)
{
	unsigned spins = 0;

	for (;;) {
		/* acquire: pairs with whoever closed or filled it. */
		uintptr_t word = co_atomic_load(&pool->word, CO_ACQUIRE);
		size_t number;

		if (word >> HALF == CLOSED)
			return false;
		if ((word & OFFSET) > t->each) {
			/* Somebody is about to fill it, or was. */
			if (spins >= SPINS && co_harts_lost())
				return take_around(t, pool, task);
			co_spin(&spins);
			continue;
		}
		/* relaxed: a number; the sets are whole since co_tasks_open(). */
		word = co_atomic_add(&pool->word, 1, CO_RELAXED);
		if (word >> HALF == CLOSED || (word & OFFSET) > t->each)
			continue;
		if ((word & OFFSET) == t->each) {
			refill(t, pool);
			continue;
		}
		if ((word & OFFSET) == t->each / 2)
			prefetch(t, pool);
		number = (size_t)(word >> HALF) * t->each + (word & OFFSET);
		if (is_new(t, number)) {
			*task = (long)number;
			return true;
		}
	}
}

static long take_again(struct co_tasks *t)
{
	int bit;

	/* acquire: pairs with co_task_failed(), which sets the bit before. */
	if (!co_atomic_load(&t->to_repeat, CO_ACQUIRE))
		return -1;
	/* A set that is searched by all, but for the few that failed. */
	bit = co_bits_take(t->again, t->words, 0);
	if (bit >= 0)
		co_atomic_add(&t->to_repeat, (uint32_t)-1, CO_RELAXED);
	return bit;
}

long co_task_next(struct co_tasks *t)
{
	unsigned own = co_hart_group(co_hart());

	for (unsigned i = 0, g = own; i < co_machine.groups; i++) {
		long task;

		if (take(t, &t->pools[g], &task))
			return task;
		g = g + 1 < co_machine.groups ? g + 1 : 0;
	}
	return take_again(t);
}

void co_task_done(struct co_tasks *t, long task)
{
	uintptr_t before;

	CO_ASSERT(task >= 0 && task < t->total);
	/* release: what was done is there when it is seen as done; pairs with co_task_file...(). */
	before = co_atomic_or(&t->done[co_task_word(task)], co_task_bit(task), CO_RELEASE);
	CO_ASSERT(!(before & co_task_bit(task)));
	if (t->file && !t->interval_us)
		co_task_file_catch_up(t);
}

bool co_task_failed(struct co_tasks *t, long task)
{
	size_t w = co_task_word(task);
	uintptr_t bit = co_task_bit(task);

	CO_ASSERT(task >= 0 && task < t->total && !co_task_in(t->done, task));
	/* relaxed: the task is the caller's alone; its next owner acquires the bit of `again`. */
	if (!(co_atomic_or(&t->once[w], bit, CO_RELAXED) & bit)) {
		co_bits_give(t->again, (unsigned)task);
	} else if (!(co_atomic_or(&t->twice[w], bit, CO_RELAXED) & bit)) {
		co_bits_give(t->again, (unsigned)task);
	} else {
		co_atomic_or(&t->saved[w], bit, CO_RELAXED); /* with `twice`, not done: given up */
		return false;
	}
	co_atomic_add(&t->to_repeat, 1, CO_RELEASE);
	return true;
}

/* ---- Look ---- */

long co_task_given_up(const struct co_tasks *t, long after)
{
	CO_ASSERT(after >= -1 && after < t->total);
	for (long task = after + 1; task < t->total; task++) {
		if (co_task_in(t->twice, task) && co_task_in(t->saved, task) &&
		    !co_task_in(t->done, task))
			return task;
	}
	return -1;
}

long co_tasks_done(const struct co_tasks *t)
{
	long n = 0;

	for (size_t w = 0; w < t->words; w++) {
		uintptr_t set = co_atomic_load(&t->done[w], CO_ACQUIRE); /* pairs with their ends */

		for (; set; set &= set - 1)
			n++;
	}
	return n;
}
