/* semaphore.c - a semaphore is a co_signal, which counts the posts that no coroutine waited for. */
#include <semaphore.h>
#include <string.h>

#include <cohart/sync.h>

#include "posix.h"

_Static_assert(sizeof(struct co_signal) <= sizeof(sem_t), "");

static struct co_signal *of(const sem_t *s)
{
	return co_posix_at(s);
}

POSIX int sem_init(sem_t *s, int shared, unsigned value)
{
	(void)shared;
	if (value > SEM_VALUE_MAX)
		return co_posix_fail(EINVAL);
	memset(of(s), 0, sizeof(*s));
	/* relaxed: it is handed over by other means. */
	co_atomic_store(&of(s)->kept, value, CO_RELAXED);
	return 0;
}

POSIX int sem_destroy(sem_t *s)
{
	(void)s;
	return 0;
}

POSIX int sem_post(sem_t *s)
{
	if (co_signal_count(of(s)) >= SEM_VALUE_MAX)
		return co_posix_fail(EOVERFLOW);
	co_signal_send(of(s));
	return 0;
}

POSIX int sem_wait(sem_t *s)
{
	return co_posix_fail(co_posix_error(co_signal_wait(of(s))));
}

POSIX int sem_trywait(sem_t *s)
{
	return co_posix_fail(co_signal_try_wait(of(s)) ? EAGAIN : 0);
}

POSIX int sem_clockwait(sem_t *restrict s, clockid_t clock, const struct timespec *restrict until)
{
	uint64_t deadline;
	int err;

	if (co_signal_try_wait(of(s)) == 0)
		return 0;
	err = co_posix_deadline(clock, until, &deadline);
	return co_posix_fail(err ? err : co_posix_error(co_signal_wait_until(of(s), deadline)));
}

POSIX int sem_timedwait(sem_t *restrict s, const struct timespec *restrict until)
{
	return sem_clockwait(s, CLOCK_REALTIME, until);
}

POSIX int sem_getvalue(sem_t *restrict s, int *restrict value)
{
	*value = (int)co_signal_count(of(s));
	return 0;
}
