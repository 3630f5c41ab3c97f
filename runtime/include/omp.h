/*
 * omp.h - OpenMP's functions, for programs that cohart-cc -fopenmp compiles (docs/openmp.md).
 *
 * The standard (openmp.org, 5.1) describes them; a function that is not declared here does not
 * exist, and a call of it does not link. A lock is a co_mutex (cohart/sync.h) of the thread.
 *
 * Context: coroutine. One that is no thread of a team becomes the thread of a team of its own.
 */
#ifndef COHART_OMP_H
#define COHART_OMP_H

#include <cohart/detail/base.h>

#ifdef __cplusplus
#define CO_OMP_WORD : __UINTPTR_TYPE__
#define CO_OMP_NULL = omp_null_allocator
#else
#define CO_OMP_WORD
#define CO_OMP_NULL
#endif

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

typedef struct omp_depend_t {
	void *co_words[2];
} omp_depend_t;

typedef enum omp_event_handle_t CO_OMP_WORD {
	co_omp_event_max = __UINTPTR_MAX__
} omp_event_handle_t;

typedef enum omp_pause_resource_t { omp_pause_soft = 1, omp_pause_hard = 2 } omp_pause_resource_t;

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
void omp_display_env(int more);
void omp_fulfill_event(omp_event_handle_t event);
int omp_pause_resource(omp_pause_resource_t kind, int device);
int omp_pause_resource_all(omp_pause_resource_t kind);

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
int omp_get_device_num(void);
void *omp_target_alloc(__SIZE_TYPE__ bytes, int device);
void omp_target_free(void *p, int device);
int omp_target_is_present(const void *p, int device);
int omp_target_memcpy(void *to, const void *from, __SIZE_TYPE__ bytes, __SIZE_TYPE__ to_offset,
		      __SIZE_TYPE__ from_offset, int to_device, int from_device);
int omp_target_memcpy_rect(void *to, const void *from, __SIZE_TYPE__ bytes, int dims,
			   const __SIZE_TYPE__ *box, const __SIZE_TYPE__ *to_at,
			   const __SIZE_TYPE__ *from_at, const __SIZE_TYPE__ *to_lengths,
			   const __SIZE_TYPE__ *from_lengths, int to_device, int from_device);
int omp_target_associate_ptr(const void *host, const void *there, __SIZE_TYPE__ bytes,
			     __SIZE_TYPE__ offset, int device);
int omp_target_disassociate_ptr(const void *p, int device);

/* ---- Leagues: their teams are executed one after another ---- */

int omp_get_num_teams(void);
int omp_get_team_num(void);
void omp_set_num_teams(int n);
int omp_get_max_teams(void);
void omp_set_teams_thread_limit(int n);
int omp_get_teams_thread_limit(void);

/* ---- Allocators: all memory is the heap's ---- */

typedef enum omp_memspace_handle_t CO_OMP_WORD {
	omp_default_mem_space = 0,
	omp_large_cap_mem_space = 1,
	omp_const_mem_space = 2,
	omp_high_bw_mem_space = 3,
	omp_low_lat_mem_space = 4,
	co_omp_memspace_max = __UINTPTR_MAX__
} omp_memspace_handle_t;

typedef enum omp_allocator_handle_t CO_OMP_WORD {
	omp_null_allocator = 0,
	omp_default_mem_alloc = 1,
	omp_large_cap_mem_alloc = 2,
	omp_const_mem_alloc = 3,
	omp_high_bw_mem_alloc = 4,
	omp_low_lat_mem_alloc = 5,
	omp_cgroup_mem_alloc = 6,
	omp_pteam_mem_alloc = 7,
	omp_thread_mem_alloc = 8,
	co_omp_allocator_max = __UINTPTR_MAX__
} omp_allocator_handle_t;

typedef enum omp_alloctrait_key_t {
	omp_atk_sync_hint = 1,
	omp_atk_alignment = 2,
	omp_atk_access = 3,
	omp_atk_pool_size = 4,
	omp_atk_fallback = 5,
	omp_atk_fb_data = 6,
	omp_atk_pinned = 7,
	omp_atk_partition = 8
} omp_alloctrait_key_t;

typedef enum omp_alloctrait_value_t CO_OMP_WORD {
	omp_atv_default = __UINTPTR_MAX__,
	omp_atv_false = 0,
	omp_atv_true = 1,
	omp_atv_contended = 3,
	omp_atv_uncontended = 4,
	omp_atv_serialized = 5,
	omp_atv_sequential = omp_atv_serialized,
	omp_atv_private = 6,
	omp_atv_all = 7,
	omp_atv_thread = 8,
	omp_atv_pteam = 9,
	omp_atv_cgroup = 10,
	omp_atv_default_mem_fb = 11,
	omp_atv_null_fb = 12,
	omp_atv_abort_fb = 13,
	omp_atv_allocator_fb = 14,
	omp_atv_environment = 15,
	omp_atv_nearest = 16,
	omp_atv_blocked = 17,
	omp_atv_interleaved = 18
} omp_alloctrait_value_t;

typedef __UINTPTR_TYPE__ omp_uintptr_t;

typedef struct omp_alloctrait_t {
	omp_alloctrait_key_t key;
	omp_uintptr_t value;
} omp_alloctrait_t;

omp_allocator_handle_t omp_init_allocator(omp_memspace_handle_t space, int n,
					  const omp_alloctrait_t traits[]);
void omp_destroy_allocator(omp_allocator_handle_t h);
void omp_set_default_allocator(omp_allocator_handle_t h);
omp_allocator_handle_t omp_get_default_allocator(void);
void *omp_alloc(__SIZE_TYPE__ bytes, omp_allocator_handle_t h CO_OMP_NULL);
void *omp_aligned_alloc(__SIZE_TYPE__ align, __SIZE_TYPE__ bytes,
			omp_allocator_handle_t h CO_OMP_NULL);
void *omp_calloc(__SIZE_TYPE__ n, __SIZE_TYPE__ bytes, omp_allocator_handle_t h CO_OMP_NULL);
void *omp_aligned_calloc(__SIZE_TYPE__ align, __SIZE_TYPE__ n, __SIZE_TYPE__ bytes,
			 omp_allocator_handle_t h CO_OMP_NULL);
void *omp_realloc(void *p, __SIZE_TYPE__ bytes, omp_allocator_handle_t h CO_OMP_NULL,
		  omp_allocator_handle_t freer CO_OMP_NULL);
void omp_free(void *p, omp_allocator_handle_t h CO_OMP_NULL);

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
