/*
 * team.c - how the members of a team find each other, and part.
 *
 * A member makes its block in its own scratchpad and enters it in the team's list. When all have
 * come, each walks through the list once and notes where all members are. Blocks are freed when all
 * members have left or ended: until then, other members may write there.
 */
#include <cohart/spm.h>

#include "../../core/hook.h"
#include "../../fault/fault.h"
#include "../../fault/give_up.h"
#include "../../core/memory/main_heap.h"
#include "team.h"

/* The harts of its members. Returns false if that makes no sense. */
static bool harts_of(const struct co_team *t, struct co_scope *over)
{
	CO_ASSERT_SHARED(t, sizeof(*t), "a struct co_team");
	*over = t->scope.harts || t->scope.n ? t->scope : co_machine.computes;
	/* Its members read it. */
	CO_ASSERT_THAT(!over->harts || co_spm_shared(over->harts, over->n * sizeof(*over->harts)),
		       CO_SHARED("the list of the scope's harts"));
	for (unsigned i = 0; over->harts && i < over->n; i++) {
		if (over->harts[i] >= co_machine.harts)
			return false;
	}
	return over->harts && over->n && (unsigned)t->form <= CO_TEAM_TREE;
}

static inline struct co_member *last_member(struct co_team *t)
{
	/* relaxed: the caller has acquired, from `come`, the members and their links. */
	return (struct co_member *)co_atomic_load(&t->last, CO_RELAXED);
}

/* ---- Break ---- */

/* How many members are on this board. */
static inline uint32_t members_here(const struct co_member *m)
{
	return m->team->beyond ? m->team->scope.n : m->ranks;
}

/* Note where all members are. All have come. */
static void note_others(struct co_member *m)
{
	const struct co_team_beyond *beyond = m->team->beyond;

	for (struct co_member *p = last_member(m->team); p; p = p->next) {
		CO_ASSERT_THAT(!m->at[p->rank], "each rank of a team is one coroutine's");
		m->at[p->rank] = &p->in_barrier;
	}
	for (uint32_t i = 0; beyond && i < m->ranks; i++)
		m->at[i] = m->at[i] ?: &beyond->stand_in->in_barrier;
	m->barrier = (struct co_barrier){ .members = m->ranks,
					  .shift = CO_BARRIER_CENTRAL_SHIFT,
					  .table = m->at };
}

static void break_opening(struct co_team *t)
{
	/*
	 * seq_cst: acquires which members are present, and comes before the look whether all have
	 * come; pairs with both accesses in co_team_open_until().
	 */
	co_atomic_swap(&t->broken, 1, CO_SEQ_CST);
	if (co_lost_queue(&t->open.queue))
		co_event_set(&t->open);
}

void co_team_break(struct co_member *m)
{
	break_opening(m->team);
	/* seq_cst: see break_opening(). */
	if (co_atomic_load(&m->team->come, CO_SEQ_CST) != members_here(m))
		return;
	if (!m->barrier.members)
		note_others(m);
	for (uint32_t i = 0; i < m->ranks; i++) {
		struct co_member *p = co_member_at(m, i);

		/* seq_cst: before its queue, `callable` and `copies` are read; pairs with all. */
		co_atomic_store(&p->broken, 1, CO_SEQ_CST);
		/* seq_cst: after that; pairs with co_port_make(). */
		co_atomic_store(&p->reach, 0, CO_SEQ_CST);
		if (p != m && co_lost_queue(&p->queue))
			(void)co_wake_one(&p->queue);
		co_member_call(p);
	}
	co_barrier_break_for(&m->barrier, m->rank);
	/* Wait until nobody is at this member's memory. */
	for (uint32_t i = 0; i < m->ranks; i++) {
		struct co_member *p = co_member_at(m, i);
		unsigned spins = 0;

		/* seq_cst: see above; pairs with co_member_reach(). */
		while (p != m && co_atomic_load(&p->copies, CO_SEQ_CST) &&
		       !co_hart_lost((unsigned)co_spm_hart(p)))
			co_spin(&spins);
	}
}

/* Free a member and its blocks, of any hart. */
static void free_member(struct co_member *m)
{
	struct co_member_block *b = m->blocks, *next;

	for (; b; b = next) {
		next = b->next;
		if (co_spm_hart(b) < 0)
			co_main_free(b);
		else
			co_spm_give_back(b);
	}
	co_spm_give_back(m);
}

static void free_ended(struct co_team *t)
{
	/* relaxed: one gets the list, and has acquired it from `gone` or `present`. */
	struct co_member *m = (struct co_member *)co_atomic_swap(&t->ended, 0, CO_RELAXED);
	struct co_member *next;

	for (; m; m = next) {
		next = m->next_ended;
		free_member(m);
	}
}

static void member_ended(struct co_cleanup *c, struct co *of, enum co_cleanup_why why)
{
	struct co_member *m = co_container_of(c, struct co_member, cleanup);
	struct co_team *t = m->team;
	uint32_t members = members_here(m);

	(void)of;
	/* relaxed: its coroutine has ended, and copies nothing any more. */
	co_atomic_store(&m->copies, 0, CO_RELAXED);
	co_team_break(m);
	/* relaxed: `gone` and `present` publish it. */
	m->next_ended = (struct co_member *)co_atomic_swap(&t->ended, (uintptr_t)m, CO_RELAXED);
	/* acq_rel: the list, if no member is left to leave_team(). */
	if (co_atomic_add(&t->gone, 1, CO_ACQ_REL) + 1 == members)
		free_ended(t);
	if (why == CO_CLEANUP_HOST_DOWN)
		co_lost_done(&t->present);
	else
		co_counter_done(&t->present);
}

/* ---- Open and close ---- */

static struct co_member *make_member(struct co_team *t, unsigned rank, unsigned ranks)
{
	size_t each = sizeof(struct co_barrier_member *) + sizeof(struct co_lane_ack);
	size_t bytes = sizeof(struct co_member) + ranks * each;
	struct co_member *m = co_spm_keep(bytes, CO_LINE);

	if (!m)
		return NULL;
	memset(m, 0, bytes);
	m->team = t;
	m->waiter = co_lane_waiter(&m->queue);
	m->self = co_executor.current;
	m->rank = rank;
	m->ranks = ranks;
	m->knower = m->tree_of[0] = m->tree_of[1] = CO_TEAM_NOBODY;
	m->ack = (struct co_lane_ack *)&m->at[m->ranks];
	co_lane_cursor_init(&m->in, m->slots, CO_LINE, CO_TEAM_DEPTH);
	return m;
}

/* b: NULL: there was no room. */
static void *add_block(struct co_member *m, struct co_member_block *b)
{
	if (!b)
		return NULL;
	b->next = m->blocks;
	b->link = &m->blocks;
	if (b->next)
		b->next->link = &b->next;
	m->blocks = b;
	return b;
}

void *co_member_take(struct co_member *m, size_t bytes, size_t zeroed)
{
	void *b = co_spm_keep(bytes, CO_LINE);

	if (b)
		memset(b, 0, zeroed);
	return add_block(m, b);
}

void *co_member_take_main(struct co_member *m, size_t bytes)
{
	return add_block(m, co_main_alloc(bytes));
}

void co_member_give(struct co_member *m, void *block)
{
	struct co_member_block *b = block;

	(void)m;
	*b->link = b->next;
	if (b->next)
		b->next->link = b->link;
	if (co_spm_hart(b) < 0)
		co_main_free(b);
	else
		co_spm_free(b);
}

/* Enter the list. Returns true if all have come. */
static bool enter(struct co_team *t, struct co_member *m)
{
	co_cleanup_add(&m->cleanup, member_ended);
	/* relaxed: `come` publishes it. */
	m->next = (struct co_member *)co_atomic_swap(&t->last, (uintptr_t)m, CO_RELAXED);
	/* seq_cst: releases the link, and comes before the look at `broken`: break_opening(). */
	return co_atomic_add(&t->come, 1, CO_SEQ_CST) + 1 == members_here(m);
}

struct co_member *co_team_stand_in(struct co_team *t, uint32_t ranks)
{
	return make_member(t, 0, ranks);
}

bool co_team_stand_in_ready(struct co_member *stand_in)
{
	/* acquire: all members; pairs with enter(). */
	if (co_atomic_load(&stand_in->team->come, CO_ACQUIRE) != members_here(stand_in))
		return false;
	if (!stand_in->barrier.members)
		note_others(stand_in);
	return true;
}

static void leave_team(struct co_member *m)
{
	struct co_team *t = m->team;

	CO_ASSERT_THAT(co_cleanup_remove(&m->cleanup),
		       "a member of a team is closed by the coroutine that has opened it");
	co_counter_done(&t->present);
	co_counter_wait_shielded(&t->present);
	free_ended(t);
	free_member(m);
}

int co_team_open_until(struct co_team *t, unsigned rank, struct co_member **me, uint64_t deadline)
{
	struct co_scope over;
	struct co_member *m;
	int r;

	if (!harts_of(t, &over) || rank >= over.n || over.harts[rank] != co_hart())
		return -EINVAL;
	/*
	 * A member that breaks the team from here on stays until the caller has left; so the caller
	 * finds all members in place. release: the count; pairs with break_opening().
	 */
	co_counter_add(&t->present, 1);
	m = NULL;
	r = co_atomic_or(&t->broken, 0, CO_RELEASE) ? -EOWNERDEAD : 0;
	if (!r && !(m = t->beyond ? make_member(t, t->beyond->first + rank, t->beyond->ranks)
				  : make_member(t, rank, over.n))) {
		break_opening(t);
		r = -ENOMEM;
	}
	if (r) {
		co_counter_done(&t->present);
		return r;
	}
	if (enter(t, m))
		co_event_set(&t->open);
	r = co_event_wait_until(&t->open, deadline);
	/*
	 * seq_cst: see break_opening(). A member that sees it tells all, if all have come
	 * meanwhile.
	 */
	if (r || co_atomic_load(&t->broken, CO_SEQ_CST))
		co_team_break(m);
	/* acquire: all members; pairs with enter(). */
	if (!r && co_atomic_load(&t->come, CO_ACQUIRE) != members_here(m))
		r = -EOWNERDEAD;
	if (r) {
		leave_team(m);
		return r;
	}
	if (!m->barrier.members)
		note_others(m);
	*me = m;
	return 0;
}

int co_team_open(struct co_team *t, unsigned rank, struct co_member **me)
{
	return co_team_open_until(t, rank, me, CO_FOREVER);
}

void co_team_close(struct co_member *me)
{
	CO_ASSERT_THAT(me, "co_team_close() is given what co_team_open() has returned");
	leave_team(me);
}

unsigned co_member_rank(const struct co_member *me)
{
	return me->rank;
}

unsigned co_member_ranks(const struct co_member *me)
{
	return me->ranks;
}

void co_team_go_on(struct co_member *me, const struct co_team_meanwhile *meanwhile)
{
	me->meanwhile = meanwhile;
}

int co_team_barrier(struct co_member *me)
{
	/* relaxed: the barrier will say so, too. */
	if (co_atomic_load(&me->broken, CO_RELAXED))
		return -EOWNERDEAD;
	return co_barrier_wait(&me->barrier, me->rank);
}

/* ---- Run ---- */

/* The first error that is not another's. */
static void note_failure(struct co_team *t, int error)
{
	/* relaxed: the join publishes it. */
	if (error != -EOWNERDEAD && co_atomic_add(&t->failures, 1, CO_RELAXED) == 0)
		t->error = error;
}

static intptr_t run_member(void *arg)
{
	struct co_team *t = co_container_of(co_executor.current->batch, struct co_team, members);
	struct co_member *m;
	int r = co_team_open(t, (unsigned)(uintptr_t)arg, &m);

	if (r) {
		note_failure(t, r);
		return 0;
	}
	r = t->fn(m, t->arg);
	if (r) {
		note_failure(t, r);
		co_team_break(m);
	}
	co_team_close(m);
	return 0;
}

/* End the opening for all: c is lost, perhaps before it has come. */
static void member_lost(struct co *c)
{
	if (c->fn == run_member)
		break_opening(co_container_of(c->batch, struct co_team, members));
}

static void hart_lost(unsigned hart)
{
	co_lost_each(hart, member_lost);
}

/* ---- Reports ---- */

static bool is_in_collective(const struct co_member *m)
{
	struct co_awaited here = co_awaited(m->self);

	return here.kind == co_wait_collective && here.object == (uintptr_t)m->team;
}

/* The number of the first collective that a member waits in; one does. */
static uint32_t first_collective(struct co_team *t)
{
	const struct co_member *first = NULL;

	for (const struct co_member *m = last_member(t); m; m = m->next) {
		if (is_in_collective(m) && (!first || (int32_t)(m->in.count - first->in.count) < 0))
			first = m;
	}
	return first ? first->in.count : 0;
}

/*
 * Name the members that are missing in a collective that others wait in: a member that has gone on
 * to a later collective has done its part. No other hart runs any more.
 */
static bool blame_team(const struct co_stuck *w)
{
	struct co_team *t = (struct co_team *)w->object;
	unsigned missing = 0, past = 0;
	uint32_t count;

	if (!w->text || w->kind != co_wait_collective)
		return false;
	count = first_collective(t);
	for (const struct co_member *m = last_member(t); m; m = m->next) {
		if (is_in_collective(m))
			continue;
		if ((int32_t)(m->in.count - count) > 0)
			past++;
		else
			co_text_add(w->text, "%s%lu",
				    missing++ ? ", " : "these ranks are missing: ",
				    (unsigned long)m->rank);
	}
	if (!missing)
		co_text_add(w->text, past ? "the ranks that are not in it have left another one"
					  : "all ranks are in it, but not in the same collective");
	return true;
}

CO_HOOKS = { .hart_lost = hart_lost, .explain = blame_team };

static void start_members(struct co_team *t, const struct co_scope *over)
{
	for (unsigned i = 0; i < over->n; i++) {
		const struct co_attr attr = { .name = t->name ? t->name : "member",
					      .on = CO_ON_HART(over->harts[i]) };
		int r = co_batch_spawn(&t->members, &attr, run_member, (void *)(uintptr_t)i, NULL);

		if (r) {
			note_failure(t, r);
			break_opening(t);
			return;
		}
	}
}

int co_team_run(struct co_team *t, co_member_fn *fn, void *arg)
{
	struct co_scope over;
	int r;

	CO_ASSERT_THAT(fn, "co_team_run() is given a function");
	if (!harts_of(t, &over))
		return -EINVAL;
	*t = (struct co_team){
		.scope = t->scope, .form = t->form, .name = t->name, .fn = fn, .arg = arg
	};
	start_members(t, &over);
	r = co_batch_join(&t->members);
	if (r == -ECANCELED) {
		co_batch_cancel(&t->members);
		co_counter_wait_shielded(&t->members.running);
		return r;
	}
	/*
	 * No member has an error of its own: a fault, or the loss of a hart, broke the team.
	 * relaxed: joined.
	 */
	if (!r && !t->error && co_atomic_load(&t->broken, CO_RELAXED))
		return -EOWNERDEAD;
	return r ? r : t->error;
}
