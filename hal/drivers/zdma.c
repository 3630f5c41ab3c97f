/*
 * zdma.c - the general-purpose DMA of Zynq UltraScale+ behind hal/dma.h: eight channels in simple
 * mode, one row at a time, of any alignment and up to 1 GiB. Its interrupts are a GICv2's.
 *
 * It does not snoop: the driver writes cache lines back before a transfer and discards them after
 * it. Lines that a row shares with its neighbours are moved by the hart, for a cache writes whole
 * lines.
 *
 * Source: Zynq UltraScale+ Device Technical Reference Manual (UG1085), 19; register reference
 * (UG1087), ZDMA.
 */
#include <stdalign.h>
#include <string.h>

#include <hal/cache.h>
#include <hal/dma.h>
#include <hal_arch/sysreg.h>

#include "gicv2.h"

#define CHANNELS 8
#define CHANNEL_BYTES 0x10000
#define LINE ((uintptr_t)64) /* of a Cortex-A53's caches */
#define PART_MAX 0x3fffffffu

#define ISR 0x100
#define IEN 0x108
#define IDS 0x10c
#define ISR_DMA_DONE (1u << 10)
#define ISR_AXI (1u << 9 | 1u << 8) /* writing, reading */
#define ISR_OVERFLOW (1u << 3)      /* of the count of bytes */
#define ISR_INV_APB (1u << 0)       /* an access to no register */
#define ISR_ERRORS (ISR_AXI | ISR_OVERFLOW | ISR_INV_APB)
#define ISR_ALL 0xfffu
#define CTRL0 0x110
#define CTRL0_SIMPLE 0x80u /* descriptors in registers, read and write; over-fetch as after reset */
#define SRC_DSCR_WORD0 0x128 /* address, its upper half, bytes, flags */
#define DST_DSCR_WORD0 0x138
#define CTRL2 0x200
#define CTRL2_EN 1u

/* A piece that the engine moves at a time: whole lines. */
struct part {
	uintptr_t to, from;
	size_t bytes;
};

static struct {
	struct hal_dma_rows rows; /* under way if left.rows is not 0 */
	struct part part;
} work[CHANNELS];

/* Lines moved only for the interrupt, by transfers without a whole line of their own. */
static alignas(64) unsigned char nothing[2][64];

static volatile uint32_t *reg(unsigned channel, unsigned n)
{
	return (volatile uint32_t *)(hal_dma_engine.base + (uintptr_t)channel * CHANNEL_BYTES + n);
}

static void describe(unsigned channel, unsigned word0, uintptr_t at, size_t bytes)
{
	*reg(channel, word0) = (uint32_t)at;
	*reg(channel, word0 + 4) = (uint32_t)((uint64_t)at >> 32);
	*reg(channel, word0 + 8) = (uint32_t)bytes;
	*reg(channel, word0 + 12) = 0;
}

int hal_dma_init(void)
{
	for (unsigned c = 0; c < CHANNELS; c++) {
		*reg(c, CTRL2) = 0;
		*reg(c, IDS) = ISR_ALL;
		describe(c, SRC_DSCR_WORD0, hal_dma_engine.base, 0);
		if (*reg(c, SRC_DSCR_WORD0) != (uint32_t)hal_dma_engine.base || *reg(c, CTRL2))
			return -ENODEV;
		*reg(c, ISR) = ISR_ALL;
		*reg(c, CTRL0) = CTRL0_SIMPLE;
		*reg(c, IEN) = ISR_DMA_DONE | ISR_ERRORS;
		hal_gicv2_listen(hal_dma_engine.controller, hal_dma_engine.irq + c);
		work[c].rows.left.rows = 0;
	}
	return CHANNELS;
}

static void run(unsigned channel, const struct part *p)
{
	work[channel].part = *p;
	hal_cache_clean((const void *)p->from, p->bytes);
	hal_cache_flush((const void *)p->to,
			p->bytes); /* else a line may be written back over it */
	describe(channel, SRC_DSCR_WORD0, p->from, p->bytes);
	describe(channel, DST_DSCR_WORD0, p->to, p->bytes);
	hal_dsb();
	*reg(channel, CTRL2) = CTRL2_EN;
}

/* The lines that a row fills. */
static struct part lines_of(const struct hal_dma_copy *row)
{
	size_t before = -row->to & (LINE - 1);
	size_t bytes = row->bytes > before ? (row->bytes - before) & ~(LINE - 1) : 0;

	return (struct part){ row->to + before, row->from + before, bytes };
}

/* Begin rows until there is something for the engine; false: all has been moved. */
static bool begin(unsigned channel)
{
	struct hal_dma_rows *rows = &work[channel].rows;

	do {
		const struct hal_dma_copy *row = &rows->left;
		struct part p = lines_of(row);
		size_t before = p.bytes ? p.to - row->to : row->bytes;
		size_t after = row->bytes - before - p.bytes;

		memcpy((void *)row->to, (const void *)row->from, before);
		memcpy((void *)(p.to + p.bytes), (const void *)(p.from + p.bytes), after);
		if (p.bytes) {
			run(channel, &p);
			return true;
		}
	} while (hal_dma_rows_next(rows));
	return false;
}

int hal_dma_start(unsigned channel, const struct hal_dma_copy *copy)
{
	struct hal_dma_rows rows;
	int r;

	if (channel >= CHANNELS)
		return -EINVAL;
	if (work[channel].rows.left.rows)
		return -EBUSY;
	r = hal_dma_refuse(copy);
	if (r)
		return r;
	hal_dma_rows_begin(&rows, copy);
	if (rows.left.bytes > PART_MAX)
		return -EINVAL;
	work[channel].rows = rows;
	if (!begin(channel)) {
		work[channel].rows.left.rows = 1; /* one more, of nothing */
		run(channel, &(struct part){ (uintptr_t)nothing[0], (uintptr_t)nothing[1], LINE });
	}
	return 0;
}

int hal_dma_check(unsigned channel)
{
	uint32_t isr = *reg(channel, ISR);
	struct part *p = &work[channel].part;

	if (!(isr & (ISR_DMA_DONE | ISR_ERRORS)))
		return -EINPROGRESS;
	*reg(channel, ISR) = isr;
	hal_dsb(); /* its interrupt is taken back, and its end seen, before memory is looked at */
	hal_cache_flush((const void *)p->to, p->bytes); /* discard lines prefetched meanwhile */
	if (isr & ISR_ERRORS) {
		*reg(channel, CTRL2) = 0;
		work[channel].rows.left.rows = 0;
		return isr & ISR_AXI ? -EFAULT : -EIO;
	}
	return hal_dma_rows_next(&work[channel].rows) && begin(channel) ? -EINPROGRESS : 0;
}
