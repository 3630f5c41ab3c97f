/*
 * pthread.h - POSIX threads, each a coroutine of a compute hart: docs/posix.md lists the functions.
 * There are no cancels, signals and priorities.
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
#define PTHREAD_CANCEL_ENABLE 0
#define PTHREAD_CANCEL_DISABLE 1
#define PTHREAD_CANCEL_DEFERRED 0
#define PTHREAD_CANCEL_ASYNCHRONOUS 1
#define PTHREAD_CANCELED ((void *)-1)
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
int pthread_getschedparam(pthread_t t, int *__restrict policy, struct sched_param *__restrict p);
int pthread_setschedparam(pthread_t t, int policy, const struct sched_param *p);
int pthread_atfork(void (*before)(void), void (*parent)(void), void (*child)(void));
int pthread_getconcurrency(void);
int pthread_setconcurrency(int level);

/* init and destroy of attributes; get and set of one. */
#define CO_ATTRIBUTES(what)                               \
	int pthread_##what##_init(pthread_##what##_t *a); \
	int pthread_##what##_destroy(pthread_##what##_t *a)
#define CO_ATTRIBUTE(what, name, type)                                         \
	int pthread_##what##_get##name(const pthread_##what##_t *__restrict a, \
				       type *__restrict v);                    \
	int pthread_##what##_set##name(pthread_##what##_t *a, type v)

CO_ATTRIBUTES(attr);
CO_ATTRIBUTE(attr, detachstate, int);
CO_ATTRIBUTE(attr, stacksize, size_t);
CO_ATTRIBUTE(attr, guardsize, size_t);
CO_ATTRIBUTE(attr, scope, int);
CO_ATTRIBUTE(attr, inheritsched, int);
CO_ATTRIBUTE(attr, schedpolicy, int);
int pthread_attr_getschedparam(const pthread_attr_t *__restrict a,
			       struct sched_param *__restrict p);
int pthread_attr_setschedparam(pthread_attr_t *__restrict a,
			       const struct sched_param *__restrict p);
/* Where the thread runs: a hart of the machine. Without it a compute hart, in turn. */
int pthread_attr_gethart_np(const pthread_attr_t *a, unsigned *hart);
int pthread_attr_sethart_np(pthread_attr_t *a, unsigned hart);

CO_ATTRIBUTES(mutexattr);
CO_ATTRIBUTE(mutexattr, type, int);
CO_ATTRIBUTE(mutexattr, pshared, int);
CO_ATTRIBUTE(mutexattr, robust, int);
CO_ATTRIBUTE(mutexattr, protocol, int);
int pthread_mutex_init(pthread_mutex_t *__restrict m, const pthread_mutexattr_t *__restrict a);
int pthread_mutex_destroy(pthread_mutex_t *m);
int pthread_mutex_lock(pthread_mutex_t *m);
int pthread_mutex_trylock(pthread_mutex_t *m);
int pthread_mutex_timedlock(pthread_mutex_t *__restrict m, const struct timespec *__restrict until);
int pthread_mutex_clocklock(pthread_mutex_t *__restrict m, clockid_t clock,
			    const struct timespec *__restrict until);
int pthread_mutex_unlock(pthread_mutex_t *m);
int pthread_mutex_consistent(pthread_mutex_t *m);

CO_ATTRIBUTES(condattr);
CO_ATTRIBUTE(condattr, clock, clockid_t);
CO_ATTRIBUTE(condattr, pshared, int);
int pthread_cond_init(pthread_cond_t *__restrict c, const pthread_condattr_t *__restrict a);
int pthread_cond_destroy(pthread_cond_t *c);
int pthread_cond_wait(pthread_cond_t *__restrict c, pthread_mutex_t *__restrict m);
int pthread_cond_timedwait(pthread_cond_t *__restrict c, pthread_mutex_t *__restrict m,
			   const struct timespec *__restrict until);
int pthread_cond_clockwait(pthread_cond_t *__restrict c, pthread_mutex_t *__restrict m,
			   clockid_t clock, const struct timespec *__restrict until);
int pthread_cond_signal(pthread_cond_t *c);
int pthread_cond_broadcast(pthread_cond_t *c);

CO_ATTRIBUTES(rwlockattr);
CO_ATTRIBUTE(rwlockattr, pshared, int);
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

CO_ATTRIBUTES(barrierattr);
CO_ATTRIBUTE(barrierattr, pshared, int);
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

/* Cleanups that pthread_exit() calls, the newest first; push and pop stand in one block. */
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

/* Nobody cancels, so these only keep their arguments. */
int pthread_setcancelstate(int state, int *old);
int pthread_setcanceltype(int type, int *old);
void pthread_testcancel(void);

/* Functions that do not exist: a call does not compile. */
#define CO_THREAD_NO(what) __attribute__((__error__("Cohart's threads have no " what)))
int pthread_cancel(pthread_t t) CO_THREAD_NO("cancels");
int pthread_kill(pthread_t t, int number) CO_THREAD_NO("signals");

#ifdef __cplusplus
}
#endif
#endif
