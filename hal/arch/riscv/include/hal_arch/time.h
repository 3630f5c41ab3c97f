/*
 * time.h - hal/time.h for RISC-V. With Sstc the hart sets its own compare register; above firmware
 * (BOARD_SBI) it asks for that. Without either, time and compare registers are the CLINT's, which
 * S-mode may touch; only a timer that has come is M-mode's to take back.
 */
#ifndef HAL_ARCH_TIME_H
#define HAL_ARCH_TIME_H

#include <hal_arch/here.h>
#include <hal_arch/sbi.h>
#include <hal_arch/word.h>

static inline uint32_t hal_time_hz(void)
{
	return BOARD_TIME_HZ;
}

#ifdef BOARD_SHIM_FORWARDS

void hal_shim_rearm(void); /* boot/riscv/shim.S */

static inline uint64_t hal_time_now(void)
{
#if __riscv_xlen == 64
	return *(volatile uint64_t *)(BOARD_CLINT_BASE + HAL_CLINT_MTIME);
#else
	/* The halves belong together if the upper one has not changed in between. */
	const volatile uint32_t *mtime =
		(const volatile uint32_t *)(BOARD_CLINT_BASE + HAL_CLINT_MTIME);
	uint32_t lower, upper;

	do {
		upper = mtime[1];
		lower = mtime[0];
	} while (upper != mtime[1]);
	return (uint64_t)upper << 32 | lower;
#endif
}

static inline void hal_time_wake_at(uint64_t t)
{
	uintptr_t pending;

#if __riscv_xlen == 64
	*hal_here.mtimecmp = t;
#else
	/* Never a value between the old and the new one that is earlier than both, as below. */
	volatile uint32_t *half = (volatile uint32_t *)hal_here.mtimecmp;

	half[0] = UINT32_MAX;
	half[1] = (uint32_t)(t >> 32);
	half[0] = (uint32_t)t;
#endif
	if (hal_here.msip)
		return;
	/* Look after the store: by then an interrupt of the old time has come; take it back. */
	__asm__ volatile("csrr %0, sip" : "=r"(pending)::"memory");
	if (pending & 1 << 5) /* STIP */
		hal_shim_rearm();
}

#else

static inline uint64_t hal_time_now(void)
{
	uint64_t t;

	HAL_READ_COUNTER("time", t);
	return t;
}

static inline void hal_time_wake_at(uint64_t t)
{
#ifdef BOARD_SBI
	/* With 32 bits the upper half is the second argument; with 64 there is no second one. */
	(void)hal_sbi(HAL_SBI_TIME, 0, (uintptr_t)t, (uintptr_t)(t >> 32), 0);
#elif __riscv_xlen == 64
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

#endif

static inline void hal_time_wake_never(void)
{
	hal_time_wake_at(UINT64_MAX);
}

#endif
