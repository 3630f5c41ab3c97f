/* tcr.h - how large addresses are: 32 bits, under the coarse map too. */
#ifndef HAL_ARCH_TCR_H
#define HAL_ARCH_TCR_H

static inline void hal_tcr_widen(void)
{
}

#endif
