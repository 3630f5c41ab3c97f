/*
 * sleep.c - hal/irq.h, hal/ipi.h and hal/time.h for threads: a doorbell is a word that is 1 while
 * it is pending, and a hart that waits sleeps on its futex, until its timer's time at most.
 */
#include <linux/futex.h>
#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cohart/atomic.h>
#include <hal/asm.h>
#include <hal/ipi.h>
#include <hal/irq.h>
#include <hal/time.h>

#include "host.h"

#define HZ 1000000000u

static struct doorbell {
	_Alignas(CO_LINE) struct co_a32 pending;
} doorbells[BOARD_MAX_HARTS];

static _Thread_local struct doorbell *mine;
static _Thread_local uint64_t wake_at = UINT64_MAX;

void hal_irq_init_hart(unsigned hart)
{
	mine = &doorbells[hart];
	hal_host_take_faults();
}

uintptr_t hal_ipi_doorbell(unsigned hart)
{
	return hart;
}

void hal_ipi_ring(uintptr_t doorbell)
{
	struct co_a32 *pending = &doorbells[doorbell].pending;

	/* seq_cst: releases earlier stores to hal_ipi_clear(), and is not put off. */
	if (co_atomic_swap(pending, 1, CO_SEQ_CST) == 0)
		syscall(SYS_futex, &pending->v, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void hal_ipi_clear(void)
{
	/* seq_cst: acquires from hal_ipi_ring(); later looks stay behind it. */
	co_atomic_swap(&mine->pending, 0, CO_SEQ_CST);
}

void hal_irq_wait(void)
{
	struct timespec t = { .tv_sec = (time_t)(wake_at / HZ), .tv_nsec = (long)(wake_at % HZ) };
	int err = errno;

	/* acquire: pairs with hal_ipi_ring(). */
	if (co_atomic_load(&mine->pending, CO_ACQUIRE) || wake_at <= hal_time_now()) {
		/* A wait for another thread, perhaps, which wants the processor. */
		sched_yield();
		return;
	}
	/* The kernel looks at the word once more, so that a ring from just now ends it. */
	syscall(SYS_futex, &mine->pending.v, FUTEX_WAIT_BITSET_PRIVATE, 0,
		wake_at == UINT64_MAX ? NULL : &t, NULL, FUTEX_BITSET_MATCH_ANY);
	errno = err; /* a coroutine's that sleeps in place */
}

uint64_t hal_time_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * HZ + (uint64_t)t.tv_nsec;
}

void hal_time_wake_at(uint64_t t)
{
	wake_at = t;
}
