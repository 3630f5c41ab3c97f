/* sink.h - where formatted output goes (format.c), and how the parts of it get there. */
#ifndef COHART_IO_SINK_H
#define COHART_IO_SINK_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "../../core/conversion.h"

/*
 * Memory, and the function that empties it when it is full; without one, characters that have no
 * room are only counted.
 */
struct co_io_sink {
	char *at, *end;
	size_t before; /* characters that were drained, or had no room */
	char *memory;
	bool (*drain)(struct co_io_sink *s, size_t bytes); /* move `bytes` of memory to `stream` */
	void *stream;
};

/* A va_list that can be handed over, whatever that is. */
struct co_io_args {
	va_list ap;
};

static inline size_t co_io_sink_count(const struct co_io_sink *s)
{
	return s->before + (size_t)(s->at - s->memory);
}

/*
 * Write formatted text, by all of C's conversions, without a NUL. Returns the characters, or -1 and
 * errno: EOVERFLOW, they are more than INT_MAX; EILSEQ, a wide character is not ASCII; EINVAL, the
 * format ends within a conversion; ENOMEM, for a long double of thousands of digits; or the
 * stream's error.
 */
int co_io_format(struct co_io_sink *s, const char *format, va_list given);

/* Put text, or `count` of `with`. False, and errno: the stream takes no more, or too many. */
bool co_io_put(struct co_io_sink *s, const char *text, size_t bytes);
bool co_io_pad(struct co_io_sink *s, char with, int count);

/*
 * Begin a conversion's output: `before` characters of text, which `bytes` more will follow. Put
 * blanks, the text and zeros, as the width and the flags say; co_io_put_end() puts blanks behind
 * all of it.
 */
bool co_io_put_begin(struct co_io_sink *s, const struct co_conversion *c, const char *text,
		     size_t before, size_t bytes, bool zeros);
bool co_io_put_end(struct co_io_sink *s, const struct co_conversion *c, size_t bytes);

/* real.c: a floating-point number, an argument of that conversion. */
bool co_io_put_double(struct co_io_sink *s, const struct co_conversion *c, double d);
bool co_io_put_long_double(struct co_io_sink *s, const struct co_conversion *c, long double d);

#endif
