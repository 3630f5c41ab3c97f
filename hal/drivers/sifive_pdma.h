/*
 * sifive_pdma.h - SiFive's platform DMA engine behind hal/dma.h: four channels, one row at a time.
 * Source: SiFive FU540-C000 manual, chapter 12 (engine) and 10 (interrupts, contexts).
 */
#ifndef HAL_SIFIVE_PDMA_H
#define HAL_SIFIVE_PDMA_H

#include <hal/dma.h>

/* Where the engine is, and what it reaches. The board defines it. */
struct hal_sifive_pdma {
	uintptr_t base;
	uintptr_t plic;
	unsigned source; /* interrupt of channel 0's end; its error is the next, then channel 1's */
	struct hal_dma_reach reach[2];
};

extern const struct hal_sifive_pdma hal_sifive_pdma;

#endif
