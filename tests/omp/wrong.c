/* wrong.c - what programs do wrong, each by its word. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/coroutine.h>

void co_test_lose(unsigned hart); /* cohart/test.h would have a main() */

int *nowhere;

static void fault(void)
{
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 2)
			*nowhere = 1;
#pragma omp barrier
	}
}

/* In a program of tasks. */
static void fault_in_target(void)
{
#pragma omp parallel num_threads(3)
	{
#pragma omp barrier
		if (omp_get_thread_num() == 2) {
#pragma omp target
			*nowhere = 1;
		}
	}
}

/* Others sleep at the barrier when the hart of a thread is lost. */
static void lose(void)
{
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 2) {
			co_test_lose(omp_get_thread_num() + 1);
			for (double end = omp_get_wtime() + 5; omp_get_wtime() < end;)
				co_pause();
		}
#pragma omp barrier
	}
}

static void again(void)
{
	omp_lock_t l;

	omp_init_lock(&l);
	omp_set_lock(&l);
	omp_set_lock(&l);
}

static void destroy(void)
{
	omp_lock_t l;

	omp_init_lock(&l);
	omp_set_lock(&l);
	omp_destroy_lock(&l);
}

static void others(void)
{
	omp_lock_t l;

	omp_init_lock(&l);
	omp_unset_lock(&l);
}

static void enter(int depth)
{
#pragma omp critical(section)
	if (depth)
		enter(depth - 1);
}

static void team(int n)
{
#pragma omp parallel num_threads(n)
#pragma omp single
	printf("%d threads\n", omp_get_num_threads());
}

static void says(void)
{
	omp_sched_t kind;
	int chunk;

	omp_get_schedule(&kind, &chunk);
	printf("%d threads, schedule %d,%d, dynamic %d, levels %d, limit %d, cancellation %d\n",
	       omp_get_max_threads(), (int)kind, chunk, omp_get_dynamic(),
	       omp_get_max_active_levels() > 1, omp_get_thread_limit(), omp_get_cancellation());
}

static void event(void)
{
	omp_event_handle_t event = 0;

#pragma omp parallel
#pragma omp single
	{
#pragma omp task detach(event)
		printf("once\n");
		omp_fulfill_event(event);
		omp_fulfill_event(event);
	}
}

static void reduction(void)
{
	int a = 0;

#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
	{
#pragma omp task in_reduction(+ : a)
		a++;
	}
}

static void pool(void)
{
	omp_alloctrait_t traits[] = { { omp_atk_pool_size, 1000 },
				      { omp_atk_fallback, omp_atv_abort_fb } };

	omp_alloc(1001, omp_init_allocator(omp_default_mem_space, 2, traits));
}

static void error(void)
{
#pragma omp error at(execution) severity(warning) message("mind")
#pragma omp error at(execution) message("no")
}

static void leave(void)
{
#pragma omp parallel
#pragma omp single
	exit(7);
}

static void once(void)
{
	enter(1);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *word;
		void (*does)(void);
	} all[] = {
		{ "fault", fault },   { "again", again },   { "destroy", destroy },
		{ "others", others }, { "critical", once }, { "says", says },
		{ "exit", leave },    { "event", event },   { "reduction", reduction },
		{ "pool", pool },     { "error", error },   { "target", fault_in_target },
		{ "lose", lose },
	};
	const char *what = argc > 1 ? argv[1] : "says";

	if (strcmp(what, "team") == 0)
		team(argc > 2 ? atoi(argv[2]) : 0);
	for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (strcmp(what, all[i].word) == 0)
			all[i].does();
	}
	return argc;
}
