/* dma_check.c - may a transfer be done? And if not, an explanation. */
#include <hal/guard.h>

#include "../core/core.h"
#include "../core/memory/image.h"
#include "dma.h"

_Thread_local struct co_dma_near co_dma_near;

/* Reasons; for these two, co_dma_explain() says more. */
static const char bad_to[] = "cannot be written: ", bad_from[] = "cannot be read: ";

struct hal_dma_copy co_dma_describe(const struct co_dma *d)
{
	size_t rows = d->rows ? d->rows : 1;

	return (struct hal_dma_copy){
		.to = (uintptr_t)d->to,
		.from = (uintptr_t)d->from,
		.bytes = d->bytes,
		.rows = rows,
		.to_stride = rows > 1 && d->to_stride ? d->to_stride : d->bytes,
		.from_stride = rows > 1 && d->from_stride ? d->from_stride : d->bytes,
	};
}

static bool holds_device(uintptr_t p, uintptr_t end)
{
	for (const struct hal_region *d = hal_board.devices; d->bytes; d++) {
		if (p < d->base + d->bytes && end > d->base)
			return true;
	}
	return false;
}

bool co_dma_nearby(uintptr_t p, size_t bytes)
{
	struct co_dma_near *near = &co_dma_near;

	if (!near->spm_bytes) {
		near->spm = co_machine.spm;
		near->spm_public = co_machine.spm_public;
		near->spm_bytes = (size_t)co_machine.harts * BOARD_SPM_BYTES;
		near->heap = co_machine.heap_base;
		near->heap_bytes = co_machine.heap_end - co_machine.heap_base;
	}
	return co_dma_is_near(p, bytes);
}

/*
 * The rest of co_dma_usable(). A mover, or an engine, can access memory that the caller's map
 * forbids.
 */
static NOINLINE bool is_usable(uintptr_t p, size_t bytes, bool write)
{
	uintptr_t end = p + bytes;

	if (!co_spm_shared((const void *)p, bytes))
		return false;
	/* Each hart has its own copy of these pages: the mover would use its own. */
	if (p < (uintptr_t)__own_end && end > (uintptr_t)__own_start)
		return false;
	return hal_map_allows(co_executor.map, p, bytes, write ? HAL_MAP_WRITE : HAL_MAP_READ) &&
	       !holds_device(p, end);
}

bool co_dma_usable(uintptr_t p, size_t bytes, bool write)
{
	if (p + bytes < p)
		return false;
	/* The usual cases need no walk through page tables. */
	return co_image_plain(p, bytes) || co_dma_nearby(p, bytes) || is_usable(p, bytes, write);
}

/* Bytes from the first to the end of the last row. Returns false on overflow. */
static bool span(const struct hal_dma_copy *c, size_t stride, size_t *n)
{
	return !__builtin_mul_overflow(c->rows - 1, stride, n) &&
	       !__builtin_add_overflow(*n, c->bytes, n);
}

/*
 * Rows of one plane: b's rows begin `apart` bytes after a's rows. Two rows meet only if their
 * numbers differ by apart / stride, or by one more: else they are a whole stride apart.
 */
static bool some_meet(const struct co_row_set *a, const struct co_row_set *b, size_t apart)
{
	size_t stride = a->stride[1];

	if (!stride)
		return apart < a->bytes;
	return (apart / stride < a->count[1] && apart % stride < a->bytes) ||
	       (apart / stride + 1 < a->count[1] && stride - apart % stride < b->bytes);
}

bool co_rows_meet(const struct co_row_set *a, const struct co_row_set *b)
{
	size_t stride = a->stride[0];
	size_t apart, k;

	CO_ASSERT_OWN(memcmp(a->stride, b->stride, sizeof(a->stride)) == 0);
	if (b->at < a->at)
		return co_rows_meet(b, a);
	apart = b->at - a->at;
	if (!stride)
		return some_meet(a, b, apart);
	k = apart / stride;
	apart %= stride;
	return (k < a->count[0] && some_meet(a, b, apart)) ||
	       (k + 1 < a->count[0] && some_meet(b, a, stride - apart));
}

static struct co_row_set rows_at(const struct hal_dma_copy *c, uintptr_t at, size_t stride)
{
	return (struct co_row_set){
		.at = at, .bytes = c->bytes, .count = { 1, c->rows }, .stride = { 0, stride }
	};
}

/* Is a byte both read and written? Rows with different strides count as one range. */
static NOINLINE bool rows_overlap(const struct hal_dma_copy *c)
{
	struct co_row_set read = rows_at(c, c->from, c->from_stride);
	struct co_row_set written = rows_at(c, c->to, c->to_stride);

	return c->to_stride != c->from_stride || co_rows_meet(&read, &written);
}

/* Do source and destination overlap? */
static bool copies_overlap(const struct hal_dma_copy *c, size_t to, size_t from)
{
	return (c->to - c->from < from || c->from - c->to < to) && rows_overlap(c);
}

/* Why the transfer is refused, or NULL. */
static const char *why_not(const struct hal_dma_copy *c)
{
	size_t to, from;

	if (!c->bytes)
		return "rows have no bytes";
	if (!span(c, c->to_stride, &to) || !span(c, c->from_stride, &from))
		return "that ends beyond all addresses";
	if (c->rows > 1 && c->to_stride < c->bytes)
		return "rows overlap where they are written";
	if (!co_dma_usable(c->to, to, true))
		return bad_to;
	if (!co_dma_usable(c->from, from, false))
		return bad_from;
	return copies_overlap(c, to, from) ? "what is read and what is written overlap" : NULL;
}

int co_dma_refuse(const struct hal_dma_copy *c)
{
	const char *why = why_not(c);

	return !why ? 0 : why == bad_to || why == bad_from ? -EFAULT : -EINVAL;
}

bool co_dma_translate(struct hal_dma_copy *c)
{
	uintptr_t to_before = c->to, from_before = c->from;
	size_t to, from;

	if (!span(c, c->to_stride, &to) || !span(c, c->from_stride, &from))
		return false;
	c->to = (uintptr_t)co_public((const void *)c->to, to);
	c->from = (uintptr_t)co_public((const void *)c->from, from);
	return c->to != to_before || c->from != from_before;
}

/* ---- In words ---- */

/* Append why the side at p is not usable; span() has checked it. */
static void add_fault(struct co_text *t, uintptr_t p, size_t stride, const struct hal_dma_copy *c,
		      bool write)
{
	size_t bytes = (c->rows - 1) * stride + c->bytes;
	int hart = co_spm_hart((const void *)p);
	struct co_stack_place place;

	if (p < HAL_PAGE_BYTES)
		co_text_add(t, "there is nothing: a null pointer");
	else if (co_stack_find(p, &place) && place.guard)
		co_text_add(t, "that is a guard page");
	else if (co_image_guard(p))
		co_text_add(t, "that is a guard page between static data");
	else if (hart >= 0 && co_spm_shared((const void *)p, 1))
		co_text_add(t, "it runs into the private scratchpad of hart %d", hart);
	else if (hart >= 0)
		co_text_add(t,
			    "that is the private scratchpad of hart %d: co_spm_alloc() gives "
			    "shared memory",
			    hart);
	else if ((p < (uintptr_t)__own_end && p + bytes > (uintptr_t)__own_start) ||
		 co_is_private((const void *)p))
		co_text_add(t, "each hart has its own of that");
	else if (holds_device(p, p + bytes))
		co_text_add(t, "that is a device");
	else if (write && p >= (uintptr_t)__text_start && p < (uintptr_t)__data_start)
		co_text_add(t, "that is code or constants");
	else
		co_text_add(t, "there is no memory, or not so much");
}

static void add_side(struct co_text *t, const char *word, uintptr_t p, size_t stride,
		     const struct hal_dma_copy *c)
{
	co_text_add(t, " %s 0x%lx", word, (unsigned long)p);
	if (c->rows > 1)
		co_text_add(t, " (every %lu)", (unsigned long)stride);
}

const char *co_dma_explain(const struct co_dma *d, char *text, size_t bytes)
{
	struct hal_dma_copy c = co_dma_describe(d);
	struct co_text t = { text, bytes, 0 };
	const char *why = why_not(&c);
	int status = co_dma_check(d);

	co_text_add(&t, "%lu x %lu bytes", (unsigned long)c.rows, (unsigned long)c.bytes);
	add_side(&t, "from", c.from, c.from_stride, &c);
	add_side(&t, "to", c.to, c.to_stride, &c);
	co_text_add(&t, ": %s",
		    why                      ? why
		    : status == -EINPROGRESS ? "under way"
		    : status                 ? "the engine has failed"
					     : "done");
	if (why == bad_to)
		add_fault(&t, c.to, c.to_stride, &c, true);
	if (why == bad_from)
		add_fault(&t, c.from, c.from_stride, &c, false);
	return text;
}
