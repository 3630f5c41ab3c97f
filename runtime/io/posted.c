/*
 * posted.c - printf on the console, for which nobody waits (outbox.h).
 *
 * The hart sends the format's address and the arguments; what it must find out is how many
 * characters they make, for that is what printf returns. Whole numbers, characters, strings and
 * floating point of moderate size tell by a few comparisons, without being formatted; a format that
 * has others is waited for (pack.c).
 *
 * What a format is made of is found out once: each hart keeps the signatures of the formats that it
 * has used last. They are known by their address, so only constants of the image have one. Strings
 * are copied unless they are such constants too: the caller may change them as soon as it is back.
 *
 * Source: the idea of shipping format and arguments is Cell's and defmt's.
 */
#include <string.h>

#include "../core/image.h"
#include "format.h"
#include "outbox.h"

#define SIGNATURES 8    /* a power of two */
#define CONVERSIONS 11  /* in a format */
#define PRECISION_MAX 9 /* of floating point */
#define UNFIT 0xff      /* for a count, and for a width or precision */

/* What is fetched for a conversion, and how its length is told. */
enum kind {
	INT,
	UINT, /* up to here they are plain */
	CHAR,
	LONG,
	LONG_LONG,
	UNSIGNED, /* this and the next two in any base */
	UNSIGNED_LONG,
	UNSIGNED_LONG_LONG,
	STRING,
	FIXED,
	SCIENTIFIC,
};

struct conversion {
	uint8_t kind;
	uint8_t bits; /* a digit's: 4, 3; 0: decimal */
	uint8_t width;
	uint8_t precision; /* UNFIT: none */
};

struct signature {
	const char *plain;  /* the format, if all its conversions are plain, else NULL */
	const char *format; /* NULL: there is none here */
	uint16_t text;      /* characters outside of conversions */
	uint8_t count;      /* conversions; UNFIT: it is waited for */
	bool unended;       /* there is no newline at its end */
	struct conversion conv[CONVERSIONS];
};

static _Thread_local struct signature signatures[SIGNATURES];

static bool is_constant(const void *p)
{
	return (uintptr_t)p - (uintptr_t)__rodata_start <
	       (uintptr_t)__rodata_end - (uintptr_t)__rodata_start;
}

/* A whole number's: 0 for int, 1 for long, 2 for long long; -1 for those not told here. */
static int size_of(char size)
{
	switch (size) {
	case 0:
		return 0;
	case 'l':
		return 1;
	case 'q':
		return sizeof(long long) == sizeof(long) ? 1 : 2;
	case 'j':
		return sizeof(intmax_t) == sizeof(long) ? 1 : 2;
	case 'z':
	case 't':
		return sizeof(size_t) == sizeof(long) ? 1 : 0;
	default:
		return -1;
	}
}

/* False: its length is not easily told. */
static bool classify_number(const struct io_spec *s, struct conversion *c)
{
	int size = size_of(s->size);

	if (size < 0 || s->precision >= 0)
		return false;
	if (s->conv == 'd' || s->conv == 'i') {
		c->kind = (uint8_t)(size ? LONG - 1 + size : INT);
	} else {
		c->bits = s->conv == 'u' ? 0 : s->conv == 'o' ? 3 : 4;
		c->kind = (uint8_t)(size || c->bits ? UNSIGNED + size : UINT);
	}
	return true;
}

static bool classify(const struct io_spec *s, struct conversion *c)
{
	for (unsigned i = 0; i < s->flag_count; i++) {
		if (s->flags[i] != '-' && s->flags[i] != '0')
			return false;
	}
	if (s->star_width || s->star_precision || s->width >= UNFIT || s->precision >= UNFIT)
		return false;
	*c = (struct conversion){ .width = (uint8_t)s->width, .precision = (uint8_t)s->precision };
	switch (io_kind_of(s->conv)) {
	case IO_SIGNED:
	case IO_UNSIGNED:
		return classify_number(s, c);
	case IO_CHAR:
		c->kind = CHAR;
		return !s->size && s->precision < 0;
	case IO_STRING:
		c->kind = STRING;
		return !s->size;
	case IO_DOUBLE:
		if (s->precision < 0)
			c->precision = 6;
		c->kind = s->conv == 'f' || s->conv == 'F' ? FIXED : SCIENTIFIC;
		return c->precision <= PRECISION_MAX && s->size != 'L' && strchr("fFeE", s->conv);
	default:
		return false;
	}
}

/* Find out what a format is made of. False: it cannot be posted. */
static bool learn(struct signature *s, const char *format)
{
	const char *c = format;
	unsigned text = 0, count = 0;

	if (!is_constant(format) || !*format)
		return false;
	*s = (struct signature){ .format = format, .count = UNFIT };
	while (*c) {
		struct io_spec spec;

		if (*c++ != '%') {
			text++;
			continue;
		}
		c = io_spec_parse(c, &spec);
		if (spec.conv == '%' && c[-2] == '%')
			text++;
		else if (count == CONVERSIONS || !classify(&spec, &s->conv[count++]))
			return false;
	}
	if (text > UINT16_MAX)
		return false;
	s->text = (uint16_t)text;
	s->unended = c[-1] != '\n';
	s->count = (uint8_t)count;
	while (count && s->conv[count - 1].kind <= UINT)
		count--;
	s->plain = count ? NULL : format;
	return true;
}

static unsigned decimal_digits(uint64_t v)
{
	unsigned n = 1;

	for (; v >= 10000; v /= 10000)
		n += 4;
	return n + (v >= 10) + (v >= 100) + (v >= 1000);
}

static unsigned digits(uint64_t v, unsigned bits)
{
	unsigned n = 1;

	if (!bits)
		return decimal_digits(v);
	while (v >>= bits)
		n++;
	return n;
}

static unsigned signed_length(int64_t v)
{
	return v < 0 ? 1 + decimal_digits(-(uint64_t)v) : decimal_digits((uint64_t)v);
}

/*
 * The length of a double, or -1 where rounding may add a digit, or more than a look is needed:
 * large and small ones, infinities, and what is no number.
 */
static int double_length(double d, const struct conversion *c)
{
	double size = __builtin_fabs(d);
	unsigned n = !!__builtin_signbit(d) + (c->precision ? c->precision + 1u : 0);
	unsigned whole;

	if (c->kind == SCIENTIFIC) /* a digit, and e+00 */
		return size == 0 || (size > 1e-90 && size < 1e90) ? (int)n + 5 : -1;
	if (!(size < 1e15))
		return -1;
	whole = decimal_digits((uint64_t)size);
	return decimal_digits((uint64_t)size + 1) == whole ? (int)(n + whole) : -1;
}

/* A string, where the server can read it: a copy goes to *to, with room up to `end`. */
static int take_string(const char *s, unsigned precision, char **to, const char *end,
		       uint64_t *word)
{
	size_t most = precision == UNFIT ? SIZE_MAX : precision;
	char *p = *to;
	size_t n;

	if (!s)
		return -1;
	if (is_constant(s)) {
		*word = (uintptr_t)s;
		return (int)strnlen(s, most);
	}
	*word = (uintptr_t)p;
	for (n = 0; n < most && s[n]; n++) {
		if (p == end)
			return -1;
		*p++ = s[n];
	}
	*p++ = '\0';
	*to = p;
	return (int)n;
}

/* The conversion's argument into *word. Returns its length, -1 if that is not told here. */
static int take(const struct conversion *c, va_list *ap, uint64_t *word, char **text,
		const char *end)
{
	double d;
	int64_t v;

	switch (c->kind) {
	case INT:
		v = va_arg(*ap, int);
		break;
	case LONG:
		v = va_arg(*ap, long);
		break;
	case LONG_LONG:
		v = va_arg(*ap, long long);
		break;
	case UINT:
	case UNSIGNED:
		*word = va_arg(*ap, unsigned);
		return (int)digits(*word, c->bits);
	case UNSIGNED_LONG:
		*word = va_arg(*ap, unsigned long);
		return (int)digits(*word, c->bits);
	case UNSIGNED_LONG_LONG:
		*word = va_arg(*ap, unsigned long long);
		return (int)digits(*word, c->bits);
	case CHAR:
		*word = (uint64_t)va_arg(*ap, int);
		return 1;
	case STRING:
		return take_string(va_arg(*ap, const char *), c->precision, text, end, word);
	default:
		d = va_arg(*ap, double);
		memcpy(word, &d, sizeof(d));
		return double_length(d, c);
	}
	*word = (uint64_t)v;
	return (int)signed_length(v);
}

/* On hart 0. */
static void print(struct co_msg *m)
{
	const struct io_record *r = (const struct io_record *)m;

	io_format_print(NULL, r->format, r->format + strlen(r->format), r->word);
}

static inline struct signature *place_of(const char *format)
{
	return &signatures[((uintptr_t)format >> 3 ^ (uintptr_t)format >> 6) % SIGNATURES];
}

/* A format that is new, or not plain; the outbox may be full. */
__attribute__((noinline)) static int post_any(const char *format, va_list args)
{
	struct signature *s = place_of(format);
	struct io_record *r;
	const char *end;
	char *text;
	int count, length = 0;
	va_list ap;

	if (io_is_server())
		return -1;
	r = io_outbox_open(); /* it may wait: others may use the signature meanwhile */
	if (s->format == format ? s->count == UNFIT : !learn(s, format))
		return -1;
	text = (char *)&r->word[s->count];
	end = (const char *)r + CO_RECORD_BYTES - 1; /* of strings; a NUL follows */
	count = s->text;
	va_copy(ap, args); /* for its address: a parameter may be of another type */
	for (unsigned i = 0; i < s->count; i++) {
		length = take(&s->conv[i], &ap, &r->word[i], &text, end);
		if (length < 0)
			break;
		count += length > s->conv[i].width ? length : s->conv[i].width;
	}
	va_end(ap);
	if (length < 0)
		return -1;
	r->msg.run = print;
	r->format = format;
	return io_outbox_post(io_aligned(text), s->unended, count);
}

/* The usual: nothing but numbers, in a format that is known. */
int io_print_posted(const char *format, va_list ap)
{
	const struct signature *s = place_of(format);
	const struct conversion *c = s->conv;
	struct io_record *r = (struct io_record *)io_outbox.next;
	uint64_t *word = r->word;
	unsigned count = s->text;

	/* Hart 0 never has room. */
	if (!io_outbox_room(&io_outbox) || s->plain != format)
		return post_any(format, ap);
	for (unsigned left = s->count; left; left--, c++, word++) {
		int v = va_arg(ap, int);
		unsigned u = (unsigned)v;
		unsigned length = 4;

		*word = (uint64_t)v;
		if (c->kind) {
			*word = u;
		} else if (v < 0) {
			u = -u;
			length = 5;
		}
		for (; __builtin_expect(u >> 13, 0); u /= 10)
			length++;
		length -= (u < 10) + (u < 100) + (u < 1000);
		if (length < c->width)
			length = c->width;
		count += length;
	}
	r->msg.run = print;
	r->format = format;
	return io_outbox_post(word, s->unended, (int)count);
}
