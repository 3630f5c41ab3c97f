/*
 * unicode.c - see unicode.h. Source: RFC 3629 for UTF-8; the classes are glibc's, as wc sees them.
 */
#include "unicode.h"

#include "printable.h"

#define EDGES (sizeof(printable_edges) / sizeof(printable_edges[0]))

size_t unicode_length(unsigned char lead)
{
	if (lead < 0xc2) /* ASCII, a continuation, or a longer form of ASCII */
		return 0;
	if (lead < 0xe0)
		return 2;
	if (lead < 0xf0)
		return 3;
	return lead < 0xf5 ? 4 : 0;
}

size_t unicode_read(const unsigned char *p, size_t bytes, uint32_t *c)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t length = unicode_length(p[0]);

	if (length == 0 || length > bytes)
		return 0;
	uint32_t value = p[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (p[i] & 0x3f);
	}
	if (value < smallest[length])
		return 0;
	*c = value;
	return length;
}

/* The span of printable or unprintable characters around c. */
static void find_span(uint32_t c, struct unicode_span *span)
{
	size_t low = 0; /* edges before it are <= c, edges from `high` on are > c */
	size_t high = EDGES;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (printable_edges[middle] <= c)
			low = middle + 1;
		else
			high = middle;
	}
	span->from = low ? printable_edges[low - 1] : 0;
	span->to = low < EDGES ? printable_edges[low] : UINT32_MAX;
	span->kind = low % 2 ? TEXT_WORD : TEXT_NOTHING;
}

/* Spaces that can be "seen", and those that wc adds because they part words without a line break. */
static bool is_space(uint32_t c)
{
	switch (c) {
	case 0x00a0:
	case 0x1680:
	case 0x2000 ... 0x200a:
	case 0x202f:
	case 0x205f:
	case 0x2060:
	case 0x3000:
		return true;
	default:
		return false;
	}
}

enum text_kind unicode_kind(uint32_t c, struct unicode_span *span)
{
	if (is_space(c))
		return TEXT_SPACE;
	if (c < span->from || c >= span->to)
		find_span(c, span);
	return span->kind;
}
