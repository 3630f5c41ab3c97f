/*
 * unicode.h - characters beyond ASCII: how UTF-8 spells them, what they are to a word.
 */
#ifndef WORDCOUNT_UNICODE_H
#define WORDCOUNT_UNICODE_H

#include <stddef.h>
#include <stdint.h>

#include "text.h"

/* Neighbouring characters of one kind, from <= c < to. Zero-filled: none. */
struct unicode_span {
	uint32_t from;
	uint32_t to;
	enum text_kind kind;
};

/* Bytes of the character that starts with `lead`; 0 if none does (also for ASCII). */
size_t unicode_length(unsigned char lead);

/*
 * Read one character.
 * @param p  `bytes` of them, at least one
 * @param c  where it goes; untouched if there is none
 * @return its bytes; 0 if p does not start with a whole, shortest-form character beyond ASCII.
 */
size_t unicode_read(const unsigned char *p, size_t bytes, uint32_t *c);

/*
 * What c, beyond ASCII, is to a word.
 * @param span  remembers the last answer, since most text stays in one script
 */
enum text_kind unicode_kind(uint32_t c, struct unicode_span *span);

#endif
