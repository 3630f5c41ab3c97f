/*
 * text.c - see text.h.
 *
 * Most text is ASCII, so eight bytes are looked at as one word where that is possible: an addition
 * to all of them leaves in the high bit of each whether it was at least some value. Numbers are
 * little-endian, as on every machine Cohart runs on.
 */
#include "text.h"

#include "unicode.h"

#define EACH(byte) ((byte)*UINT64_C(0x0101010101010101))
#define HIGH EACH(0x80)

/* The high bit of each byte of x, all ASCII, that is at least n. */
#define AT_LEAST(x, n) (((x) + EACH(0x80u - (n))) & HIGH)

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "first and last byte of eight");

/* A word of memory, whatever type was written there. */
typedef uint64_t __attribute__((may_alias)) eight_bytes;

/* How many high bits are set. */
static unsigned count_high(uint64_t bits)
{
	return (unsigned)(((bits >> 7) * EACH(1)) >> 56);
}

/* Count eight ASCII characters. Returns false, nothing counted, if one of them is passed over. */
static inline bool scan_eight(struct text *t, uint64_t x)
{
	uint64_t word = AT_LEAST(x, '!');
	uint64_t control = (~AT_LEAST(x, ' ') & HIGH) | AT_LEAST(x, 0x7f);

	if (control) {
		uint64_t space = AT_LEAST(x, '\t') & ~AT_LEAST(x, '\r' + 1);

		if (control & ~space)
			return false;
		t->lines += count_high(AT_LEAST(x, '\n') & ~AT_LEAST(x, '\n' + 1));
	}
	uint64_t before = word << 8 | (t->last == TEXT_WORD ? 0x80 : 0);

	t->words += count_high(word & ~before);
	if (t->first == TEXT_NOTHING)
		t->first = word & 0x80 ? TEXT_WORD : TEXT_SPACE;
	t->last = word >> 63 ? TEXT_WORD : TEXT_SPACE;
	return true;
}

static inline void scan_kind(struct text *t, enum text_kind kind)
{
	if (kind == TEXT_NOTHING)
		return;
	if (t->first == TEXT_NOTHING)
		t->first = kind;
	t->words += kind == TEXT_WORD && t->last != TEXT_WORD;
	t->last = kind;
}

static inline void scan_ascii(struct text *t, unsigned char c)
{
	t->lines += c == '\n';
	if (c == ' ' || (c >= '\t' && c <= '\r'))
		scan_kind(t, TEXT_SPACE);
	else if (c > ' ' && c < 0x7f)
		scan_kind(t, TEXT_WORD);
}

void text_scan(struct text *t, const unsigned char *p, size_t bytes, bool ascii)
{
	const unsigned char *end = p + bytes;
	struct text count = { .bytes = bytes }; /* a local one can live in registers */

	while (p < end) {
		if ((uintptr_t)p % 8 == 0 && end - p >= 8) {
			uint64_t x = *(const eight_bytes *)p;

			if (!(x & HIGH) && scan_eight(&count, x)) {
				p += 8;
				continue;
			}
		}
		enum text_kind kind;
		size_t length = 0;

		if (*p < 0x80) {
			scan_ascii(&count, *p);
		} else if (!ascii) {
			length = unicode_read(p, (size_t)(end - p), &kind);
			if (length)
				scan_kind(&count, kind);
		}
		p += length ? length : 1;
	}
	*t = count;
}

void text_append(struct text *t, const struct text *next)
{
	t->bytes += next->bytes;
	t->lines += next->lines;
	t->words += next->words;
	if (t->last == TEXT_WORD && next->first == TEXT_WORD)
		t->words--; /* one word, seen from both sides of the cut */
	if (t->first == TEXT_NOTHING)
		t->first = next->first;
	if (next->last != TEXT_NOTHING)
		t->last = next->last;
}

size_t text_unfinished(const unsigned char *p, size_t bytes)
{
	for (size_t back = 1; back <= 3 && back <= bytes; back++) {
		unsigned char c = p[bytes - back];

		if ((c & 0xc0) !=
		    0x80) /* no continuation: this is where the last character starts */
			return unicode_length(c) > back ? back : 0;
	}
	return 0;
}
