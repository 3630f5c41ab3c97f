/* time.h - hal/time.h for RISC-V with Sstc: the hart sets its own compare register. */
#ifndef HAL_ARCH_TIME_H
#define HAL_ARCH_TIME_H

#include <hal_arch/word.h>

static inline uint64_t hal_time_now(void)
{
	uint64_t t;

	HAL_READ_COUNTER("time", t);
	return t;
}

static inline void hal_time_wake_at(uint64_t t)
{
#if __riscv_xlen == 64
	__asm__ volatile("csrw 0x14d, %0" ::"r"(t) : "memory"); /* stimecmp */
#else
	/*
	 * Never a value between the old and the new one that is earlier than both: upper half
	 * first, below the latest lower one.
	 */
	__asm__ volatile("csrw 0x14d, %2\n\tcsrw 0x15d, %1\n\tcsrw 0x14d, %0" ::"r"((uint32_t)t),
			 "r"((uint32_t)(t >> 32)), "r"(UINT32_MAX)
			 : "memory");
#endif
}

static inline void hal_time_wake_never(void)
{
	hal_time_wake_at(UINT64_MAX);
}

#endif
