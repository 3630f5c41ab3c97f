/* fp.h - hal/fp.h for 32-bit Arm: FPSCR. */
#ifndef HAL_ARCH_FP_H
#define HAL_ARCH_FP_H

static inline void hal_fp_end(unsigned long long had)
{
#ifdef __ARM_FP
	__asm__ volatile("vmsr fpscr, %0" : : "r"((unsigned long)had) : "memory");
#else
	(void)had;
#endif
}

static inline unsigned long long hal_fp_begin(void)
{
	unsigned long had = 0;

#ifdef __ARM_FP
	__asm__ volatile("vmrs %0, fpscr" : "=r"(had) : : "memory");
#endif
	hal_fp_end(0);
	return had;
}

#endif
