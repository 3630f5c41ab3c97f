/*
 * real.c - floating-point numbers in formatted output, right to the last digit: of the number's
 * decimal form, which is finite, no digit is guessed (radix.h). Digits that are cut off are rounded
 * as the processor rounds.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/compiler.h"
#include "radix.h"
#include "sink.h"

/* A number's parts: its value is (high * 2^64 + low) * 2^exponent. */
struct real {
	bool is_negative;
	bool is_finite;
	bool is_nan;
	int bits; /* of the mantissa, with the first one, which is not stored */
	int exponent;
	uint64_t high, low;
};

/* Of a number's high word, with sign and exponent from `shift` on, and of bits below that word. */
static struct real real_of(uint64_t high, uint64_t low, int shift, int bits, int most)
{
	uint64_t one = (uint64_t)1 << shift;
	int exponent = (int)(high >> shift) & (2 * most - 1);
	struct real r = {
		.is_negative = high >> 63, .bits = bits, .high = high & (one - 1), .low = low
	};

	r.is_finite = exponent != 2 * most - 1;
	r.is_nan = !r.is_finite && (r.high | r.low);
	if (exponent)
		r.high |= one;
	r.exponent = (exponent ?: 1) - most - bits + 2;
	return r;
}

static struct real real_of_double(double d)
{
	union radix_double u = { .value = d };
	struct real r = real_of(u.bits, 0, DBL_MANT_DIG - 1, DBL_MANT_DIG, DBL_MAX_EXP);

	r.low = r.high;
	r.high = 0;
	return r;
}

/* ---- Decimal digits ---- */

/*
 * Digits by nine: group[i] has the places 9 * i to 9 * i + 8. Groups from `first` up to `end` are
 * there, and one before, which is 0; all digits elsewhere are 0. The point is before group `point`.
 */
struct decimal {
	uint32_t *group;
	int first, point, end;
	bool more; /* there are digits behind the last group, and not only 0 */
};

#define WORDS_FEW 40     /* of memory: for usual numbers */
#define WORDS_DOUBLE 200 /* for any double; a larger long double's are the heap's */

static const uint32_t power[] = { 1,      10,      100,      1000,      10000,
				  100000, 1000000, 10000000, 100000000, 1000000000 };

/*
 * Words of the binary number, the lowest first: fraction_words() behind the point, binary_words()
 * in all.
 */
static int fraction_words(const struct real *r)
{
	return r->exponent < 0 ? (31 - r->exponent) / 32 : 0;
}

static int binary_words(const struct real *r)
{
	int words = (r->bits + r->exponent + 32 * fraction_words(r)) / 32 + 1;

	return words > fraction_words(r) ? words : fraction_words(r);
}

/* The most groups before the point, with the leading group that is 0, and some to spare. */
static int whole_groups(const struct real *r)
{
	return (binary_words(r) - fraction_words(r)) * 15 / 14 + 3;
}

/*
 * Groups behind the point if `digits` are wanted: wherever in the first group they begin, the digit
 * behind the last is in a group, too.
 */
static int groups_behind(const struct real *r, int digits)
{
	int most = fraction_words(r) * 32 / RADIX_DIGITS + 1;

	return digits / RADIX_DIGITS + 2 < most ? digits / RADIX_DIGITS + 2 : most;
}

static void place_bits(const struct real *r, uint32_t *word, int words)
{
	int shift = r->exponent + 32 * fraction_words(r);
	const uint32_t part[] = { (uint32_t)r->low, (uint32_t)(r->low >> 32), (uint32_t)r->high,
				  (uint32_t)(r->high >> 32) };

	memset(word, 0, (size_t)words * sizeof(*word));
	for (int i = 0, at = shift / 32; i < 4 && at < words; i++, at++) {
		uint64_t bits = (uint64_t)part[i] << shift % 32;

		word[at] |= (uint32_t)bits;
		if (bits >> 32)
			word[at + 1] = (uint32_t)(bits >> 32);
	}
}

/*
 * Make all digits before the point, and `digits` behind it; or, if `leads`, `digits` in all,
 * without leading zeros.
 */
static void make_digits(const struct real *r, uint32_t *room, int digits, bool leads,
			struct decimal *d)
{
	int fraction = fraction_words(r), n = binary_words(r), low = 0, wanted;
	uint32_t *word = room;

	place_bits(r, word, n);
	*d = (struct decimal){ .group = room + n, .point = whole_groups(r) };
	d->first = d->end = d->point;
	while (n > fraction && !word[n - 1])
		n--;
	for (; n > fraction; n -= !word[n - 1])
		d->group[--d->first] =
			radix_divide(word + n - 1, -1, n - fraction, RADIX_BINARY, RADIX_DECIMAL);
	if (!leads && d->first == d->point)
		d->group[--d->first] = 0;
	wanted = digits / RADIX_DIGITS + 2 - (leads ? d->end - d->first : 0);
	for (;;) {
		while (low < fraction && !word[low])
			low++;
		if (low == fraction || wanted <= 0)
			break;
		d->group[d->end] =
			radix_multiply(word + low, -1, fraction - low, RADIX_BINARY, RADIX_DECIMAL);
		if (!d->group[d->end] && d->first == d->end)
			d->point--;
		else
			d->end++, wanted--;
	}
	if (d->first == d->end) /* the number is 0 */
		d->group[d->end] = 0, d->point = ++d->end;
	d->group[d->first - 1] = 0;
	d->more = low < fraction;
}

/* Cut the digits from `place` on, which is behind the first digit; round the rest. */
static void round_digits(const struct real *r, struct decimal *d, int64_t place)
{
	int at = (int)(place / RADIX_DIGITS);
	uint32_t unit = power[RADIX_DIGITS - place % RADIX_DIGITS], cut;
	bool is_odd, more = d->more;

	if (place >= (int64_t)d->end * RADIX_DIGITS)
		return;
	for (int i = at + 1; i < d->end; i++)
		more |= d->group[i] != 0;
	cut = d->group[at] % unit;
	is_odd = (unit < RADIX_DECIMAL ? d->group[at] / unit : d->group[at - 1]) & 1;
	d->group[at] -= cut;
	d->end = at + 1;
	if (!radix_rounds_up(r->is_negative, is_odd, radix_rest(cut, unit / 2, more)))
		return;
	d->group[at] += unit;
	for (; d->group[at] >= RADIX_DECIMAL; d->group[at]++) {
		d->group[at] -= (uint32_t)RADIX_DECIMAL;
		if (--at < d->first)
			d->first = at;
	}
}

static int first_place(const struct decimal *d)
{
	int digits = 1;

	while (d->group[d->first] >= power[digits])
		digits++;
	return (d->first + 1) * RADIX_DIGITS - digits;
}

/* Behind the last digit that is not 0. */
static int last_place(const struct decimal *d)
{
	int at = d->end - 1, zeros = 0;

	while (at > d->first && !d->group[at])
		at--;
	while (zeros < RADIX_DIGITS - 1 && d->group[at] % power[zeros + 1] == 0)
		zeros++;
	return (at + 1) * RADIX_DIGITS - zeros;
}

static bool put_places(struct co_io_sink *s, const struct decimal *d, int from, int count)
{
	char text[RADIX_DIGITS];

	for (int n; count > 0; from += n, count -= n) {
		int before = d->first * RADIX_DIGITS - from;
		uint32_t group;
		bool ok;

		if (before > 0 || from >= d->end * RADIX_DIGITS) {
			n = before > 0 && before < count ? before : count;
			ok = co_io_pad(s, '0', n);
		} else {
			group = d->group[from / RADIX_DIGITS];
			for (int i = RADIX_DIGITS; i-- > 0; group /= 10)
				text[i] = (char)('0' + group % 10);
			n = RADIX_DIGITS - from % RADIX_DIGITS;
			n = n < count ? n : count;
			ok = co_io_put(s, text + from % RADIX_DIGITS, (size_t)n);
		}
		if (!ok)
			return false;
	}
	return true;
}

/* ---- Conversions ---- */

/* A number's text: a prefix, digits before and behind the point, an exponent. */
struct shape {
	char prefix[4];
	size_t prefix_bytes;
	int whole, behind; /* digits */
	char exponent[8];
	size_t exponent_bytes;
};

static void set_prefix(struct shape *t, const struct real *r, const struct co_conversion *c)
{
	if (r->is_negative)
		t->prefix[t->prefix_bytes++] = '-';
	else if (c->flags & (CO_CONV_PLUS | CO_CONV_SPACE))
		t->prefix[t->prefix_bytes++] = c->flags & CO_CONV_PLUS ? '+' : ' ';
}

/* Write the exponent with at least `digits` digits. */
static void set_exponent(struct shape *t, char letter, int exponent, int digits)
{
	char text[5];
	int n = 0;

	t->exponent[0] = letter;
	t->exponent[1] = exponent < 0 ? '-' : '+';
	t->exponent_bytes = 2;
	exponent = exponent < 0 ? -exponent : exponent;
	for (; exponent || n < digits; exponent /= 10)
		text[n++] = (char)('0' + exponent % 10);
	while (n)
		t->exponent[t->exponent_bytes++] = text[--n];
}

static bool has_point(const struct shape *t, const struct co_conversion *c)
{
	return t->behind > 0 || (c->flags & CO_CONV_ALTERNATE);
}

static size_t shape_bytes(const struct shape *t, const struct co_conversion *c)
{
	return (size_t)t->whole + has_point(t, c) + (size_t)t->behind + t->exponent_bytes;
}

static bool put_decimal(struct co_io_sink *s, const struct co_conversion *c, struct shape *t,
			const struct decimal *d, int from)
{
	size_t bytes = shape_bytes(t, c);

	return co_io_put_begin(s, c, t->prefix, t->prefix_bytes, bytes, true) &&
	       put_places(s, d, from, t->whole) && (!has_point(t, c) || co_io_put(s, ".", 1)) &&
	       put_places(s, d, from + t->whole, t->behind) &&
	       co_io_put(s, t->exponent, t->exponent_bytes) &&
	       co_io_put_end(s, c, t->prefix_bytes + bytes);
}

/* %f, %e and %g of any finite number. */
static bool put_number(struct co_io_sink *s, const struct co_conversion *c, const struct real *r,
		       uint32_t *room)
{
	char kind = (char)(c->specifier | 0x20);
	struct shape t = { .whole = 1, .behind = c->precision < 0 ? 6 : c->precision };
	int from, exponent, last;
	struct decimal d;

	if (kind == 'g' && t.behind > 0)
		t.behind--;
	set_prefix(&t, r, c);
	make_digits(r, room,
		    kind == 'f'          ? t.behind
		    : t.behind < INT_MAX ? t.behind + 1
					 : INT_MAX,
		    kind != 'f', &d);
	from = kind == 'f' ? d.point * RADIX_DIGITS : first_place(&d) + 1;
	round_digits(r, &d, (int64_t)from + t.behind);
	from = first_place(&d);
	exponent = d.point * RADIX_DIGITS - from - 1;
	if (kind == 'e' || (kind == 'g' && (exponent < -4 || exponent > t.behind))) {
		set_exponent(&t, c->specifier < 'a' ? 'E' : 'e', exponent, 2);
	} else {
		if (kind == 'g')
			t.behind = t.behind > INT_MAX - 4 ? INT_MAX : t.behind - exponent;
		t.whole = exponent < 0 ? 1 : exponent + 1;
		from = d.point * RADIX_DIGITS - t.whole;
	}
	last = last_place(&d) - from - t.whole;
	if (kind == 'g' && !(c->flags & CO_CONV_ALTERNATE) && t.behind > last)
		t.behind = last > 0 ? last : 0;
	return put_decimal(s, c, &t, &d, from);
}

static NOINLINE bool put_large(struct co_io_sink *s, const struct co_conversion *c,
			       const struct real *r, int words)
{
	uint32_t some[WORDS_DOUBLE], *room = some;
	bool ok;

	if (words > WORDS_DOUBLE)
		room = malloc((size_t)words * sizeof(*room));
	ok = room && put_number(s, c, r, room);
	if (room != some)
		free(room);
	return ok;
}

static bool put_few(struct co_io_sink *s, const struct co_conversion *c, const struct real *r)
{
	uint32_t some[WORDS_FEW];

	return put_number(s, c, r, some);
}

/* The digits of a mantissa without the first one, the bits behind the point at the left. */
static int hex_digits(struct real *r, unsigned char *digit)
{
	int shift = 129 - r->bits, n = 0;

	if (shift >= 64)
		r->high = r->low << (shift - 64), r->low = 0;
	else
		r->high = r->high << shift | r->low >> (64 - shift), r->low <<= shift;
	for (; r->high | r->low; r->high = r->high << 4 | r->low >> 60, r->low <<= 4)
		digit[n++] = (unsigned char)(r->high >> 60);
	return n;
}

static bool put_hex(struct co_io_sink *s, const struct co_conversion *c, struct real *r)
{
	const char *set = c->specifier == 'A' ? "0123456789ABCDEFXP" : "0123456789abcdefxp";
	int exponent = r->low | r->high ? r->exponent + r->bits - 1 : 0;
	unsigned char digit[33]; /* the first one is before the point */
	struct shape t = { .whole = 1 };
	bool more = false;
	int n, text;

	digit[0] = (r->bits > 64 ? r->high >> (r->bits - 65) : r->low >> (r->bits - 1)) & 1;
	n = hex_digits(r, digit + 1);
	t.behind = c->precision < 0 ? n : c->precision;
	text = t.behind < n ? t.behind : n;
	for (int i = text + 2; i <= n; i++)
		more |= digit[i] != 0;
	if (text < n && radix_rounds_up(r->is_negative, digit[text] & 1,
					radix_rest(digit[text + 1], 8, more))) {
		for (n = text; n && digit[n] == 15; n--)
			digit[n] = 0;
		digit[n]++;
	}
	set_prefix(&t, r, c);
	t.prefix[t.prefix_bytes++] = '0';
	t.prefix[t.prefix_bytes++] = set[16];
	set_exponent(&t, set[17], exponent, 1);
	for (n = 0; n <= text; n++)
		digit[n] = (unsigned char)set[digit[n]];
	return co_io_put_begin(s, c, t.prefix, t.prefix_bytes, shape_bytes(&t, c), true) &&
	       co_io_put(s, (char *)digit, 1) && (!has_point(&t, c) || co_io_put(s, ".", 1)) &&
	       co_io_put(s, (char *)digit + 1, (size_t)text) &&
	       co_io_pad(s, '0', t.behind - text) && co_io_put(s, t.exponent, t.exponent_bytes) &&
	       co_io_put_end(s, c, t.prefix_bytes + shape_bytes(&t, c));
}

static bool put_real(struct co_io_sink *s, const struct co_conversion *c, struct real *r)
{
	char kind = (char)(c->specifier | 0x20);
	bool is_large = c->specifier < 'a';
	struct shape t = { .whole = 0 };
	int words;

	if (!r->is_finite) {
		set_prefix(&t, r, c);
		return co_io_put_begin(s, c, t.prefix, t.prefix_bytes, 3, false) &&
		       co_io_put(s,
				 r->is_nan  ? is_large ? "NAN" : "nan"
				 : is_large ? "INF"
					    : "inf",
				 3) &&
		       co_io_put_end(s, c, t.prefix_bytes + 3);
	}
	if (kind == 'a')
		return put_hex(s, c, r);
	words = binary_words(r) + whole_groups(r) +
		groups_behind(r, c->precision < 0 ? 6 : c->precision);
	return words < WORDS_FEW ? put_few(s, c, r) : put_large(s, c, r, words + 1);
}

bool co_io_put_double(struct co_io_sink *s, const struct co_conversion *c, double d)
{
	struct real r = real_of_double(d);

	return put_real(s, c, &r);
}

bool co_io_put_long_double(struct co_io_sink *s, const struct co_conversion *c, long double d)
{
#ifdef RADIX_LONG_SHIFT
	union radix_long u = { .value = d };
	struct real r =
		real_of(u.bits[1], u.bits[0], RADIX_LONG_SHIFT, LDBL_MANT_DIG, LDBL_MAX_EXP);
#else
	struct real r = real_of_double((double)d);
#endif

	return put_real(s, c, &r);
}
