/* dma.h - checks of transfers, for dma.c and for callers that check beforehand. */
#ifndef COHART_DMA_ROOM_H
#define COHART_DMA_ROOM_H

#include <cohart/dma.h>
#include <hal/board.h>
#include <hal/dma.h>

/* The copy that d describes, with defaults filled in. */
struct hal_dma_copy co_dma_describe(const struct co_dma *d);

/* May a mover read (write) [p, p + bytes)? */
bool co_dma_usable(uintptr_t p, size_t bytes, bool write);

/* The copy of bytes that are one row. */
static inline struct hal_dma_copy co_dma_row(void *to, const void *from, size_t bytes)
{
	return (struct hal_dma_copy){ .to = (uintptr_t)to,
				      .from = (uintptr_t)from,
				      .bytes = bytes,
				      .rows = 1,
				      .to_stride = bytes,
				      .from_stride = bytes };
}

/* Returns 0, or why the transfer is refused: -EINVAL, -EFAULT. */
int co_dma_refuse(const struct hal_dma_copy *c);

/*
 * Translate addresses in static data that this rank has for itself (cohart/process.h). Returns
 * whether there were any. Context: the caller's hart, once the transfer was refused.
 */
bool co_dma_translate(struct hal_dma_copy *c);

/* Facts about the machine, cached in the scratchpad: windows, libc's heap. */
struct co_dma_near {
	uintptr_t spm, spm_public, heap;
	size_t spm_bytes; /* 0: not filled in yet */
	size_t heap_bytes;
};
extern _Thread_local struct co_dma_near co_dma_near;

/* Is it in the public part of a window, or in libc's heap? Reads this hart's scratchpad only. */
bool co_dma_nearby(uintptr_t p, size_t bytes);
/* co_dma_nearby(), but false as long as nothing is filled in. */
static inline bool co_dma_is_near(uintptr_t p, size_t bytes)
{
	const struct co_dma_near *near = &co_dma_near;

	if (p - near->spm < near->spm_bytes)
		return bytes <= near->spm_public &&
		       (p - near->spm) % BOARD_SPM_BYTES <= near->spm_public - bytes;
	return bytes <= near->heap_bytes && p - near->heap <= near->heap_bytes - bytes;
}

/* co_dma_mover(), cached: it reads this hart's scratchpad only. */
int co_dma_my_mover(void);

/* co_dma_start() of a transfer that was checked. */
void co_dma_begin(struct co_dma *d);

/* Wait for it, even if cancelled. Returns as co_dma_check(). */
int co_dma_finish(struct co_dma *d);
int co_dma_do(struct co_dma *d);

/*
 * Begin to have bytes moved for the caller; does not wait. `of` is the coroutine whose memory is
 * read, or NULL: a fault or the loss of its hart lets neither of the two go before the move has
 * ended. *d: the transfer under way, which the caller ends, or NULL: it has ended. False: nothing
 * has begun, and the caller copies. Weak, as its end: an image may have no transfers.
 */
bool co_dma_move(struct co_dma **d, void *to, const void *from, size_t bytes, struct co *of)
	__attribute__((weak));
/* Wait for it, even if cancelled, and free it. Returns as co_dma_check(). */
int co_dma_move_end(struct co_dma *d) __attribute__((weak));

/*
 * Planes of rows of bytes, which do not overlap within a set: no stride is shorter than a row, nor
 * that of planes than a plane.
 */
struct co_row_set {
	uintptr_t at;
	size_t bytes; /* of a row */
	size_t count[2];
	size_t stride[2]; /* from plane to plane, from row to row; 0: there is one */
};

/*
 * Is there a byte of both? Their strides are equal (asserted). Columns of one array lie between
 * each other and do not meet, although one begins before its neighbour has ended. Context: any.
 */
bool co_rows_meet(const struct co_row_set *a, const struct co_row_set *b);

#endif
