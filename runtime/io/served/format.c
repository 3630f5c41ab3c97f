/*
 * format.c - formatted output, one conversion at a time, where the C library does not know all that
 * C has: the format is taken apart, and each conversion goes to the library (co_io_sink_print())
 * with width and precision as arguments, whole numbers as long long, long doubles as doubles.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "library.h"

#define FLAGS_MAX 8

/* A conversion, taken apart. */
struct spec {
	const char *flags;
	size_t flag_count;
	int width;
	int precision; /* -1: none */
	char size;     /* h, l, j, z, t, L as written; H for hh, q for ll; 0 for none */
	char conv;     /* 0 at the end of the format */
};

static bool is_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

/* A width or a precision, which may be an argument. Returns what is behind it. */
static const char *parse_number(const char *p, int *value, struct co_io_args *a)
{
	*value = 0;
	if (*p == '*') {
		*value = va_arg(a->ap, int);
		return p + 1;
	}
	for (; *p >= '0' && *p <= '9'; p++) {
		if (*value < 1000000)
			*value = *value * 10 + (*p - '0');
	}
	return p;
}

/* Take apart what follows a %. Returns the character behind it. */
static const char *parse_spec(const char *p, struct spec *s, struct co_io_args *a)
{
	*s = (struct spec){ .flags = p, .flag_count = strspn(p, "-+ #0"), .precision = -1 };
	p = parse_number(p + s->flag_count, &s->width, a);
	if (*p == '.')
		p = parse_number(p + 1, &s->precision, a);
	if (is_one_of(*p, "hljztL")) {
		s->size = *p++;
		if (*p == s->size && is_one_of(*p, "hl"))
			s->size = *p++ == 'h' ? 'H' : 'q';
	}
	s->conv = *p;
	return *p ? p + 1 : p;
}

static bool put(struct co_io_sink *s, const char *format, ...)
{
	int n = IO_VARIADIC(format, co_io_sink_print(s, format, ap));

	if (n > 0)
		s->count += (size_t)n;
	return n >= 0;
}

static bool put_text(struct co_io_sink *s, const char *text, size_t bytes)
{
	return !bytes || put(s, "%.*s", (int)bytes, text);
}

/* Of a whole number. */
static unsigned bytes_of(char size)
{
	switch (size) {
	case 'H':
		return 1;
	case 'h':
		return sizeof(short);
	case 'l':
	case 'z':
	case 't':
		return sizeof(long); /* a size_t is as large */
	case 'q':
	case 'j':
	case 'L':
		return sizeof(long long);
	default:
		return sizeof(int);
	}
}

static unsigned long long whole_argument(struct co_io_args *a, const struct spec *spec,
					 bool is_signed)
{
	unsigned bytes = bytes_of(spec->size);
	unsigned shift = 8 * (unsigned)(sizeof(long long) - bytes);
	long long v = bytes > sizeof(long)  ? va_arg(a->ap, long long)
		      : bytes > sizeof(int) ? va_arg(a->ap, long)
					    : va_arg(a->ap, int);

	/* Cut to its size, and widened again. */
	v = (long long)((unsigned long long)v << shift);
	return is_signed ? (unsigned long long)(v >> shift) : (unsigned long long)v >> shift;
}

static bool convert_real(struct co_io_sink *s, const struct spec *spec, struct co_io_args *a,
			 char *text, char *conv)
{
	double d = spec->size == 'L' ? (double)va_arg(a->ap, long double) : va_arg(a->ap, double);
	bool done;

	if (*conv == 'F') /* which newlib does not know; its %G has INF and NAN */
		*conv = isfinite(d) ? 'f' : 'G';
	s->is_real = true;
	done = put(s, text, spec->width, spec->precision, d);
	s->is_real = false;
	return done;
}

static bool convert(struct co_io_sink *s, const struct spec *spec, struct co_io_args *a)
{
	size_t flags = spec->flag_count < FLAGS_MAX ? spec->flag_count : FLAGS_MAX;
	long long count = (long long)s->count;
	bool is_whole = is_one_of(spec->conv, "diuoxX");
	char text[FLAGS_MAX + 8] = "%";
	char *end = text + 1 + flags;

	memcpy(text + 1, spec->flags, flags);
	memcpy(end, "*.*ll", 5);
	end += is_whole ? 5 : 3;
	end[0] = spec->conv;
	end[1] = '\0';
	if (is_whole)
		return put(s, text, spec->width, spec->precision,
			   whole_argument(a, spec, is_one_of(spec->conv, "di")));
	if (is_one_of(spec->conv, "aAeEfFgG"))
		return convert_real(s, spec, a, text, end);
	switch (spec->conv) {
	case 'c':
		return put(s, text, spec->width, spec->precision, va_arg(a->ap, int));
	case 's':
	case 'p':
		return put(s, text, spec->width, spec->precision, va_arg(a->ap, void *));
	case 'n':
		/* The low bytes of the count: all boards are little-endian. */
		memcpy(va_arg(a->ap, void *), &count, bytes_of(spec->size));
		return true;
	case '%':
		return put_text(s, "%", 1);
	default:
		return put_text(s, "%", 1) && put_text(s, &spec->conv, spec->conv != 0);
	}
}

int co_io_format(struct co_io_sink *s, const char *format, va_list given)
{
	const char *p = format;
	struct co_io_args a;
	bool ok = true;

	va_copy(a.ap, given);
	while (ok && *p) {
		const char *text = p;
		struct spec spec;

		if (*p == '%') {
			p = parse_spec(p + 1, &spec, &a);
			ok = convert(s, &spec, &a);
		} else {
			p += strcspn(p, "%");
			ok = put_text(s, text, (size_t)(p - text));
		}
	}
	va_end(a.ap);
	if (ok && s->count > INT_MAX) {
		errno = EOVERFLOW;
		ok = false;
	}
	return ok ? (int)s->count : -1;
}
