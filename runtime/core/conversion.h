/*
 * conversion.h - a conversion in a format of printf's, behind its %, taken apart. The caller takes
 * arguments, and decides about conversions that it does not support.
 */
#ifndef COHART_CONVERSION_H
#define COHART_CONVERSION_H

enum {
	CO_CONV_LEFT = 1,      /* - */
	CO_CONV_PLUS = 2,      /* + */
	CO_CONV_SPACE = 4,     /* a blank */
	CO_CONV_ALTERNATE = 8, /* # */
	CO_CONV_ZERO = 16,     /* 0 */
	CO_CONV_GROUP = 32,    /* ': nothing is grouped */
};

/*
 * A precision that is not given; of either: more than an int holds; an argument, the next one, or
 * (CO_CONV_ARGUMENT - n) the n-th.
 */
enum { CO_CONV_NONE = -1, CO_CONV_TOO_LARGE = -2, CO_CONV_ARGUMENT = -3 };

/* As many arguments can be named by their places. */
#define CO_CONV_PLACES 64

struct co_conversion {
	int place; /* of the argument, from 1 on; 0: the next one */
	unsigned flags;
	int width;
	int precision;
	int length;     /* -2 to 3: hh, h, none, l (z, t), ll (j), L */
	char specifier; /* 0 at the end of the format */
};

static inline int co_conversion_digits(const char **format)
{
	const char *p = *format;
	int value = 0;

	for (; *p >= '0' && *p <= '9'; p++) {
		if (value >= 0 && (__builtin_mul_overflow(value, 10, &value) ||
				   __builtin_add_overflow(value, *p - '0', &value)))
			value = CO_CONV_TOO_LARGE;
	}
	*format = p;
	return value;
}

/*
 * The place of an argument that is named by it. Returns 0 if none is, and stays where it is. Kept
 * apart, since few formats have any.
 */
static __attribute__((noinline, unused)) int co_conversion_place(const char **format)
{
	const char *p = *format;
	int place = *p > '0' && *p <= '9' ? co_conversion_digits(&p) : 0;

	if (!place || *p != '$')
		return 0;
	*format = p + 1;
	return place > 0 && place <= CO_CONV_PLACES ? place : CO_CONV_PLACES + 1;
}

/* A width, or a precision. */
static inline int co_conversion_number(const char **format)
{
	int place;

	if (**format != '*')
		return co_conversion_digits(format);
	++*format;
	place = co_conversion_place(format);
	return place > CO_CONV_PLACES ? CO_CONV_TOO_LARGE : CO_CONV_ARGUMENT - place;
}

/* Flags and width. */
static inline const char *co_conversion_layout(const char *p, struct co_conversion *c)
{
	static const unsigned char flag[] = {
		['-' - ' '] = CO_CONV_LEFT,  ['+' - ' '] = CO_CONV_PLUS,
		[' ' - ' '] = CO_CONV_SPACE, ['#' - ' '] = CO_CONV_ALTERNATE,
		['0' - ' '] = CO_CONV_ZERO,  ['\'' - ' '] = CO_CONV_GROUP,
	};

	for (; *p >= ' ' && *p <= '0' && flag[*p - ' ']; p++)
		c->flags |= flag[*p - ' '];
	c->width = co_conversion_number(&p);
	return p;
}

static inline const char *co_conversion_length(const char *p, struct co_conversion *c)
{
	switch (*p) {
	case 'h':
		c->length = p[1] == 'h' ? -2 : -1;
		return p - c->length;
	case 'l':
		c->length = p[1] == 'l' ? 2 : 1;
		return p + c->length;
	case 'z':
	case 't':
		c->length = 1; /* a size_t is as large as a long */
		return p + 1;
	case 'j':
		c->length = 2;
		return p + 1;
	case 'L':
		c->length = 3;
		return p + 1;
	default:
		return p;
	}
}

/* @param p  behind the %. Returns the character behind the conversion. */
static inline const char *co_conversion_parse(const char *p, struct co_conversion *c)
{
	*c = (struct co_conversion){ .precision = CO_CONV_NONE };
	if (*p <= '9') { /* as all of these are */
		if (*p >= '1')
			c->place = co_conversion_place(&p);
		if (*p != '.')
			p = co_conversion_layout(p, c);
		if (*p == '.') {
			p++;
			c->precision = co_conversion_number(&p);
		}
	}
	p = co_conversion_length(p, c);
	c->specifier = *p;
	return *p ? p + 1 : p;
}

#endif
