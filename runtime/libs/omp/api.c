/* api.c - the functions of omp.h that ask and set. */
#include <cohart/time.h>

#include "team.h"

static struct co_omp_icv *icv(void)
{
	return &co_omp_self()->task->icv;
}

void omp_set_num_threads(int n)
{
	icv()->threads = n > 0 ? (unsigned)n : 1;
}

int omp_get_num_threads(void)
{
	return (int)co_omp_me()->team->n;
}

int omp_get_max_threads(void)
{
	unsigned n = icv()->threads, most = icv()->limit;

	return (int)(n < most ? n : most);
}

int omp_get_thread_num(void)
{
	return (int)co_omp_me()->num;
}

int omp_in_parallel(void)
{
	return co_omp_me()->team->active > 0;
}

void omp_set_dynamic(int on)
{
	icv()->dynamic = on;
}

int omp_get_dynamic(void)
{
	return icv()->dynamic;
}

void omp_set_nested(int on)
{
	icv()->levels = on ? INT32_MAX : 1;
}

int omp_get_nested(void)
{
	return icv()->levels > co_omp_me()->team->active && icv()->levels > 1;
}

void omp_set_schedule(omp_sched_t kind, int chunk)
{
	unsigned plain = (unsigned)kind & ~(unsigned)omp_sched_monotonic;

	if (plain < omp_sched_static || plain > omp_sched_auto)
		return; /* as the standard has it: ignored */
	icv()->kind = (int)kind;
	icv()->chunk = plain == omp_sched_auto     ? 0
		       : chunk > 0                 ? chunk
		       : plain == omp_sched_static ? 0
						   : 1;
}

void omp_get_schedule(omp_sched_t *kind, int *chunk)
{
	*kind = (omp_sched_t)icv()->kind;
	*chunk = icv()->chunk;
}

int omp_get_thread_limit(void)
{
	return (int)icv()->limit;
}

void omp_set_max_active_levels(int levels)
{
	if (levels >= 0)
		icv()->levels = (unsigned)levels;
}

int omp_get_max_active_levels(void)
{
	return (int)icv()->levels;
}

int omp_get_supported_active_levels(void)
{
	return INT32_MAX;
}

int omp_get_level(void)
{
	return (int)co_omp_me()->team->level;
}

int omp_get_active_level(void)
{
	return (int)co_omp_me()->team->active;
}

/* The caller's ancestor at a level; NULL: the caller is in fewer levels. */
static const struct co_omp_member *ancestor(int level)
{
	const struct co_omp_member *m = co_omp_me();

	if (level < 0)
		return NULL;
	while (m && m->team->level > (unsigned)level)
		m = m->team->outer;
	return m && m->team->level == (unsigned)level ? m : NULL;
}

int omp_get_ancestor_thread_num(int level)
{
	const struct co_omp_member *m = ancestor(level);

	return m ? (int)m->num : -1;
}

int omp_get_team_size(int level)
{
	const struct co_omp_member *m = ancestor(level);

	return m ? (int)m->team->n : -1;
}

int omp_get_cancellation(void)
{
	(void)icv(); /* has the environment read */
	return co_omp_env.cancels;
}

int omp_get_max_task_priority(void)
{
	(void)icv();
	return co_omp_env.priority;
}

int omp_in_final(void)
{
	return co_omp_self()->task->final;
}

/* ---- Time ---- */

static double ticks_a_second(void)
{
	return (double)co_ticks(1000000);
}

double omp_get_wtime(void)
{
	return (double)co_now() / ticks_a_second();
}

double omp_get_wtick(void)
{
	return 1 / ticks_a_second();
}
