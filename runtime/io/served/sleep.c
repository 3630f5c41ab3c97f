/* sleep.c - sleep(), usleep() and nanosleep(): a coroutine's waits; others of its hart run. */
#include <errno.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include <cohart/coroutine.h>
#include <cohart/time.h>

/* The C library declares it where it knows of timers. */
int nanosleep(const struct timespec *wanted, struct timespec *left);

/* What is left of it, if the coroutine was cancelled; else 0. */
static uint64_t sleep_us(uint64_t us)
{
	uint64_t until = co_after_us(us), now;

	if (co_sleep_until(until) == 0)
		return 0;
	now = co_now();
	errno = EINTR;
	return now < until ? co_us(until - now) + 1 : 0;
}

unsigned sleep(unsigned seconds)
{
	return (unsigned)((sleep_us((uint64_t)seconds * 1000000) + 999999) / 1000000);
}

int usleep(useconds_t us)
{
	return sleep_us(us) ? -1 : 0;
}

int nanosleep(const struct timespec *wanted, struct timespec *left)
{
	uint64_t us = (uint64_t)wanted->tv_sec * 1000000;

	if (wanted->tv_sec < 0 || wanted->tv_nsec < 0 || wanted->tv_nsec >= 1000000000) {
		errno = EINVAL;
		return -1;
	}
	us = sleep_us(us + (uint64_t)(wanted->tv_nsec + 999) / 1000);
	if (us && left) {
		left->tv_sec = (time_t)(us / 1000000);
		left->tv_nsec = (long)(us % 1000000) * 1000;
	}
	return us ? -1 : 0;
}
