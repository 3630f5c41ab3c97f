/*
 * dma.h - what a transfer says, and whether it can be; and transfers for who has looked at all he
 * will move beforehand.
 */
#ifndef COHART_DATA_DMA_H
#define COHART_DATA_DMA_H

#include <cohart/dma.h>
#include <hal/dma.h>

/* All filled in. */
struct hal_dma_copy co_dma_describe(const struct co_dma *d);

/* May [p, p + bytes) be read (written) by whoever moves? */
bool co_dma_usable(uintptr_t p, size_t bytes, bool write);

/* @return 0; -EINVAL, -EFAULT: it cannot be. */
int co_dma_refuse(const struct hal_dma_copy *c);

/* Is that in the public part of a window, or in the heap? Asks nothing that is far from here. */
bool co_dma_nearby(uintptr_t p, size_t bytes);

/* co_dma_start() of a transfer that is known to make sense and to be of usable memory. */
void co_dma_begin(struct co_dma *d);

/* Move what is described, and wait for it. @return as co_dma_copy() */
int co_dma_move(const struct co_dma *what);

/* For who measures what is quicker (tests/locality/moving.c): let no size decide. */
enum co_move_by { CO_MOVE_BY_SIZE, CO_MOVE_ALONE, CO_MOVE_BY_GROUP };
extern enum co_move_by co_move_by;

#endif
