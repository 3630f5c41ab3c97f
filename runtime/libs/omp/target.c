/*
 * target.c - devices: there are none, so that regions for them are executed where they stand, on
 * the program's own data; and leagues, whose teams are executed one after another.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "team.h"

/* The kind of an object of which the region has a copy; above it stands log2 of the alignment. */
#define FIRSTPRIVATE 12

/* Of GOMP_target_ext()'s flags, and of GOMP_task()'s. */
#define NOWAIT 1
#define DEPENDS 8

/* A word of a region's arguments: a number, its meaning, and whether another word is the number. */
#define ARG_OWN_WORD 0x80
#define ARG_DEVICE 0x7f /* 0: of any */
#define ARG_MEANING 0xff00
#define ARG_THREAD_LIMIT 0x200

/* task.c, which a program without tasks has not. */
void GOMP_task(void (*fn)(void *), void *data, void (*copier)(void *, void *), long bytes,
	       long align, bool deferred, unsigned flags, void **depend, int priority, void *handle)
	__attribute__((weak));
void GOMP_taskwait_depend(void **depend) __attribute__((weak));

/* A region that waits to be executed. */
struct region {
	void (*fn)(void *);
	unsigned limit; /* of threads; 0: none of its own */
	void *objects[];
};

static unsigned limit_of(void *const *args)
{
	while (args && *args) {
		uintptr_t arg = (uintptr_t)*args++;
		uintptr_t value = arg >> 16;

		if (arg & ARG_OWN_WORD)
			value = (uintptr_t)*args++;
		if (!(arg & ARG_DEVICE) && (arg & ARG_MEANING) == ARG_THREAD_LIMIT)
			return value > INT_MAX ? INT_MAX : (unsigned)value;
	}
	return 0;
}

static uintptr_t aligned(uintptr_t at, unsigned short kind)
{
	uintptr_t mask = ((uintptr_t)1 << (kind >> 8)) - 1;

	return (at + mask) & ~mask;
}

/* The region, and behind it copies of the objects that are its own. */
static struct region *region(void (*fn)(void *), size_t n, void **objects, const size_t *sizes,
			     const unsigned short *kinds, void **args)
{
	size_t bytes = sizeof(struct region) + n * sizeof(void *);
	struct region *r;
	uintptr_t at;

	for (size_t i = 0; i < n; i++) {
		if ((kinds[i] & 0xff) == FIRSTPRIVATE)
			bytes += sizes[i] + ((size_t)1 << (kinds[i] >> 8));
	}
	r = co_omp_table(1, bytes, "a target region");
	r->fn = fn;
	r->limit = limit_of(args);
	memcpy(r->objects, objects, n * sizeof(void *));
	at = (uintptr_t)(r->objects + n);
	for (size_t i = 0; i < n; i++) {
		if ((kinds[i] & 0xff) != FIRSTPRIVATE || !objects[i])
			continue;
		at = aligned(at, kinds[i]);
		r->objects[i] = memcpy((void *)at, objects[i], sizes[i]);
		at += sizes[i];
	}
	return r;
}

static void execute(void *data)
{
	struct region *r = *(struct region **)data;

	co_omp_apart(r->fn, r->objects, r->limit);
	free(r);
}

static void wait_for(void **depend)
{
	if (depend && GOMP_taskwait_depend)
		GOMP_taskwait_depend(depend);
}

#define MAPPED size_t n, void **objects, size_t *sizes, unsigned short *kinds

GOMP(void, target_ext, int device, void (*fn)(void *), MAPPED, unsigned flags, void **depend,
     void **args)
{
	struct region *r = region(fn, n, objects, sizes, kinds, args);

	(void)device;
	if (flags & NOWAIT && GOMP_task) {
		GOMP_task(execute, &r, NULL, sizeof(r), alignof(struct region *), true,
			  depend ? DEPENDS : 0, depend, 0, NULL);
	} else {
		wait_for(depend);
		execute(&r);
	}
}

GOMP(void, target_data_ext, int device, MAPPED)
{
	(void)device, (void)n, (void)objects, (void)sizes, (void)kinds;
}

GOMP(void, target_end_data, void)
{
}

GOMP(void, target_update_ext, int device, MAPPED, unsigned flags, void **depend)
{
	(void)device, (void)n, (void)objects, (void)sizes, (void)kinds, (void)flags;
	wait_for(depend);
}

GOMP(void, target_enter_exit_data, int device, MAPPED, unsigned flags, void **depend)
{
	GOMP_target_update_ext(device, n, objects, sizes, kinds, flags, depend);
}

/* ---- Leagues ---- */

/* The team of level 0 that the caller is in, if by others. */
static struct co_omp_team *league(void)
{
	struct co_omp_team *team = co_omp_me()->team;

	while (team->outer)
		team = team->outer->team;
	return team;
}

/* In a target region: the caller executes its code once for each team. */
GOMP(bool, teams4, unsigned least, unsigned most, unsigned limit, bool first)
{
	struct co_omp_team *l = league();

	(void)most;
	if (!first)
		return l->league_num < l->league && ++l->league_num;
	if (limit)
		co_omp_self()->task->icv.limit = limit;
	l->league = least ? least - 1 : 0;
	l->league_num = 0;
	return true;
}

GOMP(void, teams_reg, void (*fn)(void *), void *data, unsigned n, unsigned limit, unsigned flags)
{
	struct co_omp_thread *t = co_omp_self();
	struct co_omp_team *l = league();
	unsigned before = t->task->icv.limit;

	(void)flags;
	if (!limit)
		limit = co_omp_env.teams_limit;
	if (limit)
		t->task->icv.limit = limit;
	if (!n)
		n = co_omp_env.teams ? co_omp_env.teams : 1;
	l->league = n - 1;
	for (l->league_num = 0; l->league_num < n; l->league_num++)
		fn(data);
	l->league = l->league_num = 0;
	t->task->icv.limit = before;
}

int omp_get_num_teams(void)
{
	return (int)league()->league + 1;
}

int omp_get_team_num(void)
{
	return (int)league()->league_num;
}

void omp_set_num_teams(int n)
{
	(void)co_omp_self();
	co_omp_env.teams = n > 0 ? (unsigned)n : 0;
}

int omp_get_max_teams(void)
{
	(void)co_omp_self();
	return (int)co_omp_env.teams;
}

void omp_set_teams_thread_limit(int n)
{
	(void)co_omp_self();
	co_omp_env.teams_limit = n > 0 ? (unsigned)n : 0;
}

int omp_get_teams_thread_limit(void)
{
	(void)co_omp_self();
	return (int)co_omp_env.teams_limit;
}

/* ---- Devices ---- */

void omp_set_default_device(int device)
{
	co_omp_self()->task->icv.device = device;
}

int omp_get_default_device(void)
{
	return co_omp_self()->task->icv.device;
}

int omp_get_num_devices(void)
{
	return 0;
}

int omp_get_initial_device(void)
{
	return 0;
}

int omp_get_device_num(void)
{
	return 0;
}

int omp_is_initial_device(void)
{
	return 1;
}

/* The only device is the initial one. */
static bool is(int device)
{
	return device == omp_get_initial_device();
}

void *omp_target_alloc(size_t bytes, int device)
{
	return is(device) ? malloc(bytes) : NULL;
}

void omp_target_free(void *p, int device)
{
	if (is(device))
		free(p);
}

int omp_target_is_present(const void *p, int device)
{
	return !p || is(device);
}

int omp_target_memcpy(void *to, const void *from, size_t bytes, size_t to_offset,
		      size_t from_offset, int to_device, int from_device)
{
	if (!is(to_device) || !is(from_device))
		return EINVAL;
	memcpy((char *)to + to_offset, (const char *)from + from_offset, bytes);
	return 0;
}

/* Copy a box, dimension by dimension. Lengths are numbers of elements. */
static void copy_box(char *to, const char *from, size_t bytes, int dims, const size_t *box,
		     const size_t *to_at, const size_t *from_at, const size_t *to_lengths,
		     const size_t *from_lengths)
{
	size_t to_step = bytes, from_step = bytes;

	for (int i = 1; i < dims; i++) {
		to_step *= to_lengths[i];
		from_step *= from_lengths[i];
	}
	to += *to_at * to_step;
	from += *from_at * from_step;
	if (dims == 1) {
		memcpy(to, from, *box * bytes);
		return;
	}
	for (size_t i = 0; i < *box; i++)
		copy_box(to + i * to_step, from + i * from_step, bytes, dims - 1, box + 1,
			 to_at + 1, from_at + 1, to_lengths + 1, from_lengths + 1);
}

int omp_target_memcpy_rect(void *to, const void *from, size_t bytes, int dims, const size_t *box,
			   const size_t *to_at, const size_t *from_at, const size_t *to_lengths,
			   const size_t *from_lengths, int to_device, int from_device)
{
	if (!to && !from)
		return INT_MAX; /* the most dimensions */
	if (!is(to_device) || !is(from_device) || dims < 1 || !to || !from)
		return EINVAL;
	copy_box(to, from, bytes, dims, box, to_at, from_at, to_lengths, from_lengths);
	return 0;
}

int omp_target_associate_ptr(const void *host, const void *there, size_t bytes, size_t offset,
			     int device)
{
	(void)host, (void)there, (void)bytes, (void)offset, (void)device;
	return EINVAL; /* nothing is to be associated on the initial device */
}

int omp_target_disassociate_ptr(const void *p, int device)
{
	(void)p, (void)device;
	return EINVAL;
}

/* ---- The error directive ---- */

GOMP(void, warning, const char *text, size_t length)
{
	fflush(stdout);
	fprintf(stderr, "OpenMP: warning: %.*s\n", text ? (int)length : 5, text ? text : "error");
}

_Noreturn GOMP(void, error, const char *text, size_t length)
{
	co_omp_die("error: %.*s", text ? (int)length : 5, text ? text : "error");
}
