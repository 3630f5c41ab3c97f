/*
 * unicode.c - see unicode.h. Source: RFC 3629 for UTF-8; the classes are glibc's, as wc sees them.
 */
#include "unicode.h"

#include <string.h>

#include "printable.h"

#define EDGES (sizeof(printable_edges) / sizeof(printable_edges[0]))

/* The characters that nearly all text is made of have a table; the others are searched for. */
#define COMMON 0x10000

/* An enum text_kind for each. */
static uint8_t kinds[COMMON];

/* Spaces that count as printable, and those that wc adds because they part words, not lines. */
static const uint16_t spaces[] = {
	0x00a0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006,
	0x2007, 0x2008, 0x2009, 0x200a, 0x202f, 0x205f, 0x2060, 0x3000,
};

void unicode_table_init(void)
{
	for (size_t i = 0; i + 1 < EDGES && printable_edges[i] < COMMON; i += 2) {
		uint32_t from = printable_edges[i];
		uint32_t to = printable_edges[i + 1] < COMMON ? printable_edges[i + 1] : COMMON;

		memset(&kinds[from], TEXT_WORD, to - from);
	}
	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++)
		kinds[spaces[i]] = TEXT_SPACE;
}

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

/* Between two edges all characters are alike: printable after an even one, not after an odd one. */
static enum text_kind search(uint32_t c)
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
	return low % 2 ? TEXT_WORD : TEXT_NOTHING;
}

static inline bool continues(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

size_t unicode_read(const unsigned char *p, size_t bytes, enum text_kind *kind)
{
	size_t length = unicode_length(p[0]);
	uint32_t c;

	if (length == 0 || length > bytes || !continues(p[1]))
		return 0;
	if (length == 2) {
		c = (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
		*kind = kinds[c];
		return 2;
	}
	if (!continues(p[2]))
		return 0;
	if (length == 3) {
		c = (p[0] & 0xfu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
		if (c < 0x800) /* there is a shorter form */
			return 0;
		*kind = kinds[c];
		return 3;
	}
	if (!continues(p[3]))
		return 0;
	c = (p[0] & 7u) << 18 | (p[1] & 0x3fu) << 12 | (p[2] & 0x3fu) << 6 | (p[3] & 0x3fu);
	if (c < COMMON)
		return 0;
	*kind = search(c);
	return 4;
}
