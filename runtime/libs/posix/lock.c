/* lock.c - pthread read-write locks, once, and barriers. */
#include <string.h>

#include "../../comm/handoff.h"
#include "../../comm/sync/rwlock.h"
#include "lock.h"

static struct co_rwlock *of(const pthread_rwlock_t *l)
{
	return co_posix_at(l);
}

POSIX int pthread_rwlock_init(pthread_rwlock_t *restrict l, const pthread_rwlockattr_t *restrict a)
{
	(void)a;
	memset(of(l), 0, sizeof(*l));
	return 0;
}

POSIX int pthread_rwlock_destroy(pthread_rwlock_t *l)
{
	struct co_rwlock *p = of(l);

	/* relaxed: nobody may be just coming. */
	return co_mutex_owner(&p->mutex) || co_atomic_load(&p->readers, CO_RELAXED) ? EBUSY : 0;
}

POSIX int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
	return co_posix_error(co_rwlock_read(of(l)));
}

POSIX int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
	return co_posix_error(co_rwlock_write(of(l)));
}

static int busy(int r)
{
	return r == -EDEADLK ? EBUSY : co_posix_error(r);
}

POSIX int pthread_rwlock_tryrdlock(pthread_rwlock_t *l)
{
	return busy(co_rwlock_try_read(of(l)));
}

POSIX int pthread_rwlock_trywrlock(pthread_rwlock_t *l)
{
	return busy(co_rwlock_try_write(of(l)));
}

static int lock_timed(pthread_rwlock_t *l, const struct timespec *until,
		      int (*try)(struct co_rwlock *),
		      int (*lock)(struct co_rwlock *, uint64_t deadline))
{
	uint64_t deadline;
	int r = try(of(l));

	if (r == -EAGAIN) {
		int err = co_posix_deadline(CLOCK_REALTIME, until, &deadline);

		if (err)
			return err;
		r = lock(of(l), deadline);
	}
	return co_posix_error(r);
}

POSIX int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict l,
				     const struct timespec *restrict until)
{
	return lock_timed(l, until, co_rwlock_try_read, co_rwlock_read_until);
}

POSIX int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict l,
				     const struct timespec *restrict until)
{
	return lock_timed(l, until, co_rwlock_try_write, co_rwlock_write_until);
}

POSIX int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
	return co_rwlock_leave(of(l)) ? 0 : EPERM;
}

POSIX int pthread_once(pthread_once_t *o, void (*fn)(void))
{
	return co_posix_error(co_once(co_posix_at(o), fn));
}

POSIX int pthread_barrier_init(pthread_barrier_t *restrict b,
			       const pthread_barrierattr_t *restrict a, unsigned n)
{
	struct posix_barrier *p = co_posix_at(b);

	(void)a;
	if (!n)
		return EINVAL;
	*p = (struct posix_barrier){ .wanted = n };
	return 0;
}

POSIX int pthread_barrier_destroy(pthread_barrier_t *b)
{
	return ((struct posix_barrier *)co_posix_at(b))->come ? EBUSY : 0;
}

/* One that is woken has passed, and the barrier is not accessed any more. */
POSIX int pthread_barrier_wait(pthread_barrier_t *b)
{
	struct posix_barrier *p = co_posix_at(b);
	struct co_waiter *first = co_wait_lock(&p->queue);

	if (++p->come == p->wanted) {
		p->come = 0;
		co_waitq_wake_all(&p->queue, first);
		return PTHREAD_BARRIER_SERIAL_THREAD;
	}
	return -co_wait_commit_shielded(co_wait_begin(co_executor.current, &p->queue, first, p,
						      "barrier of threads", false, 0),
					CO_FOREVER);
}
