/* cond.c - pthread condition variables: a co_cond, and the clock of their deadlines. */
#include <string.h>

#include "lock.h"

static struct posix_cond *of(const pthread_cond_t *c)
{
	return co_posix_at(c);
}

POSIX int pthread_cond_init(pthread_cond_t *restrict c, const pthread_condattr_t *restrict a)
{
	memset(of(c), 0, sizeof(*c));
	of(c)->clock = a ? a->co_clock : 0;
	return 0;
}

POSIX int pthread_cond_destroy(pthread_cond_t *c)
{
	/* relaxed: nobody may be just coming. */
	return co_atomic_load(&of(c)->cond.queue.first, CO_RELAXED) ? EBUSY : 0;
}

static int wait_until(pthread_cond_t *c, pthread_mutex_t *m, uint64_t deadline)
{
	struct posix_mutex *p = co_posix_at(m);
	uint32_t depth = p->depth;
	int r;

	if (co_mutex_owner(&p->mutex) != co_self())
		return EPERM;
	p->depth = 0;
	r = co_cond_wait_until(&of(c)->cond, &p->mutex, deadline);
	if (r == -ECANCELED)
		co_mutex_unlock(&p->mutex);
	else
		p->depth = depth;
	return co_posix_error(r);
}

POSIX int pthread_cond_wait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m)
{
	return wait_until(c, m, CO_FOREVER);
}

POSIX int pthread_cond_clockwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
				 clockid_t clock, const struct timespec *restrict until)
{
	uint64_t deadline;
	int err = co_posix_deadline(clock, until, &deadline);

	return err ? err : wait_until(c, m, deadline);
}

POSIX int pthread_cond_timedwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
				 const struct timespec *restrict until)
{
	int clock = of(c)->clock;

	return pthread_cond_clockwait(c, m, clock ? (clockid_t)clock : CLOCK_REALTIME, until);
}

POSIX int pthread_cond_signal(pthread_cond_t *c)
{
	co_cond_signal(&of(c)->cond);
	return 0;
}

POSIX int pthread_cond_broadcast(pthread_cond_t *c)
{
	co_cond_broadcast(&of(c)->cond);
	return 0;
}
