/*
 * zdma.h - the general-purpose DMA of Zynq UltraScale+ behind hal/dma.h: eight channels in simple
 * mode, one row at a time, of any alignment and up to 1 GiB.
 *
 * It does not snoop: the driver writes caches back before and forgets what they hold after. Lines
 * that a row shares with its neighbours are moved by the hart, for a cache writes whole lines.
 *
 * Source: Zynq UltraScale+ Device Technical Reference Manual (UG1085), 19; register reference
 * (UG1087), ZDMA.
 */
#ifndef HAL_ZDMA_H
#define HAL_ZDMA_H

#include <hal/dma.h>

/* Where the engine is, and what it reaches. The board defines it. */
struct hal_zdma {
	uintptr_t base;
	uintptr_t gicd; /* a GICv2's distributor */
	unsigned irq;   /* of channel 0, as the distributor counts; the others' follow */
	struct hal_dma_reach reach[2];
};

extern const struct hal_zdma hal_zdma;

#endif
