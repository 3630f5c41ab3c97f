/*
 * format.c - formatted output: the server's half, and what both halves know of a format.
 *
 * The C library formats one conversion after the other. %L works whatever it makes of it, with the
 * precision of double.
 */
#include <stdarg.h>
#include <string.h>

#include "format.h"
#include "io.h"
#include "variadic.h"

#define FLAGS_MAX 8

static const char *parse_number(const char *p, int *value)
{
	*value = 0;
	while (*p >= '0' && *p <= '9') {
		if (*value < 1000000)
			*value = *value * 10 + (*p - '0');
		p++;
	}
	return p;
}

static const char *parse_size(const char *p, char *size)
{
	switch (*p) {
	case 'h':
	case 'l':
		*size = *p;
		if (p[1] != *p)
			return p + 1;
		*size = *p == 'h' ? 'H' : 'q';
		return p + 2;
	case 'j':
	case 'z':
	case 't':
	case 'L':
		*size = *p;
		return p + 1;
	default:
		return p;
	}
}

enum io_kind io_kind_of(char conv)
{
	switch (conv) {
	case 'd':
	case 'i':
		return IO_SIGNED;
	case 'u':
	case 'o':
	case 'x':
	case 'X':
		return IO_UNSIGNED;
	case 'c':
		return IO_CHAR;
	case 's':
		return IO_STRING;
	case 'p':
		return IO_POINTER;
	case 'a':
	case 'A':
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
		return IO_DOUBLE;
	case '%':
		return IO_PERCENT;
	default:
		return IO_UNKNOWN;
	}
}

const char *io_spec_parse(const char *p, struct io_spec *s)
{
	*s = (struct io_spec){ .flags = p, .precision = -1 };
	while (*p == '-' || *p == '+' || *p == ' ' || *p == '#' || *p == '0')
		p++;
	s->flag_count = (unsigned)(p - s->flags);
	if (*p == '*') {
		s->star_width = true;
		p++;
	} else {
		p = parse_number(p, &s->width);
	}
	if (*p == '.') {
		p++;
		if (*p == '*') {
			s->star_precision = true;
			p++;
		} else {
			p = parse_number(p, &s->precision);
		}
	}
	p = parse_size(p, &s->size);
	s->conv = *p;
	return *p ? p + 1 : p;
}

static int put_text(void *stream, const char *s, size_t bytes)
{
	return io_put_text(stream, s, bytes) == bytes ? (int)bytes : -1;
}

static int put_formatted(void *stream, const char *format, ...)
{
	return IO_VARIADIC(format, io_put_formatted(stream, format, ap));
}

/* Write one conversion in the C library's words, which take width and precision as arguments. */
static int put_spec(void *stream, const struct io_spec *s, const uint64_t **word)
{
	char text[FLAGS_MAX + 8] = "%";
	unsigned flags = s->flag_count < FLAGS_MAX ? s->flag_count : FLAGS_MAX;
	int width = s->star_width ? (int)*(*word)++ : s->width;
	int precision = s->star_precision ? (int)*(*word)++ : s->precision;
	enum io_kind kind = io_kind_of(s->conv);
	char *end = text + 1 + flags;
	double d;

	memcpy(text + 1, s->flags, flags);
	memcpy(end, "*.*ll", 5); /* without the ll for all but whole numbers */
	end[kind <= IO_UNSIGNED ? 5 : 3] = s->conv;
	end[kind <= IO_UNSIGNED ? 6 : 4] = '\0';
	switch (kind) {
	case IO_SIGNED:
	case IO_UNSIGNED:
		return put_formatted(stream, text, width, precision, (long long)*(*word)++);
	case IO_CHAR:
		return put_formatted(stream, text, width, precision, (int)*(*word)++);
	case IO_STRING:
	case IO_POINTER:
		return put_formatted(stream, text, width, precision,
				     (void *)(uintptr_t) * (*word)++);
	case IO_DOUBLE:
		memcpy(&d, (*word)++, sizeof(d));
		return put_formatted(stream, text, width, precision, d);
	case IO_PERCENT:
		return put_text(stream, "%", 1);
	default:
		text[1] = s->conv;
		return put_text(stream, text, s->conv ? 2 : 1);
	}
}

intptr_t io_format_print(void *stream, const char *format, const char *end, const uint64_t *word)
{
	const char *p = format;
	int count = 0;

	while (p < end) {
		struct io_spec s;
		const char *text = p;
		int n;

		if (*p == '%') {
			p = io_spec_parse(p + 1, &s);
			n = put_spec(stream, &s, &word);
		} else {
			do
				p++;
			while (p < end && *p != '%');
			n = put_text(stream, text, (size_t)(p - text));
		}
		if (n < 0)
			return -1;
		count += n;
	}
	return count;
}
