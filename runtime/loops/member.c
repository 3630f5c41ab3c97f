/*
 * member.c - which coroutines execute a loop.
 *
 * Each compute hart has a worker: a coroutine that sleeps until a launcher gives it a member of a
 * loop. The first loop that needs it spawns it. While it executes a member it belongs to the loop's
 * batch, like a coroutine spawned there: it is counted, waited for and given up with the batch. A
 * launch claims idle workers, up to 32 or 64 by one atomic and. Where the worker is busy in another
 * loop, the member gets a new coroutine.
 */
#include <cohart/parallel.h>
#include <hal/fp.h>

#include "../core/compiler.h"
#include "../core/hart_var.h"
#include "../core/hook.h"
#include "../core/lost.h"
#include "../core/sched/idle.h"
#include "parallel.h"

#define WORDS ((BOARD_MAX_HARTS + CO_WORD_BITS - 1) / CO_WORD_BITS)

/* A bit for each hart. */
static struct co_aword made[WORDS]; /* the hart has a worker */
static struct co_aword idle[WORDS]; /* its worker waits and is not claimed */

struct worker {
	struct co *co;
	bool begun;          /* it executes `part`; hart 0 reads it when the hart is lost */
	struct co_part part; /* the launcher writes part.member */
};
CO_HART_VAR(struct worker, worker);

static inline struct worker *worker_of(unsigned hart)
{
	return co_hart_var(worker, hart);
}

static inline uintptr_t bit_of(unsigned hart)
{
	return (uintptr_t)1 << hart % CO_WORD_BITS;
}

/* The loop that a member belongs to. */
static inline struct co_parallel *loop_of(const struct co *c)
{
	return co_container_of(c->batch, struct co_parallel, members);
}

/* ---- Members ---- */

static intptr_t worker(void *arg);
static bool redo_elsewhere(struct co_parallel *p, struct worker *w);

/*
 * A member's coroutine has ended within a part: by a fault or co_exit(), then this runs in that
 * coroutine; or it was lost with its hart, then this runs on hart 0, which may be unable to read
 * the coroutine's stack, but can read a worker's record.
 */
static void member_ended(struct co *c, enum co_cleanup_why why)
{
	struct co_parallel *p = loop_of(c);
	struct worker *w = c->fn == worker ? worker_of(c->hart) : NULL;

	if (why != CO_CLEANUP_HOST_DOWN) {
		(void)co_loop_failed(p, ((struct co_part *)c->last.arg)->from, -EFAULT);
		/* release: pairs with start_coroutine(). */
		if (w)
			co_atomic_and(&made[c->hart / CO_WORD_BITS], ~bit_of(c->hart), CO_RELEASE);
	} else if (!w) {
		(void)co_loop_failed(p, NULL, -EHOSTDOWN);
	} else if (w->begun && !(p->redo && redo_elsewhere(p, w))) {
		(void)co_loop_failed(p, w->part.from, -EHOSTDOWN);
	}
}

/* A member without a worker; arg is its number. */
static intptr_t member(void *arg)
{
	struct co *me = co_executor.current;
	struct co_part part = { .member = (unsigned)(uintptr_t)arg };

	co_last_set(me, member_ended, &part);
	co_loop_execute(loop_of(me), &part);
	co_last_clear(me);
	return 0;
}

/* Repeat a part that was lost with a worker's hart, then help with the rest of the loop. */
static intptr_t redo(void *arg)
{
	struct co *me = co_executor.current;
	struct co_parallel *p = loop_of(me);
	struct co_part part = ((const struct worker *)arg)->part;

	co_last_set(me, member_ended, &part);
	/* relaxed: the wait acquires it. */
	co_atomic_add(&p->redos, (uint32_t)-1, CO_RELAXED);
	if (!co_loop_stopped(p))
		co_loop_call(p, &part);
	co_loop_execute(p, &part);
	co_last_clear(me);
	return 0;
}

/* Repeat w's part on another hart of the loop. Returns false if that is impossible. */
static bool redo_elsewhere(struct co_parallel *p, struct worker *w)
{
	co_atomic_add(&p->redos, 1, CO_RELAXED); /* relaxed: the spawn publishes it */
	for (unsigned at = 0, n; at < p->over.n; at++) {
		const struct co_attr attr = { .name = p->label,
					      .on = CO_ON_HART(co_loop_harts(p, at, 1, &n)) };

		if (co_batch_spawn(&p->members, &attr, redo, w, NULL) == 0)
			return true;
	}
	return false;
}

/* ---- Workers ---- */

/* Never returns; a fault may end it. While idle it is a coroutine of the runtime. */
_Noreturn static intptr_t worker(void *arg)
{
	struct co *me = co_executor.current;
	struct co_hart *self = co_executor.self;
	unsigned hart = co_executor.hart;
	struct worker *w = worker_of(hart);
	struct co_aword *word = &idle[hart / CO_WORD_BITS];
	uintptr_t bit = bit_of(hart);

	w->co = me;
	w->part.member = (unsigned)(uintptr_t)arg;
	w->part.partial = NULL;
	w->part.cache = NULL;
	co_last_set(me, member_ended, &w->part);
	for (;;) {
		struct co_parallel *p = loop_of(me);

		co_atomic_store(&me->name, (uintptr_t)p->label, CO_RELAXED); /* for reports */
		errno = 0;
		hal_fp_end(0); /* as each coroutine begins */
		w->begun = true;
		co_loop_execute(p, &w->part);
		w->begun = false;
		co_idle_begin(self, me, &p->members, "its next loop");
		/* release: the wait is armed, and the record is free; pairs with start_run(). */
		co_atomic_or(word, bit, CO_RELEASE);
		co_idle_wait(self, me, &p->members);
	}
}

/* Start members from m on with the workers of n harts from `hart` on, which the caller has claimed.
 */
static NOINLINE void start_workers(struct co_parallel *p, unsigned m, unsigned hart, unsigned n)
{
	struct worker *w = worker_of(hart), *own = worker_of(co_executor.hart);

	for (unsigned end = m + n; m != end;
	     w = (struct worker *)((uintptr_t)w + BOARD_SPM_BYTES)) {
		w->part.member = m++;
		co_idle_end(w->co, &p->members, w == own);
	}
}

/* Start a coroutine for member m, as the hart's worker if it has none. */
static int start_coroutine(struct co_parallel *p, unsigned hart, unsigned m)
{
	const struct co_attr attr = { .name = p->label, .on = CO_ON_HART(hart) };
	struct co_aword *word = &made[hart / CO_WORD_BITS];
	/* acquire: an ended worker uses its record no more; pairs with member_ended(). */
	bool makes = co_hart_role(hart) & CO_ROLE_COMPUTE &&
		     !(co_atomic_or(word, bit_of(hart), CO_ACQUIRE) & bit_of(hart));
	int r = co_batch_spawn(&p->members, &attr, makes ? worker : member, (void *)(uintptr_t)m,
			       NULL);

	if (r && makes)
		co_atomic_and(word, ~bit_of(hart), CO_RELAXED);
	p->started += !r;
	return r;
}

/* ---- Launch ---- */

unsigned co_loop_harts(const struct co_parallel *p, unsigned at, unsigned most, unsigned *n)
{
	unsigned hart = p->over.harts[at];
	const struct co_group *g = &co_machine.group[co_machine.group_of[hart]];

	*n = 1;
	if (p->computes) {
		most = (unsigned)co_least(p->over.n - at, most);
		most = (unsigned)co_least(g->compute + g->computes - hart, most);
		*n = (unsigned)co_least(CO_WORD_BITS - hart % CO_WORD_BITS, most);
	}
	return hart;
}

/* Start members from *m on, on n harts with consecutive numbers whose bits share a word. */
static int start_run(struct co_parallel *p, unsigned *m, unsigned hart, unsigned n)
{
	uintptr_t wanted = ~(uintptr_t)0 >> (CO_WORD_BITS - n) % CO_WORD_BITS
						    << hart % CO_WORD_BITS; /* n is not 0 */
	/* acquire: the worker waits and uses its record no more; pairs with worker(). */
	uintptr_t got = co_atomic_and(&idle[hart / CO_WORD_BITS], ~wanted, CO_ACQUIRE) & wanted;
	unsigned workers = got == wanted ? n : co_bits_count(got);
	int r = 0;

	if (workers)
		co_counter_more(&p->members.running, workers);
	p->started += workers;
	if (workers == n) {
		start_workers(p, *m, hart, n);
		*m += n;
		return 0;
	}
	for (unsigned end = hart + n; hart < end; hart++) {
		if (got & bit_of(hart))
			start_workers(p, (*m)++, hart, 1);
		else if (!r && !(p->lost && co_hart_lost(hart)))
			r = start_coroutine(p, hart, (*m)++);
	}
	return r;
}

int co_parallel_start_members(struct co_parallel *p)
{
	unsigned m = 0;
	int r = 0;

	p->started = 0;
	for (unsigned at = 0, n; m < p->n && !r; at += n) {
		unsigned hart;

		if (at >= p->over.n)
			return -EHOSTDOWN; /* harts were lost after p->n was counted */
		hart = co_loop_harts(p, at, p->n - m, &n);
		r = start_run(p, &m, hart, n);
	}
	return r;
}

static void worker_lost(unsigned hart)
{
	co_atomic_and(&idle[hart / CO_WORD_BITS], ~bit_of(hart), CO_RELAXED);
}

CO_HOOKS = { .hart_lost = worker_lost };
