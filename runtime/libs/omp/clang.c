/*
 * clang.c - functions that clang calls: regions, loops and synchronisation; clang_task.c has tasks.
 *
 * A call names a place in the source and a thread, which are not needed here: the caller is known.
 */
#include <stdarg.h>
#include <stdlib.h>

#include "team.h"

/* ---- Regions ---- */

#define ARGS 32

/* A region's function gets addresses of variables; one that takes fewer does not look at more. */
typedef void microtask(int32_t *thread, int32_t *bound, void *, void *, void *, void *, void *,
		       void *, void *, void *, void *, void *, void *, void *, void *, void *,
		       void *, void *, void *, void *, void *, void *, void *, void *, void *,
		       void *, void *, void *, void *, void *, void *, void *, void *, void *);

struct region {
	microtask *fn;
	void *a[ARGS];
};

static void invoke(void *data)
{
	const struct region *r = data;
	void *const *a = r->a;
	int32_t number = omp_get_thread_num(), bound = 0;

	r->fn(&number, &bound, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10],
	      a[11], a[12], a[13], a[14], a[15], a[16], a[17], a[18], a[19], a[20], a[21], a[22],
	      a[23], a[24], a[25], a[26], a[27], a[28], a[29], a[30], a[31]);
}

static void take_args(struct region *r, int n, microtask *fn, va_list args)
{
	if (n > ARGS)
		co_omp_die("a region with %d variables: at most %d (put them into a struct)", n,
			   ARGS);
	r->fn = fn;
	for (int i = 0; i < n; i++)
		r->a[i] = va_arg(args, void *);
	for (int i = n; i < ARGS; i++)
		r->a[i] = NULL;
}

void __kmpc_fork_call(const void *place, int32_t n, microtask *fn, ...);
void __kmpc_fork_call(const void *place, int32_t n, microtask *fn, ...)
{
	struct co_omp_thread *t = co_omp_self();
	unsigned threads = t->wanted;
	struct region r;
	va_list args;

	(void)place;
	va_start(args, fn);
	take_args(&r, n, fn, args);
	va_end(args);
	t->wanted = 0;
	co_omp_parallel(&(struct co_omp_region){ .fn = invoke, .data = &r, .n = threads });
}

KMPC(void, push_num_threads, int32_t n)
{
	(void)place, (void)thread;
	co_omp_self()->wanted = (unsigned)n;
}

KMPC(void, push_proc_bind, int bind)
{
	(void)place, (void)thread, (void)bind;
}

KMPC(void, serialized_parallel)
{
	(void)place, (void)thread;
	co_omp_self()->wanted = 0; /* a number was for this region */
	co_omp_parallel_start(&(struct co_omp_region){ .n = 1 });
}

KMPC(void, end_serialized_parallel)
{
	(void)place, (void)thread;
	GOMP_parallel_end();
}

int32_t __kmpc_global_thread_num(const void *place);
int32_t __kmpc_global_thread_num(const void *place)
{
	(void)place;
	return omp_get_thread_num();
}

/* ---- Synchronisation ---- */

KMPC(void, barrier)
{
	(void)place, (void)thread;
	co_omp_barrier(co_omp_loop_abandon());
}

KMPC(int32_t, single)
{
	(void)place, (void)thread;
	return GOMP_single_start();
}

KMPC(void, end_single)
{
	(void)place, (void)thread;
}

KMPC(int32_t, master)
{
	(void)place, (void)thread;
	return omp_get_thread_num() == 0;
}

KMPC(void, end_master)
{
	(void)place, (void)thread;
}

KMPC(int32_t, masked, int32_t number)
{
	(void)place, (void)thread;
	return omp_get_thread_num() == number;
}

KMPC(void, end_masked)
{
	(void)place, (void)thread;
}

KMPC(void, critical, void **name)
{
	(void)place, (void)thread;
	GOMP_critical_name_start(name);
}

KMPC(void, critical_with_hint, void **name, uint32_t hint)
{
	(void)hint;
	__kmpc_critical(place, thread, name);
}

KMPC(void, end_critical, void **name)
{
	(void)place, (void)thread;
	GOMP_critical_name_end(name);
}

void __kmpc_flush(const void *place);
void __kmpc_flush(const void *place)
{
	static struct co_a32 word;

	(void)place;
	/*
	 * seq_cst, both: the program's accesses before come before the store of the first, that
	 * before the load, and the program's next accesses come after that.
	 */
	co_atomic_add(&word, 0, CO_SEQ_CST);
	(void)co_atomic_load(&word, CO_SEQ_CST);
}

/* The thread that executed a single gives `data` to all threads, which copy by `copier`. */
KMPC(void, copyprivate, size_t bytes, void *data, void (*copier)(void *, void *), int32_t is_giver)
{
	struct co_omp_member *m = co_omp_me();
	struct co_omp_share *s = co_omp_enter(m);

	(void)place, (void)thread, (void)bytes;
	if (is_giver)
		s->copy = data;
	co_omp_barrier(m);
	if (!is_giver)
		copier(data, s->copy);
	co_omp_barrier(m);
	co_omp_leave(m, s);
}

/* ---- Reductions: each thread combines its part with the variables, under a lock ---- */

typedef void combine(void *to, void *from);

KMPC(int32_t, reduce_nowait, int32_t n, size_t bytes, void *data, combine *fn, void **lock)
{
	(void)place, (void)thread, (void)n, (void)bytes, (void)data, (void)fn;
	GOMP_critical_name_start(lock);
	return 1;
}

KMPC(void, end_reduce_nowait, void **lock)
{
	(void)place, (void)thread;
	GOMP_critical_name_end(lock);
}

KMPC(int32_t, reduce, int32_t n, size_t bytes, void *data, combine *fn, void **lock)
{
	return __kmpc_reduce_nowait(place, thread, n, bytes, data, fn, lock);
}

KMPC(void, end_reduce, void **lock)
{
	__kmpc_end_reduce_nowait(place, thread, lock);
	co_omp_barrier(co_omp_me());
}

/* ---- Loops ---- */

typedef unsigned long long ull;

/* clang's numbers of schedules; in order: 32 more; across a league's teams: 58 more. */
enum { STATIC_CHUNKED = 33, STATIC, DYNAMIC, GUIDED, RUNTIME, AUTO, IN_ORDER = 32, TEAMS = 58 };
#define MODIFIERS (3 << 29)

/* The type of a loop's variable: bits of the numbers say whether it is long, and has a sign. */
enum type { U4, U8, I4, I8 };
#define IS_LONG(t) ((t)&1)
#define HAS_SIGN(t) ((t)&2)

static ull get(const void *at, enum type t)
{
	if (IS_LONG(t))
		return *(const ull *)at;
	return HAS_SIGN(t) ? (ull)(long long)*(const int32_t *)at : *(const uint32_t *)at;
}

static void put(void *at, enum type t, ull value)
{
	if (IS_LONG(t))
		*(ull *)at = value;
	else
		*(uint32_t *)at = (uint32_t)value;
}

static ull distance(long long step)
{
	return step < 0 ? -(ull)step : (ull)step;
}

/* Iterations from..to, both of which are executed; none by steps of 0. */
static ull count(ull from, ull to, long long step, enum type t)
{
	bool none = HAS_SIGN(t) ? (step > 0 ? (long long)from > (long long)to
					    : (long long)from < (long long)to)
				: (step > 0 ? from > to : from < to);

	if (none || !step)
		return 0;
	return (step > 0 ? to - from : from - to) / distance(step) + 1;
}

/* A thread's part of a static loop: from *lower to *upper, then `stride` further on, ... */
static void deal(int kind, int32_t *last, void *lower, void *upper, void *stride, long long step,
		 ull chunk, enum type t)
{
	ull from = get(lower, t), n = count(from, get(upper, t), step, t), begin, end;
	ull threads = (ull)omp_get_num_threads(), me = (ull)omp_get_thread_num();

	kind &= ~MODIFIERS;
	if (kind >= STATIC_CHUNKED + TEAMS) {
		kind -= TEAMS;
		threads = (ull)omp_get_num_teams();
		me = (ull)omp_get_team_num();
	}
	if (!n) {
		*last = 0;
		return;
	}
	if (kind == STATIC_CHUNKED || kind == STATIC_CHUNKED + IN_ORDER) {
		if (!chunk)
			chunk = 1;
		begin = me * chunk;
		end = begin + chunk;
		*last = (n - 1) / chunk % threads == me;
		put(stride, t, chunk * threads * (ull)step);
	} else {
		begin = n / threads * me + (me < n % threads ? me : n % threads);
		end = begin + n / threads + (me < n % threads);
		*last = begin < end && end == n;
		put(stride, t, n * (ull)step);
	}
	if (begin >= n || begin == end) { /* nothing: the lower bound is above the upper one */
		put(lower, t, step > 0);
		put(upper, t, step < 0);
		return;
	}
	put(lower, t, from + begin * (ull)step);
	put(upper, t, from + (end - 1) * (ull)step);
}

#define FOR_STATIC(name, c, t)                                                              \
	KMPC(void, for_static_init_##name, int32_t kind, int32_t *last, c *lower, c *upper, \
	     c *stride, c step, c chunk)                                                    \
	{                                                                                   \
		(void)place, (void)thread;                                                  \
		deal(kind, last, lower, upper, stride, step, (ull)chunk, t);                \
	}

FOR_STATIC(4, int32_t, I4)
FOR_STATIC(4u, int32_t, U4)
FOR_STATIC(8, long long, I8)
FOR_STATIC(8u, long long, U8)

KMPC(void, for_static_fini)
{
	(void)place, (void)thread;
}

static void dispatch(int kind, ull from, ull to, long long step, ull chunk, enum type t)
{
	struct co_omp_member *m = co_omp_me();
	ull n = count(from, to, step, t);
	int plain = kind & ~MODIFIERS;
	struct co_omp_loop l = { .start = from,
				 .end = from + n * (ull)step,
				 .step = (ull)step,
				 .count = n,
				 .chunk = chunk,
				 .ordered = plain >= STATIC_CHUNKED + IN_ORDER };

	plain -= l.ordered ? IN_ORDER : 0;
	l.kind = plain == DYNAMIC   ? omp_sched_dynamic
		 : plain == GUIDED  ? omp_sched_guided
		 : plain == RUNTIME ? 0
				    : omp_sched_static;
	if (plain == STATIC || plain == AUTO)
		l.chunk = 0;
	co_omp_loop_begin(m, &l);
	m->loop.dispatched = true;
}

static int32_t next(int32_t *last, void *lower, void *upper, void *stride, enum type t)
{
	struct co_omp_member *m = co_omp_me();
	ull from, to;

	if (!co_omp_loop_next(&from, &to)) {
		(void)co_omp_loop_abandon();
		return 0;
	}
	if (last)
		*last = to == m->loop.end;
	put(lower, t, from);
	put(upper, t, to - m->loop.step);
	put(stride, t, m->loop.step);
	return 1;
}

#define DISPATCH_INIT(name, c, t)                                                     \
	KMPC(void, dispatch_init_##name, int32_t kind, c from, c to, c step, c chunk) \
	{                                                                             \
		(void)place, (void)thread;                                            \
		dispatch(kind, get(&from, t), get(&to, t), step, (ull)chunk, t);      \
	}
#define DISPATCH_NEXT(name, c, t)                                                         \
	KMPC(int32_t, dispatch_next_##name, int32_t *last, c *lower, c *upper, c *stride) \
	{                                                                                 \
		(void)place, (void)thread;                                                \
		return next(last, lower, upper, stride, t);                               \
	}
#define DISPATCH_FINI(name)                \
	KMPC(void, dispatch_fini_##name)   \
	{                                  \
		(void)place, (void)thread; \
	}

DISPATCH_INIT(4, int32_t, I4)
DISPATCH_INIT(4u, int32_t, U4)
DISPATCH_INIT(8, long long, I8)
DISPATCH_INIT(8u, long long, U8)
DISPATCH_NEXT(4, int32_t, I4)
DISPATCH_NEXT(4u, int32_t, U4)
DISPATCH_NEXT(8, long long, I8)
DISPATCH_NEXT(8u, long long, U8)
DISPATCH_FINI(4)
DISPATCH_FINI(4u)
DISPATCH_FINI(8)
DISPATCH_FINI(8u)

KMPC(void, ordered)
{
	(void)place, (void)thread;
	GOMP_ordered_start();
}

KMPC(void, end_ordered)
{
	(void)place, (void)thread;
}

/* ---- Leagues ---- */

KMPC(void, push_num_teams, int32_t n, int32_t limit)
{
	struct co_omp_thread *t = co_omp_self();

	(void)place, (void)thread;
	t->teams = n > 0 ? (unsigned)n : 0;
	t->teams_limit = limit > 0 ? (unsigned)limit : 0;
}

void __kmpc_fork_teams(const void *place, int32_t n, microtask *fn, ...);
void __kmpc_fork_teams(const void *place, int32_t n, microtask *fn, ...)
{
	struct co_omp_thread *t = co_omp_self();
	unsigned teams = t->teams, limit = t->teams_limit;
	struct region r;
	va_list args;

	(void)place;
	va_start(args, fn);
	take_args(&r, n, fn, args);
	va_end(args);
	t->teams = t->teams_limit = 0;
	GOMP_teams_reg(invoke, &r, teams, limit, 0);
}

/* ---- Allocators ---- */

void *__kmpc_alloc(int32_t thread, size_t bytes, omp_allocator_handle_t h);
void *__kmpc_alloc(int32_t thread, size_t bytes, omp_allocator_handle_t h)
{
	(void)thread;
	return GOMP_alloc(1, bytes, h);
}

void __kmpc_free(int32_t thread, void *p, omp_allocator_handle_t h);
void __kmpc_free(int32_t thread, void *p, omp_allocator_handle_t h)
{
	(void)thread;
	omp_free(p, h);
}
