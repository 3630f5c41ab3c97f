/* scan.h - where formatted input comes from, and the numbers that are read there (number.c). */
#ifndef COHART_IO_SCAN_H
#define COHART_IO_SCAN_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Text, or a stream: a character of it that was looked at and not taken is to be pushed back. */
struct co_io_source {
	const char *text; /* the next character; NULL: a stream */
	void *stream;
	int (*get)(void *stream);
	int next;  /* looked at; a character, EOF, or SOURCE_UNSEEN */
	int taken; /* characters */
	int left;  /* that a field may still take */
};

#define SOURCE_UNSEEN (-2)
#define SOURCE_ANY INT32_MAX /* as wide as a field comes */

static inline struct co_io_source co_io_source_text(const char *text)
{
	return (struct co_io_source){ text, NULL, NULL, SOURCE_UNSEEN, 0, SOURCE_ANY };
}

static inline struct co_io_source co_io_source_stream(void *stream, int (*get)(void *stream))
{
	return (struct co_io_source){ NULL, stream, get, SOURCE_UNSEEN, 0, SOURCE_ANY };
}

/* Look at the next character of the field; EOF: the field or the input has ended. */
static inline int co_io_source_look(struct co_io_source *s)
{
	if (s->left <= 0)
		return EOF;
	if (s->next == SOURCE_UNSEEN)
		s->next = !s->text ? s->get(s->stream) : *s->text ? (unsigned char)*s->text++ : EOF;
	return s->next;
}

/* Take the character that was looked at. */
static inline void co_io_source_take(struct co_io_source *s)
{
	s->next = SOURCE_UNSEEN;
	s->taken++;
	s->left--;
}

/*
 * A whole number. As scanf() demands, as many characters are read as can belong to a number;
 * `length` of them, from the first, are one; 0: none are.
 */
struct co_io_whole {
	uint64_t value; /* without its sign; UINT64_MAX if it is larger */
	bool is_negative;
	bool is_larger;
	int length;
};

/* Read a number in `base`; 0: the text's prefix says which. Blanks are not skipped. */
struct co_io_whole co_io_scan_whole(struct co_io_source *s, int base);
/* Convert to a number of `bits` bits; if it does not fit, to the nearest, and errno is ERANGE. */
uint64_t co_io_fit_whole(const struct co_io_whole *w, int bits, bool is_signed);

/* Floating-point numbers, rounded once; ERANGE: too large, or smaller than a normal number, and
 * inexact. */
enum co_io_real { CO_IO_FLOAT, CO_IO_DOUBLE, CO_IO_LONG_DOUBLE };

/* Read a number, and write it to `to`. Returns its length, as of a whole number. */
int co_io_scan_real(struct co_io_source *s, enum co_io_real type, void *to);

/* scan.c: vfscanf(). One character may have been looked at, and not taken. */
int co_io_scan(struct co_io_source *from, const char *format, va_list given);

#endif
