/*
 * pthread.h - POSIX threads, each a coroutine of a compute hart: docs/posix.md says what is there,
 * and what is not. There are no cancels, signals and priorities.
 */
#pragma GCC system_header /* blocks of pthread_cleanup_push() in each other: no warnings */

#ifndef COHART_PTHREAD_H
#define COHART_PTHREAD_H

#include <sched.h>
#include <sys/types.h>
#include <time.h>

#define PTHREAD_CREATE_JOINABLE 0
#define PTHREAD_CREATE_DETACHED 1
#define PTHREAD_PROCESS_PRIVATE 0
#define PTHREAD_PROCESS_SHARED 1
#define PTHREAD_SCOPE_SYSTEM 0
#define PTHREAD_SCOPE_PROCESS 1
#define PTHREAD_INHERIT_SCHED 0
#define PTHREAD_EXPLICIT_SCHED 1
#define PTHREAD_PRIO_NONE 0
#define PTHREAD_PRIO_INHERIT 1
#define PTHREAD_PRIO_PROTECT 2
#define PTHREAD_MUTEX_NORMAL 0
#define PTHREAD_MUTEX_RECURSIVE 1
#define PTHREAD_MUTEX_ERRORCHECK 2
#define PTHREAD_MUTEX_DEFAULT PTHREAD_MUTEX_NORMAL
#define PTHREAD_MUTEX_STALLED 0
#define PTHREAD_MUTEX_ROBUST 1
#define PTHREAD_BARRIER_SERIAL_THREAD (-1)
#define PTHREAD_KEYS_MAX 128
#define PTHREAD_DESTRUCTOR_ITERATIONS 4
#define PTHREAD_STACK_MIN 16384

/* clang-format off */
#define PTHREAD_MUTEX_INITIALIZER { { 0 } }
#define PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP { { 0, 0, 0, 0, PTHREAD_MUTEX_RECURSIVE } }
#define PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP { { 0, 0, 0, 0, PTHREAD_MUTEX_ERRORCHECK } }
#define PTHREAD_COND_INITIALIZER { { 0 } }
#define PTHREAD_RWLOCK_INITIALIZER { { 0 } }
#define PTHREAD_ONCE_INIT { { 0 } }
/* clang-format on */

#ifdef __cplusplus
extern "C" {
#endif

int pthread_create(pthread_t *__restrict t, const pthread_attr_t *__restrict a, void *(*fn)(void *),
		   void *__restrict arg);
int pthread_join(pthread_t t, void **result);
int pthread_detach(pthread_t t);
void pthread_exit(void *result) __attribute__((__noreturn__));
pthread_t pthread_self(void);
int pthread_equal(pthread_t one, pthread_t other);
/* Of the calling thread: as sched_setaffinity(). */
int pthread_getaffinity_np(pthread_t t, size_t bytes, cpu_set_t *set);
int pthread_setaffinity_np(pthread_t t, size_t bytes, const cpu_set_t *set);
int pthread_atfork(void (*before)(void), void (*parent)(void), void (*child)(void));
int pthread_getconcurrency(void);
int pthread_setconcurrency(int level);

int pthread_attr_init(pthread_attr_t *a);
int pthread_attr_destroy(pthread_attr_t *a);
int pthread_attr_getdetachstate(const pthread_attr_t *a, int *v);
int pthread_attr_setdetachstate(pthread_attr_t *a, int v);
int pthread_attr_getstacksize(const pthread_attr_t *__restrict a, size_t *__restrict bytes);
int pthread_attr_setstacksize(pthread_attr_t *a, size_t bytes);
int pthread_attr_getguardsize(const pthread_attr_t *__restrict a, size_t *__restrict bytes);
int pthread_attr_setguardsize(pthread_attr_t *a, size_t bytes);
int pthread_attr_getscope(const pthread_attr_t *__restrict a, int *__restrict v);
int pthread_attr_setscope(pthread_attr_t *a, int v);
int pthread_attr_getinheritsched(const pthread_attr_t *__restrict a, int *__restrict inherit);
int pthread_attr_setinheritsched(pthread_attr_t *a, int inherit);
int pthread_attr_getschedpolicy(const pthread_attr_t *__restrict a, int *__restrict v);
int pthread_attr_setschedpolicy(pthread_attr_t *a, int v);
int pthread_attr_getschedparam(const pthread_attr_t *__restrict a,
			       struct sched_param *__restrict p);
int pthread_attr_setschedparam(pthread_attr_t *__restrict a,
			       const struct sched_param *__restrict p);
/* Where the thread runs: a hart of the machine. Without it a compute hart, in turn. */
int pthread_attr_gethart_np(const pthread_attr_t *a, unsigned *hart);
int pthread_attr_sethart_np(pthread_attr_t *a, unsigned hart);

int pthread_mutexattr_init(pthread_mutexattr_t *a);
int pthread_mutexattr_destroy(pthread_mutexattr_t *a);
int pthread_mutexattr_gettype(const pthread_mutexattr_t *__restrict a, int *__restrict v);
int pthread_mutexattr_settype(pthread_mutexattr_t *a, int v);
int pthread_mutexattr_getpshared(const pthread_mutexattr_t *__restrict a, int *__restrict v);
int pthread_mutexattr_setpshared(pthread_mutexattr_t *a, int v);
int pthread_mutexattr_getrobust(const pthread_mutexattr_t *__restrict a, int *__restrict v);
int pthread_mutexattr_setrobust(pthread_mutexattr_t *a, int v);
int pthread_mutexattr_getprotocol(const pthread_mutexattr_t *__restrict a, int *__restrict how);
int pthread_mutexattr_setprotocol(pthread_mutexattr_t *a, int how);
int pthread_mutex_init(pthread_mutex_t *__restrict m, const pthread_mutexattr_t *__restrict a);
int pthread_mutex_destroy(pthread_mutex_t *m);
int pthread_mutex_lock(pthread_mutex_t *m);
int pthread_mutex_trylock(pthread_mutex_t *m);
int pthread_mutex_timedlock(pthread_mutex_t *__restrict m, const struct timespec *__restrict until);
int pthread_mutex_clocklock(pthread_mutex_t *__restrict m, clockid_t clock,
			    const struct timespec *__restrict until);
int pthread_mutex_unlock(pthread_mutex_t *m);
int pthread_mutex_consistent(pthread_mutex_t *m);

int pthread_condattr_init(pthread_condattr_t *a);
int pthread_condattr_destroy(pthread_condattr_t *a);
int pthread_condattr_getclock(const pthread_condattr_t *__restrict a, clockid_t *__restrict clock);
int pthread_condattr_setclock(pthread_condattr_t *a, clockid_t clock);
int pthread_condattr_getpshared(const pthread_condattr_t *__restrict a, int *__restrict v);
int pthread_condattr_setpshared(pthread_condattr_t *a, int v);
int pthread_cond_init(pthread_cond_t *__restrict c, const pthread_condattr_t *__restrict a);
int pthread_cond_destroy(pthread_cond_t *c);
int pthread_cond_wait(pthread_cond_t *__restrict c, pthread_mutex_t *__restrict m);
int pthread_cond_timedwait(pthread_cond_t *__restrict c, pthread_mutex_t *__restrict m,
			   const struct timespec *__restrict until);
int pthread_cond_clockwait(pthread_cond_t *__restrict c, pthread_mutex_t *__restrict m,
			   clockid_t clock, const struct timespec *__restrict until);
int pthread_cond_signal(pthread_cond_t *c);
int pthread_cond_broadcast(pthread_cond_t *c);

int pthread_rwlockattr_init(pthread_rwlockattr_t *a);
int pthread_rwlockattr_destroy(pthread_rwlockattr_t *a);
int pthread_rwlockattr_getpshared(const pthread_rwlockattr_t *__restrict a, int *__restrict v);
int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *a, int v);
int pthread_rwlock_init(pthread_rwlock_t *__restrict l, const pthread_rwlockattr_t *__restrict a);
int pthread_rwlock_destroy(pthread_rwlock_t *l);
int pthread_rwlock_rdlock(pthread_rwlock_t *l);
int pthread_rwlock_tryrdlock(pthread_rwlock_t *l);
int pthread_rwlock_timedrdlock(pthread_rwlock_t *__restrict l,
			       const struct timespec *__restrict until);
int pthread_rwlock_wrlock(pthread_rwlock_t *l);
int pthread_rwlock_trywrlock(pthread_rwlock_t *l);
int pthread_rwlock_timedwrlock(pthread_rwlock_t *__restrict l,
			       const struct timespec *__restrict until);
int pthread_rwlock_unlock(pthread_rwlock_t *l);

int pthread_barrierattr_init(pthread_barrierattr_t *a);
int pthread_barrierattr_destroy(pthread_barrierattr_t *a);
int pthread_barrierattr_getpshared(const pthread_barrierattr_t *__restrict a, int *__restrict v);
int pthread_barrierattr_setpshared(pthread_barrierattr_t *a, int v);
int pthread_barrier_init(pthread_barrier_t *__restrict b, const pthread_barrierattr_t *__restrict a,
			 unsigned n);
int pthread_barrier_destroy(pthread_barrier_t *b);
int pthread_barrier_wait(pthread_barrier_t *b);

int pthread_spin_init(pthread_spinlock_t *l, int shared);
int pthread_spin_destroy(pthread_spinlock_t *l);
int pthread_spin_lock(pthread_spinlock_t *l);
int pthread_spin_trylock(pthread_spinlock_t *l);
int pthread_spin_unlock(pthread_spinlock_t *l);

int pthread_once(pthread_once_t *o, void (*fn)(void));
int pthread_key_create(pthread_key_t *key, void (*destructor)(void *));
int pthread_key_delete(pthread_key_t key);
void *pthread_getspecific(pthread_key_t key);
int pthread_setspecific(pthread_key_t key, const void *value);

/* What pthread_exit() calls, the newest first; both in the same block. */
struct co_thread_cleanup {
	void (*fn)(void *);
	void *arg;
	struct co_thread_cleanup *next;
};
void _pthread_cleanup_push(struct co_thread_cleanup *c);
void _pthread_cleanup_pop(struct co_thread_cleanup *c, int execute);
#define pthread_cleanup_push(fn_, arg_)                                  \
	do {                                                             \
		struct co_thread_cleanup co_cleanup_ = { fn_, arg_, 0 }; \
	_pthread_cleanup_push(&co_cleanup_)
#define pthread_cleanup_pop(execute)                 \
	_pthread_cleanup_pop(&co_cleanup_, execute); \
	}                                            \
	while (0)

/* What is not there: a call of these does not compile. */
#define CO_THREAD_NO(what) __attribute__((__error__("Cohart's threads have no " what)))
int pthread_cancel(pthread_t t) CO_THREAD_NO("cancels");
int pthread_setcancelstate(int state, int *old) CO_THREAD_NO("cancels");
int pthread_setcanceltype(int type, int *old) CO_THREAD_NO("cancels");
void pthread_testcancel(void) CO_THREAD_NO("cancels");
int pthread_kill(pthread_t t, int number) CO_THREAD_NO("signals");

#ifdef __cplusplus
}
#endif
#endif
