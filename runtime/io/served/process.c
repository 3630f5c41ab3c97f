/* process.c - services that the C library expects: an end of the run, a clock, a process number. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include <cohart/time.h>
#include <hal/host.h>

#include "../../core/boot/process.h"
#include "library.h"

extern __typeof__(getpid) IO_WEAK IO_SYSCALL(getpid);
extern __typeof__(kill) IO_WEAK IO_SYSCALL(kill);
extern __typeof__(gettimeofday) IO_WEAK IO_SYSCALL(gettimeofday);
extern __typeof__(times) IO_WEAK IO_SYSCALL(times);

static intptr_t serve_end(intptr_t *w)
{
	co_run_end((int)w[0], w[1]);
}

/* A rank, whose code calls it, ends by itself; hart 0 ends the run. */
static _Noreturn void end(int code, bool handlers)
{
	if (co_process_exit && co_rank_here() != CO_NO_RANK && co_self() != co_machine.main)
		co_process_exit(code, handlers);
	for (;;)
		co_io_call(serve_end, code, handlers, 0);
}

/* End the run now: written output goes out, exit handlers do not run. */
_Noreturn void _exit(int code)
{
	end(code, false);
}

/* Exit handlers run on hart 0, on whichever hart the run is ended. */
_Noreturn void exit(int code)
{
	end(code, true);
}

_Noreturn void abort(void)
{
	co_fail("abort() was called");
}

/* The number of the only process, or this rank's. */
pid_t IO_SYSCALL(getpid)(void)
{
	unsigned rank = co_rank_here();

	return rank == CO_NO_RANK ? 1 : (pid_t)rank + 1;
}

/* What raise() comes to when nobody handles the signal. */
int IO_SYSCALL(kill)(pid_t pid, int signal)
{
	if (pid != getpid()) {
		errno = ESRCH;
		return -1;
	}
	if (signal)
		co_fail("signal %d, which nobody handles", signal);
	return 0;
}

/*
 * The host tells whole seconds, the machine's clock the time since power-on. The result is the
 * machine's clock plus `ahead`, the least offset that no answer of the host's has contradicted: so
 * it never runs backwards, goes on no slower than the machine's clock, and is right to the second.
 */
static intptr_t serve_time(intptr_t *w)
{
	static int64_t ahead = INT64_MIN;
	int64_t now = co_io_injected() ?: hal_host_time();
	int64_t us = (int64_t)co_us(co_now());
	int64_t least = now * 1000000 - us;

	if (now < 0) {
		errno = (int)-now;
		return -1;
	}
	if (ahead < least)
		ahead = least;
	if (ahead > least + 999999)
		ahead = least + 999999;
	w[0] = (intptr_t)((us + ahead) / 1000000);
	w[1] = (intptr_t)((us + ahead) % 1000000);
	return 0;
}

int IO_SYSCALL(gettimeofday)(struct timeval *tv, void *zone)
{
	intptr_t w[IO_WORDS] = { 0 };

	(void)zone;
	if (co_io_call_words(serve_time, w))
		return -1;
	if (tv)
		*tv = (struct timeval){ .tv_sec = w[0], .tv_usec = (suseconds_t)w[1] };
	return 0;
}

/* Since power-on, on any hart: one clock, and all of it is this program's. */
clock_t IO_SYSCALL(times)(struct tms *t)
{
	clock_t now = (clock_t)(co_us(co_now()) * CLOCKS_PER_SEC / 1000000);

	if (t)
		*t = (struct tms){ .tms_utime = now };
	return now;
}
