/*
 * mark.c - see cohart/mark.h and hal/mark.h.
 */
#include <cohart/mark.h>
#include <hal/mark.h>
#include <hal/time.h>

#include "core.h"

void co_waypoint(const char *text)
{
	struct co *c = co_executor.current;

	if (!c)
		return;
	co_trace_touch(text);
	co_trace_note(CO_TRACE_WAYPOINT, (uintptr_t)text);
	/* relaxed, all: for reports, which may look at any moment. */
	co_atomic_store(&c->waypoint, (uintptr_t)text, CO_RELAXED);
	co_atomic_store(&c->waypoint_at, co_since(hal_time_now()), CO_RELAXED);
	co_atomic_store(&c->waypoint_of, co_atomic_load(&c->births, CO_RELAXED), CO_RELAXED);
}

/* Numbers are told by the addresses of single bytes. */
static void mark_number(uint32_t n)
{
	static const unsigned char digits[16];

	hal_mark_at(HAL_MARK_NUMBER, digits);
	for (int shift = 28; shift >= 0; shift -= 4) {
		if (n >> shift)
			hal_mark_at(HAL_MARK_DIGIT, &digits[n >> shift & 15]);
	}
}

void co_mark_begin(const char *name)
{
	co_waypoint(name);
	hal_mark_at(HAL_MARK_BEGIN, name);
}

void co_mark_end(const char *name, uint32_t messages)
{
	mark_number(messages);
	hal_mark_at(HAL_MARK_END, name);
	co_waypoint(name);
}

void co_mark_dma_start(const void *dma, uint32_t bytes, uint32_t rows)
{
	if (rows > 1) {
		mark_number(rows);
		hal_mark_at(HAL_MARK_DMA_ROWS, dma);
	}
	mark_number(bytes);
	hal_mark_at(HAL_MARK_DMA_START, dma);
}

void co_mark_dma_move(const void *dma)
{
	hal_mark_at(HAL_MARK_DMA_MOVE, dma);
}

void co_mark_dma_moved(const void *dma)
{
	hal_mark_at(HAL_MARK_DMA_MOVED, dma);
}

void co_mark_dma_wait(const void *dma)
{
	hal_mark_at(HAL_MARK_DMA_WAIT, dma);
}
