/*
 * posix.h - declarations that the files of this folder share. They implement functions of POSIX,
 * each a weak symbol of an archive: a program's own function of that name takes its place, and a
 * program that uses none links nothing of this folder. Errors are POSIX's.
 */
#ifndef COHART_POSIX_H
#define COHART_POSIX_H

#include <errno.h>
#include <sys/types.h>
#include <time.h>

#include <cohart/coroutine.h>

#include "../../core/boot/process.h"

#define POSIX __attribute__((weak))

/* Only images of ranks have it. */
extern __typeof__(co_process_public) co_process_public __attribute__((weak));

/* The address by which every hart finds an object of the caller's, which may be a rank's static. */
static inline void *co_posix_at(const void *p)
{
	return co_process_public ? co_process_public(p) : (void *)(uintptr_t)p;
}

/*
 * clock.c: convert a time of a clock to a deadline, rounded up to microseconds. @return 0; EINVAL:
 * the clock is unknown, or the time is malformed.
 */
int co_posix_deadline(clockid_t clock, const struct timespec *until, uint64_t *deadline);

/* thread.c: end the calling coroutine, which the end of the run has cancelled. */
_Noreturn void co_thread_vanish(void);

/*
 * thread.c: a sleep of the caller has been cancelled. If it is a thread it ends, as by
 * co_thread_vanish(). Only images with threads have it.
 */
void co_thread_sleep_ended(void) __attribute__((weak));

/* The error that POSIX returns for one of ours. */
static inline int co_posix_error(int r)
{
	if (r == -ECANCELED)
		co_thread_vanish();
	return r == -EAGAIN ? EBUSY : -r;
}

/* For functions that return -1, and say why by errno. */
static inline int co_posix_fail(int err)
{
	if (!err)
		return 0;
	errno = err;
	return -1;
}

#endif
