/*
 * rows.h - do rows that lie at equal distances meet? Columns of one array lie between each other
 * and do not, although one begins before the other has ended.
 */
#ifndef COHART_DATA_ROWS_H
#define COHART_DATA_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Is there a byte of both? Their strides are the same (asserted). Context: any. */
bool co_rows_meet(const struct co_row_set *a, const struct co_row_set *b);

#endif
