/*
 * format.c - formatted output with all that C has, which the C libraries have not, and quicker:
 * whole numbers, characters and strings are made here. Floating-point numbers go to the library
 * (co_io_sink_print()), long doubles as doubles.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "../../core/conversion.h"
#include "library.h"
#include "../wrapped.h"

static const char flag_chars[] = "-+ #0"; /* in the order of their bits */

/* Take a width and a precision that are arguments. */
static inline void take_layout(struct co_conversion *c, struct co_io_args *a)
{
	if (c->width == CO_CONV_ARGUMENT) {
		c->width = va_arg(a->ap, int);
		if (c->width < 0) {
			c->flags |= CO_CONV_LEFT;
			c->width = c->width == INT_MIN ? INT_MAX : -c->width;
		}
	}
	if (c->precision == CO_CONV_ARGUMENT)
		c->precision = va_arg(a->ap, int);
}

/* To a stream, or what memory has room for. put_text() does the same, quicker for a few bytes. */
static NOINLINE bool put_any(struct co_io_sink *s, const char *text, size_t bytes)
{
	size_t left = s->count < s->room ? s->room - 1 - s->count : 0;
	char *to = s->to + s->count;

	s->count += bytes;
	if (s->f)
		return !bytes || __real_fwrite(text, 1, bytes, s->f) == bytes;
	memcpy(to, text, bytes < left ? bytes : left);
	return true;
}

static inline bool put_text(struct co_io_sink *s, const char *text, size_t bytes)
{
	char *to = s->to + s->count;

	if (bytes > 32 || s->count + bytes >= s->room)
		return put_any(s, text, bytes);
	s->count += bytes;
	for (const char *end = text + bytes; text < end;)
		*to++ = *text++;
	return true;
}

static NOINLINE bool pad(struct co_io_sink *s, char with, int count)
{
	char text[16];

	memset(text, with, sizeof(text));
	for (; count > (int)sizeof(text); count -= (int)sizeof(text)) {
		if (!put_any(s, text, sizeof(text)))
			return false;
	}
	return put_any(s, text, (size_t)count);
}

/* Text in its width, the first bytes before `zeros`. */
static NOINLINE bool put_layout(struct co_io_sink *s, const struct co_conversion *c,
				const char *text, int bytes, int before, int zeros)
{
	int spaces = c->width - bytes - (zeros > 0 ? zeros : 0);

	return (spaces <= 0 || (c->flags & CO_CONV_LEFT) || pad(s, ' ', spaces)) &&
	       put_any(s, text, (size_t)before) && (zeros <= 0 || pad(s, '0', zeros)) &&
	       put_any(s, text + before, (size_t)(bytes - before)) &&
	       (spaces <= 0 || !(c->flags & CO_CONV_LEFT) || pad(s, ' ', spaces));
}

static inline bool put_field(struct co_io_sink *s, const struct co_conversion *c, const char *text,
			     int bytes, int before, int zeros)
{
	return zeros > 0 || c->width > bytes ? put_layout(s, c, text, bytes, before, zeros)
					     : put_text(s, text, (size_t)bytes);
}

/* Of a whole number. */
static unsigned bytes_of(int length)
{
	return length < 0    ? (unsigned)(3 + length)
	       : length == 0 ? sizeof(int)
	       : length == 1 ? sizeof(long)
			     : sizeof(long long);
}

static unsigned long long whole_argument(struct co_io_args *a, const struct co_conversion *c,
					 bool is_signed)
{
	unsigned bytes = bytes_of(c->length);
	unsigned shift = 8 * (unsigned)(sizeof(long long) - bytes);
	long long v;

	v = bytes > sizeof(long)  ? va_arg(a->ap, long long)
	    : bytes > sizeof(int) ? va_arg(a->ap, long)
				  : va_arg(a->ap, int);
	/* Cut to its size, and widened again. */
	v = (long long)((unsigned long long)v << shift);
	return is_signed ? (unsigned long long)(v >> shift) : (unsigned long long)v >> shift;
}

/* Digits, the last of them before `end`. Returns the first. */
static char *put_digits(char *end, unsigned long long v, char conv)
{
	const char *set = conv == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
	unsigned shift = conv == 'o' ? 3 : 4;
	unsigned few;

	if (conv == 'o' || conv == 'x' || conv == 'X' || conv == 'p') {
		for (; v; v >>= shift)
			*--end = set[v & ((1u << shift) - 1)];
		return end;
	}
	for (; v > UINT_MAX; v /= 10)
		*--end = (char)('0' + v % 10);
	for (few = (unsigned)v; few; few /= 10)
		*--end = (char)('0' + few % 10);
	return end;
}

/* %d and %u, as most are. */
static inline bool put_int(struct co_io_sink *s, unsigned v, bool is_negative)
{
	char text[12], *end = text + sizeof(text), *first = end;

	v = is_negative ? -v : v;
	do {
		*--first = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	if (is_negative)
		*--first = '-';
	return put_text(s, first, (size_t)(end - first));
}

static NOINLINE bool convert_whole(struct co_io_sink *s, const struct co_conversion *c,
				   unsigned long long v)
{
	bool is_signed = c->specifier == 'd' || c->specifier == 'i';
	bool is_negative = is_signed && (long long)v < 0;
	char text[36], *end = text + sizeof(text);
	char *first = put_digits(end, is_negative ? -v : v, c->specifier);
	int digits = (int)(end - first), before = 0;
	int zeros = (c->precision < 0 ? 1 : c->precision) - digits;

	for (; zeros > 0 && digits < 32; zeros--, digits++)
		*--first = '0';
	if (is_negative || (is_signed && (c->flags & (CO_CONV_PLUS | CO_CONV_SPACE)))) {
		*--first = is_negative ? '-' : c->flags & CO_CONV_PLUS ? '+' : ' ';
		before = 1;
	} else if (c->specifier == 'p' || (c->flags & CO_CONV_ALTERNATE)) {
		if (c->specifier == 'o' && (!digits || *first != '0'))
			*--first = '0', digits++;
		if ((c->specifier == 'p' && (v || IO_NULL_PREFIX)) ||
		    (v && (c->specifier == 'x' || c->specifier == 'X'))) {
			*--first = c->specifier == 'X' ? 'X' : 'x';
			*--first = '0';
			before = 2;
		}
	}
	if ((c->flags & (CO_CONV_ZERO | CO_CONV_LEFT)) == CO_CONV_ZERO && c->precision < 0)
		zeros = c->width - before - digits;
	return put_field(s, c, first, before + digits, before, zeros);
}

static bool convert_string(struct co_io_sink *s, const struct co_conversion *c, const char *text)
{
	size_t most = c->precision < 0 ? INT_MAX : (size_t)c->precision;

	text = text ?: "(null)";
	return put_field(s, c, text, (int)strnlen(text, most), 0, 0);
}

/* By the library. */
static bool put_real(struct co_io_sink *s, const char *format, ...)
{
	int n = IO_VARIADIC(format, co_io_sink_print(s, format, ap));

	if (n > 0)
		s->count += (size_t)n;
	return n >= 0;
}

static bool convert_real(struct co_io_sink *s, const struct co_conversion *c, struct co_io_args *a)
{
	double d = c->length == 3 ? (double)va_arg(a->ap, long double) : va_arg(a->ap, double);
	char text[16] = "%", *end = text + 1;

	for (unsigned i = 0; flag_chars[i]; i++) {
		if (c->flags & 1u << i)
			*end++ = flag_chars[i];
	}
	memcpy(end, "*.*", 3);
	end[3] = c->specifier;
	if (c->specifier == 'F') /* which newlib does not know; its %G has INF and NAN */
		end[3] = isfinite(d) ? 'f' : 'G';
	return put_real(s, text, c->width, c->precision, d);
}

static bool convert(struct co_io_sink *s, const struct co_conversion *c, struct co_io_args *a)
{
	long long count;
	char text[2];

	switch (c->specifier) {
	case 'd':
	case 'i':
		return convert_whole(s, c, whole_argument(a, c, true));
	case 'u':
	case 'o':
	case 'x':
	case 'X':
		return convert_whole(s, c, whole_argument(a, c, false));
	case 'p':
		return convert_whole(s, c, (uintptr_t)va_arg(a->ap, void *));
	case 's':
		return convert_string(s, c, va_arg(a->ap, const char *));
	case 'c':
		text[0] = (char)va_arg(a->ap, int);
		return put_field(s, c, text, 1, 0, 0);
	case 'a':
	case 'A':
	case 'e' ... 'g':
	case 'E' ... 'G':
		return convert_real(s, c, a);
	case 'n':
		/* The low bytes of the count: all boards are little-endian. */
		count = (long long)s->count;
		memcpy(va_arg(a->ap, void *), &count, bytes_of(c->length));
		return true;
	case '%':
	case '\0':
		return put_any(s, "%", 1);
	default:
		text[0] = '%';
		text[1] = c->specifier;
		return put_any(s, text, 2);
	}
}

/* %ld and %lu, as most of the others are; a size_t is as large as a long. */
static NOINLINE bool put_long(struct co_io_sink *s, bool is_signed, struct co_io_args *a)
{
	long v = va_arg(a->ap, long);
	bool is_negative = is_signed && v < 0;
	unsigned long rest = is_negative ? -(unsigned long)v : (unsigned long)v;
	char text[24], *end = text + sizeof(text), *first = end;

	do {
		*--first = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	if (is_negative)
		*--first = '-';
	return put_any(s, first, (size_t)(end - first));
}

int co_io_format(struct co_io_sink *s, const char *format, va_list given)
{
	const char *p = format;
	struct co_io_args a;
	bool ok = true;

	va_copy(a.ap, given);
	while (ok && *p) {
		const char *text = p;
		struct co_conversion c;

		while (*p && *p != '%')
			p++;
		if (p > text)
			ok = put_text(s, text, (size_t)(p - text));
		if (!ok || !*p)
			continue;
		if (p[1] == 'd' || p[1] == 'u') {
			int v = va_arg(a.ap, int);

			ok = put_int(s, (unsigned)v, v < 0 && p[1] == 'd');
			p += 2;
		} else if ((p[1] == 'l' || p[1] == 'z') && (p[2] == 'd' || p[2] == 'u')) {
			ok = put_long(s, p[2] == 'd', &a);
			p += 3;
		} else {
			p = co_conversion_parse(p + 1, &c);
			take_layout(&c, &a);
			ok = convert(s, &c, &a);
		}
	}
	va_end(a.ap);
	if (ok && s->count > INT_MAX) {
		errno = EOVERFLOW;
		ok = false;
	}
	return ok ? (int)s->count : -1;
}

int co_io_vsnprintf(char *to, size_t room, const char *format, va_list ap)
{
	struct co_io_sink s = { .to = to, .room = room < INT_MAX ? room : INT_MAX };
	int n = co_io_format(&s, format, ap);

	if (room)
		to[s.count < s.room ? s.count : s.room - 1] = '\0';
	return n;
}
