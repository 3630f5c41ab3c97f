/*
 * sifive_pdma.c - SiFive's platform DMA engine behind hal/dma.h: four channels, one row at a time.
 * Its interrupts are the PLIC's: of channel 0's end, its error, then channel 1's.
 *
 * A channel is claimed once and kept. It moves one row, and of a row no more than its counter
 * holds: rows and their pieces are started in sequence. Its transactions are as large as they are
 * aligned.
 *
 * The manual's version 1.0 has different places for the two interrupt enables; here are the places
 * of Linux, QEMU and later chips.
 *
 * Source: SiFive FU540-C000 manual, chapter 12 (engine) and 10 (interrupts, contexts).
 */
#include <errno.h>

#include <hal/dma.h>
#include <hal/irq.h>

#include "plic.h"

#define CHANNELS 4
#define CHANNEL_BYTES 0x1000

#define CONTROL 0x000
#define CONTROL_CLAIM (1u << 0)
#define CONTROL_RUN (1u << 1)
#define CONTROL_DONE_IE (1u << 14)
#define CONTROL_ERROR_IE (1u << 15)
#define CONTROL_DONE (1u << 30)
#define CONTROL_ERROR (1u << 31)
#define NEXT_CONFIG 0x004
#define NEXT_CONFIG_SIZES(log) ((uint32_t)(log) << 28 | (uint32_t)(log) << 24) /* rsize, wsize */
#define NEXT_BYTES 0x008
#define NEXT_DESTINATION 0x010
#define NEXT_SOURCE 0x018

#define TRANSACTION 64u /* the largest */

static struct {
	struct hal_dma_rows rows;
	size_t at;    /* bytes of the first row that have been moved */
	size_t piece; /* bytes under way */
} work[CHANNELS];
static size_t longest; /* piece: the most that a channel's counter holds */
static unsigned context;

static volatile uint32_t *reg(unsigned channel, uintptr_t n)
{
	return (volatile uint32_t *)(hal_dma_engine.base + channel * CHANNEL_BYTES + n);
}

static volatile uint64_t *wide(unsigned channel, uintptr_t n)
{
	return (volatile uint64_t *)reg(channel, n);
}

int hal_dma_init(void)
{
	hal_irq_external();
	context = 2 * hal_here.hwid; /* two a hart, but for hart 0 */
	for (unsigned c = 0; c < CHANNELS; c++) {
		*reg(c, CONTROL) = 0;
		*reg(c, CONTROL) = CONTROL_CLAIM;
		if (!(*reg(c, CONTROL) & CONTROL_CLAIM))
			return -ENODEV;
		hal_plic_listen(hal_dma_engine.controller, context, hal_dma_engine.irq + 2 * c);
		hal_plic_listen(hal_dma_engine.controller, context, hal_dma_engine.irq + 2 * c + 1);
		work[c].rows.left.rows = 0;
	}
	*wide(0, NEXT_BYTES) = SIZE_MAX;
	longest = *wide(0, NEXT_BYTES) & ~(size_t)(TRANSACTION - 1);
	return longest ? CHANNELS : -ENODEV;
}

static void start_piece(unsigned channel)
{
	const struct hal_dma_copy *row = &work[channel].rows.left;
	size_t at = work[channel].at;
	size_t piece = row->bytes - at < longest ? row->bytes - at : longest;
	uintptr_t aligned = (row->to + at) | (row->from + at) | piece | TRANSACTION;

	work[channel].piece = piece;
	*reg(channel, NEXT_CONFIG) = NEXT_CONFIG_SIZES(__builtin_ctzl(aligned));
	*wide(channel, NEXT_BYTES) = piece;
	*wide(channel, NEXT_DESTINATION) = row->to + at;
	*wide(channel, NEXT_SOURCE) = row->from + at;
	/* Stores to memory are visible before the engine starts. */
	__asm__ volatile("fence rw, o" ::: "memory");
	*reg(channel, CONTROL) = CONTROL_CLAIM | CONTROL_RUN | CONTROL_DONE_IE | CONTROL_ERROR_IE;
}

/* The piece under way has ended. True: there is another. */
static bool next_piece(unsigned channel)
{
	work[channel].at += work[channel].piece;
	if (work[channel].at < work[channel].rows.left.bytes)
		return true;
	work[channel].at = 0;
	return hal_dma_rows_next(&work[channel].rows);
}

int hal_dma_start(unsigned channel, const struct hal_dma_copy *copy)
{
	int r;

	if (channel >= CHANNELS)
		return -EINVAL;
	if (work[channel].rows.left.rows)
		return -EBUSY;
	r = hal_dma_refuse(copy);
	if (r)
		return r;
	hal_dma_rows_begin(&work[channel].rows, copy);
	work[channel].at = 0;
	start_piece(channel);
	return 0;
}

int hal_dma_check(unsigned channel)
{
	uint32_t control = *reg(channel, CONTROL);

	if (!(control & (CONTROL_DONE | CONTROL_ERROR)))
		return -EINPROGRESS;
	*reg(channel, CONTROL) = CONTROL_CLAIM;
	for (unsigned which = 0; which < 2; which++)
		hal_plic_settle(hal_dma_engine.controller, context,
				hal_dma_engine.irq + 2 * channel + which);
	/* Loads of the engine's data come after the look that saw its end. */
	__asm__ volatile("fence i, rw" ::: "memory");
	if (control & CONTROL_ERROR) {
		work[channel].rows.left.rows = 0;
		return -EIO;
	}
	if (!next_piece(channel))
		return 0;
	start_piece(channel);
	return -EINPROGRESS;
}
