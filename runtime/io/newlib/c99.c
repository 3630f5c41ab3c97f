/*
 * c99.c - formatted output as C99 has it. The packaged newlib is built without %hhd, %jd, %td, %zd
 * and %F: here a format is taken apart, and each conversion is given to the library in words that
 * it knows. sprintf() and its kin are so on every hart; printf() and its kin are anyway (format.c)
 * but for streams of the program's own.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../format.h"
#include "../served/real.h"
#include "../variadic.h"
#include "c99_wrap.h"
#include "library.h"

#define FLAGS_MAX 8

/* Where it goes: a stream, or memory. */
struct sink {
	FILE *f;
	char *to;
	size_t room;  /* of the memory, the NUL included */
	size_t count; /* characters until now, those without room among them */
};

static bool put(struct sink *s, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	if (s->f) {
		n = __real_vfprintf(s->f, format, ap);
	} else {
		size_t room = s->count < s->room ? s->room - s->count : 0;

		n = __real_vsnprintf(room ? s->to + s->count : NULL, room, format, ap);
	}
	va_end(ap);
	if (n > 0)
		s->count += (size_t)n;
	return n >= 0;
}

static bool put_text(struct sink *s, const char *text, size_t bytes)
{
	return !bytes || put(s, "%.*s", (int)bytes, text);
}

static long long whole(va_list *ap, const struct io_spec *spec)
{
	bool is_signed = io_kind_of(spec->conv) == IO_SIGNED;

	switch (spec->size) {
	case 'H':
		return is_signed ? (signed char)va_arg(*ap, int) : (unsigned char)va_arg(*ap, int);
	case 'h':
		return is_signed ? (short)va_arg(*ap, int) : (unsigned short)va_arg(*ap, int);
	case 'l':
		return is_signed ? va_arg(*ap, long) : (long long)va_arg(*ap, unsigned long);
	case 'q':
	case 'L':
	case 'j':
		return va_arg(*ap, long long);
	case 'z':
	case 't':
		return is_signed ? va_arg(*ap, ptrdiff_t) : (long long)va_arg(*ap, size_t);
	default:
		return is_signed ? va_arg(*ap, int) : (long long)va_arg(*ap, unsigned);
	}
}

static double real(va_list *ap, const struct io_spec *spec)
{
	return spec->size == 'L' ? (double)va_arg(*ap, long double) : va_arg(*ap, double);
}

static void note_count(struct sink *s, va_list *ap, const struct io_spec *spec)
{
	void *to = va_arg(*ap, void *);

	switch (spec->size) {
	case 'H':
		*(signed char *)to = (signed char)s->count;
		return;
	case 'h':
		*(short *)to = (short)s->count;
		return;
	case 'q':
	case 'j':
		*(long long *)to = (long long)s->count;
		return;
	default:
		*(int *)to = (int)s->count; /* an int, a long and a size_t are alike here */
	}
}

/* One conversion: width and precision are arguments, whole numbers are long long. */
static bool convert(struct sink *s, const struct io_spec *spec, va_list *ap)
{
	unsigned flags = spec->flag_count < FLAGS_MAX ? spec->flag_count : FLAGS_MAX;
	int width = spec->star_width ? va_arg(*ap, int) : spec->width;
	int precision = spec->star_precision ? va_arg(*ap, int) : spec->precision;
	char text[FLAGS_MAX + 8] = "%";
	char *end = text + 1 + flags;
	enum io_kind kind = io_kind_of(spec->conv);
	double d;

	memcpy(text + 1, spec->flags, flags);
	memcpy(end, "*.*ll", 5);
	end += kind <= IO_UNSIGNED ? 5 : 3;
	end[0] = spec->conv;
	end[1] = '\0';
	switch (kind) {
	case IO_SIGNED:
	case IO_UNSIGNED:
		return put(s, text, width, precision, whole(ap, spec));
	case IO_CHAR:
		return put(s, text, width, precision, va_arg(*ap, int));
	case IO_STRING:
	case IO_POINTER:
		return put(s, text, width, precision, va_arg(*ap, void *));
	case IO_DOUBLE:
		d = real(ap, spec);
		if (spec->conv == 'F')
			end[0] = isfinite(d) ? 'f' : 'G';
		return put(s, text, width, precision, d);
	case IO_PERCENT:
		return put_text(s, "%", 1);
	default:
		if (spec->conv == 'n')
			note_count(s, ap, spec);
		else
			return put_text(s, "%", 1) && put_text(s, &spec->conv, spec->conv != 0);
		return true;
	}
}

/* @return the characters, or -1 */
static int format_to(struct sink *s, const char *format, va_list given)
{
	const char *p = format;
	bool ok = true;
	va_list ap;

	va_copy(ap, given);
	while (ok && *p) {
		const char *text = p;
		struct io_spec spec;

		if (*p == '%') {
			p = io_spec_parse(p + 1, &spec);
			ok = convert(s, &spec, &ap);
		} else {
			p += strcspn(p, "%");
			ok = put_text(s, text, (size_t)(p - text));
		}
	}
	va_end(ap);
	if (ok && s->count > INT_MAX) {
		errno = EOVERFLOW;
		ok = false;
	}
	return ok ? (int)s->count : -1;
}

int io_vfprintf(FILE *f, const char *format, va_list ap)
{
	struct sink s = { .f = f };

	return format_to(&s, format, ap);
}

int __wrap_vsnprintf(char *to, size_t room, const char *format, va_list ap)
{
	struct sink s = { .to = to, .room = room < INT_MAX ? room : INT_MAX };

	if (s.room)
		to[0] = '\0';
	return format_to(&s, format, ap);
}

int __wrap_vsprintf(char *to, const char *format, va_list ap)
{
	return __wrap_vsnprintf(to, INT_MAX, format, ap);
}

int __wrap_snprintf(char *to, size_t room, const char *format, ...)
{
	return IO_VARIADIC(format, __wrap_vsnprintf(to, room, format, ap));
}

int __wrap_sprintf(char *to, const char *format, ...)
{
	return IO_VARIADIC(format, __wrap_vsnprintf(to, INT_MAX, format, ap));
}

int __wrap_vasprintf(char **to, const char *format, va_list ap)
{
	int n = __wrap_vsnprintf(NULL, 0, format, ap);

	*to = n < 0 ? NULL : malloc((size_t)n + 1);
	return *to ? __wrap_vsnprintf(*to, (size_t)n + 1, format, ap) : -1;
}

int __wrap_asprintf(char **to, const char *format, ...)
{
	return IO_VARIADIC(format, __wrap_vasprintf(to, format, ap));
}
