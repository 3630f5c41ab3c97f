/*
 * team.c - teams: how regions start and end, and the threads, which outlive them.
 *
 * The threads of a master's last team, its workers, wait for the next region. A region with another
 * number of threads gets a new workers. Thread k of a team runs on the k-th compute hart from the
 * master's on, in turn: where there are more threads than compute harts, harts have several.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cohart/hart.h>
#include <cohart/local.h>

#include "team.h"

_Thread_local struct co_omp_last co_omp_last;

/* A threadprivate variable has an address that other threads may be given. */
CO_SHARE_THREAD_LOCALS;

static const char key;

/* Threads that are on the hart. */
static CO_HART_LOCAL(struct co_a32, threads_here);

void co_omp_die(const char *format, ...)
{
	va_list args;
	char text[240];

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fflush(stdout);
	fprintf(stderr, "OpenMP: %s\n", text);
	_exit(1);
}

void co_omp_give_up(int r)
{
	const struct co_omp_thread *t = co_omp_self();

	if (r == -ECANCELED) { /* the run ends */
		if (t->own.num)
			co_barrier_unbind(&t->own.team->meet, t->own.num);
		co_exit(0);
	}
	co_omp_die("a thread of a team has ended, by a fault or with its hart: the run ends");
}

/* ---- Threads ---- */

static uint32_t count_thread(unsigned hart, int change)
{
	/* relaxed: a number alone. */
	return co_atomic_add(co_copy(threads_here, hart), (uint32_t)change, CO_RELAXED);
}

/* The member of the innermost team of several threads that m stands for, or NULL. */
static const struct co_omp_member *in_active(const struct co_omp_member *m)
{
	while (m && !m->team->active) /* a target region's team has none: the level is 0 there */
		m = m->team->around;
	while (m && m->team->n == 1)
		m = m->team->around;
	return m;
}

/* A thread has ended with its hart: others of all teams around look at that when they wake. */
static void tell_lost(const struct co_omp_member *m)
{
	for (; m; m = m->team->around) {
		/* seq_cst: before the looks for sleepers, who look at it when they are queued. */
		co_atomic_store(&m->team->lost, 1, CO_SEQ_CST);
		co_wake_all(&m->team->idle);
		co_wake_all(&m->team->bound);
	}
}

/* The thread has ended. By a fault: others of its team would wait for it. */
static void thread_ended(struct co_local *local, struct co *of, enum co_cleanup_why why)
{
	struct co_omp_thread *t = (struct co_omp_thread *)local;
	const struct co_omp_member *m = in_active(t->member);

	if (why == CO_CLEANUP_HOST_DOWN) {
		tell_lost(t->member);
		return; /* its barrier is broken: hart 0 cannot wait for more */
	}
	if (co_omp_last.co == of)
		co_omp_last.co = NULL;
	count_thread(co_hart(), -1);
	if (why == CO_CLEANUP_FAULT && m)
		co_omp_die(
			"thread %u of %u, on hart %u, has ended by a fault in a parallel region: "
			"the run ends",
			m->num, m->team->n, co_hart());
}

static void free_records(struct co_omp_thread *t)
{
	struct co_omp_task *next;

	for (struct co_omp_task *r = t->unused; r; r = next) {
		next = r->older;
		free(r);
	}
}

/* The end of a coroutine that nobody has made a thread: it has a team of its own. */
static void initial_ended(struct co_local *local, struct co *of, enum co_cleanup_why why)
{
	struct co_omp_thread *t = (struct co_omp_thread *)local;

	thread_ended(local, of, why);
	if (why != CO_CLEANUP_END)
		return;
	if (t->own.workers)
		co_omp_dismiss(t->own.workers);
	free_records(t);
	free(t->own.team);
	free(t);
}

static void begin(struct co_omp_thread *t)
{
	t->co = co_self();
	t->member = &t->own;
	t->task = &t->own.implicit;
}

static unsigned place_here(void)
{
	unsigned place = 0;

	while (place < co_omp_places() && co_omp_place_hart(place) != co_hart())
		place++;
	return place < co_omp_places() ? place : 0;
}

void *co_omp_table(size_t n, size_t bytes, const char *what)
{
	void *p = aligned_alloc(CO_LINE, (n * bytes + CO_LINE - 1) / CO_LINE * CO_LINE);

	if (!p)
		co_omp_die("there is no memory for %s", what);
	return memset(p, 0, n * bytes);
}

static struct co_omp_thread *make_initial(void)
{
	struct co_omp_thread *t = co_omp_table(1, sizeof(*t), "a thread");
	struct co_omp_team *team = co_omp_table(1, sizeof(*team), "a thread's team");

	co_omp_environment();
	team->n = 1;
	t->own.team = team;
	t->own.implicit.icv = co_omp_env.icv;
	t->place = place_here();
	t->width = co_omp_places();
	begin(t);
	count_thread(co_hart(), 1);
	co_local_add(&t->local, &key, initial_ended);
	return t;
}

struct co_omp_thread *co_omp_find(void)
{
	struct co_omp_thread *t = (struct co_omp_thread *)co_local_find(&key);

	if (!t)
		t = make_initial();
	co_omp_last = (struct co_omp_last){ t->co, t };
	return t;
}

/* ---- Regions ---- */

static void prepare(struct co_omp_member *m, struct co_omp_team *team)
{
	m->implicit.icv = team->icv;
	m->implicit.group = team->group;
	if (team->looped)
		co_omp_loop_begin(m, &team->loop);
}

static void execute(struct co_omp_thread *t, struct co_omp_team *team)
{
	prepare(t->member, team);
	team->fn(team->data); /* leaves the loop */
}

/* Without tasks threads go to where the next region begins, and the master gathers them there. */
static void leave_region(struct co_omp_member *m)
{
	struct co_omp_team *team = m->team;

	if (co_omp_attend && (team->n > 1 || team->queues)) {
		(void)co_omp_attend(m, &team->end, false);
	} else if (!co_omp_attend && team->n > 1 && m == &team->master) {
		int r = co_barrier_gather(&team->meet);

		if (r)
			co_omp_give_up(r);
		team->gathered = true;
	}
	if (m->implicit.order)
		free(m->implicit.order);
	m->implicit.order = NULL;
}

/* The master lets the threads of a team begin a region, or end. */
static void release(struct co_omp_team *team)
{
	int r = 0;

	if (team->gathered)
		co_barrier_release(&team->meet);
	else
		r = co_barrier_wait(&team->meet, 0);
	team->gathered = false;
	if (r)
		co_omp_give_up(r);
}

/* The threads have left the region wherever they were. All wait for the next one. */
static void forget_cancel(struct co_omp_team *team, struct co_omp_member *m)
{
	for (unsigned k = 0; k < CO_OMP_SHARES; k++)
		free(team->shares[k].memory);
	memset(team->shares, 0, sizeof(team->shares));
	memset(&team->barrier, 0, sizeof(team->barrier));
	m->shares = 0;
	for (unsigned k = 1; k < team->n; k++)
		team->threads[k].own.shares = 0;
	co_atomic_store(&team->cancelled, 0,
			CO_RELAXED); /* the next region's start publishes all */
}

static intptr_t thread(void *arg)
{
	struct co_omp_thread *t = arg;
	struct co_omp_team *team = t->own.team;

	begin(t);
	co_barrier_bind(&team->meet, t->own.num);
	co_local_add(&t->local, &key,
		     thread_ended); /* last: after a fault it is the first to run */
	while (co_omp_meet(&t->own), team->fn) {
		execute(t, team);
		leave_region(&t->own);
	}
	co_barrier_unbind(&team->meet, t->own.num);
	if (t->own.workers)
		co_omp_dismiss(t->own.workers);
	return 0;
}

void co_omp_dismiss(struct co_omp_team *team)
{
	int r;

	if (team->workers)
		co_omp_dismiss(team->workers);
	team->fn = NULL;
	release(team);
	r = co_batch_join(&team->batch);
	if (r)
		co_omp_give_up(r);
	for (unsigned k = 1; k < team->n; k++)
		free_records(&team->threads[k]);
	free(team->members);
	free(team->threads);
	free(team->queues);
	free(team);
}

static _Noreturn void too_many(unsigned n, unsigned started, int r)
{
	co_omp_die("a team of %u threads: thread %u could not be started: %s (fewer by "
		   "num_threads(), OMP_NUM_THREADS or OMP_THREAD_LIMIT; docs/limits.md)",
		   n, started, strerror(-r));
}

/* Thread-locals are a hart's: threads of one hart share them. */
static _Noreturn void one_a_hart(unsigned n, unsigned hart)
{
	co_omp_die(
		"a team of %u threads: hart %u would have two, and they would share the program's "
		"threadprivate (_Thread_local) variables: at most one thread a compute hart, "
		"%u here (OMP_NUM_THREADS)",
		n, hart, co_omp_places());
}

static void start_thread(struct co_omp_team *team, unsigned k, unsigned place)
{
	struct co_omp_thread *t = &team->threads[k];
	struct co_attr attr = { .name = "OpenMP thread",
				.stack = co_omp_env.stack_bytes > CO_STACK_MAIN_BYTES
						 ? CO_STACK_BIG
						 : CO_STACK_MAIN };
	int r;

	t->own.team = team;
	t->own.num = k;
	t->place = place;
	t->width = team->width;
	attr.on = CO_ON_HART(co_omp_place_hart(place));
	if (count_thread(co_omp_place_hart(place), 1) && co_hart_thread_locals())
		one_a_hart(team->n, co_omp_place_hart(place));
	r = co_batch_spawn(&team->batch, &attr, thread, t, NULL);
	if (r)
		too_many(team->n, k, r);
}

/* A team of n threads for t, whose other threads wait for a region. */
static struct co_omp_team *hire(struct co_omp_thread *t, unsigned n)
{
	struct co_omp_team *team = co_omp_table(1, sizeof(*team), "a team");
	int r;

	team->n = n;
	team->threads = co_omp_table(n, sizeof(*team->threads), "a team's threads");
	team->members = co_omp_table(n, sizeof(*team->members), "a team's barrier");
	if (co_omp_attend)
		team->queues = co_omp_table(n, sizeof(*team->queues), "a team's tasks");
	r = co_barrier_init(&team->meet, n, CO_BARRIER_AUTO, team->members);
	if (r)
		too_many(n, 0, r);
	team->width = t->width > n ? t->width / n : 1;
	for (unsigned k = 1; k < n; k++) {
		unsigned far = (unsigned)((unsigned long long)k * t->width / n);

		start_thread(team, k, (t->place + far) % co_omp_places());
	}
	return team;
}

static struct co_omp_team *workers_of(struct co_omp_thread *t, unsigned n)
{
	struct co_omp_member *m = t->member;

	if (m->workers && m->workers->n == n)
		return m->workers;
	if (m->workers)
		co_omp_dismiss(m->workers);
	return m->workers = hire(t, n);
}

struct co_a32 co_omp_busy;

unsigned co_omp_threads_of(const struct co_omp_thread *t, unsigned n)
{
	const struct co_omp_icv *icv = &t->task->icv;
	/* relaxed: a bound, of threads that come and go. */
	uint32_t busy = co_atomic_load(&co_omp_busy, CO_RELAXED);
	unsigned most = busy < icv->limit ? icv->limit - busy : 1;

	if (n > INT32_MAX)
		co_omp_die("a team of %d threads: at least 1", (int)n);
	if (t->member->team->active >= icv->levels)
		return 1;
	if (!n)
		n = icv->threads;
	if (icv->dynamic && n > co_omp_places())
		n = co_omp_places();
	return n < most ? n : most;
}

/* The team is the calling thread's, from now on. */
static void enter(struct co_omp_thread *t, struct co_omp_team *team)
{
	struct co_omp_member *m = &team->master, *outer = t->member;
	struct co_omp_task *task = t->task;

	team->around = team->outer = outer;
	team->level = outer->team->level + 1;
	team->active = outer->team->active + (team->n > 1);
	team->icv = task->icv;
	if (team->level < sizeof(co_omp_env.nested) / sizeof(*co_omp_env.nested) &&
	    co_omp_env.nested[team->level])
		team->icv.threads = co_omp_env.nested[team->level];
	m->team = team;
	m->shares = team->come;
	m->loop.ordered = false;
	memset(&m->implicit, 0, sizeof(m->implicit));
	m->implicit.parent = task;
	m->workers = team->workers;
	m->width = t->width;
	t->member = m;
	t->width = team->width ? team->width : t->width;
	t->task = &m->implicit;
}

static void leave(struct co_omp_thread *t, struct co_omp_team *team)
{
	struct co_omp_member *m = &team->master;

	leave_region(m);
	if (co_atomic_load(&team->cancelled, CO_RELAXED))
		forget_cancel(team, m);
	/* relaxed: the next region's start publishes it. */
	co_atomic_store(&team->loop_cancelled, 0, CO_RELAXED);
	team->come = m->shares;
	team->workers = m->workers;
	t->member = team->around;
	t->width = m->width;
	t->task = m->implicit.parent;
}

static void describe(struct co_omp_team *team, const struct co_omp_region *r)
{
	team->fn = r->fn;
	team->data = r->data;
	team->group = r->group;
	if ((team->looped = r->loop))
		team->loop = *r->loop;
}

/* A team of the caller alone needs no workers: it has the workers of the team around. */
static void enter_alone(struct co_omp_thread *t, struct co_omp_team *team)
{
	team->n = 1;
	team->workers = t->member->workers;
	enter(t, team);
}

static void leave_alone(struct co_omp_thread *t, struct co_omp_team *team)
{
	leave(t, team);
	free(team->queues);
	t->member->workers = team->workers;
}

static __attribute__((noinline)) void alone(struct co_omp_thread *t, const struct co_omp_region *r)
{
	struct co_omp_team team;

	memset(&team, 0, sizeof(team));
	describe(&team, r);
	enter_alone(t, &team);
	execute(t, &team);
	leave_alone(t, &team);
}

void co_omp_apart(void (*fn)(void *data), void *data, unsigned limit)
{
	struct co_omp_thread *t = co_omp_self();
	struct co_omp_team team;

	memset(&team, 0, sizeof(team));
	enter_alone(t, &team);
	team.outer = NULL;
	team.level = team.active = 0;
	t->task->icv = co_omp_env.icv;
	if (limit)
		t->task->icv.limit = limit;
	fn(data);
	leave_alone(t, &team);
}

/* Threads count where their number has a limit. */
static void count_busy(const struct co_omp_thread *t, unsigned change)
{
	if (t->task->icv.limit < CO_OMP_THREADS)
		co_atomic_add(&co_omp_busy, change, CO_RELAXED);
}

/* The master begins a region of several threads, and is to execute its own part next. */
static struct co_omp_team *begin_region(struct co_omp_thread *t, const struct co_omp_region *r,
					unsigned n)
{
	struct co_omp_team *team = workers_of(t, n);

	describe(team, r);
	count_busy(t, n - 1);
	enter(t, team);
	release(team);
	return team;
}

static void end_region(struct co_omp_thread *t, struct co_omp_team *team)
{
	leave(t, team);
	count_busy(t, 1 - team->n);
}

unsigned co_omp_parallel(const struct co_omp_region *r)
{
	struct co_omp_thread *t = co_omp_self();
	unsigned n = co_omp_threads_of(t, r->n);
	struct co_omp_team *team;

	if (n == 1) {
		alone(t, r);
		return 1;
	}
	team = begin_region(t, r, n);
	execute(t, team);
	end_region(t, team);
	return n;
}

GOMP(void, parallel, void (*fn)(void *), void *data, unsigned n, unsigned flags)
{
	(void)flags;
	co_omp_parallel(&(struct co_omp_region){ .fn = fn, .data = data, .n = n });
}

/* ---- Of compilers before GCC 4.9: the caller itself executes the master's part ---- */

void co_omp_parallel_start(const struct co_omp_region *r)
{
	struct co_omp_thread *t = co_omp_self();
	unsigned n = co_omp_threads_of(t, r->n);
	struct co_omp_team *team;

	if (n > 1) {
		team = begin_region(t, r, n);
	} else {
		team = co_omp_table(1, sizeof(*team), "a team");
		describe(team, r);
		enter_alone(t, team);
	}
	prepare(&team->master, team);
}

GOMP(void, parallel_start, void (*fn)(void *), void *data, unsigned n)
{
	co_omp_parallel_start(&(struct co_omp_region){ .fn = fn, .data = data, .n = n });
}

GOMP(void, parallel_end, void)
{
	struct co_omp_thread *t = co_omp_self();
	struct co_omp_team *team = t->member->team;

	if (team->n > 1) {
		end_region(t, team);
	} else {
		leave_alone(t, team);
		free(team);
	}
}

int omp_pause_resource_all(omp_pause_resource_t kind)
{
	struct co_omp_member *m = co_omp_me();

	(void)kind;
	if (m->team->level)
		return -1;
	if (m->workers)
		co_omp_dismiss(m->workers);
	m->workers = NULL;
	return 0;
}

int omp_pause_resource(omp_pause_resource_t kind, int device)
{
	return device == omp_get_initial_device() ? omp_pause_resource_all(kind) : -1;
}

GOMP(void, barrier, void)
{
	co_omp_barrier(co_omp_me());
}
