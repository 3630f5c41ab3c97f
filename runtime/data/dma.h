/* dma.h - whether a transfer can be: for dma.c, and for callers that check beforehand. */
#ifndef COHART_DATA_DMA_H
#define COHART_DATA_DMA_H

#include <cohart/dma.h>
#include <hal/dma.h>

/* All filled in. */
struct hal_dma_copy co_dma_describe(const struct co_dma *d);

/* May [p, p + bytes) be read (written) by what moves it? */
bool co_dma_usable(uintptr_t p, size_t bytes, bool write);

/* @return 0; -EINVAL, -EFAULT: it cannot be. */
int co_dma_refuse(const struct co_dma *d);

/* Is that in the public part of a window, or in the heap? Reads nothing that is far from here. */
bool co_dma_nearby(uintptr_t p, size_t bytes);

/* co_dma_start() of a transfer that is known to make sense and to be of usable memory. */
void co_dma_begin(struct co_dma *d);

/* A wait for it that no cancel ends; both. @return as co_dma_check() */
int co_dma_finish(struct co_dma *d);
int co_dma_do(struct co_dma *d);

/*
 * Planes of rows of bytes. What a stride leads to lies behind all that its index has: no stride is
 * shorter than a row, nor that of planes than a plane.
 */
struct co_row_set {
	uintptr_t at;
	size_t bytes; /* of a row */
	size_t count[2];
	size_t stride[2]; /* from plane to plane, from row to row; 0: there is one */
};

/*
 * Is there a byte of both? Their strides are the same (asserted). Columns of one array lie between
 * each other and do not meet, although one begins before the other has ended. Context: any.
 */
bool co_rows_meet(const struct co_row_set *a, const struct co_row_set *b);

#endif
