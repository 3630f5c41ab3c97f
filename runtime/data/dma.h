/*
 * dma.h - transfers for who has looked at all he will move beforehand.
 */
#ifndef COHART_DATA_DMA_H
#define COHART_DATA_DMA_H

#include <cohart/dma.h>

/* Who serves a hart's transfers: it does not change. */
struct co_dma_server {
	int hart; /* -1: the caller itself */
	bool engine;
};

/* May [p, p + bytes) be read (written) by whoever moves? Context: any. */
bool co_dma_usable(uintptr_t p, size_t bytes, bool write);

/*
 * co_dma_start() of a transfer that is known to make sense and to be of usable memory; its strides
 * are given where it has rows. It reads no constants of the machine, which may be far.
 */
void co_dma_begin(struct co_dma *d, const struct co_dma_server *by);

#endif
