/* text.c - fuzzes the word count: a text cut between any two characters counts as the whole. */
#include "../../apps/wordcount/text.c"
#include "../../apps/wordcount/unicode.c"
#include "fuzz.h"

static void count(const uint8_t *p, size_t size, bool ascii)
{
	struct text whole, left, right;

	text_scan(&whole, p, size, ascii);
	for (size_t cut = 0; cut <= size; cut++) {
		size_t rest = text_unfinished(p, cut);
		size_t at = cut - rest;
		/* Pieces of their own: a look beyond is found. */
		uint8_t *a = malloc(at + 1), *b = malloc(size - at + 1);

		MUST(rest <= 3 && rest <= cut);
		memcpy(a + 1, p, at);
		memcpy(b + 1, p + at, size - at);
		text_scan(&left, a + 1, at, ascii);
		text_scan(&right, b + 1, size - at, ascii);
		text_append(&left, &right);
		MUST(left.bytes == whole.bytes && left.lines == whole.lines);
		MUST(left.words == whole.words && left.first == whole.first);
		MUST(left.last == whole.last);
		free(a);
		free(b);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool ready;

	if (!ready)
		unicode_table_init();
	ready = true;
	/* The end of a text may be anything; the end of a piece is between characters. */
	size -= text_unfinished(data, size);
	if (size > 64)
		size = 64 - text_unfinished(data, 64);
	count(data, size, false);
	count(data, size, true);
	return 0;
}
