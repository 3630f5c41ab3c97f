/* attr.c - attributes of threads and their objects. All objects are shared, and no thread is prior.
 */
#include <pthread.h>

#include <cohart/hart.h>

#include "posix.h"

/* init and destroy of attributes that begin as 0. */
#define ATTRIBUTES(what)                                          \
	POSIX int pthread_##what##_init(pthread_##what##_t *a)    \
	{                                                         \
		*a = (pthread_##what##_t){ 0 };                   \
		return 0;                                         \
	}                                                         \
	POSIX int pthread_##what##_destroy(pthread_##what##_t *a) \
	{                                                         \
		return a ? 0 : EINVAL;                            \
	}

/* A number of one, below `kinds`. */
#define KIND(what, name, field, kinds)                                             \
	POSIX int pthread_##what##_get##name(const pthread_##what##_t *restrict a, \
					     int *restrict v)                      \
	{                                                                          \
		return *v = a->field, 0;                                           \
	}                                                                          \
	POSIX int pthread_##what##_set##name(pthread_##what##_t *a, int v)         \
	{                                                                          \
		return v < 0 || v >= (kinds) ? EINVAL : (a->field = v, 0);         \
	}

/* clang-format off */
ATTRIBUTES(mutexattr)
ATTRIBUTES(condattr)
ATTRIBUTES(rwlockattr)
ATTRIBUTES(barrierattr)
KIND(mutexattr, type, co_type, 3)
KIND(mutexattr, pshared, co_shared, 2)
KIND(mutexattr, robust, co_robust, 2)
KIND(condattr, pshared, co_shared, 2)
KIND(rwlockattr, pshared, co_shared, 2)
KIND(barrierattr, pshared, co_shared, 2)
KIND(attr, detachstate, co_detached, 2)
/* clang-format on */

POSIX int pthread_mutexattr_getprotocol(const pthread_mutexattr_t *restrict a, int *restrict how)
{
	(void)a;
	*how = PTHREAD_PRIO_NONE;
	return 0;
}

POSIX int pthread_mutexattr_setprotocol(pthread_mutexattr_t *a, int how)
{
	(void)a;
	return how == PTHREAD_PRIO_NONE ? 0 : ENOTSUP;
}

POSIX int pthread_condattr_getclock(const pthread_condattr_t *restrict a, clockid_t *restrict clock)
{
	*clock = a->co_clock ? (clockid_t)a->co_clock : CLOCK_REALTIME;
	return 0;
}

POSIX int pthread_condattr_setclock(pthread_condattr_t *a, clockid_t clock)
{
	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
		return EINVAL;
	a->co_clock = (int)clock;
	return 0;
}

POSIX int pthread_attr_init(pthread_attr_t *a)
{
	*a = (pthread_attr_t){ .co_stack = CO_STACK_MAIN_BYTES };
	return 0;
}

POSIX int pthread_attr_destroy(pthread_attr_t *a)
{
	(void)a;
	return 0;
}

POSIX int pthread_attr_getstacksize(const pthread_attr_t *restrict a, size_t *restrict bytes)
{
	*bytes = a->co_stack;
	return 0;
}

POSIX int pthread_attr_setstacksize(pthread_attr_t *a, size_t bytes)
{
	if (bytes < PTHREAD_STACK_MIN || bytes > CO_STACK_BIG_BYTES)
		return EINVAL;
	a->co_stack = bytes;
	return 0;
}

POSIX int pthread_attr_getguardsize(const pthread_attr_t *restrict a, size_t *restrict bytes)
{
	(void)a;
	*bytes = 4096;
	return 0;
}

POSIX int pthread_attr_setguardsize(pthread_attr_t *a, size_t bytes)
{
	(void)a;
	return bytes > 4096 ? EINVAL : 0;
}

POSIX int pthread_attr_gethart_np(const pthread_attr_t *a, unsigned *hart)
{
	if (!a->co_hart)
		return EINVAL;
	*hart = a->co_hart - 1;
	return 0;
}

POSIX int pthread_attr_sethart_np(pthread_attr_t *a, unsigned hart)
{
	if (hart >= co_harts())
		return EINVAL;
	a->co_hart = hart + 1;
	return 0;
}

/* The one value that each of these has. */
#define ONE_VALUE(name, value)                                                              \
	POSIX int pthread_attr_get##name(const pthread_attr_t *restrict a, int *restrict v) \
	{                                                                                   \
		return (void)a, *v = (value), 0;                                            \
	}                                                                                   \
	POSIX int pthread_attr_set##name(pthread_attr_t *a, int v)                          \
	{                                                                                   \
		return (void)a, v == (value) ? 0 : ENOTSUP;                                 \
	}

/* clang-format off */
ONE_VALUE(scope, PTHREAD_SCOPE_SYSTEM)
ONE_VALUE(schedpolicy, SCHED_OTHER)
/* clang-format on */

/* Both come to the same. */
POSIX int pthread_attr_getinheritsched(const pthread_attr_t *restrict a, int *restrict inherit)
{
	(void)a;
	*inherit = PTHREAD_INHERIT_SCHED;
	return 0;
}

POSIX int pthread_attr_setinheritsched(pthread_attr_t *a, int inherit)
{
	(void)a;
	return inherit == PTHREAD_INHERIT_SCHED || inherit == PTHREAD_EXPLICIT_SCHED ? 0 : EINVAL;
}

POSIX int pthread_attr_getschedparam(const pthread_attr_t *restrict a,
				     struct sched_param *restrict p)
{
	(void)a;
	*p = (struct sched_param){ .sched_priority = 0 };
	return 0;
}

POSIX int pthread_attr_setschedparam(pthread_attr_t *restrict a,
				     const struct sched_param *restrict p)
{
	(void)a;
	return p->sched_priority ? ENOTSUP : 0;
}
