/*
 * task.c - explicit tasks: they wait in queues of the threads that created them, and begin on the
 * thread that takes them; one that has begun stays on the stack of its thread.
 *
 * A thread at a meeting takes any task. One that waits in the middle of a task takes tasks that the
 * wait is for, so that none is begun on its stack that it may have to wait for. A thread whose
 * queue is long executes a new task at once, so that many tasks need little memory.
 */
#include <stdlib.h>
#include <string.h>

#include "team.h"

#define QUEUE_MOST 64 /* tasks of a thread that wait to begin */

/* Of GOMP_task() and GOMP_taskloop(). */
enum {
	FINAL = 2,
	DEPENDS = 8,
	UP = 1 << 8,
	GRAIN = 1 << 9,
	IF = 1 << 10,
	NO_GROUP = 1 << 11,
	REDUCES = 1 << 12,
	DETACHES = 1 << 13,
	STRICT = 1 << 14,
};

/* ---- Records ---- */

/* A record with room for that many bytes of arguments is kept for the next task. */
#define KEPT_BYTES 256
#define KEPT_MOST 64 /* of a thread: it may end tasks that others create */

struct record {
	struct co_omp_task task; /* first */
	bool kept;
	alignas(16) char room[];
};

static struct record *new_record(struct co_omp_thread *me, size_t bytes)
{
	struct record *r = (struct record *)me->unused;
	bool kept = bytes <= KEPT_BYTES;

	if (kept && r) {
		me->unused = r->task.older;
		me->unused_n--;
	} else {
		r = malloc(sizeof(*r) + (kept ? KEPT_BYTES : bytes));
	}
	if (!r)
		co_omp_die("there is no memory for a task");
	memset(&r->task, 0, sizeof(r->task));
	r->kept = kept;
	return r;
}

/* One user less of a record; implicit tasks have none. */
static void unuse(struct co_omp_thread *me, struct co_omp_task *t)
{
	struct record *r = (struct record *)t;

	/* acq_rel: the last user frees what all have used. */
	if (!t->fn || co_atomic_add(&t->users, (uint32_t)-1, CO_ACQ_REL) != 1)
		return;
	free(t->order);
	free(t->depends);
	if (r->kept && me->unused_n < KEPT_MOST) {
		t->older = me->unused;
		me->unused = t;
		me->unused_n++;
	} else {
		free(r);
	}
}

/* ---- Queues ---- */

static void push(const struct co_omp_member *m, struct co_omp_task *t)
{
	struct co_omp_team *team = t->team;
	/* One that fulfils an event may be of another team. */
	struct co_omp_queue *q = &team->queues[m->team == team ? m->num : 0];

	co_omp_lock(&q->mutex);
	t->newer = NULL;
	t->older = q->newest;
	*(q->newest ? &q->newest->newer : &q->oldest) = t;
	q->newest = t;
	co_atomic_add(&q->n, 1, CO_RELAXED); /* with the mutex */
	/* seq_cst, both: before the looks for sleepers, who look at them when they are queued. */
	co_atomic_add(&team->ready, 1, CO_SEQ_CST);
	co_atomic_add(&team->changes, 1, CO_SEQ_CST);
	co_mutex_unlock(&q->mutex);
	co_wake_one(&team->idle);
	co_wake_all(&team->bound);
}

static void take_out(struct co_omp_team *team, struct co_omp_queue *q, struct co_omp_task *t)
{
	*(t->newer ? &t->newer->older : &q->newest) = t->older;
	*(t->older ? &t->older->newer : &q->oldest) = t->newer;
	co_atomic_add(&q->n, (uint32_t)-1, CO_RELAXED);
	co_atomic_add(&team->ready, (uint32_t)-1, CO_RELAXED);
}

/* Which tasks a wait is for: of a task, its children; of a group, its members; or any. */
struct wait {
	struct co_omp_task *of;
	struct co_omp_group *group;
	const struct co_a32 *left; /* when it is `rest`, the wait is over */
	uint32_t rest;
};

static bool is_for(const struct wait *w, const struct co_omp_task *t)
{
	if (w->group) {
		for (const struct co_omp_group *g = t->member_of; g; g = g->around) {
			if (g == w->group)
				return true;
		}
		return false;
	}
	return !w->of || t->parent == w->of;
}

/* Take a task of a queue. `newest`: that end first. */
static struct co_omp_task *take_from(struct co_omp_team *team, struct co_omp_queue *q,
				     const struct wait *w, bool newest)
{
	struct co_omp_task *t;

	if (!co_atomic_load(&q->n, CO_RELAXED))
		return NULL;
	co_omp_lock(&q->mutex);
	t = newest ? q->newest : q->oldest;
	while (t && !is_for(w, t))
		t = newest ? t->older : t->newer;
	if (t)
		take_out(team, q, t);
	co_mutex_unlock(&q->mutex);
	return t;
}

static struct co_omp_task *take(const struct co_omp_member *m, const struct wait *w)
{
	struct co_omp_team *team = m->team;
	struct co_omp_task *t;

	if (!team->queues) /* it is of one thread */
		return NULL;
	t = take_from(team, &team->queues[m->num], w, true);
	for (unsigned i = 1; !t && i < team->n && co_atomic_load(&team->ready, CO_RELAXED); i++)
		t = take_from(team, &team->queues[(m->num + i) % team->n], w, false);
	return t;
}

/* ---- Executing ---- */

static bool is_cancelled(const struct co_omp_team *team, const struct co_omp_group *g)
{
	/* relaxed, all: a cancel is seen some time. */
	return co_atomic_load(&team->cancelled, CO_RELAXED) ||
	       (g &&
		(co_atomic_load(&g->cancelled, CO_RELAXED) ||
		 (g->shared && g->around && co_atomic_load(&g->around->cancelled, CO_RELAXED))));
}

/* The innermost taskgroup of the program's. */
static struct co_omp_group *group_of(const struct co_omp_task *t)
{
	return t->group && t->group->shared ? t->group->around : t->group;
}

static void released(struct co_omp_task *t);

static void end(struct co_omp_thread *me, struct co_omp_task *t)
{
	struct co_omp_team *team = t->team;
	struct co_omp_task *parent = t->parent;
	bool last = t->detaches;

	if (t->depends) {
		co_omp_depend_end(t, released);
		last = true;
	}
	/* seq_cst, all: the task's writes, and before the looks for sleepers. */
	if (t->member_of)
		last |= co_atomic_add(&t->member_of->tasks, (uint32_t)-1, CO_SEQ_CST) == 1;
	last |= co_atomic_add(&parent->children, (uint32_t)-1, CO_SEQ_CST) == 1;
	unuse(me, parent);
	unuse(me, t);
	if (last)
		co_wake_all(&team->bound);
	if (co_atomic_add(&team->tasks, (uint32_t)-1, CO_SEQ_CST) == 1)
		co_wake_all(&team->idle);
}

static void run(struct co_omp_thread *me, struct co_omp_task *t)
{
	struct co_omp_task *outer = me->task;

	if (!is_cancelled(me->member->team, t->member_of)) {
		me->task = t;
		t->fn(t->data);
		me->task = outer;
		/* acq_rel: the code's writes; pairs with omp_fulfill_event(). */
		if (t->detaches && co_atomic_add(&t->ends, (uint32_t)-1, CO_ACQ_REL) != 1)
			return;
	} else if (t->detaches) { /* the event may come yet: the record stays */
		co_atomic_add(&t->users, 1, CO_RELAXED);
	}
	end(me, t);
}

void omp_fulfill_event(omp_event_handle_t event)
{
	struct co_omp_task *t = (struct co_omp_task *)event;
	struct co_omp_thread *me = co_omp_self();

	if (co_atomic_swap(&t->event, 1, CO_RELAXED))
		co_omp_die("omp_fulfill_event: the event has been fulfilled before");
	/* acq_rel: the caller's writes; pairs with run(). */
	if (co_atomic_add(&t->ends, (uint32_t)-1, CO_ACQ_REL) == 1)
		end(me, t);
}

static void released(struct co_omp_task *t)
{
	push(co_omp_me(), t);
}

static bool is_over(const struct wait *w)
{
	/* seq_cst: the tasks' writes; pairs with end(), after the entry in a queue. */
	return co_atomic_load(w->left, CO_SEQ_CST) == w->rest;
}

/* Sleep, unless the sleeper is not to. Who wakes may find that a thread was lost. */
static void sleep_unless(bool not_to, struct co_omp_team *team, struct co_waiter *w)
{
	/* seq_cst: pairs with tell_lost(). */
	bool lost = co_atomic_load(&team->lost, CO_SEQ_CST);
	int r = not_to || lost ? co_wait_abandon(w) : co_wait_commit(w, CO_FOREVER);

	if (r)
		co_omp_give_up(r);
	if (co_atomic_load(&team->lost, CO_SEQ_CST))
		co_omp_give_up(-EOWNERDEAD);
}

/* Execute tasks that the wait is for until it is over. */
static void work(struct co_omp_thread *me, const struct wait *w)
{
	struct co_omp_team *team = me->member->team;

	while (!is_over(w)) {
		/* relaxed: the queues' mutexes order it. */
		uint32_t changes = co_atomic_load(&team->changes, CO_RELAXED);
		struct co_omp_task *t = take(me->member, w);
		struct co_waiter *waiter;

		if (t) {
			run(me, t);
			continue;
		}
		waiter = co_wait_prepare(&team->bound, team, "tasks");
		sleep_unless(is_over(w) || co_atomic_load(&team->changes, CO_SEQ_CST) != changes,
			     team, waiter);
	}
}

/* ---- Meetings ---- */

struct visit {
	struct co_omp_team *team;
	struct co_omp_meeting *meeting;
	uint32_t round;
	bool by_cancel;
};

static bool has_passed(const struct visit *v)
{
	/* seq_cst: the writes of all threads; pairs with end_meeting(). */
	return co_atomic_load(&v->meeting->round, CO_SEQ_CST) != v->round ||
	       (v->by_cancel && co_atomic_load(&v->team->cancelled, CO_SEQ_CST));
}

static bool may_end(const struct visit *v)
{
	/* seq_cst: the writes of each thread; pairs with co_omp_attend(), end(). */
	return co_atomic_load(&v->meeting->come, CO_SEQ_CST) == v->team->n * (v->round + 1) &&
	       !co_atomic_load(&v->team->tasks, CO_SEQ_CST);
}

/* All have come, and none creates a task any more. Several threads may end it, with one result. */
static void end_meeting(const struct visit *v)
{
	/* seq_cst: the writes of all, which may_end() has acquired; pairs with has_passed(). */
	co_atomic_store(&v->meeting->round, v->round + 1, CO_SEQ_CST);
	co_wake_all(&v->team->idle);
}

static bool may_go_on(const struct visit *v)
{
	return has_passed(v) || may_end(v) || co_atomic_load(&v->team->ready, CO_SEQ_CST);
}

bool co_omp_attend(struct co_omp_member *m, struct co_omp_meeting *g, bool by_cancel)
{
	struct co_omp_thread *me = co_omp_self();
	const struct wait any = { NULL, NULL, NULL, 0 };
	/* relaxed: this thread's own last pass is the newest. */
	uint32_t round = co_atomic_load(&g->round, CO_RELAXED);
	struct visit v = { m->team, g, round, by_cancel };

	/* seq_cst: the threads' writes; pairs with may_end(). */
	co_atomic_add(&g->come, 1, CO_SEQ_CST);
	while (!has_passed(&v)) {
		struct co_omp_task *t = take(m, &any);
		struct co_waiter *w;

		if (t) {
			run(me, t);
		} else if (may_end(&v)) {
			end_meeting(&v);
		} else {
			w = co_wait_prepare(&m->team->idle, m->team, "barrier of tasks");
			sleep_unless(may_go_on(&v), m->team, w);
		}
	}
	return by_cancel && co_atomic_load(&m->team->cancelled, CO_RELAXED);
}

/* ---- Creating ---- */

/* Arguments of a task: a copy, at `to`. */
static void copy(void *to, void *from, void (*copier)(void *, void *), long bytes)
{
	if (copier)
		copier(to, from);
	else if (bytes)
		memcpy(to, from, (size_t)bytes);
}

/* Give the task an event. Its creator and its code get the handle. */
static void detach(struct co_omp_task *t, void **handle, void **data)
{
	t->detaches = true;
	*handle = t;
	if (data)
		*data = t;
	/* relaxed: the queue publishes the task. */
	co_atomic_store(&t->ends, 2, CO_RELAXED);
}

/* Make a task of the caller's, with arguments; it counts from now on. `handle`: of its event. */
static struct co_omp_task *create(struct co_omp_thread *me, void (*fn)(void *), void *data,
				  void (*copier)(void *, void *), long bytes, long align,
				  bool final, void **handle)
{
	struct co_omp_task *parent = me->task;
	size_t mask = align > 0 ? (size_t)align - 1 : 0;
	struct record *r = new_record(me, (size_t)bytes + mask);
	struct co_omp_task *t = &r->task;

	t->parent = parent;
	t->team = me->member->team;
	t->icv = parent->icv;
	t->group = t->member_of = parent->group;
	t->final = final;
	t->fn = fn;
	t->data = (void *)(((uintptr_t)r->room + mask) & ~mask);
	/* relaxed, all: the queue publishes the task. */
	co_atomic_store(&t->users, 1, CO_RELAXED);
	if (handle)
		detach(t, handle, data);
	copy(t->data, data, copier, bytes);
	co_atomic_add(&parent->children, 1, CO_RELAXED);
	if (parent->fn)
		co_atomic_add(&parent->users, 1, CO_RELAXED);
	if (t->member_of)
		co_atomic_add(&t->member_of->tasks, 1, CO_RELAXED);
	co_atomic_add(&me->member->team->tasks, 1, CO_RELAXED);
	return t;
}

/* Is there nothing that the task must wait for, when it has been made? */
static bool is_ready(struct co_omp_task *t)
{
	/* acq_rel: the writes of tasks before it; pairs with co_omp_depend_end(). */
	return co_atomic_add(&t->waits_for, (uint32_t)-1, CO_ACQ_REL) == 1;
}

/* Begin now, in the middle of the caller's task; tasks that it depends on come first. */
static void begin_now(struct co_omp_thread *me, struct co_omp_task *t)
{
	/* It is never released: 1 is left while it is made. */
	const struct wait w = { t->parent, NULL, &t->waits_for, 1 };

	if (t->depends)
		work(me, &w);
	run(me, t);
}

/* A task that waits for nothing. */
static void run_or_push(struct co_omp_thread *me, struct co_omp_task *t)
{
	/* relaxed: a bound; others may take tasks meanwhile. */
	if (co_atomic_load(&t->team->queues[me->member->num].n, CO_RELAXED) >= QUEUE_MOST)
		run(me, t);
	else
		push(me->member, t);
}

/* A task with an event ends for a caller that may not go on before. */
static void await_event(struct co_omp_thread *me, struct co_omp_task *t)
{
	const struct wait w = { t, NULL, &t->ends, 0 };

	work(me, &w);
}

/*
 * A team of one thread executes its tasks at once, until one has an event that may come later; out
 * of all regions no thread would execute them at its end.
 */
static bool defers(struct co_omp_team *team, bool event)
{
	if (event && !team->queues && team->level)
		team->queues = co_omp_table(1, sizeof(*team->queues), "tasks");
	return team->queues;
}

GOMP(void, task, void (*fn)(void *), void *data, void (*copier)(void *, void *), long bytes,
     long align, bool deferred, unsigned flags, void **depend, int priority, void *handle)
{
	struct co_omp_thread *me = co_omp_self();
	struct co_omp_team *team = me->member->team;
	bool final = me->task->final || flags & FINAL, event = flags & DETACHES;
	bool here = !deferred || final || (team->n == 1 && !defers(team, event));
	/* Without queues all tasks before have ended. */
	bool waits = flags & DEPENDS && team->queues;
	struct co_omp_task *t;

	(void)priority;
	if (is_cancelled(team, me->task->group))
		return;
	t = create(me, fn, data, copier, bytes, align, final, event ? handle : NULL);
	if (waits) {
		t->waits_for.v = 1;
		co_omp_depend(t, depend);
	}
	if (event && here)
		co_atomic_add(&t->users, 1, CO_RELAXED);
	if (here)
		begin_now(me, t);
	else if (!waits || is_ready(t)) /* else not now: the creator may fulfil its event */
		run_or_push(me, t);
	if (event && here) {
		await_event(me, t);
		unuse(me, t);
	}
}

static void nothing(void *data)
{
	(void)data;
}

void co_omp_task_begin(bool final)
{
	struct co_omp_thread *me = co_omp_self();

	me->task = create(me, nothing, NULL, NULL, 0, 1, me->task->final || final, NULL);
}

void co_omp_task_end(void)
{
	struct co_omp_thread *me = co_omp_self();
	struct co_omp_task *t = me->task;

	me->task = t->parent;
	end(me, t);
}

/* ---- Waiting ---- */

GOMP(void, taskwait, void)
{
	struct co_omp_thread *me = co_omp_self();
	const struct wait w = { me->task, NULL, &me->task->children, 0 };

	if (!is_over(&w))
		work(me, &w);
}

GOMP(void, taskwait_depend, void **depend)
{
	struct co_omp_thread *me = co_omp_self();
	struct co_omp_task *t;

	if (!me->member->team->queues)
		return;
	t = create(me, nothing, NULL, NULL, 0, 1, false, NULL);
	t->waits_for.v = 1;
	co_omp_depend(t, depend);
	begin_now(me, t);
}

GOMP(void, taskyield, void)
{
	co_pause();
}

GOMP(void, taskgroup_start, void)
{
	struct co_omp_task *t = co_omp_self()->task;
	struct co_omp_group *g = calloc(1, sizeof(*g));

	if (!g)
		co_omp_die("there is no memory for a taskgroup");
	g->around = t->group;
	g->reductions = t->group ? t->group->reductions : NULL;
	t->group = g;
}

GOMP(void, taskgroup_end, void)
{
	struct co_omp_thread *me = co_omp_self();
	struct co_omp_group *g = me->task->group;
	const struct wait w = { NULL, g, &g->tasks, 0 };

	if (!is_over(&w))
		work(me, &w);
	me->task->group = g->around;
	free(g);
}

/* ---- Loops ---- */

/* How a taskloop is cut: tasks of `each` iterations, of which the first `more` have one more. */
struct cut {
	unsigned long long tasks, each, more;
};

static struct cut cut_loop(unsigned long long n, unsigned long long wanted, unsigned flags,
			   unsigned threads)
{
	struct cut c = { 0, 0, 0 };

	if (!wanted) /* a grain is of 1 at least */
		wanted = flags & GRAIN ? 1 : threads;
	c.tasks = wanted;
	if (flags & GRAIN && flags & STRICT)
		return (struct cut){ (n - 1) / wanted + 1, wanted, 0 };
	if (flags & GRAIN)
		c.tasks = n / wanted ? n / wanted : 1;
	if (c.tasks > n)
		c.tasks = n;
	c.each = n / c.tasks;
	c.more = n % c.tasks;
	return c;
}

struct taskloop {
	void (*fn)(void *);
	void *data;
	void (*copier)(void *, void *);
	long bytes, align;
	unsigned flags;
	bool is_long; /* its arguments begin with two longs, from and to */
};

/* A task of the loop: its data are a copy of the loop's, with its own iterations. */
static void loop_task(struct co_omp_thread *me, const struct taskloop *l, unsigned long long from,
		      unsigned long long to)
{
	bool final = me->task->final || l->flags & FINAL;
	struct co_omp_task *t;

	t = create(me, l->fn, l->data, l->copier, l->bytes, l->align, final, NULL);
	if (l->is_long) {
		((long *)t->data)[0] = (long)from;
		((long *)t->data)[1] = (long)to;
	} else {
		((unsigned long long *)t->data)[0] = from;
		((unsigned long long *)t->data)[1] = to;
	}
	if (final || !(l->flags & IF) || me->member->team->n == 1)
		run(me, t);
	else
		run_or_push(me, t);
}

static void taskloop(const struct taskloop *l, unsigned long long n, unsigned long long wanted,
		     unsigned long long from, unsigned long long to, unsigned long long step)
{
	struct co_omp_thread *me = co_omp_self();
	struct cut c;

	if (!(l->flags & NO_GROUP)) {
		GOMP_taskgroup_start();
		if (l->flags & REDUCES) /* their address stands behind the loop's two ends */
			co_omp_reduce(l->is_long
					      ? ((uintptr_t **)l->data)[2]
					      : *(uintptr_t **)((unsigned long long *)l->data + 2),
				      NULL);
	}
	c = n ? cut_loop(n, wanted, l->flags, me->member->team->n) : (struct cut){ 0, 0, 0 };
	for (unsigned long long i = 0; i < c.tasks; i++) {
		unsigned long long last = from + (c.each + (i < c.more)) * step;

		loop_task(me, l, from, i + 1 == c.tasks ? to : last);
		from = last;
	}
	if (!(l->flags & NO_GROUP))
		GOMP_taskgroup_end();
}

GOMP(void, taskloop, void (*fn)(void *), void *data, void (*copier)(void *, void *), long bytes,
     long align, unsigned flags, unsigned long wanted, int priority, long from, long to, long step)
{
	struct taskloop l = { fn, data, copier, bytes, align, flags, true };
	unsigned long long a = (unsigned long long)from, b = (unsigned long long)to,
			   by = (unsigned long long)step;
	unsigned long long n = 0;

	(void)priority;
	if (step > 0 && from < to)
		n = (b - a - 1) / by + 1;
	else if (step < 0 && from > to)
		n = (a - b - 1) / -by + 1;
	taskloop(&l, n, wanted, a, b, by);
}

GOMP(void, taskloop_ull, void (*fn)(void *), void *data, void (*copier)(void *, void *), long bytes,
     long align, unsigned flags, unsigned long wanted, int priority, unsigned long long from,
     unsigned long long to, unsigned long long step)
{
	struct taskloop l = { fn, data, copier, bytes, align, flags, false };
	unsigned long long n = 0;

	(void)priority;
	if (flags & UP && from < to)
		n = (to - from - 1) / step + 1;
	else if (!(flags & UP) && from > to)
		n = (from - to - 1) / -step + 1;
	taskloop(&l, n, wanted, from, to, step);
}

/* ---- Cancelling ---- */

enum { PARALLEL = 1, LOOP = 2, SECTIONS = 4, GROUP = 8 };

GOMP(bool, cancellation_point, int which)
{
	const struct co_omp_thread *me = co_omp_self();
	const struct co_omp_team *team = me->member->team;

	if (!co_omp_env.cancels)
		return false;
	if (which & (LOOP | SECTIONS) &&
	    co_atomic_load(&team->loop_cancelled, CO_RELAXED) ==
		    co_atomic_load(&team->barrier.round, CO_RELAXED) + 1)
		return true;
	return is_cancelled(team, which & GROUP ? group_of(me->task) : NULL);
}

GOMP(bool, cancel, int which, bool wanted)
{
	struct co_omp_thread *me = co_omp_self();
	struct co_omp_team *team = me->member->team;

	if (!co_omp_env.cancels)
		return false;
	if (!wanted)
		return GOMP_cancellation_point(which);
	/* seq_cst: pairs with has_passed(); else relaxed: a cancel is seen some time. */
	if (which & (LOOP | SECTIONS)) {
		co_atomic_store(&team->loop_cancelled,
				co_atomic_load(&team->barrier.round, CO_RELAXED) + 1, CO_RELAXED);
	} else if (which & GROUP) {
		if (group_of(me->task))
			co_atomic_store(&group_of(me->task)->cancelled, 1, CO_RELAXED);
	} else {
		co_atomic_store(&team->cancelled, 1, CO_SEQ_CST);
		co_wake_all(&team->idle);
	}
	return true;
}

GOMP(bool, barrier_cancel, void)
{
	struct co_omp_member *m = co_omp_me();

	if (m->team->queues)
		return co_omp_attend(m, &m->team->barrier, true);
	co_omp_barrier(m);
	return co_atomic_load(&m->team->cancelled, CO_RELAXED);
}

GOMP(bool, loop_end_cancel, void)
{
	struct co_omp_member *m = co_omp_me();

	co_omp_leave(m, m->loop.share);
	return GOMP_barrier_cancel();
}

GOMP(bool, sections_end_cancel, void)
{
	return GOMP_loop_end_cancel();
}
