/* clock.c - clocks, and waits by them: of the coroutine, while others of its hart run. */
#define _GNU_SOURCE /* all clocks */
#include <stdint.h>
#include <sys/time.h>
#include <unistd.h>

#include <cohart/time.h>
#include <hal/time.h>

#include "posix.h"

#define NS 1000000000

static struct timespec since_power_on(void)
{
	uint64_t ticks = co_now(), hz = hal_time_hz();

	return (struct timespec){ .tv_sec = (time_t)(ticks / hz),
				  .tv_nsec = (long)(ticks % hz * NS / hz) };
}

/* Is the clock known? *here: it begins at power-on; else it is the host's. */
static bool is_known(clockid_t clock, bool *here)
{
	*here = clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE;
	return !*here || clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW ||
	       clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME ||
	       clock == CLOCK_PROCESS_CPUTIME_ID;
}

POSIX int clock_gettime(clockid_t clock, struct timespec *t)
{
	struct timeval now;
	bool here;

	if (!is_known(clock, &here))
		return co_posix_fail(EINVAL);
	if (here) {
		*t = since_power_on();
		return 0;
	}
	if (gettimeofday(&now, NULL))
		return -1;
	*t = (struct timespec){ .tv_sec = now.tv_sec, .tv_nsec = now.tv_usec * 1000 };
	return 0;
}

POSIX int clock_getres(clockid_t clock, struct timespec *t)
{
	bool here;

	if (!is_known(clock, &here))
		return co_posix_fail(EINVAL);
	if (t)
		*t = (struct timespec){ .tv_nsec = here ? (NS - 1) / (long)hal_time_hz() + 1
							: 1000 };
	return 0;
}

POSIX int clock_settime(clockid_t clock, const struct timespec *t)
{
	bool here;

	(void)t;
	return co_posix_fail(is_known(clock, &here) ? EPERM : EINVAL);
}

static bool is_time(const struct timespec *t)
{
	return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < NS;
}

/* Rounded up. A time that is too long for 64 bits is CO_FOREVER. */
static uint64_t us_of(const struct timespec *t)
{
	uint64_t seconds = (uint64_t)t->tv_sec;

	return seconds < CO_FOREVER / 1000000
		       ? seconds * 1000000 + (uint64_t)(t->tv_nsec + 999) / 1000
		       : CO_FOREVER;
}

int co_posix_deadline(clockid_t clock, const struct timespec *until, uint64_t *deadline)
{
	struct timespec now;
	uint64_t then;

	if (until->tv_nsec < 0 || until->tv_nsec >= NS || clock_gettime(clock, &now))
		return EINVAL;
	then = until->tv_sec < 0 ? 0 : us_of(until);
	*deadline = then > us_of(&now) ? co_after_us(then - us_of(&now)) : 0;
	return 0;
}

/* False: the coroutine was cancelled. */
static bool sleep_until(uint64_t deadline)
{
	if (co_sleep_until(deadline) == 0)
		return true;
	if (co_thread_sleep_ended)
		co_thread_sleep_ended();
	return false;
}

/* Sleep; return the microseconds that are left if the coroutine was cancelled, else 0. */
static uint64_t sleep_us(uint64_t us)
{
	uint64_t until = co_after_us(us), now;

	if (sleep_until(until))
		return 0;
	now = co_now();
	errno = EINTR;
	return now < until ? co_us(until - now) + 1 : 0;
}

POSIX unsigned sleep(unsigned seconds)
{
	return (unsigned)((sleep_us((uint64_t)seconds * 1000000) + 999999) / 1000000);
}

POSIX int usleep(useconds_t us)
{
	return sleep_us(us) ? -1 : 0;
}

POSIX int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted,
			  struct timespec *left)
{
	uint64_t us, deadline;
	bool here;

	if (!is_known(clock, &here) || !is_time(wanted))
		return EINVAL;
	if (flags & TIMER_ABSTIME) {
		int err = co_posix_deadline(clock, wanted, &deadline);

		return err || sleep_until(deadline) ? err : EINTR;
	}
	us = sleep_us(us_of(wanted));
	if (us && left)
		*left = (struct timespec){ .tv_sec = (time_t)(us / 1000000),
					   .tv_nsec = (long)(us % 1000000) * 1000 };
	return us ? EINTR : 0;
}

POSIX int nanosleep(const struct timespec *wanted, struct timespec *left)
{
	return co_posix_fail(clock_nanosleep(CLOCK_MONOTONIC, 0, wanted, left));
}
