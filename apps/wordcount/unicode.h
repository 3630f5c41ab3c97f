/*
 * unicode.h - characters beyond ASCII: how UTF-8 spells them, what they are to a word.
 */
#ifndef WORDCOUNT_UNICODE_H
#define WORDCOUNT_UNICODE_H

#include <stddef.h>

#include "text.h"

/* Fill the table; all harts that are started later may use it. Once, before any other. */
void unicode_table_init(void);

/* Bytes of the character that starts with `lead`; 0 if none does (also for ASCII). */
size_t unicode_length(unsigned char lead);

/*
 * Read one character.
 * @param p     `bytes` of them, at least one
 * @param kind  what it is to a word; untouched if there is none
 * @return its bytes; 0 if p does not start with a whole, shortest-form character beyond ASCII.
 */
size_t unicode_read(const unsigned char *p, size_t bytes, enum text_kind *kind);

#endif
