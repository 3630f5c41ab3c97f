/*
 * format.c - formatted output with all that C has, for both C libraries, in whatever way it goes.
 * Whole numbers, characters and strings are here, floating-point numbers in real.c.
 */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

#include "../../core/compiler.h"
#include "sink.h"

/* ---- Arguments ---- */

/* The next argument; the first one and the format, to find an argument by its place (%n$). */
struct arguments {
	struct co_io_args next, first;
	const char *format;
};

/* NOLINTBEGIN(clang-analyzer-valist.Uninitialized): the analyzer loses a va_list in a struct */

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

static void skip_argument(struct co_io_args *a, const struct co_conversion *c)
{
	switch (c->specifier) {
	case 'a':
	case 'A':
	case 'e' ... 'g':
	case 'E' ... 'G':
		if (c->length == 3)
			(void)va_arg(a->ap, long double);
		else
			(void)va_arg(a->ap, double);
		break;
	case 'p':
	case 's':
	case 'n':
		(void)va_arg(a->ap, void *);
		break;
	case 'c':
		(void)va_arg(a->ap, int);
		break;
	default:
		(void)whole_argument(a, c, false);
	}
}

/*
 * Go to the argument of a place: one before it is as large as the conversion with its place says,
 * or an int, as widths and precisions are.
 */
static NOINLINE void seek(struct arguments *all, int place)
{
	struct co_io_args *a = &all->next;

	va_end(a->ap);
	va_copy(a->ap, all->first.ap);
	for (int n = 1; n < place; n++) {
		struct co_conversion c = { .specifier = 'd' };

		for (const char *p = all->format; (p = strchr(p, '%'));) {
			p++;
			c.place = co_conversion_place(&p);
			p += strspn(p, "-+ #'.*$0123456789");
			p = co_conversion_length(p, &c);
			if (c.place == n) {
				c.specifier = *p;
				break;
			}
			c.length = 0;
			p += *p != '\0';
		}
		skip_argument(a, &c);
	}
}

static NOINLINE int take_int(struct arguments *all, int which)
{
	if (which < CO_CONV_ARGUMENT)
		seek(all, CO_CONV_ARGUMENT - which);
	return va_arg(all->next.ap, int);
}

/* NOLINTEND(clang-analyzer-valist.Uninitialized) */

/* Take a width and a precision that are arguments; the next argument is the conversion's then. */
static NOINLINE void take_layout(struct co_conversion *c, struct arguments *all)
{
	if (__builtin_expect(c->width <= CO_CONV_ARGUMENT, 0)) {
		c->width = take_int(all, c->width);
		if (c->width < 0) {
			c->flags |= CO_CONV_LEFT;
			c->width = c->width == INT_MIN ? CO_CONV_TOO_LARGE : -c->width;
		}
	}
	if (__builtin_expect(c->precision <= CO_CONV_ARGUMENT, 0)) {
		c->precision = take_int(all, c->precision);
		if (c->precision < 0)
			c->precision = CO_CONV_NONE;
	}
	if (__builtin_expect(c->place != 0, 0))
		seek(all, c->place);
}

/* ---- Where characters go ---- */

static bool fail(int error)
{
	errno = error;
	return false;
}

/*
 * Make room for `bytes` more characters, by a drain of the memory. Returns how many have room now.
 */
static NOINLINE size_t make_room(struct co_io_sink *s, size_t bytes)
{
	size_t room = (size_t)(s->end - s->at);

	if (room >= bytes || !s->drain)
		return room;
	room = (size_t)(s->at - s->memory);
	if (!s->drain(s, room))
		return 0;
	s->before += room;
	s->at = s->memory;
	return (size_t)(s->end - s->at);
}

/*
 * Put `bytes` of text, or of the character `with` if text is NULL. put_text() is quicker for a few.
 */
static bool put_any(struct co_io_sink *s, const char *text, char with, size_t bytes)
{
	if (bytes > INT_MAX - co_io_sink_count(s))
		return fail(EOVERFLOW);
	while (bytes) {
		size_t n = make_room(s, bytes);

		if (!n && s->drain)
			return false;
		n = n < bytes ? n : bytes;
		if (text)
			memcpy(s->at, text, n), text += n;
		else
			memset(s->at, with, n);
		s->at += n;
		bytes -= n;
		if (!s->drain) {
			s->before += bytes;
			break;
		}
	}
	return true;
}

bool co_io_put(struct co_io_sink *s, const char *text, size_t bytes)
{
	return put_any(s, text, 0, bytes);
}

bool co_io_pad(struct co_io_sink *s, char with, int count)
{
	return count <= 0 || put_any(s, NULL, with, (size_t)count);
}

static inline bool put_text(struct co_io_sink *s, const char *text, size_t bytes)
{
	char *to = s->at;

	if (bytes > 32 || bytes > (size_t)(s->end - to))
		return co_io_put(s, text, bytes);
	/* cppcheck-suppress pointerOutOfBoundsCond */
	for (const char *end = text + bytes; text < end;)
		*to++ = *text++;
	s->at = to;
	return true;
}

static int spaces_of(const struct co_conversion *c, size_t bytes)
{
	return (size_t)c->width > bytes ? c->width - (int)bytes : 0;
}

bool co_io_put_begin(struct co_io_sink *s, const struct co_conversion *c, const char *text,
		     size_t before, size_t bytes, bool zeros)
{
	int spaces = c->flags & CO_CONV_LEFT ? 0 : spaces_of(c, before + bytes);

	zeros = zeros && (c->flags & CO_CONV_ZERO);
	return co_io_pad(s, ' ', zeros ? 0 : spaces) && co_io_put(s, text, before) &&
	       co_io_pad(s, '0', zeros ? spaces : 0);
}

bool co_io_put_end(struct co_io_sink *s, const struct co_conversion *c, size_t bytes)
{
	return co_io_pad(s, ' ', c->flags & CO_CONV_LEFT ? spaces_of(c, bytes) : 0);
}

/* Text in its width, the first bytes before `zeros`; or more, as the flags say. */
static NOINLINE bool put_layout(struct co_io_sink *s, const struct co_conversion *c,
				const char *text, size_t bytes, size_t before, int zeros)
{
	size_t behind = bytes - before + (size_t)zeros;

	return co_io_put_begin(s, c, text, before, behind,
			       c->precision < 0 && c->specifier != 's' && c->specifier != 'c') &&
	       co_io_pad(s, '0', zeros) && co_io_put(s, text + before, bytes - before) &&
	       co_io_put_end(s, c, before + behind);
}

static inline bool put_field(struct co_io_sink *s, const struct co_conversion *c, const char *text,
			     size_t bytes, size_t before, int zeros)
{
	return zeros > 0 || (size_t)c->width > bytes
		       ? put_layout(s, c, text, bytes, before, zeros > 0 ? zeros : 0)
		       : put_text(s, text, bytes);
}

/* ---- Conversions ---- */

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
		if (v && (c->specifier == 'p' || (c->specifier | 0x20) == 'x')) {
			*--first = c->specifier == 'X' ? 'X' : 'x';
			*--first = '0';
			before = 2;
		}
	}
	return put_field(s, c, first, (size_t)before + (size_t)digits, (size_t)before, zeros);
}

static bool convert_string(struct co_io_sink *s, const struct co_conversion *c, const char *text)
{
	size_t most = c->precision < 0 ? INT_MAX : (size_t)c->precision;

	if (!text)
		text = most < 6 ? "" : "(null)"; /* not a part of it */
	return put_field(s, c, text, strnlen(text, most), 0, 0);
}

/* Of wide characters all that are of ASCII are one byte; there are no others. */
static bool convert_wide(struct co_io_sink *s, const struct co_conversion *c, const wchar_t *text,
			 size_t most)
{
	size_t n = 0;
	char byte;

	for (; n < most && (c->specifier == 'c' || text[n]); n++) {
		if ((unsigned long)text[n] > 127)
			return fail(EILSEQ);
	}
	if (!co_io_put_begin(s, c, NULL, 0, n, false))
		return false;
	for (size_t i = 0; i < n; i++) {
		byte = (char)text[i];
		if (!put_text(s, &byte, 1))
			return false;
	}
	return co_io_put_end(s, c, n);
}

static bool convert_character(struct co_io_sink *s, const struct co_conversion *c, wint_t given)
{
	wchar_t wide = (wchar_t)given;
	char text = (char)given;

	return c->length == 1 ? convert_wide(s, c, &wide, 1) : put_field(s, c, &text, 1, 0, 0);
}

static bool convert_pointer(struct co_io_sink *s, const struct co_conversion *c, void *p)
{
	return p ? convert_whole(s, c, (uintptr_t)p) : put_field(s, c, "(nil)", 5, 0, 0);
}

static bool convert(struct co_io_sink *s, const struct co_conversion *c, struct co_io_args *a)
{
	const wchar_t *wide;
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
		return convert_pointer(s, c, va_arg(a->ap, void *));
	case 's':
		if (c->length != 1)
			return convert_string(s, c, va_arg(a->ap, const char *));
		wide = va_arg(a->ap, const wchar_t *);
		return wide ? convert_wide(s, c, wide, (size_t)c->precision)
			    : convert_string(s, c, NULL);
	case 'c':
		return convert_character(s, c, (wint_t)va_arg(a->ap, int));
	case 'a':
	case 'A':
	case 'e' ... 'g':
	case 'E' ... 'G':
		return c->length == 3 ? co_io_put_long_double(s, c, va_arg(a->ap, long double))
				      : co_io_put_double(s, c, va_arg(a->ap, double));
	case 'n':
		/* The low bytes of the count: all boards are little-endian. */
		count = (long long)co_io_sink_count(s);
		memcpy(va_arg(a->ap, void *), &count, bytes_of(c->length));
		return true;
	case '%':
		return co_io_put(s, "%", 1);
	case '\0':
		return fail(EINVAL);
	default:
		text[0] = '%';
		text[1] = c->specifier;
		return co_io_put(s, text, 2);
	}
}

/* %ld and %lu, most of the conversions left; a size_t is as large as a long. */
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
	return put_text(s, first, (size_t)(end - first));
}

int co_io_format(struct co_io_sink *s, const char *format, va_list given)
{
	const char *p = format;
	struct arguments a;
	bool ok = true;

	a.format = format;
	va_copy(a.next.ap, given);
	va_copy(a.first.ap, given);
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
			int v = va_arg(a.next.ap, int);

			ok = put_int(s, (unsigned)v, v < 0 && p[1] == 'd');
			p += 2;
		} else if ((p[1] == 'l' || p[1] == 'z') && (p[2] == 'd' || p[2] == 'u')) {
			ok = put_long(s, p[2] == 'd', &a.next);
			p += 3;
		} else {
			p = co_conversion_parse(p + 1, &c);
			if (c.width < 0 || c.precision < CO_CONV_NONE || c.place)
				take_layout(&c, &a);
			ok = c.width == CO_CONV_TOO_LARGE || c.precision == CO_CONV_TOO_LARGE ||
					     c.place > CO_CONV_PLACES
				     ? fail(EOVERFLOW)
				     : convert(s, &c, &a.next);
		}
	}
	va_end(a.next.ap);
	va_end(a.first.ap);
	if (ok && co_io_sink_count(s) > INT_MAX)
		ok = fail(EOVERFLOW);
	return ok ? (int)co_io_sink_count(s) : -1;
}
