/*
 * thread.c - the parts of C++'s threads that GCC's headers leave to its library: std::thread,
 * std::condition_variable, std::call_once() and the clocks, on POSIX's names. Weak, since a C++
 * library may have them.
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cohart/debug.h>

#include "cxx.h"

static void check(int error, const char *what)
{
	if (error)
		co_panic("std::system_error: %s: error %d %s", what, error, co_error_name(error));
}

/* ---- std::thread: it has a pthread_t ---- */

struct state;

/* The virtual functions of std::thread::_State. */
struct state_functions {
	void (*destroy)(struct state *s);
	void (*destroy_and_free)(struct state *s);
	void (*run)(struct state *s);
};

struct state {
	const struct state_functions *functions;
};

REPLACEABLE void _ZNSt6thread6_StateD2Ev(struct state *s)
{
	(void)s;
}

void __cxa_pure_virtual(void);

/* Its table: an offset, a type, and the functions, which every derived class replaces. */
extern const void *const _ZTVNSt6thread6_StateE[5];
REPLACEABLE const void *const _ZTVNSt6thread6_StateE[5] = { [2] = (void *)_ZNSt6thread6_StateD2Ev,
							    [3] = (void *)__cxa_pure_virtual,
							    [4] = (void *)__cxa_pure_virtual };

static void *run(void *arg)
{
	struct state *s = arg;

	s->functions->run(s);
	s->functions->destroy_and_free(s);
	return NULL;
}

/* _M_start_thread(): `owner` is a std::unique_ptr. */
REPLACEABLE void
_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(
	pthread_t *thread, struct state **owner, void (*unused)(void))
{
	struct state *s = *owner;

	(void)unused;
	*owner = NULL;
	check(pthread_create(thread, NULL, run, s), "std::thread");
}

REPLACEABLE void _ZNSt6thread4joinEv(pthread_t *thread)
{
	check(*thread ? pthread_join(*thread, NULL) : EINVAL, "join()");
	*thread = 0;
}

REPLACEABLE void _ZNSt6thread6detachEv(pthread_t *thread)
{
	check(*thread ? pthread_detach(*thread) : EINVAL, "detach()");
	*thread = 0;
}

REPLACEABLE unsigned _ZNSt6thread20hardware_concurrencyEv(void)
{
	return (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
}

/* std::this_thread::__sleep_for(); its numbers are longs, or long longs. */
static void sleep_for(int64_t s, int64_t ns)
{
	struct timespec t = { .tv_sec = (time_t)s, .tv_nsec = (long)ns };

	(void)nanosleep(&t, NULL);
}

#define JOIN(a, b, c, d, e) a##b##c##d##e
/* Its name, of two durations in numbers of type i. */
#define SLEEP_FOR(i)                                                                    \
	JOIN(_ZNSt11this_thread11__sleep_forENSt6chrono8durationI, i##St5ratioIL##i##1, \
	     EL##i##1EEEENS1_I, i##S2_IL##i##1, EL##i##1000000000EEEE)

extern __typeof__(sleep_for) SLEEP_FOR(l) REPLACEABLE __attribute__((alias("sleep_for")));
extern __typeof__(sleep_for) SLEEP_FOR(x) REPLACEABLE __attribute__((alias("sleep_for")));

/* ---- std::condition_variable: a pthread_cond_t; a std::unique_lock begins with its mutex ---- */

REPLACEABLE void _ZNSt18condition_variableC1Ev(pthread_cond_t *c)
{
	check(pthread_cond_init(c, NULL), "std::condition_variable");
}

REPLACEABLE void _ZNSt18condition_variableD1Ev(pthread_cond_t *c)
{
	(void)pthread_cond_destroy(c);
}

REPLACEABLE void _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(pthread_cond_t *c,
									   pthread_mutex_t **l)
{
	check(pthread_cond_wait(c, *l), "wait()");
}

REPLACEABLE void _ZNSt18condition_variable10notify_oneEv(pthread_cond_t *c)
{
	(void)pthread_cond_signal(c);
}

REPLACEABLE void _ZNSt18condition_variable10notify_allEv(pthread_cond_t *c)
{
	(void)pthread_cond_broadcast(c);
}

/* ---- std::call_once(): the function that pthread_once() calls, and its argument ---- */

extern _Thread_local void *_ZSt15__once_callable;
extern _Thread_local void (*_ZSt11__once_call)(void);
REPLACEABLE _Thread_local void *_ZSt15__once_callable;
REPLACEABLE _Thread_local void (*_ZSt11__once_call)(void);

REPLACEABLE void __once_proxy(void)
{
	_ZSt11__once_call();
}

/* ---- Clocks ---- */

/* A struct, as C++ has it: 32-bit Arm returns that otherwise than a number. */
struct time_point {
	int64_t ns;
};

static struct time_point now(clockid_t clock)
{
	struct timespec t;

	(void)clock_gettime(clock, &t);
	return (struct time_point){ (int64_t)t.tv_sec * 1000000000 + t.tv_nsec };
}

REPLACEABLE struct time_point _ZNSt6chrono3_V212steady_clock3nowEv(void)
{
	return now(CLOCK_MONOTONIC);
}

REPLACEABLE struct time_point _ZNSt6chrono3_V212system_clock3nowEv(void)
{
	return now(CLOCK_REALTIME);
}
