/*
 * rows.c - see rows.h. Of two that begin D bytes apart, only those meet whose numbers differ by
 * D / stride, or by one more: the others are a whole stride away from each other.
 */
#include <string.h>

#include <cohart/assert.h>

#include "rows.h"

/* Rows of one plane: those of b begin `apart` bytes after those of a. */
static bool rows_meet(const struct co_row_set *a, const struct co_row_set *b, size_t apart)
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

	CO_ASSERT(memcmp(a->stride, b->stride, sizeof(a->stride)) == 0);
	if (b->at < a->at) {
		const struct co_row_set *later = a;

		a = b;
		b = later;
	}
	apart = b->at - a->at;
	if (!stride)
		return rows_meet(a, b, apart);
	k = apart / stride;
	apart %= stride;
	return (k < a->count[0] && rows_meet(a, b, apart)) ||
	       (k + 1 < a->count[0] && rows_meet(b, a, stride - apart));
}
