/* sink.h - where formatted output goes (format.c), and how the parts of it get there. */
#ifndef COHART_IO_SINK_H
#define COHART_IO_SINK_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "../../core/conversion.h"

/* Memory, and who empties it when it is full; if nobody does, what has no room is counted alone. */
struct co_io_sink {
	char *at, *end;
	size_t before; /* characters that went before those in memory, or had no room */
	char *memory;
	bool (*drain)(struct co_io_sink *s, size_t bytes); /* what is in memory, to `stream` */
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
 * All of C's conversions, and no NUL. Returns the characters, or -1 and errno: EOVERFLOW, they are
 * more than INT_MAX; EILSEQ, a wide character is none of ASCII; EINVAL, the format ends within a
 * conversion; ENOMEM, for a long double of thousands of digits; or what the stream says.
 */
int co_io_format(struct co_io_sink *s, const char *format, va_list given);

/* Characters, and so many of one. False: the stream takes no more, or they are too many, and errno.
 */
bool co_io_put(struct co_io_sink *s, const char *text, size_t bytes);
bool co_io_pad(struct co_io_sink *s, char with, int count);

/*
 * What is behind `before` characters of text takes `bytes` more. Puts blanks, the text and zeros
 * first, as the width and the flags say: co_io_put_end() puts blanks behind all of it.
 */
bool co_io_put_begin(struct co_io_sink *s, const struct co_conversion *c, const char *text,
		     size_t before, size_t bytes, bool zeros);
bool co_io_put_end(struct co_io_sink *s, const struct co_conversion *c, size_t bytes);

/* real.c: a floating-point number, an argument of that conversion. */
bool co_io_put_double(struct co_io_sink *s, const struct co_conversion *c, double d);
bool co_io_put_long_double(struct co_io_sink *s, const struct co_conversion *c, long double d);

#endif
