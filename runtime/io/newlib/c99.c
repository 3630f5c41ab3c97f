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

#include <cohart/coroutine.h>
#include <cohart/mutex.h>
#include <hal/board.h>

#include "../wrapped.h"
#include "library.h"

extern __typeof__(vsnprintf) __wrap_vsnprintf, __real_vsnprintf;
extern __typeof__(vsprintf) __wrap_vsprintf;
extern __typeof__(snprintf) __wrap_snprintf;
extern __typeof__(sprintf) __wrap_sprintf;
int __wrap_vasprintf(char **to, const char *format, va_list ap);
int __wrap_asprintf(char **to, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define FLAGS_MAX 8

/* Where it goes: a stream, or memory. */
struct sink {
	FILE *f;
	char *to;
	size_t room;  /* of the memory, the NUL included */
	size_t count; /* characters until now, those without room among them */
};

/* What a conversion's letter asks for: the kind of its argument, or none. */
enum kind {
	SIGNED,
	UNSIGNED,
	CHAR,
	STRING,
	POINTER,
	DOUBLE,
	PERCENT,
	UNKNOWN,
};

/* A conversion, taken apart. */
struct spec {
	const char *flags;
	unsigned flag_count;
	int width;
	int precision; /* -1: none */
	bool star_width;
	bool star_precision;
	char size; /* h, l, j, z, t, L as written; H for hh, q for ll; 0 for none */
	char conv; /* 0 at the end of the format */
};

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

static enum kind kind_of(char conv)
{
	switch (conv) {
	case 'd':
	case 'i':
		return SIGNED;
	case 'u':
	case 'o':
	case 'x':
	case 'X':
		return UNSIGNED;
	case 'c':
		return CHAR;
	case 's':
		return STRING;
	case 'p':
		return POINTER;
	case 'a':
	case 'A':
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
		return DOUBLE;
	case '%':
		return PERCENT;
	default:
		return UNKNOWN;
	}
}

/* Take apart what follows a %. Returns the character behind it. */
static const char *parse_spec(const char *p, struct spec *s)
{
	*s = (struct spec){ .flags = p, .precision = -1 };
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

static long long whole(va_list *ap, const struct spec *spec)
{
	bool is_signed = kind_of(spec->conv) == SIGNED;

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

static double real(va_list *ap, const struct spec *spec)
{
	return spec->size == 'L' ? (double)va_arg(*ap, long double) : va_arg(*ap, double);
}

static void note_count(struct sink *s, va_list *ap, const struct spec *spec)
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

/*
 * The library keeps what it works on for a hart, and may wait for memory in the middle: one at a
 * time, of each hart's coroutines.
 */
static struct co_mutex busy[BOARD_MAX_HARTS];

static void library_enter(void)
{
	if (co_self()) /* a handler does not wait */
		io_mutex_lock(&busy[co_hart()]);
}

static void library_leave(void)
{
	if (co_self())
		co_mutex_unlock(&busy[co_hart()]);
}

/* One conversion: width and precision are arguments, whole numbers are long long. */
static bool convert(struct sink *s, const struct spec *spec, va_list *ap)
{
	unsigned flags = spec->flag_count < FLAGS_MAX ? spec->flag_count : FLAGS_MAX;
	int width = spec->star_width ? va_arg(*ap, int) : spec->width;
	int precision = spec->star_precision ? va_arg(*ap, int) : spec->precision;
	char text[FLAGS_MAX + 8] = "%";
	char *end = text + 1 + flags;
	enum kind kind = kind_of(spec->conv);
	bool done;
	double d;

	memcpy(text + 1, spec->flags, flags);
	memcpy(end, "*.*ll", 5);
	end += kind <= UNSIGNED ? 5 : 3;
	end[0] = spec->conv;
	end[1] = '\0';
	switch (kind) {
	case SIGNED:
	case UNSIGNED:
		return put(s, text, width, precision, whole(ap, spec));
	case CHAR:
		return put(s, text, width, precision, va_arg(*ap, int));
	case STRING:
	case POINTER:
		return put(s, text, width, precision, va_arg(*ap, void *));
	case DOUBLE:
		d = real(ap, spec);
		if (spec->conv == 'F')
			end[0] = isfinite(d) ? 'f' : 'G';
		library_enter();
		done = put(s, text, width, precision, d);
		library_leave();
		return done;
	case PERCENT:
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
		struct spec spec;

		if (*p == '%') {
			p = parse_spec(p + 1, &spec);
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
