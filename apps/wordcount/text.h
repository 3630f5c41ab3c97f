/*
 * text.h - lines and words of a piece of text, such that pieces add up.
 *
 * A file cut anywhere between two characters has the same count as the whole:
 *	unicode_table_init();                           // once, before any other
 *	text_scan(&left, file, cut, false);
 *	text_scan(&right, file + cut, bytes - cut, false);
 *	text_append(&left, &right);                     // left is now the count of the whole
 *
 * Words are those of GNU wc in a UTF-8 locale: characters that can be seen make words, white space
 * and spaces that do not break lines end them, all others (controls, bytes that are no UTF-8)
 * change nothing. So a piece is described by its counts and by how it begins and ends.
 */
#ifndef WORDCOUNT_TEXT_H
#define WORDCOUNT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a character is to a word. */
enum text_kind {
	TEXT_NOTHING, /* passed over */
	TEXT_WORD,
	TEXT_SPACE,
};

/* Zero-filled: no text. */
struct text {
	uint64_t bytes;
	uint64_t lines;       /* newlines */
	uint64_t words;       /* a word that goes on from the piece before counts here too */
	enum text_kind first; /* of its characters that are something; TEXT_NOTHING: none is */
	enum text_kind last;
};

/*
 * Count a piece; *t is overwritten.
 * @param p      bytes of them, not ending inside a character (text_unfinished())
 * @param ascii  the C locale: bytes from 0x80 on are passed over
 * Cost: about 6 instructions a byte for ASCII, 20 to 30 for most else.
 */
void text_scan(struct text *t, const unsigned char *p, size_t bytes, bool ascii);

/* *t becomes the count of *t followed by *next. Associative. */
void text_append(struct text *t, const struct text *next);

/*
 * How many bytes at the end of p are the start of a character whose rest is missing: 0 to 3. They
 * belong to the next piece.
 */
size_t text_unfinished(const unsigned char *p, size_t bytes);

#endif
