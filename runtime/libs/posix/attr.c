/*
 * attr.c - attributes of threads and their objects: a number is kept, or has one possible value.
 * All objects are shared, and no thread has a priority.
 */
#include <pthread.h>

#include <cohart/hart.h>

#include "posix.h"

/* init and destroy of attributes that begin as `from`. */
#define ATTRIBUTES(what, ...)                                       \
	POSIX int pthread_##what##_init(pthread_##what##_t *a)      \
	{                                                           \
		return *a = (pthread_##what##_t){ __VA_ARGS__ }, 0; \
	}                                                           \
	POSIX int pthread_##what##_destroy(pthread_##what##_t *a)   \
	{                                                           \
		return a ? 0 : EINVAL;                              \
	}

/* NOLINTBEGIN(bugprone-macro-parentheses): types */
/* get, which yields `value`, and set to v, which is `set`. */
#define ATTRIBUTE(what, name, type, value, set)                                    \
	POSIX int pthread_##what##_get##name(const pthread_##what##_t *restrict a, \
					     type *restrict v)                     \
	{                                                                          \
		return (void)a, *v = (value), 0;                                   \
	}                                                                          \
	POSIX int pthread_##what##_set##name(pthread_##what##_t *a, type v)        \
	{                                                                          \
		return (void)a, (set);                                             \
	}

/* One that is kept, below n; one that has one value. */
#define KEPT(what, name, field, n) \
	ATTRIBUTE(what, name, int, a->field, v < 0 || v >= (n) ? EINVAL : (a->field = v, 0))
#define ONLY(what, name, one) ATTRIBUTE(what, name, int, one, v == (one) ? 0 : ENOTSUP)

/* clang-format off */
ATTRIBUTES(attr, .co_stack = CO_STACK_MAIN_BYTES)
ATTRIBUTES(mutexattr, 0)
ATTRIBUTES(condattr, 0)
ATTRIBUTES(rwlockattr, 0)
ATTRIBUTES(barrierattr, 0)

KEPT(attr, detachstate, co_detached, 2)
KEPT(attr, inheritsched, co_inherit, 2)
ONLY(attr, scope, PTHREAD_SCOPE_SYSTEM)
ONLY(attr, schedpolicy, SCHED_OTHER)
ATTRIBUTE(attr, stacksize, size_t, a->co_stack,
	  v < PTHREAD_STACK_MIN || v > CO_STACK_BIG_BYTES ? EINVAL : (a->co_stack = v, 0))
ATTRIBUTE(attr, guardsize, size_t, 4096, v > 4096 ? EINVAL : 0)
KEPT(mutexattr, type, co_type, 3)
KEPT(mutexattr, robust, co_robust, 2)
ONLY(mutexattr, protocol, PTHREAD_PRIO_NONE)
KEPT(mutexattr, pshared, co_shared, 2)
KEPT(condattr, pshared, co_shared, 2)
KEPT(rwlockattr, pshared, co_shared, 2)
KEPT(barrierattr, pshared, co_shared, 2)
ATTRIBUTE(condattr, clock, clockid_t, a->co_clock ? (clockid_t)a->co_clock : CLOCK_REALTIME,
	  v != CLOCK_REALTIME && v != CLOCK_MONOTONIC ? EINVAL : (a->co_clock = (int)v, 0))
/* clang-format on */

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

POSIX int pthread_getschedparam(pthread_t t, int *restrict policy, struct sched_param *restrict p)
{
	(void)t;
	*policy = SCHED_OTHER;
	return pthread_attr_getschedparam(NULL, p);
}

POSIX int pthread_setschedparam(pthread_t t, int policy, const struct sched_param *p)
{
	(void)t;
	return policy != SCHED_OTHER ? ENOTSUP : pthread_attr_setschedparam(NULL, p);
}

/* NOLINTEND(bugprone-macro-parentheses) */
