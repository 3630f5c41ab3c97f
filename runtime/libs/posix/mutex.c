/*
 * mutex.c - pthread mutexes and spin locks: a co_mutex, and for a recursive one a depth. An owner
 * that takes a mutex of another type again gets EDEADLK. A fault that ends the owner leaves a mutex
 * of any kind as a robust one.
 */
#include <string.h>

#include "lock.h"

static struct posix_mutex *of(const pthread_mutex_t *m)
{
	return co_posix_at(m);
}

/* Pause at each 64th call: coroutines that wait for the caller run even if it polls. */
static void take_turns(void)
{
	static _Thread_local uint32_t calls;

	if (++calls % 64 == 0)
		co_pause();
}

/*
 * The POSIX result of a lock of m that returned r. -EDEADLK: the caller owns m; it counts the depth
 * of a recursive mutex, and gets `busy` for another.
 */
static int locked(struct posix_mutex *m, int r, int busy)
{
	if (r != -EDEADLK)
		return co_posix_error(r);
	if (m->type != PTHREAD_MUTEX_RECURSIVE)
		return busy;
	if (m->depth == UINT32_MAX)
		return EAGAIN;
	m->depth++;
	return 0;
}

POSIX int pthread_mutex_init(pthread_mutex_t *restrict m, const pthread_mutexattr_t *restrict a)
{
	struct posix_mutex *p = of(m);

	memset(p, 0, sizeof(*m));
	p->type = a ? (uint32_t)a->co_type : PTHREAD_MUTEX_NORMAL;
	return 0;
}

POSIX int pthread_mutex_destroy(pthread_mutex_t *m)
{
	return co_mutex_owner(&of(m)->mutex) ? EBUSY : 0;
}

POSIX int pthread_mutex_lock(pthread_mutex_t *m)
{
	struct posix_mutex *p = of(m);

	take_turns();
	return locked(p, co_mutex_lock(&p->mutex), EDEADLK);
}

POSIX int pthread_mutex_trylock(pthread_mutex_t *m)
{
	struct posix_mutex *p = of(m);

	take_turns();
	return locked(p, co_mutex_try_lock(&p->mutex), EBUSY);
}

POSIX int pthread_mutex_clocklock(pthread_mutex_t *restrict m, clockid_t clock,
				  const struct timespec *restrict until)
{
	struct posix_mutex *p = of(m);
	uint64_t deadline;
	int r = co_mutex_try_lock(&p->mutex);

	if (r == -EAGAIN || (r == -EDEADLK && p->type == PTHREAD_MUTEX_NORMAL)) {
		int err = co_posix_deadline(clock, until, &deadline);

		if (err)
			return err;
		/* A normal mutex that the caller has is one that is not to be had in time. */
		if (r == -EAGAIN)
			r = co_mutex_lock_until(&p->mutex, deadline);
		else
			r = co_sleep_until(deadline) ? -ECANCELED : -ETIMEDOUT;
	}
	return locked(p, r, EDEADLK);
}

POSIX int pthread_mutex_timedlock(pthread_mutex_t *restrict m,
				  const struct timespec *restrict until)
{
	return pthread_mutex_clocklock(m, CLOCK_REALTIME, until);
}

POSIX int pthread_mutex_unlock(pthread_mutex_t *m)
{
	struct posix_mutex *p = of(m);

	if (co_mutex_owner(&p->mutex) != co_self())
		return EPERM;
	if (p->depth)
		p->depth--;
	else
		co_mutex_unlock(&p->mutex);
	return 0;
}

POSIX int pthread_mutex_consistent(pthread_mutex_t *m)
{
	return co_mutex_owner(&of(m)->mutex) == co_self() ? 0 : EINVAL;
}

/* A spin lock waits as a mutex does: its hart may have the owner to run. */
POSIX int pthread_spin_init(pthread_spinlock_t *l, int shared)
{
	(void)shared;
	return pthread_mutex_init(l, NULL);
}

#define SPIN(name)                                          \
	POSIX int pthread_spin_##name(pthread_spinlock_t *) \
		__attribute__((alias("pthread_mutex_" #name)))
SPIN(destroy);
SPIN(lock);
SPIN(trylock);
SPIN(unlock);
