/*
 * text.c - reports are put together without the C library's printf, of which most programs need a
 * part at most: %s %c %d %u %x, with l or z, with a width and, for strings, a precision. Strings
 * and formats may be a program's, and lie anywhere: unreadable memory is not touched.
 */
#include "conversion.h"
#include "core.h"

static void add_text(struct co_text *t, const char *s, size_t n)
{
	n = (size_t)co_least(n, t->bytes - 1 - t->used);
	memcpy(t->buf + t->used, s, n);
	t->used += n;
	t->buf[t->used] = '\0';
}

/* Longer than any format. */
#define FORMAT_BYTES 4096

static void add_string(struct co_text *t, const char *s, size_t most)
{
	size_t wanted = co_least(most, t->bytes - t->used);
	size_t n = s ? co_readable(s, wanted) : 0;

	if (!n) {
		s = s ? "(unreadable)" : "(null)";
		n = wanted;
	}
	add_text(t, s, strnlen(s, n));
}

static void add_number(struct co_text *t, unsigned long v, unsigned base, bool below, size_t width)
{
	char digits[3 * sizeof(v) + 1];
	char *end = digits + sizeof(digits);
	char *at = end;

	do {
		*--at = "0123456789abcdef"[v % base];
		v /= base;
	} while (v);
	if (below)
		*--at = '-';
	for (size_t n = (size_t)(end - at); n < width; n++)
		add_text(t, " ", 1);
	add_text(t, at, (size_t)(end - at));
}

void co_text_addv(struct co_text *t, const char *format, va_list args)
{
	if (!memchr(format, 0, co_readable(format, FORMAT_BYTES)))
		format = "(unreadable)";
	for (;;) {
		size_t plain = strcspn(format, "%");
		struct co_conversion conv;
		unsigned long v;
		long n;
		char c;

		add_text(t, format, plain);
		format += plain;
		if (!*format++)
			return;
		format = co_conversion_parse(format, &conv);
		switch (conv.specifier) {
		case 's':
			add_string(t, va_arg(args, const char *), (size_t)conv.precision);
			break;
		case 'c':
			c = (char)va_arg(args, int);
			add_text(t, &c, 1);
			break;
		case 'd':
			n = conv.length ? va_arg(args, long) : va_arg(args, int);
			v = n < 0 ? -(unsigned long)n : (unsigned long)n;
			add_number(t, v, 10, n < 0, (size_t)conv.width);
			break;
		case 'u':
		case 'x':
			v = conv.length ? va_arg(args, unsigned long) : va_arg(args, unsigned);
			add_number(t, v, conv.specifier == 'u' ? 10 : 16, false,
				   (size_t)conv.width);
			break;
		default:
			add_text(t, "%", 1);
		}
	}
}

void co_text_add(struct co_text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	co_text_addv(t, format, args);
	va_end(args);
}
