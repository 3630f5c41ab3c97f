/* fp.h - hal/fp.h for RISC-V: fcsr, which is 0 while the registers are clean (context.S). */
#ifndef HAL_ARCH_FP_H
#define HAL_ARCH_FP_H

#ifdef __riscv_float_abi_double
/* sstatus.SD: a register, or fcsr, was written since they were clean. */
static inline int hal_fp_dirty(void)
{
	long sstatus;

	__asm__ volatile("csrr %0, sstatus" : "=r"(sstatus));
	return sstatus < 0;
}

static inline unsigned long long hal_fp_begin(void)
{
	unsigned long had = 0;

	if (hal_fp_dirty())
		__asm__ volatile("fscsr %0, zero" : "=r"(had) : : "memory");
	return had;
}

static inline void hal_fp_end(unsigned long long had)
{
	if (hal_fp_dirty())
		__asm__ volatile("fscsr %0" : : "r"((unsigned long)had) : "memory");
}
#else
static inline unsigned long long hal_fp_begin(void)
{
	return 0;
}

static inline void hal_fp_end(unsigned long long had)
{
	(void)had;
}
#endif

#endif
