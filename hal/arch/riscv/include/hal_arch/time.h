/* time.h - hal/time.h for RISC-V with Sstc: the hart sets its own compare register. */
#ifndef HAL_ARCH_TIME_H
#define HAL_ARCH_TIME_H

static inline uint64_t hal_time_now(void)
{
	uint64_t t;

	__asm__ volatile("rdtime %0" : "=r"(t)::"memory");
	return t;
}

static inline void hal_time_wake_at(uint64_t t)
{
	__asm__ volatile("csrw 0x14d, %0" ::"r"(t) : "memory"); /* stimecmp */
}

static inline void hal_time_wake_never(void)
{
	hal_time_wake_at(UINT64_MAX);
}

#endif
