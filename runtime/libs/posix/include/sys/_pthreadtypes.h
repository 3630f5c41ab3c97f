/*
 * sys/_pthreadtypes.h - types of pthread.h. Filled with 0 all are valid, and of the kind that an
 * init without attributes makes. Only runtime/libs/posix knows their contents.
 */
#ifndef COHART_SYS_PTHREADTYPES_H
#define COHART_SYS_PTHREADTYPES_H

typedef struct co_thread *pthread_t;
typedef __UINT32_TYPE__ pthread_key_t;

typedef struct {
	__UINTPTR_TYPE__ co_words[6];
} pthread_mutex_t;

typedef struct {
	__UINTPTR_TYPE__ co_words[2];
} pthread_cond_t;

typedef struct {
	__UINTPTR_TYPE__ co_words[8];
} pthread_rwlock_t;

typedef struct {
	__UINTPTR_TYPE__ co_words[3];
} pthread_barrier_t;

typedef struct {
	__UINTPTR_TYPE__ co_words[6];
} pthread_once_t;

typedef pthread_mutex_t pthread_spinlock_t;

typedef struct {
	__SIZE_TYPE__ co_stack;
	unsigned co_hart; /* and 1 */
	int co_detached, co_inherit;
} pthread_attr_t;

typedef struct {
	int co_type;
	int co_shared, co_robust;
} pthread_mutexattr_t;

typedef struct {
	int co_clock;
	int co_shared;
} pthread_condattr_t;

typedef struct {
	int co_shared;
} pthread_rwlockattr_t;

typedef struct {
	int co_shared;
} pthread_barrierattr_t;

#endif
