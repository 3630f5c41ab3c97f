/*
 * fp.h - rounding mode and exception flags of floating-point arithmetic. Each context has its own
 * (context.h): to nearest and none when it begins. This is for code that runs in another's context.
 */
#ifndef HAL_FP_H
#define HAL_FP_H

#include <hal_arch/fp.h>

/* Set mode and flags to the default. Returns their old values, for hal_fp_end(). */
static inline unsigned long long hal_fp_begin(void);

/* Set them to the value that hal_fp_begin() has returned, or to the default: 0. */
static inline void hal_fp_end(unsigned long long had);

#endif
