/*
 * member.c - who does a loop.
 *
 * A compute hart keeps a worker: a coroutine that waits for parts of loops at its desk (desk.h).
 * The first loop that wants it makes it. A launch takes the bits of the workers that it wants, 32
 * or 64 at a time, and puts the loop on their desks; where a worker is busy (in a loop around this
 * one, or in another's) or cannot be had, the member is a coroutine of its own.
 */
#include <errno.h>

#include <cohart/parallel.h>
#include <hal/ipi.h>
#include <hal/irq.h>

#include "../core/counter.h"
#include "../core/linger.h"
#include "../core/lost.h"
#include "parallel.h"

#define WORDS ((BOARD_MAX_HARTS + CO_WORD_BITS - 1) / CO_WORD_BITS)

/* A bit for each hart. */
static struct co_aword made[WORDS];    /* it has a worker, */
static struct co_aword at_hand[WORDS]; /* which has nothing to do, and nobody has taken it */

_Static_assert(sizeof(struct co_part) <= sizeof(((struct co_desk *)0)->part), "a part fits");

/* ---- Where ---- */

/* The hart of member m; *n: for so many members it goes on with the next harts, in one word. */
static unsigned run_at(const struct co_parallel *p, unsigned m, unsigned *n)
{
	unsigned rest = p->n - m;
	unsigned hart;
	unsigned room;

	if (p->list) {
		*n = 1;
		return p->list[m];
	}
	if (p->scope == CO_SCOPE_GROUP) {
		hart = co_machine.group[p->group].compute + m;
	} else {
		unsigned g = 0;

		for (; m >= co_machine.group[g].computes; g++)
			m -= co_machine.group[g].computes;
		hart = co_machine.group[g].compute + m;
		room = co_machine.group[g].computes - m;
		rest = rest < room ? rest : room;
	}
	room = CO_WORD_BITS - hart % CO_WORD_BITS;
	*n = rest < room ? rest : room;
	return hart;
}

unsigned co_loop_hart(const struct co_parallel *p, unsigned m)
{
	unsigned n;

	return run_at(p, m, &n);
}

/* The member that runs on a hart, which has one. */
static unsigned member_on(const struct co_parallel *p, unsigned hart)
{
	unsigned before = 0;

	if (p->list) {
		while (p->list[before] != hart)
			before++;
		return before;
	}
	if (p->scope == CO_SCOPE_GROUP)
		return hart - co_group(p->group)->compute;
	for (unsigned g = 0; g < co_hart_group(hart); g++)
		before += co_group(g)->computes;
	return before + hart - co_group(co_hart_group(hart))->compute;
}

/* ---- Members ---- */

/* All that is the same for all parts. Dimensions that the loop has not are left out. */
static inline void set_out(const struct co_parallel *p, struct co_part *part)
{
	part->members = p->n;
	part->step[0] = co_loop_step(p, 0);
	for (unsigned d = 1; d < p->dims; d++) {
		part->from[d] = p->range[d].lower;
		part->to[d] = p->range[d].upper;
		part->step[d] = co_loop_step(p, d);
	}
}

/* What is simple is one part, and set out in its first dimension. */
static inline void do_member(struct co_parallel *p, struct co_part *part)
{
	set_out(p, part);
	if (p->simple) {
		if (!co_loop_stopped(p))
			co_loop_call(p, part);
	} else if (p->reduction.bytes) {
		co_loop_reduce(p, part);
	} else {
		co_loop_schedule[p->schedule](p, part);
	}
}

static void set_simple(const struct co_parallel *p, struct co_part *part, unsigned m)
{
	part->member = m;
	part->partial = NULL;
	if (p->simple)
		co_loop_extent(p, part, 0, co_loop_first(p, m), co_loop_first(p, m + 1) - 1);
}

static intptr_t member(void *arg);

/* The coroutine of a member that has no worker, or of one that stands in, ends in a part. */
static void member_died(struct co *c, int why)
{
	struct co_parallel *p = c->fn == member ? c->arg : ((struct co_desk *)c->arg)->loop;

	co_loop_failed(p, why == -EHOSTDOWN ? NULL : c->at_end_arg, why ? why : -EFAULT);
}

/* One that has no worker. */
static intptr_t member(void *arg)
{
	struct co *me = co_executor.current;
	struct co_parallel *p = arg;
	struct co_part part;

	set_simple(p, &part, member_on(p, co_executor.hart));
	me->at_end = member_died;
	me->at_end_arg = &part;
	me->quirks |= CO_QUIRK_AT_END;
	do_member(p, &part);
	me->quirks &= (uint8_t)~CO_QUIRK_AT_END;
	return 0;
}

/* ---- Workers ---- */

static inline uintptr_t bit_of(unsigned hart)
{
	return (uintptr_t)1 << hart % CO_WORD_BITS;
}

static inline struct co_desk *desk_of(unsigned hart)
{
	return &co_annex_at(hart)->desk;
}

/* Wait in the ordinary way: this hart has other things to do. */
static __attribute__((noinline)) void park(struct co *me, struct co_desk *d)
{
	struct co_waiter *w = co_wait_prepare(NULL, d, "loop");

	co_atomic_store(&me->cancel, 0, CO_RELAXED); /* it was somebody's in a loop */
	d->sleeper = w;
	/* acq_rel: shows the wait that is armed, or takes the job; pairs with put(). */
	if (co_atomic_swap(&d->word, CO_DESK_PARKED, CO_ACQ_REL) & CO_DESK_JOB) {
		co_wait_abandon(w);
	} else {
		int r = co_wait_commit_shielded(w, CO_FOREVER);

		CO_ASSERT(!r); /* whoever ended it has left a job */
	}
}

/*
 * Sleep until there is a job. By a nap if there is nothing else to do: co_nap_may(), which looks
 * whether e->more is `quiet`.
 */
static inline void await_job(struct co_executor *e, struct co *me, struct co_desk *d,
			     const struct co_aword *quiet, uint32_t *naps)
{
	struct co_inbox *inbox;

	if (e->more != quiet || me->next_ready != me || co_atomic_load(&me->cancel, CO_RELAXED)) {
		park(me, d);
		return;
	}
	inbox = (struct co_inbox *)((uintptr_t)quiet - offsetof(struct co_inbox, stub.next));
	*naps += CO_DESK_NAP;
	hal_ipi_clear();
	/* acq_rel: shows the look for stuck harts what came before; takes the job. As in park(). */
	if (co_atomic_swap(&d->word, *naps | CO_NAP_BIT, CO_ACQ_REL) & CO_DESK_JOB)
		return;
	/* relaxed: as in co_nap(). An alarm of before ends the sleep at most once. */
	co_atomic_store(&inbox->nap, (uintptr_t)&d->word, CO_RELAXED);
	if (co_inbox_nap(inbox))
		hal_irq_wait();
	co_inbox_rouse(inbox);
	/* acquire: the job; pairs with put(). */
	if (!(co_atomic_load(&d->word, CO_ACQUIRE) & CO_DESK_JOB))
		park(me, d);
}

/*
 * On another hart, for a worker whose hart is lost: what it was at, once more, and what is left of
 * the loop. Its desk is nobody else's any more.
 */
static intptr_t stand_in(void *arg)
{
	const struct co_desk *d = arg;
	struct co_parallel *p = d->loop;
	struct co_part part = *(const struct co_part *)d->part;
	struct co *me = co_executor.current;

	me->at_end = member_died;
	me->at_end_arg = &part;
	me->quirks |= CO_QUIRK_AT_END;
	if (!co_loop_stopped(p))
		co_loop_call(p, &part);
	co_loop_schedule[p->schedule](p, &part);
	me->quirks &= (uint8_t)~CO_QUIRK_AT_END;
	return 0;
}

/* Can another go on for it? Then one does, in the loop's batch. */
static bool replaced(struct co_desk *d)
{
	struct co_parallel *p = d->loop;

	if ((p->schedule != CO_DYNAMIC && p->schedule != CO_GUIDED) || p->reduction.bytes)
		return false;
	for (unsigned m = 0; m < p->n; m++) {
		const struct co_attr attr = { .name = p->label,
					      .on = CO_ON_HART(co_loop_hart(p, m)) };

		if (co_batch_spawn(&p->members, &attr, stand_in, d, NULL) == 0)
			return p->stood_in = true;
	}
	return false;
}

/*
 * A job on the desk of a worker of a lost hart, which has not begun it. Whoever takes it off the
 * desk ends it. Returns false: there is none.
 */
static bool fetch_back(struct co_desk *d)
{
	struct co_parallel *p;

	/* seq_cst: the launcher puts it there and looks for lost harts; hart 0 does the reverse. */
	if (!(co_atomic_swap(&d->word, 0, CO_SEQ_CST) & CO_DESK_JOB))
		return false;
	p = d->loop;
	/* relaxed: who waits sees it by the counter. */
	co_atomic_or(&p->members.ended, CO_ENDED_LOST, CO_RELAXED);
	co_counter_done(&p->members.running);
	return true;
}

/*
 * A worker ends in a part: the next loop makes another. Or its hart is lost: this is hart 0 then.
 */
static void worker_died(struct co *c, int why)
{
	struct co_desk *d = c->arg;
	struct co_parallel *p = d->loop;

	if (why == -EHOSTDOWN && fetch_back(d))
		return;
	if (why != -EHOSTDOWN || !replaced(d))
		co_loop_failed(p, (const struct co_part *)d->part, why ? why : -EFAULT);
	/* release: pairs with make_worker(). */
	if (why != -EHOSTDOWN)
		co_atomic_and(&made[c->hart / CO_WORD_BITS], ~bit_of(c->hart), CO_RELEASE);
	co_counter_done(&p->members.running);
}

void co_parallel_hart_lost(unsigned hart)
{
	struct co_desk *d = desk_of(hart);

	co_atomic_and(&at_hand[hart / CO_WORD_BITS], ~bit_of(hart), CO_SEQ_CST);
	(void)fetch_back(d);
}

static __attribute__((noinline)) void tidy(struct co *me)
{
	if (me->quirks & CO_QUIRK_LOST)
		co_hart_stop(); /* it was given up, and its loop goes on without it */
	co_io_end();
}

/* Ends by accident only. */
_Noreturn static intptr_t worker(void *arg)
{
	struct co_executor *e = &co_executor;
	struct co *me = e->current;
	struct co_desk *d = arg;
	struct co_part *part = (struct co_part *)d->part;
	struct co_aword *hands = &at_hand[e->hart / CO_WORD_BITS];
	uintptr_t bit = bit_of(e->hart);
	/* Hart 0 does not nap. */
	const struct co_aword *quiet = e->hart ? &e->self->inbox.stub.next : NULL;
	uint32_t naps = 0;

	me->at_end = worker_died;
	me->quirks |= CO_QUIRK_AT_END;
	/* acq_rel: shows the above, takes its first job; pairs with fetch_back(). */
	if (!(co_atomic_swap(&d->word, 0, CO_ACQ_REL) & CO_DESK_JOB))
		co_hart_stop(); /* which has been given up meanwhile */
	for (;;) {
		struct co_parallel *p = d->loop;

		/*
		 * In this order: it is never seen as idle, and without a job (orphans(), last.c).
		 */
		co_atomic_store(&me->service, 0, CO_RELAXED);
		co_atomic_store(&d->word, 0, CO_RELAXED);                    /* nobody else's now */
		co_atomic_store(&me->name, (uintptr_t)p->label, CO_RELAXED); /* for people */
		errno = 0;
		do_member(p, part);
		co_end_check(me);
		/* relaxed: as in finish(), end.c. */
		if (co_atomic_load(&me->req.line, CO_RELAXED) || me->req.unended)
			tidy(me);
		co_atomic_store(&me->service, 1, CO_RELAXED);
		/* release: it is through with its desk; pairs with claim(). */
		co_atomic_or(hands, bit, CO_RELEASE);
		(void)co_counter_less(&p->members.running);
		await_job(e, me, d, quiet, &naps);
	}
}

/* There is a job on the desk of a worker that the caller has taken: tell it. */
static inline void tell(struct co_desk *d, const uintptr_t *bell)
{
	/*
	 * acq_rel: releases the loop to the worker; acquires its wait if it is parked. seq_cst: and
	 * before the look for lost harts.
	 */
	uint32_t before = co_atomic_swap(&d->word, CO_DESK_JOB, CO_SEQ_CST);

	if (before & CO_NAP_BIT)
		co_ring(*bell);
	else if (before & CO_DESK_PARKED && co_token_take(d->sleeper->token))
		co_wake(d->sleeper);
}

/* Take those workers of a word that are at hand, of those in `wanted`. */
static inline uintptr_t claim(unsigned word, uintptr_t wanted)
{
	/* acquire: the worker is through with its desk; pairs with its giving the bit back. */
	return co_atomic_and(&at_hand[word], ~wanted, CO_ACQUIRE) & wanted;
}

/* Make a hart's worker, with m to begin with. @return false: there is one, or no room for it. */
static bool make_worker(struct co_parallel *p, unsigned hart, unsigned m)
{
	struct co_aword *word = &made[hart / CO_WORD_BITS];
	struct co_desk *d = desk_of(hart);

	/* acquire: one that died is through with its desk; pairs with worker_died(). */
	if (!(co_hart_role(hart) & CO_ROLE_COMPUTE) ||
	    co_atomic_or(word, bit_of(hart), CO_ACQUIRE) & bit_of(hart))
		return false;
	d->loop = p;
	set_simple(p, (struct co_part *)d->part, m);
	co_counter_more(&p->members.running, 1);
	/* seq_cst, as in tell(): if its hart is lost before it begins, this is fetched back. */
	co_atomic_store(&d->word, CO_DESK_JOB, CO_SEQ_CST);
	if (co_spawn_last(hart, p->label, worker, d) == 0)
		return true;
	if (!(co_atomic_swap(&d->word, 0, CO_SEQ_CST) & CO_DESK_JOB))
		return true; /* it has been */
	co_counter_done(&p->members.running);
	co_atomic_and(word, ~bit_of(hart), CO_RELEASE);
	return false;
}

#define DESK_STRIDE (CO_SPM_ROOMY ? BOARD_SPM_BYTES : CO_YARD_BYTES)

/* Members m to last - 1 of a loop, each of so many units, to workers that the caller has taken. */
static void tell_run(struct co_parallel *p, unsigned hart, unsigned m, unsigned last, size_t units)
{
	unsigned long step = (unsigned long)co_loop_step(p, 0);
	unsigned long all = units * step;
	unsigned long from = (unsigned long)p->range[0].lower + step * co_loop_first(p, m);
	const uintptr_t *bell = &co_machine.bell[hart];
	struct co_desk *d = desk_of(hart);

	for (; m < last; m++, bell++) {
		struct co_part *part = (struct co_part *)d->part;

		d->loop = p;
		part->member = m;
		part->from[0] = (long)from; /* these two: if it is simple */
		from += all;
		part->to[0] = (long)(from - step) + 1;
		tell(d, bell);
		d = (struct co_desk *)((uintptr_t)d + DESK_STRIDE);
	}
}

/* The same, whose first ones have a unit more than others. */
static void tell_all(struct co_parallel *p, unsigned hart, unsigned m, unsigned last)
{
	unsigned more = p->extra < m ? m : p->extra < last ? (unsigned)p->extra : last;

	co_counter_more(&p->members.running, last - m);
	p->started += last - m;
	tell_run(p, hart, m, more, p->each + 1);
	tell_run(p, hart + (more - m), more, last, p->each);
}

/* A member on a hart whose worker is not at hand. */
static int start_other(struct co_parallel *p, unsigned hart, unsigned m)
{
	const struct co_attr attr = { .name = p->label, .on = CO_ON_HART(hart) };
	int r = make_worker(p, hart, m) ? 0 : co_batch_spawn(&p->members, &attr, member, p, NULL);

	p->started += !r;
	return r;
}

/* Members from m on, on harts that follow one another and share a word of bits. */
static int start_run(struct co_parallel *p, unsigned m, unsigned hart, unsigned n)
{
	uintptr_t wanted = ~(uintptr_t)0 >> (CO_WORD_BITS - n) % CO_WORD_BITS
						    << hart % CO_WORD_BITS; /* n is not 0 */
	uintptr_t got = claim(hart / CO_WORD_BITS, wanted);
	int r = 0;

	if (got == wanted) {
		tell_all(p, hart, m, m + n);
		return 0;
	}
	for (unsigned i = 0; i < n; i++)
		if (got & bit_of(hart + i))
			tell_all(p, hart + i, m + i, m + i + 1);
	for (unsigned i = 0; i < n && !r; i++)
		if (!(got & bit_of(hart + i)))
			r = start_other(p, hart + i, m + i);
	return r;
}

static void look_for_lost(const struct co_parallel *p)
{
	for (unsigned m = 0; m < p->n; m++) {
		unsigned hart = co_loop_hart(p, m);

		if (co_hart_lost(hart) && desk_of(hart)->loop == p)
			(void)fetch_back(desk_of(hart));
	}
}

int co_parallel_start_members(struct co_parallel *p)
{
	int r = 0;

	p->started = 0;
	for (unsigned m = 0, n; m < p->n && !r; m += n) {
		unsigned hart = run_at(p, m, &n);

		r = start_run(p, m, hart, n);
	}
	/* Some hart may have been lost meanwhile. seq_cst, as in fetch_back(). */
	if (co_harts_lost())
		look_for_lost(p);
	return r;
}
