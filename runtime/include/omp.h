/*
 * omp.h - OpenMP's functions, for programs that cohart-cc -fopenmp compiles (docs/openmp.md).
 *
 * The standard (openmp.org, 4.5) describes them; a function that is not declared here does not
 * exist, and a call of it does not link. A lock is a co_mutex (cohart/sync.h) of the thread.
 *
 * Context: coroutine. One that is no thread of a team becomes the thread of a team of its own.
 */
#ifndef COHART_OMP_H
#define COHART_OMP_H

#include <cohart/detail/base.h>

CO_BEGIN_C

/* Zeroed by omp_init_lock(); in memory that every hart may use. */
typedef struct omp_lock {
	void *co_words[6];
} omp_lock_t;

typedef struct omp_nest_lock {
	void *co_words[8];
} omp_nest_lock_t;

typedef enum omp_sched_t {
	omp_sched_static = 1,
	omp_sched_dynamic = 2,
	omp_sched_guided = 3,
	omp_sched_auto = 4,
	omp_sched_monotonic = (int)0x80000000u
} omp_sched_t;

typedef enum omp_proc_bind_t {
	omp_proc_bind_false = 0,
	omp_proc_bind_true = 1,
	omp_proc_bind_master = 2,
	omp_proc_bind_primary = 2,
	omp_proc_bind_close = 3,
	omp_proc_bind_spread = 4
} omp_proc_bind_t;

typedef enum omp_sync_hint_t {
	omp_sync_hint_none = 0,
	omp_lock_hint_none = omp_sync_hint_none,
	omp_sync_hint_uncontended = 1,
	omp_lock_hint_uncontended = omp_sync_hint_uncontended,
	omp_sync_hint_contended = 2,
	omp_lock_hint_contended = omp_sync_hint_contended,
	omp_sync_hint_nonspeculative = 4,
	omp_lock_hint_nonspeculative = omp_sync_hint_nonspeculative,
	omp_sync_hint_speculative = 8,
	omp_lock_hint_speculative = omp_sync_hint_speculative
} omp_sync_hint_t;
typedef omp_sync_hint_t omp_lock_hint_t;

/* ---- Teams ---- */

void omp_set_num_threads(int n);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_get_thread_num(void);
int omp_get_num_procs(void);
int omp_in_parallel(void);
int omp_in_final(void);
void omp_set_dynamic(int on);
int omp_get_dynamic(void);
void omp_set_nested(int on);
int omp_get_nested(void);
void omp_set_schedule(omp_sched_t kind, int chunk);
void omp_get_schedule(omp_sched_t *kind, int *chunk);
int omp_get_thread_limit(void);
void omp_set_max_active_levels(int levels);
int omp_get_max_active_levels(void);
int omp_get_supported_active_levels(void);
int omp_get_level(void);
int omp_get_active_level(void);
int omp_get_ancestor_thread_num(int level);
int omp_get_team_size(int level);
int omp_get_cancellation(void);
int omp_get_max_task_priority(void);

/* ---- Places: each compute hart is one ---- */

omp_proc_bind_t omp_get_proc_bind(void);
int omp_get_num_places(void);
int omp_get_place_num_procs(int place);
void omp_get_place_proc_ids(int place, int *ids);
int omp_get_place_num(void);
int omp_get_partition_num_places(void);
void omp_get_partition_place_nums(int *places);

/* ---- Devices: there are none, and regions for them are executed where they stand ---- */

void omp_set_default_device(int device);
int omp_get_default_device(void);
int omp_get_num_devices(void);
int omp_get_initial_device(void);
int omp_is_initial_device(void);
int omp_get_num_teams(void);
int omp_get_team_num(void);

/* ---- Locks ---- */

void omp_init_lock(omp_lock_t *l);
void omp_init_lock_with_hint(omp_lock_t *l, omp_sync_hint_t hint);
void omp_destroy_lock(omp_lock_t *l);
void omp_set_lock(omp_lock_t *l);
void omp_unset_lock(omp_lock_t *l);
int omp_test_lock(omp_lock_t *l);
void omp_init_nest_lock(omp_nest_lock_t *l);
void omp_init_nest_lock_with_hint(omp_nest_lock_t *l, omp_sync_hint_t hint);
void omp_destroy_nest_lock(omp_nest_lock_t *l);
void omp_set_nest_lock(omp_nest_lock_t *l);
void omp_unset_nest_lock(omp_nest_lock_t *l);
int omp_test_nest_lock(omp_nest_lock_t *l);

/* ---- Time, in seconds ---- */

double omp_get_wtime(void);
double omp_get_wtick(void);

CO_END_C
#endif
