/* system.c - the machine's sizes and names, the harts of threads, and the resources used. */
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cohart/coroutine.h>
#include <cohart/detail/version.h>
#include <cohart/hart.h>
#include <cohart/time.h>

#include "../../core/core.h"
#include "library.h"
#include "posix.h"

int getpagesize(void);

POSIX long sysconf(int name)
{
	long pages = (long)((co_machine.heap_end - co_machine.heap_base) / HAL_PAGE_BYTES);

	switch (name) {
	case _SC_NPROCESSORS_CONF:
	case _SC_NPROCESSORS_ONLN: /* where threads run */
		return (long)co_machine.computes.n;
	case _SC_PAGESIZE:
		return HAL_PAGE_BYTES;
	case _SC_PHYS_PAGES:
	case _SC_AVPHYS_PAGES: /* what malloc() and small stacks have */
		return pages;
	case _SC_CLK_TCK: /* the unit of times() */
		return CLOCKS_PER_SEC;
	case _SC_OPEN_MAX:
		return IO_FILES;
	case _SC_ARG_MAX:
		return 4096;
	case _SC_BARRIERS:
	case _SC_CLOCK_SELECTION:
	case _SC_CPUTIME:
	case _SC_MONOTONIC_CLOCK:
	case _SC_READER_WRITER_LOCKS:
	case _SC_SEMAPHORES:
	case _SC_SPIN_LOCKS:
	case _SC_THREAD_ATTR_STACKSIZE:
	case _SC_THREAD_PROCESS_SHARED:
	case _SC_THREADS:
	case _SC_TIMEOUTS:
	case _SC_TIMERS:
	case _SC_VERSION:
		return 200809L;
	case _SC_THREAD_KEYS_MAX:
		return 128;
	case _SC_THREAD_STACK_MIN:
		return 16384;
	}
	errno = EINVAL;
	return -1;
}

POSIX int getpagesize(void)
{
	return HAL_PAGE_BYTES;
}

static void name_of_this(char *to, size_t bytes)
{
	unsigned rank = co_rank_here();

	if (rank == CO_NO_RANK)
		strncpy(to, "cohart", bytes);
	else
		snprintf(to, bytes, "cohart-%u", rank);
}

POSIX int gethostname(char *name, size_t bytes)
{
	char whole[32];

	name_of_this(whole, sizeof(whole));
	if (strlen(whole) >= bytes)
		return co_posix_fail(ENAMETOOLONG);
	memcpy(name, whole, strlen(whole) + 1);
	return 0;
}

POSIX int uname(struct utsname *n)
{
	memset(n, 0, sizeof(*n));
	strcpy(n->sysname, "Cohart");
	strcpy(n->release, CO_VERSION);
	name_of_this(n->nodename, sizeof(n->nodename));
	strncpy(n->version, co_topology(), sizeof(n->version) - 1);
	strncpy(n->machine, co_board(), sizeof(n->machine) - 1);
	return 0;
}

/* One user, root, and one parent of all processes; one priority. */
#define ZERO(type, name, ...)        \
	POSIX type name(__VA_ARGS__) \
	{                            \
		return 0;            \
	}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
ZERO(pid_t, getppid, void)
ZERO(uid_t, getuid, void)
ZERO(uid_t, geteuid, void)
ZERO(gid_t, getgid, void)
ZERO(gid_t, getegid, void)
ZERO(int, sched_get_priority_min, int policy)
ZERO(int, sched_get_priority_max, int policy)
#pragma GCC diagnostic pop

POSIX int sched_yield(void)
{
	co_pause();
	return 0;
}

POSIX int sched_getcpu(void)
{
	return (int)co_hart();
}

POSIX int pthread_getaffinity_np(pthread_t t, size_t bytes, cpu_set_t *set)
{
	(void)t;
	if (bytes < sizeof(*set))
		return EINVAL;
	CPU_ZERO(set);
	CPU_SET(co_hart(), set);
	return 0;
}

POSIX int pthread_setaffinity_np(pthread_t t, size_t bytes, const cpu_set_t *set)
{
	(void)t;
	return bytes < sizeof(*set) || !CPU_ISSET(co_hart(), set) ? EINVAL : 0;
}

POSIX int sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *set)
{
	(void)pid;
	return co_posix_fail(pthread_getaffinity_np(NULL, bytes, set));
}

POSIX int sched_setaffinity(pid_t pid, size_t bytes, const cpu_set_t *set)
{
	(void)pid;
	return co_posix_fail(pthread_setaffinity_np(NULL, bytes, set));
}

POSIX int getrusage(int who, struct rusage *use)
{
	uint64_t us = co_us(co_now());

	if (who != RUSAGE_SELF && who != RUSAGE_CHILDREN && who != RUSAGE_THREAD)
		return co_posix_fail(EINVAL);
	memset(use, 0, sizeof(*use));
	if (who == RUSAGE_SELF)
		use->ru_utime = (struct timeval){ .tv_sec = (time_t)(us / 1000000),
						  .tv_usec = (suseconds_t)(us % 1000000) };
	return 0;
}

POSIX int getrlimit(int what, struct rlimit *limit)
{
	rlim_t max = RLIM_INFINITY;

	if (what < RLIMIT_CPU || what > RLIMIT_AS)
		return co_posix_fail(EINVAL);
	if (what == RLIMIT_STACK)
		max = co_stack_bytes();
	if (what == RLIMIT_NOFILE)
		max = IO_FILES;
	*limit = (struct rlimit){ max, max };
	return 0;
}

POSIX int setrlimit(int what, const struct rlimit *limit)
{
	(void)limit;
	return co_posix_fail(what < RLIMIT_CPU || what > RLIMIT_AS ? EINVAL : EPERM);
}
