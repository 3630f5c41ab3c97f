/*
 * cpu.h - hal/cpu.h for a hart that is a thread on x86-64 Linux.
 *
 * Source: System V ABI, AMD64 Architecture Processor Supplement, 3.2.2 (frame pointers).
 */
#ifndef HAL_ARCH_CPU_H
#define HAL_ARCH_CPU_H

#include <string.h>

#define HAL_PAGE_BYTES 4096
#define HAL_MAP_LEVELS 3
#define HAL_MAP_BLOCK_BYTES (2u << 20)
#define HAL_FRAME_ABOVE 2

/* The thread's own: the C library lays thread-locals out, not boot, which finds none to copy. */
#define HAL_TLS_TCB_BYTES 0
#define HAL_IMAGE 0

/* The C library's printf and a sanitizer's reports run on coroutine stacks. */
#define HAL_STACK_SCALE 8

static inline void hal_cpu_relax(void)
{
	__builtin_ia32_pause();
}

/* The thread sleeps until the program ends. */
_Noreturn void hal_cpu_halt(void);

/* Cycles of the time-stamp counter: instructions cannot be counted without privilege. */
static inline uint64_t hal_cpu_instret(void)
{
	return __builtin_ia32_rdtsc();
}

static inline void *hal_cpu_tp(void)
{
	return __builtin_thread_pointer();
}

/* A thread keeps its first thread pointer. */
static inline void hal_cpu_set_tp(void *tp)
{
	(void)tp;
}

/*
 * A frame record is two words: the caller's frame pointer, the return address. Where a function
 * keeps none, words that look like one may lie anywhere on the stack, in a red zone as well.
 */
__attribute__((no_sanitize("address"))) static inline void hal_frame_next(struct hal_frame *f)
{
	const uintptr_t *record = (const uintptr_t *)f->fp;

	f->fp = record[0];
	f->ra = record[1];
}

/* e8 has its distance; ff 15 and ff d0 to d7 go through memory and a register. */
static inline uintptr_t hal_call_before(uintptr_t address)
{
	const unsigned char *p = (const unsigned char *)address;
	int32_t distance;

	memcpy(&distance, p - 4, sizeof(distance));
	if (p[-5] == 0xe8)
		return address + (uintptr_t)(intptr_t)distance;
	return (p[-2] == 0xff && (p[-1] & 0xf8) == 0xd0) || (p[-6] == 0xff && p[-5] == 0x15);
}

#endif
