/* fp.h - hal/fp.h for models, which do not calculate. */
#ifndef HAL_ARCH_FP_H
#define HAL_ARCH_FP_H

static inline unsigned long long hal_fp_begin(void)
{
	return 0;
}

static inline void hal_fp_end(unsigned long long had)
{
	(void)had;
}

#endif
