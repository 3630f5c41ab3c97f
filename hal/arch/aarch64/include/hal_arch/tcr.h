/*
 * tcr.h - how large addresses are, for a map's root: 39 bits; the coarse one's (boot/) has 34, so
 * that it is 16 entries.
 *
 * Source: Arm ARM (DDI 0487) D13.2.131 (TCR_EL1).
 */
#ifndef HAL_ARCH_TCR_H
#define HAL_ARCH_TCR_H

/* 40 bit out, 4 KiB granule, walks cacheable and inner shareable; TTBR1 unused. */
#define HAL_TCR_BITS(n) ((64 - (n)) | 0x3500 | (1 << 23) | (2 * 0x100000000))
#define HAL_TCR_COARSE_BITS 34

#ifndef __ASSEMBLER__
#include <hal_arch/sysreg.h>

/* Walks begin at level 1 for both widths, so this may come after a change of the root. */
static inline void hal_tcr_widen(void)
{
	hal_sysreg_write(TCR, HAL_TCR_BITS(39));
}
#endif

#endif
