/*
 * sifive_pdma.c - SiFive's platform DMA engine.
 *
 * A channel is claimed once and kept. It moves one row, so rows with gaps are started one after the
 * other. Alignment is no matter: the engine breaks transfers up as it needs.
 */
#include <errno.h>

#include <hal/dma.h>
#include <hal/irq.h>

#include "plic.h"
#include "sifive_pdma.h"

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
#define NEXT_CONFIG_WIDEST 0xff000000u /* wsize, rsize: the largest transactions */
#define NEXT_BYTES 0x008
#define NEXT_DESTINATION 0x010
#define NEXT_SOURCE 0x018

static struct hal_dma_rows work[CHANNELS];
static unsigned context;

static volatile uint32_t *reg(unsigned channel, uintptr_t n)
{
	return (volatile uint32_t *)(hal_sifive_pdma.base + channel * CHANNEL_BYTES + n);
}

static volatile uint64_t *wide(unsigned channel, uintptr_t n)
{
	return (volatile uint64_t *)reg(channel, n);
}

int hal_dma_init(void)
{
	context = 2 * hal_irq_external(); /* two a hart, but for hart 0 */
	for (unsigned c = 0; c < CHANNELS; c++) {
		*reg(c, CONTROL) = 0;
		*reg(c, CONTROL) = CONTROL_CLAIM;
		if (!(*reg(c, CONTROL) & CONTROL_CLAIM))
			return -ENODEV;
		hal_plic_listen(hal_sifive_pdma.plic, context, hal_sifive_pdma.source + 2 * c);
		hal_plic_listen(hal_sifive_pdma.plic, context, hal_sifive_pdma.source + 2 * c + 1);
		work[c].left.rows = 0;
	}
	return CHANNELS;
}

static int reaches(uintptr_t at, const struct hal_dma_copy *copy, size_t stride)
{
	return hal_dma_reaches(hal_sifive_pdma.reach,
			       sizeof(hal_sifive_pdma.reach) / sizeof(*hal_sifive_pdma.reach), at,
			       copy, stride);
}

static void start_row(unsigned channel)
{
	const struct hal_dma_copy *row = &work[channel].left;

	*reg(channel, NEXT_CONFIG) = NEXT_CONFIG_WIDEST;
	*wide(channel, NEXT_BYTES) = row->bytes;
	*wide(channel, NEXT_DESTINATION) = row->to;
	*wide(channel, NEXT_SOURCE) = row->from;
	/* What was written to memory is visible before the engine starts. */
	__asm__ volatile("fence rw, o" ::: "memory");
	*reg(channel, CONTROL) = CONTROL_CLAIM | CONTROL_RUN | CONTROL_DONE_IE | CONTROL_ERROR_IE;
}

int hal_dma_start(unsigned channel, const struct hal_dma_copy *copy)
{
	int r;

	if (channel >= CHANNELS || !copy->bytes || !copy->rows)
		return -EINVAL;
	if (work[channel].left.rows)
		return -EBUSY;
	r = reaches(copy->to, copy, copy->to_stride);
	if (!r)
		r = reaches(copy->from, copy, copy->from_stride);
	if (r)
		return r;
	hal_dma_rows_begin(&work[channel], copy);
	start_row(channel);
	return 0;
}

int hal_dma_check(unsigned channel)
{
	uint32_t control = *reg(channel, CONTROL);

	if (!(control & (CONTROL_DONE | CONTROL_ERROR)))
		return -EINPROGRESS;
	*reg(channel, CONTROL) = CONTROL_CLAIM;
	hal_plic_settle(hal_sifive_pdma.plic, context);
	/* The engine's end was seen before what it has written is looked at. */
	__asm__ volatile("fence i, rw" ::: "memory");
	if (control & CONTROL_ERROR) {
		work[channel].left.rows = 0;
		return -EIO;
	}
	if (!hal_dma_rows_next(&work[channel]))
		return 0;
	start_row(channel);
	return -EINPROGRESS;
}
