/* clang_task.c - functions that clang calls for tasks, taskgroups and cancels. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "team.h"

typedef unsigned long long ull;

/* A task as clang's programs know it; their private variables stand behind it. */
struct kmp_task {
	void *shared;
	int32_t (*fn)(int32_t thread, void *task);
	int32_t part;
	int32_t (*destroy)(int32_t thread, void *task); /* its private variables */
	void *more;
};

/* Before it. */
struct head {
	size_t bytes; /* of the task with all that belongs to it */
	uint32_t flags;
	/* An untied task is called once for each part, and asks for the next one by omp_task(). */
	bool begun, again;
	alignas(max_align_t) struct kmp_task task;
};

enum { FINAL = 2 }; /* of both compilers' tasks */
enum { DESTROYS = 8 };
enum { DEPENDS = 8 };

void GOMP_task(void (*fn)(void *), void *data, void (*copier)(void *, void *), long bytes,
	       long align, bool deferred, unsigned flags, void **depend, int priority,
	       void *handle);
void GOMP_taskwait(void);
void GOMP_taskwait_depend(void **depend);
void GOMP_taskyield(void);
bool GOMP_cancel(int which, bool wanted);
bool GOMP_cancellation_point(int which);
bool GOMP_barrier_cancel(void);

static struct head *head_of(void *task)
{
	return (struct head *)((char *)task - offsetof(struct head, task));
}

static struct head *allocate(size_t bytes)
{
	struct head *h = calloc(1, offsetof(struct head, task) + bytes);

	if (!h)
		co_omp_die("there is no memory for a task");
	h->bytes = bytes;
	return h;
}

KMPC(void *, omp_task_alloc, uint32_t flags, size_t bytes, size_t shared_bytes,
     int32_t (*fn)(int32_t, void *))
{
	size_t shared_at = (bytes + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	struct head *h = allocate(shared_at + shared_bytes);

	(void)place, (void)thread;
	h->flags = flags;
	h->task.fn = fn;
	if (shared_bytes)
		h->task.shared = (char *)&h->task + shared_at;
	return &h->task;
}

static void destroy(struct kmp_task *t)
{
	if (head_of(t)->flags & DESTROYS)
		t->destroy(omp_get_thread_num(), t);
	free(head_of(t));
}

/* The parts that are left of a task that has begun. */
static void go_on(struct kmp_task *t)
{
	struct head *h = head_of(t);

	while (h->again) {
		h->again = false;
		t->fn(omp_get_thread_num(), t);
	}
	destroy(t);
}

static void execute(void *data)
{
	struct kmp_task *t = *(struct kmp_task **)data;

	head_of(t)->begun = head_of(t)->again = true;
	go_on(t);
}

static void create(struct kmp_task *t, bool deferred, void **depend)
{
	unsigned flags = (head_of(t)->flags & FINAL) | (depend ? DEPENDS : 0);

	GOMP_task(execute, &t, NULL, sizeof(t), alignof(struct kmp_task *), deferred, flags, depend,
		  0, NULL);
}

KMPC(int32_t, omp_task, void *task)
{
	(void)place, (void)thread;
	if (head_of(task)->begun)
		head_of(task)->again = true;
	else
		create(task, true, NULL);
	return 0;
}

/* ---- Dependences ---- */

struct kmp_depend {
	uintptr_t address;
	size_t bytes;
	uint8_t flags; /* 1: in, 2: out, 4: mutexinoutset */
};

/* GCC's array of them, which is the caller's then: all that write come first. */
static void **depend_of(int32_t n, const struct kmp_depend *all)
{
	void **depend = malloc((size_t)(n + 2) * sizeof(void *));
	uintptr_t writers = 0;
	int32_t at = 2;

	if (!depend)
		co_omp_die("there is no memory for a depend clause");
	for (int write = 1; write >= 0; write--) {
		for (int32_t i = 0; i < n; i++) {
			if (((all[i].flags & 6) != 0) != write)
				continue;
			depend[at++] = (void *)all[i].address;
			writers += (uintptr_t)write;
		}
	}
	depend[0] = (void *)(uintptr_t)n;
	depend[1] = (void *)writers;
	return depend;
}

KMPC(int32_t, omp_task_with_deps, void *task, int32_t n, const struct kmp_depend *all,
     int32_t more_n, const struct kmp_depend *more)
{
	void **depend = n ? depend_of(n, all) : NULL;

	(void)place, (void)thread, (void)more_n, (void)more;
	create(task, true, depend);
	free(depend);
	return 0;
}

KMPC(void, omp_wait_deps, int32_t n, const struct kmp_depend *all, int32_t more_n,
     const struct kmp_depend *more)
{
	void **depend = depend_of(n, all);

	(void)place, (void)thread, (void)more_n, (void)more;
	GOMP_taskwait_depend(depend);
	free(depend);
}

/* ---- A task that its creator executes between two calls ---- */

KMPC(void, omp_task_begin_if0, void *task)
{
	(void)place, (void)thread;
	head_of(task)->begun = true;
	co_omp_task_begin(head_of(task)->flags & FINAL);
}

KMPC(void, omp_task_complete_if0, void *task)
{
	(void)place, (void)thread;
	go_on(task);
	co_omp_task_end();
}

KMPC(int32_t, omp_taskwait)
{
	(void)place, (void)thread;
	GOMP_taskwait();
	return 0;
}

KMPC(int32_t, omp_taskyield, int part)
{
	(void)place, (void)thread, (void)part;
	GOMP_taskyield();
	return 0;
}

KMPC(void, taskgroup)
{
	(void)place, (void)thread;
	GOMP_taskgroup_start();
}

KMPC(void, end_taskgroup)
{
	(void)place, (void)thread;
	GOMP_taskgroup_end();
}

/* ---- Loops of tasks ---- */

/* The task of a part, from..to: a copy of the loop's. `lower`, `upper`: in that. */
static struct kmp_task *part(struct kmp_task *loop, ull *lower, ull *upper, ull from, ull to,
			     bool last, void (*copier)(void *, void *, int32_t))
{
	struct head *of = head_of(loop), *h = allocate(of->bytes);
	char *task = (char *)&h->task, *old = (char *)loop;

	h->flags = of->flags;
	memcpy(task, old, of->bytes);
	if (loop->shared)
		h->task.shared = task + ((char *)loop->shared - old);
	*(ull *)(task + ((char *)lower - old)) = from;
	*(ull *)(task + ((char *)upper - old)) = to;
	if (copier)
		copier(task, old, last);
	return &h->task;
}

/* The loop is from *lower to *upper, which is executed. `how`: 1: `wanted` is a grain, 2: tasks. */
KMPC(void, taskloop, void *task, int32_t deferred, ull *lower, ull *upper, long long step,
     int32_t no_group, int32_t how, ull wanted, void (*copier)(void *, void *, int32_t))
{
	ull from = *lower, n = (*upper - from) / (ull)step + 1;
	ull tasks = how == 2 ? wanted : how == 1 ? n / wanted : (ull)omp_get_num_threads();

	(void)place, (void)thread;
	if (!no_group)
		GOMP_taskgroup_start();
	if ((long long)from > (long long)*upper)
		n = 0;
	tasks = tasks > n ? n : tasks ? tasks : n > 0;
	for (ull i = 0; i < tasks; i++) {
		ull to = from + (n / tasks + (i < n % tasks) - 1) * (ull)step;

		create(part(task, lower, upper, from, to, i + 1 == tasks, copier), deferred, NULL);
		from = to + (ull)step;
	}
	destroy(task);
	if (!no_group)
		GOMP_taskgroup_end();
}

/* ---- Cancels ---- */

/* clang counts the constructs: 1 parallel, 2 loop, 3 sections, 4 taskgroup; GCC has a bit for each.
 */
KMPC(int32_t, cancel, int32_t which)
{
	(void)place, (void)thread;
	return GOMP_cancel(1 << (which - 1), true);
}

KMPC(int32_t, cancellationpoint, int32_t which)
{
	(void)place, (void)thread;
	return GOMP_cancellation_point(1 << (which - 1));
}

KMPC(int32_t, cancel_barrier)
{
	(void)place, (void)thread;
	co_omp_loop_abandon();
	return GOMP_barrier_cancel();
}
