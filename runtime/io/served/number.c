/*
 * number.c - numbers in text: strtol(), strtod() and their kin, and for the scanner. A
 * floating-point number is rounded once, from the text's exact value, however long the text is
 * (radix.h).
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/compiler.h"
#include "radix.h"
#include "scan.h"

/* The value of a digit in bases up to 36; else 36. */
static int digit_of(int c)
{
	return c >= '0' && c <= '9'                     ? c - '0'
	       : (c | 0x20) >= 'a' && (c | 0x20) <= 'z' ? (c | 0x20) - 'a' + 10
							: 36;
}

static bool take_sign(struct co_io_source *s)
{
	int c = co_io_source_look(s);

	if (c == '-' || c == '+')
		co_io_source_take(s);
	return c == '-';
}

/* Is this the next character? Then take it. */
static bool take_letter(struct co_io_source *s, char small)
{
	int c = co_io_source_look(s);

	if (c == EOF || (c | 0x20) != small)
		return false;
	co_io_source_take(s);
	return true;
}

/* ---- Whole numbers ---- */

struct co_io_whole co_io_scan_whole(struct co_io_source *s, int base)
{
	int start = s->taken, digit;
	struct co_io_whole w = { .is_negative = take_sign(s) };

	if ((base == 0 || base == 16) && co_io_source_look(s) == '0') {
		co_io_source_take(s);
		w.length = s->taken - start;
		if (take_letter(s, 'x'))
			base = 16;
		else if (base == 0)
			base = 8;
	}
	base = base ?: 10;
	while ((digit = digit_of(co_io_source_look(s))) < base) {
		co_io_source_take(s);
		w.length = s->taken - start;
		w.is_larger |= __builtin_mul_overflow(w.value, (unsigned)base, &w.value) ||
			       __builtin_add_overflow(w.value, (unsigned)digit, &w.value);
	}
	return w;
}

uint64_t co_io_fit_whole(const struct co_io_whole *w, int bits, bool is_signed)
{
	uint64_t most = UINT64_MAX >> (64 - bits + is_signed);

	most += is_signed && w->is_negative;
	if (w->is_larger || w->value > most) {
		errno = ERANGE;
		return is_signed && w->is_negative ? -most : most;
	}
	return w->is_negative ? -w->value : w->value;
}

/* ---- Floating-point numbers ---- */

/* The highest bits of a number, the first of which is 1: 0.1... times 2 to the exponent. */
struct bits {
	uint64_t high, low;
	bool more; /* there are bits behind these, and not only 0 */
	int64_t exponent;
};

/* A number as read: 0.d1d2d3... times the base to the power `point`. */
struct number {
	bool is_hex;
	bool more;  /* digits other than 0 follow the kept ones */
	int digits; /* from the first that is not 0 */
	int64_t point;
	struct bits hex;
	uint32_t *group; /* of nine decimal digits each */
	int groups;
	uint32_t some[128]; /* for any double */
};

/*
 * Of a type: no tie is left beyond `digits` decimal digits; a number whose point is above `large`
 * is too large, one whose point is below `small` is 0.
 */
static const struct kind {
	int bits, least, most;
	int digits, groups, large, small;
} kinds[] = {
	[CO_IO_FLOAT] = { FLT_MANT_DIG, FLT_MIN_EXP, FLT_MAX_EXP, 780, 0, 310, -330 },
	[CO_IO_DOUBLE] = { DBL_MANT_DIG, DBL_MIN_EXP, DBL_MAX_EXP, 780, 0, 310, -330 },
#ifdef RADIX_LONG_SHIFT
	[CO_IO_LONG_DOUBLE] = { LDBL_MANT_DIG, LDBL_MIN_EXP, LDBL_MAX_EXP, 11600, 1900, 4940,
				-4990 },
#else
	[CO_IO_LONG_DOUBLE] = { DBL_MANT_DIG, DBL_MIN_EXP, DBL_MAX_EXP, 780, 0, 310, -330 },
#endif
};

/* Make room for `groups`. False: there is no memory. */
static bool reserve(struct number *d, const struct kind *k, int64_t groups)
{
	uint32_t *more;

	if (groups <= d->groups)
		return true;
	more = malloc((size_t)k->groups * sizeof(*more));
	if (!more)
		return false;
	memcpy(more, d->group, (size_t)d->groups * sizeof(*more));
	d->group = more;
	d->groups = k->groups;
	return true;
}

static bool add_digit(struct number *d, const struct kind *k, unsigned digit, bool is_behind)
{
	if (!d->digits && !digit) {
		d->point -= is_behind;
		return true;
	}
	d->point += !is_behind;
	if (d->digits >= (d->is_hex ? 32 : k->digits)) {
		d->more |= digit != 0;
		return true;
	}
	if (d->is_hex) {
		d->hex.high = d->hex.high << 4 | d->hex.low >> 60;
		d->hex.low = d->hex.low << 4 | digit;
	} else {
		uint32_t *group = &d->group[d->digits / RADIX_DIGITS];

		if (d->digits % RADIX_DIGITS == 0) {
			if (!reserve(d, k, d->digits / RADIX_DIGITS + 3))
				return false;
			group = &d->group[d->digits / RADIX_DIGITS];
			*group = 0;
		}
		*group = *group * 10 + digit;
	}
	d->digits++;
	return true;
}

/* Read digits and a point. Returns the length of the number. */
static int scan_digits(struct co_io_source *s, struct number *d, const struct kind *k, int start,
		       bool *ok)
{
	bool is_behind = false, any = false;
	int length = 0, base = 10;

	if (co_io_source_look(s) == '0') {
		co_io_source_take(s);
		length = s->taken - start;
		any = !(s->left > 1 && take_letter(s, 'x'));
		d->is_hex = !any;
		base = any ? 10 : 16;
	}
	for (;; co_io_source_take(s)) {
		int c = co_io_source_look(s), digit = digit_of(c);

		if (digit < base) {
			*ok &= add_digit(d, k, (unsigned)digit, is_behind);
			any = true;
		} else if (c == '.' && !is_behind) {
			is_behind = true;
		} else {
			break;
		}
		if (any)
			length = s->taken + 1 - start;
	}
	return d->is_hex && !any && !is_behind ? -length : length;
}

/* Behind digits, which are that long. */
static int scan_exponent(struct co_io_source *s, struct number *d, int start, int length)
{
	bool is_negative;
	int exponent = 0;

	if (s->taken - start != length || !take_letter(s, d->is_hex ? 'p' : 'e'))
		return length;
	is_negative = take_sign(s);
	for (int digit; (digit = digit_of(co_io_source_look(s))) < 10; co_io_source_take(s)) {
		exponent = exponent < 100000000 ? exponent * 10 + digit : exponent;
		length = s->taken + 1 - start;
	}
	if (d->is_hex)
		d->hex.exponent = is_negative ? -exponent : exponent;
	else
		d->point += is_negative ? -exponent : exponent;
	return length;
}

/* Move the digits to where the point is between groups. Returns how many groups are before it. */
static int align_groups(struct number *d, const struct kind *k, int *end, bool *ok)
{
	int n = (d->digits + RADIX_DIGITS - 1) / RADIX_DIGITS;
	int zeros = d->point <= 0 ? (int)(-d->point / RADIX_DIGITS) : 0;
	int whole = d->point > 0 ? (int)(d->point + RADIX_DIGITS - 1) / RADIX_DIGITS : 0;
	/* Zeros that the first group begins with. */
	int shift =
		(int)(d->point > 0 ? whole * RADIX_DIGITS - d->point : -d->point % RADIX_DIGITS);
	uint32_t left = 1, right = 1;

	*end = zeros + n + 1 > whole ? zeros + n + 1 : whole;
	*ok &= reserve(d, k, *end);
	if (!*ok)
		return 0;
	for (int i = d->digits; i < n * RADIX_DIGITS; i++)
		d->group[n - 1] *= 10;
	for (int i = 0; i < RADIX_DIGITS; i++) {
		if (i < shift)
			right *= 10;
		else
			left *= 10;
	}
	/* From the last on: a group's lower digits go to the next one. */
	memmove(d->group + zeros, d->group, (size_t)n * sizeof(*d->group));
	memset(d->group, 0, (size_t)zeros * sizeof(*d->group));
	for (int i = zeros + n; i < *end; i++)
		d->group[i] = 0;
	for (int i = shift ? zeros + n : 0; i > zeros; i--)
		d->group[i] = d->group[i] / right + d->group[i - 1] % right * left;
	if (shift)
		d->group[zeros] /= right;
	return whole;
}

static int leading_zeros(uint32_t word)
{
	int n = 0;

	for (; !(word >> 31); word <<= 1)
		n++;
	return n;
}

/* The bits of a decimal number that is not 0. */
static struct bits decimal_bits(struct number *d, const struct kind *k, bool *ok)
{
	struct bits b = { .more = d->more };
	uint32_t word[5] = { 0 }; /* the highest, the last one first */
	int end, first = 0, words = 0, at = 4, shift;
	int whole = align_groups(d, k, &end, ok);

	if (!*ok)
		return b;
	while (first < whole && !d->group[first])
		first++;
	for (; first < whole; words++) {
		b.more |= word[0] != 0;
		memmove(word, word + 1, 4 * sizeof(*word));
		word[4] = radix_divide(d->group + first, 1, whole - first, RADIX_DECIMAL,
				       RADIX_BINARY);
		while (first < whole && !d->group[first])
			first++;
	}
	b.exponent = 32 * words;
	for (at -= words; at >= 0;) {
		while (end > whole && !d->group[end - 1])
			end--;
		if (end == whole)
			break;
		word[at] = radix_multiply(d->group + end - 1, 1, end - whole, RADIX_DECIMAL,
					  RADIX_BINARY);
		if (!word[at] && at == 4)
			b.exponent -= 32;
		else
			at--;
	}
	for (int i = whole; i < end; i++)
		b.more |= d->group[i] != 0;
	shift = leading_zeros(word[4]);
	b.high = (uint64_t)word[4] << 32 | word[3];
	b.low = (uint64_t)word[2] << 32 | word[1];
	b.more |= (uint32_t)(word[0] << shift) != 0;
	if (shift) {
		b.high = b.high << shift | b.low >> (64 - shift);
		b.low = b.low << shift | word[0] >> (32 - shift);
	}
	b.exponent -= shift;
	return b;
}

static struct bits hex_bits(const struct number *d)
{
	struct bits b = d->hex;
	int zeros;

	b.more = d->more;
	b.exponent += 4 * d->point + 128 - 4 * d->digits;
	for (; !(b.high >> 32); b.exponent -= 32)
		b.high = b.high << 32 | b.low >> 32, b.low <<= 32;
	zeros = leading_zeros((uint32_t)(b.high >> 32));
	if (zeros)
		b.high = b.high << zeros | b.low >> (64 - zeros), b.low <<= zeros;
	b.exponent -= zeros;
	return b;
}

/*
 * Cut all but `keep` bits, and round these; they become the low ones. True: bits other than 0 were
 * cut.
 */
static bool cut_bits(struct bits *b, int keep, bool is_negative)
{
	uint64_t high = b->high, low = b->low, cut = 0;
	bool more = b->more;
	int drop = keep < 64 ? 64 - keep : 128 - keep;
	enum radix_rest rest;

	if (keep < 0) {
		high = low = 0;
		more = true;
	} else if (keep < 64) {
		cut = drop < 64 ? high << (64 - drop) | low >> drop : high;
		more |= (drop < 64 ? low << (64 - drop) : low) != 0;
		low = drop < 64 ? high >> drop : 0;
		high = 0;
	} else if (keep == 64) {
		cut = low;
		low = high;
		high = 0;
	} else {
		cut = low << (64 - drop);
		low = low >> drop | high << (64 - drop);
		high >>= drop;
	}
	rest = radix_rest(cut, (uint64_t)1 << 63, more);
	b->low = low + radix_rounds_up(is_negative, low & 1, rest);
	b->high = high + (b->low < low);
	return rest != RADIX_NOTHING;
}

/* 2 to the n, or n in the place of an exponent. */
static void add_high(struct bits *b, int64_t n, unsigned place)
{
	if (place < 64)
		b->low += (uint64_t)n << place % 64;
	else
		b->high += (uint64_t)n << place % 64;
}

/* Infinity, or a NaN that may have a number of its own. */
static void set_special(struct bits *r, const struct kind *k, bool is_nan)
{
	add_high(r, 2 * k->most - 1, k->bits - 1);
	if (is_nan)
		add_high(r, 1, k->bits - 2);
}

/* Round the bits to a number of that kind, as it is stored. */
static struct bits make_real(struct bits b, const struct kind *k, bool is_negative)
{
	int64_t below = k->least - b.exponent;
	struct bits normal = b, r = { 0 };
	bool is_inexact, is_tiny = below > 0;

	if (b.exponent <= k->most) {
		r = b;
		is_inexact = cut_bits(&r,
				      below > k->bits ? -1 : k->bits - (is_tiny ? (int)below : 0),
				      is_negative);
		/* Not if a number with all bits would be rounded up to a normal one. */
		if (below == 1) {
			cut_bits(&normal, k->bits, is_negative);
			is_tiny = !((k->bits < 64 ? normal.low : normal.high) >> (k->bits % 64));
		}
		if (below <= 0)
			add_high(&r, -below, k->bits - 1);
		if (is_tiny && is_inexact)
			errno = ERANGE;
	}
	normal = (struct bits){ 0 };
	set_special(&normal, k, false);
	if (b.exponent > k->most || (r.high == normal.high && r.low == normal.low)) {
		errno = ERANGE;
		r = normal;
		if (!radix_rounds_up(is_negative, true, RADIX_MORE)) {
			r.high -= !r.low;
			r.low--;
		}
	}
	return r;
}

static void store(struct bits r, enum co_io_real type, bool is_negative, void *to)
{
	uint32_t few = (uint32_t)r.low | (uint32_t)is_negative << 31;

	if (type == CO_IO_FLOAT) {
		memcpy(to, &few, sizeof(few));
		return;
	}
#ifdef RADIX_LONG_SHIFT
	if (type == CO_IO_LONG_DOUBLE) {
		r.high |= (uint64_t)is_negative << 63;
		memcpy(to, &r.low, sizeof(r.low));
		memcpy((char *)to + sizeof(r.low), &r.high, sizeof(r.high));
		return;
	}
#endif
	r.low |= (uint64_t)is_negative << 63;
	memcpy(to, &r.low, sizeof(r.low));
}

/* Read nan, inf or infinity. Returns its length. */
static int scan_word(struct co_io_source *s, const struct kind *k, int start, struct bits *r)
{
	const char *word = (co_io_source_look(s) | 0x20) == 'n' ? "nan" : "inf";
	const char *rest = "inity";
	int length;

	set_special(r, k, *word == 'n');
	for (int i = 0; word[i]; i++) {
		if (!take_letter(s, word[i]))
			return 0;
	}
	length = s->taken - start;
	if (*word == 'n' || !take_letter(s, *rest++))
		return length;
	while (*rest && take_letter(s, *rest))
		rest++;
	return *rest ? -length : s->taken - start;
}

int co_io_scan_real(struct co_io_source *s, enum co_io_real type, void *to)
{
	const struct kind *k = &kinds[type];
	int start = s->taken, length;
	bool is_negative = take_sign(s), ok = true;
	struct number d;
	struct bits r = { 0 };
	int c = co_io_source_look(s) | 0x20;

	if (c == 'n' || c == 'i') {
		length = scan_word(s, k, start, &r);
	} else {
		d.is_hex = d.more = false;
		d.digits = 0;
		d.point = 0;
		d.hex = r;
		d.group = d.some;
		d.groups = (int)(sizeof(d.some) / sizeof(d.some[0]));
		length = scan_digits(s, &d, k, start, &ok);
		length = length > 0 ? scan_exponent(s, &d, start, length) : length;
		if (d.digits && d.is_hex)
			r = hex_bits(&d);
		else if (d.digits && d.point >= k->small && d.point <= k->large)
			r = decimal_bits(&d, k, &ok);
		else if (d.digits)
			r = (struct bits){ .more = true,
					   .exponent = d.point < 0 ? -100000 : 100000 };
		if (d.digits && ok)
			r = make_real(r, k, is_negative);
		if (d.group != d.some)
			free(d.group);
	}
	if (!ok)
		errno = ENOMEM;
	if (length)
		store(r, type, is_negative, to);
	return length;
}

/* ---- The C library's functions ---- */

static struct co_io_source begin(const char *text, const char **first)
{
	while (*text == ' ' || (*text >= '\t' && *text <= '\r'))
		text++;
	*first = text;
	return co_io_source_text(text);
}

static uint64_t text_whole(const char *text, char **end, int base, int bits, bool is_signed)
{
	struct co_io_whole w = { 0 };
	const char *first = text;
	struct co_io_source s;

	if (base < 0 || base == 1 || base > 36) {
		errno = EINVAL;
	} else {
		s = begin(text, &first);
		w = co_io_scan_whole(&s, base);
	}
	if (end)
		*end = (char *)(uintptr_t)(w.length ? first + w.length : text);
	return w.length ? co_io_fit_whole(&w, bits, is_signed) : 0;
}

/* Length of the "(...)" that may follow a NaN; *number is its value, 0 if it is not a number. */
static int scan_payload(const char *text, uint64_t *number)
{
	const char *p = text + 1;
	char *end;

	if (*text != '(')
		return 0;
	while (*p == '_' || digit_of(*p) < 36)
		p++;
	if (*p != ')')
		return 0;
	*number = text_whole(text + 1, &end, 0, 64, false);
	*number = end == p ? *number : 0;
	return (int)(p + 1 - text);
}

static void *text_real(const char *text, char **end, enum co_io_real type, void *to)
{
	const struct kind *k = &kinds[type];
	const char *first;
	struct co_io_source s = begin(text, &first);
	int length = co_io_scan_real(&s, type, to), sign = *first == '-' || *first == '+';
	struct bits r = { 0 };

	length = length < 0 ? -length : length;
	if (length == 3 + sign && (first[sign] | 0x20) == 'n') {
		length += scan_payload(first + length, &r.low);
		if (k->bits <= 64)
			r.low &= ((uint64_t)1 << (k->bits - 2)) - 1;
		set_special(&r, k, true);
		store(r, type, *first == '-', to);
	}
	if (end)
		*end = (char *)(uintptr_t)(length ? first + length : text);
	return to;
}

#define WHOLE(type, name, is_signed)                                                        \
	type name(const char *text, char **end, int base)                                   \
	{                                                                                   \
		return (type)text_whole(text, end, base, 8 * (int)sizeof(type), is_signed); \
	}
#define REAL(type, name, kind)                                            \
	type name(const char *text, char **end)                           \
	{                                                                 \
		return *(type *)text_real(text, end, kind, &(type){ 0 }); \
	}

extern __typeof__(strtol) __wrap_strtol;
extern __typeof__(strtoul) __wrap_strtoul;
extern __typeof__(strtoll) __wrap_strtoll;
extern __typeof__(strtoull) __wrap_strtoull;
extern __typeof__(strtoimax) __wrap_strtoimax;
extern __typeof__(strtoumax) __wrap_strtoumax;
extern __typeof__(strtod) __wrap_strtod;
extern __typeof__(strtof) __wrap_strtof;
extern __typeof__(strtold) __wrap_strtold;
extern __typeof__(atof) __wrap_atof;

WHOLE(long, __wrap_strtol, true)
WHOLE(unsigned long, __wrap_strtoul, false)
WHOLE(long long, __wrap_strtoll, true)
WHOLE(unsigned long long, __wrap_strtoull, false)
WHOLE(intmax_t, __wrap_strtoimax, true)
WHOLE(uintmax_t, __wrap_strtoumax, false)
REAL(double, __wrap_strtod, CO_IO_DOUBLE)
REAL(float, __wrap_strtof, CO_IO_FLOAT)
REAL(long double, __wrap_strtold, CO_IO_LONG_DOUBLE)

double __wrap_atof(const char *text)
{
	return __wrap_strtod(text, NULL);
}
