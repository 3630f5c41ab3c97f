/*
 * dma_get.c - transfers between main memory and a scratchpad.
 */
#include "../core/core.h"
#include "dma.h"

/* Dense there, as the rows say in main memory. */
static void set_get(struct co_dma *d, void *spm, const void *from, struct co_rows r)
{
	d->to = spm;
	d->from = from;
	d->bytes = r.bytes;
	d->rows = r.rows;
	d->to_stride = 0;
	d->from_stride = r.stride;
}

static void set_put(struct co_dma *d, void *to, const void *spm, struct co_rows r)
{
	d->to = to;
	d->from = spm;
	d->bytes = r.bytes;
	d->rows = r.rows;
	d->to_stride = r.stride;
	d->from_stride = 0;
}

int co_dma_get(void *spm, const void *from, struct co_rows rows)
{
	struct co_dma what = { .running = NULL };

	set_get(&what, spm, from, rows);
	return co_dma_move(&what);
}

int co_dma_put(void *to, const void *spm, struct co_rows rows)
{
	struct co_dma what = { .running = NULL };

	set_put(&what, to, spm, rows);
	return co_dma_move(&what);
}

int co_dma_get_start(struct co_dma *d, void *spm, const void *from, struct co_rows rows)
{
	CO_ASSERT(d && co_spm_shared(d, sizeof(*d)));
	set_get(d, spm, from, rows);
	return co_dma_start(d);
}

int co_dma_put_start(struct co_dma *d, void *to, const void *spm, struct co_rows rows)
{
	CO_ASSERT(d && co_spm_shared(d, sizeof(*d)));
	set_put(d, to, spm, rows);
	return co_dma_start(d);
}

int co_dma_broadcast_start(struct co_dma *each, void *spm, const void *from, struct co_rows rows,
			   const unsigned *harts, unsigned n, struct co_counter *running)
{
	int error = 0;

	CO_ASSERT(each && co_spm_shared(each, n * sizeof(*each)));
	CO_ASSERT(running && co_spm_shared(running, sizeof(*running)));
	for (unsigned i = 0; i < n; i++) {
		struct hal_dma_copy c;
		int r;

		each[i].running = running;
		set_get(&each[i], co_spm_at(spm, harts[i]), from, rows);
		c = co_dma_describe(&each[i]);
		r = co_dma_refuse(&c);
		co_atomic_store(&each[i].status, (uint32_t)r, CO_RELAXED); /* this coroutine's */
		error = error ? error : r;
	}
	if (error)
		return error;
	for (unsigned i = 0; i < n; i++)
		co_dma_begin(&each[i]);
	return 0;
}
