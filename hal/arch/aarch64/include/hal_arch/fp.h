/* fp.h - hal/fp.h for AArch64: FPCR, and FPSR above it. */
#ifndef HAL_ARCH_FP_H
#define HAL_ARCH_FP_H

static inline void hal_fp_end(unsigned long long had)
{
	__asm__ volatile("msr FPCR, %x0\n\tmsr FPSR, %x1"
			 :
			 : "rZ"(had & 0xffffffff), "rZ"(had >> 32)
			 : "memory");
}

static inline unsigned long long hal_fp_begin(void)
{
	unsigned long long fpcr, fpsr;

	__asm__ volatile("mrs %0, FPCR\n\tmrs %1, FPSR" : "=r"(fpcr), "=r"(fpsr) : : "memory");
	hal_fp_end(0);
	return fpcr | fpsr << 32;
}

#endif
