/*
 * dma.h - engines that move memory while harts do something else.
 *
 * A board with an engine names its driver in BOARD_DRIVERS, and that defines all of these; they are
 * weak references: where the linker finds none, the runtime moves memory by harts
 * (runtime/dma/dma.c). The runtime calls them on one hart only, which sleeps in hal_irq_wait() in
 * between.
 *
 * Example
 *	struct hal_dma_copy c = { .to = to, .from = from, .bytes = 256, .rows = 16,
 *				  .to_stride = 256, .from_stride = 4096 };
 *	int r = hal_dma_start(0, &c);
 *
 *	while (r == 0 && (r = hal_dma_check(0)) == -EINPROGRESS)
 *		hal_irq_wait();
 */
#ifndef HAL_DMA_H
#define HAL_DMA_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HAL_DMA_CHANNELS_MAX 16
#define HAL_DMA_WEAK __attribute__((weak))

/* True if the board has an engine. Decided when the image is linked. */
#define HAL_DMA_EXISTS() (hal_dma_start != NULL)

/* Rows of bytes, each a stride behind its predecessor. Addresses are as harts use them. */
struct hal_dma_copy {
	uintptr_t to, from;
	size_t bytes; /* of a row; not 0 */
	size_t rows;  /* not 0 */
	size_t to_stride, from_stride;
};

/*
 * Ready the engine; its interrupts are to end hal_irq_wait() on this hart from now on.
 * @return its channels, which work side by side: 1..HAL_DMA_CHANNELS_MAX; -ENODEV: it does not
 *         answer, and must not be used.
 * Context: the hart that will use it, once.
 */
HAL_DMA_WEAK int hal_dma_init(void);

/*
 * Start a transfer on a channel that has none. hal_dma_check() starts further rows where the engine
 * cannot step through them by itself: see hal_dma_rows_begin().
 * @return 0; -EINVAL: sizes, strides or alignment that the engine cannot do; -EFAULT: memory that
 *         it does not reach; -EBUSY: the channel has a transfer. Nothing has been moved then.
 * Order: the engine reads memory as this hart saw it before (the driver handles caches and write
 * buffers).
 */
HAL_DMA_WEAK int hal_dma_start(unsigned channel, const struct hal_dma_copy *copy);

/*
 * How is it going?
 * @return -EINPROGRESS; 0: all is written; -EIO, -EFAULT: the engine has met an error, and the
 *         contents of its destination are undefined. Any answer but -EINPROGRESS is given once
 *         and frees the channel. Acknowledges the engine's interrupt.
 * Order: after 0, this hart's reads see the moved data.
 */
HAL_DMA_WEAK int hal_dma_check(unsigned channel);

/* For drivers of engines that move one row at a time: the remaining rows. */
struct hal_dma_rows {
	struct hal_dma_copy left; /* rows 0: nothing; the row under way is its first */
};

static inline void hal_dma_rows_begin(struct hal_dma_rows *r, const struct hal_dma_copy *copy)
{
	r->left = *copy;
	/* Rows without a gap are one. */
	if (copy->to_stride == copy->bytes && copy->from_stride == copy->bytes) {
		r->left.bytes *= copy->rows;
		r->left.rows = 1;
	}
}

/* The row under way has ended. True: r->left begins with one that is to be started. */
static inline bool hal_dma_rows_next(struct hal_dma_rows *r)
{
	r->left.to += r->left.to_stride;
	r->left.from += r->left.from_stride;
	return --r->left.rows != 0;
}

/* For drivers: the engine's addresses and its reach. The board defines it. */
struct hal_dma_engine {
	uintptr_t base;
	uintptr_t controller; /* of interrupts */
	unsigned irq;         /* its first interrupt, by the controller's count; the rest follows */
	struct {
		uintptr_t first, last; /* addresses */
	} reach[2];
};

extern const struct hal_dma_engine hal_dma_engine;

/*
 * For drivers: does the engine reach all rows, which begin at `at`, in one of its ranges?
 * @return 0; -EINVAL: they go around the end of the address space; -EFAULT: it does not.
 */
static inline int hal_dma_reaches(uintptr_t at, const struct hal_dma_copy *copy, size_t stride)
{
	uintptr_t last;

	if (__builtin_mul_overflow(stride, copy->rows - 1, &last) ||
	    __builtin_add_overflow(last, copy->bytes - 1, &last) ||
	    __builtin_add_overflow(last, at, &last))
		return -EINVAL;
	for (unsigned i = 0; i < 2; i++) {
		if (at >= hal_dma_engine.reach[i].first && last <= hal_dma_engine.reach[i].last)
			return 0;
	}
	return -EFAULT;
}

/* For drivers: the first reason not to start it. @return 0; -EINVAL; -EFAULT: as hal_dma_start() */
static inline int hal_dma_refuse(const struct hal_dma_copy *copy)
{
	int r;

	if (!copy->bytes || !copy->rows)
		return -EINVAL;
	r = hal_dma_reaches(copy->to, copy, copy->to_stride);
	return r ? r : hal_dma_reaches(copy->from, copy, copy->from_stride);
}

#endif
