/* semaphore.h - semaphores without names; named ones do not exist. docs/posix.md. */
#ifndef COHART_SEMAPHORE_H
#define COHART_SEMAPHORE_H

#include <time.h>

#define SEM_VALUE_MAX 0x7fffffff

typedef struct {
	__UINTPTR_TYPE__ co_words[2];
} sem_t;

#ifdef __cplusplus
extern "C" {
#endif
int sem_init(sem_t *s, int shared, unsigned value);
int sem_destroy(sem_t *s);
int sem_post(sem_t *s);
int sem_wait(sem_t *s);
int sem_trywait(sem_t *s);
int sem_timedwait(sem_t *__restrict s, const struct timespec *__restrict until);
int sem_clockwait(sem_t *__restrict s, clockid_t clock, const struct timespec *__restrict until);
int sem_getvalue(sem_t *__restrict s, int *__restrict value);
#ifdef __cplusplus
}
#endif
#endif
