/*
 * digits.c - compares the formatter and the scanner (runtime/io/served) with the C library of this
 * PC: random values of every conversion, in random shapes. Built with long doubles of 128 bits,
 * which glibc knows as _Float128.
 *
 * usage: digits [N [SEED]]    N values of each conversion: by default a million. Prints TAP.
 */
#define _GNU_SOURCE
#define __STDC_WANT_IEC_60559_TYPES_EXT__
#include <errno.h>
#include <fenv.h>
#include <float.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../runtime/io/served/scan.h"
#include "../../runtime/io/served/sink.h"
#include "sum.h"

/* Formats are the subject. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"

double __wrap_strtod(const char *text, char **end);
float __wrap_strtof(const char *text, char **end);
long double __wrap_strtold(const char *text, char **end);
long __wrap_strtol(const char *text, char **end, int base);
unsigned long __wrap_strtoul(const char *text, char **end, int base);

static uint64_t state;

static uint64_t draw(void)
{
	return digits_draw(&state);
}

static unsigned below(unsigned n)
{
	return (unsigned)(draw() % n);
}

static unsigned wrong;

static bool differ(const char *what, const char *given, const char *got, const char *want)
{
	if (wrong++ < 10)
		printf("# %s of %.200s: %.300s, wanted %.300s\n", what, given, got, want);
	return false;
}

static int print(char *to, size_t room, const char *format, ...)
{
	struct co_io_sink s = { .at = to, .memory = to, .end = to + room - 1 };
	va_list ap;
	int n;

	va_start(ap, format);
	n = co_io_format(&s, format, ap);
	va_end(ap);
	*s.at = '\0';
	return n;
}

/* ---- Values ---- */

static double to_double(uint64_t bits)
{
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

/* Of all magnitudes; of usual ones; ties; subnormal; near powers of ten; whole. */
static double draw_double(void)
{
	static const double tens[] = { 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1,    1e1,  1e2,   1e5,
				       1e6,  1e7,  1e15, 1e16, 1e17, 1e22, 1e23, 1e100, 1e300 };
	uint64_t bits;
	double d;

	switch (below(8)) {
	case 0:
		return to_double(draw());
	case 1:
		return to_double(draw() & 0x800fffffffffffff);
	case 2: /* n / 2^k, which end with a 5 */
		d = (double)below(100000) + 0.5;
		return below(2) ? d / (double)(1u << below(20)) : -d;
	case 3:
		d = tens[below(18)];
		memcpy(&bits, &d, sizeof(bits));
		return to_double(bits + below(5) - 2);
	case 4:
		return (double)(int64_t)draw() / (double)((uint64_t)1 << below(63));
	case 5:
		return below(1000000) / 1e4;
	case 6:
		return (double)below(100) / (below(2) ? 1e4 : 8);
	default:
		return to_double((draw() & 0x800fffffffffffff) | (uint64_t)(1023 - 40 + below(80))
									 << 52);
	}
}

static void draw_shape(char *format, const char *flags, bool is_precise)
{
	*format++ = '%';
	for (unsigned i = below(4); i-- > 0;)
		*format++ = flags[below((unsigned)strlen(flags))];
	if (below(3) == 0)
		format += sprintf(format, "%u", below(below(20) ? 30 : 600));
	if (is_precise && below(3))
		format += sprintf(format, ".%u", below(below(20) ? 25 : 1200));
	*format = '\0';
}

/* ---- Formatter ---- */

/* glibc forgets zeros that # keeps where rounding makes a power of ten: what %#e has is wanted. */
static int keep_zeros(char *want, size_t room, const char *format, char conversion, double d)
{
	char other[40];
	const char *dot = strchr(format, '.');
	int precision = dot ? atoi(dot + 1) : 6;
	int before = dot ? (int)(dot - format) : (int)strlen(format) - 1;

	sprintf(other, "%.*s.%d%c", before, format, precision ? precision - 1 : 0,
		conversion == 'g' ? 'e' : 'E');
	return snprintf(want, room, other, d);
}

static bool one_real(char conversion)
{
	static char got[4000], want[4000], format[40], given[40];
	double d = draw_double();
	int n, expected;

	draw_shape(format, "-+ #0", true);
	sprintf(format + strlen(format), "%c", conversion);
	expected = snprintf(want, sizeof(want), format, d);
	n = print(got, sizeof(got), format, d);
	sprintf(given, "%a", d);
	if ((conversion | 0x20) == 'g' && strchr(format, '#') &&
	    (strstr(want, "1.e+") || strstr(want, "1.E+")))
		expected = keep_zeros(want, sizeof(want), format, conversion, d);
	return (n == expected && strcmp(got, want) == 0) || differ(format, given, got, want);
}

/* Of a long double only its digits. */
static bool one_long_real(char conversion)
{
	static char got[20000], want[20000], format[30], ours[40];
	uint64_t bits[] = { draw(), draw() };
	_Float128 q;
	int n, expected;

	if (below(1000)) /* usual magnitudes */
		bits[1] = (bits[1] & 0x8000ffffffffffff) | (uint64_t)(16383 - 100 + below(200))
								   << 48;
	if (below(4) == 0)
		bits[0] = 0, bits[1] &= ~(((uint64_t)1 << 44) - 1);
	memcpy(&q, bits, sizeof(q));
	n = below(3) ? sprintf(format, "%%.%u", below(below(2000) ? 60 : 12000))
		     : sprintf(format, "%%");
	sprintf(ours, "%sL%c", format, conversion);
	sprintf(format + n, "%c", conversion);
	expected = strfromf128(want, sizeof(want), format, q);
	n = print(got, sizeof(got), ours, (long double)q);
	return (n == expected && strcmp(got, want) == 0) || differ(ours, "a _Float128", got, want);
}

static bool one_whole(char conversion)
{
	static const char *const lengths[] = { "hh", "h", "", "l", "ll", "j", "z", "t" };
	static char got[4000], want[4000], format[40], given[40];
	uint64_t v = draw() >> below(64);
	size_t room = below(4) ? sizeof(got) : 1 + below(20);
	int n, expected;

	draw_shape(format, strchr("oxX", conversion) ? "-+ #0" : "-+ 0'", true);
	sprintf(format + strlen(format), "%s%c|", lengths[below(8)], conversion);
	expected = snprintf(want, room, format, v);
	n = print(got, room, format, v);
	sprintf(given, "%#lx", v);
	return (n == expected && strcmp(got, want) == 0) || differ(format, given, got, want);
}

/* Strings, characters, pointers: each has its own sort of argument. */
static bool one_text(char conversion)
{
	static const char *const texts[] = { "", "a", "word", "a longer text of some words", NULL };
	static const wchar_t *const wides[] = { L"", L"a", L"word", L"text \x80", NULL };
	static char got[4000], want[4000], format[40];
	bool is_wide = conversion != 'p' && below(4) == 0;
	unsigned which = below(5);
	const void *p = conversion == 'p'   ? which < 4 ? texts[which] : NULL
			: conversion == 'c' ? (const void *)(uintptr_t)below(is_wide ? 140 : 256)
			: is_wide           ? (const void *)wides[which]
					    : texts[which];
	int n, expected;

	draw_shape(format, "-", conversion == 's');
	sprintf(format + strlen(format), "%s%c", is_wide ? "l" : "", conversion);
	expected = snprintf(want, sizeof(want), format, p);
	n = print(got, sizeof(got), format, p);
	return (n == expected && (n < 0 || memcmp(got, want, (size_t)n) == 0)) ||
	       differ(format, "text", got, want);
}

/* Arguments by their places: what is next is never taken, and all are used at the end. */
static bool one_placed(char unused)
{
	static const char *const sizes[] = { "d", "lld", "e", "s", "c", "hhx" };
	static char got[4000], want[4000];
	char format[400] = "", shape[40];
	int i = (int)draw(), width = (int)below(60) - 30, n, expected;
	double d = draw_double();
	long long l = (long long)draw();

	(void)unused;
	for (unsigned pieces = 1 + below(5); pieces-- > 0;) {
		unsigned place = below(6);

		draw_shape(shape, place == 2 ? "-+ #0" : place > 2 ? "-" : "-+ 0", place < 3);
		sprintf(format + strlen(format), "%%%u$%s", place + 1, shape + 1);
		if (below(3) == 0)
			sprintf(format + strlen(format) - strlen(shape + 1), "*7$%s",
				place < 4 ? ".*7$" : "");
		sprintf(format + strlen(format), "%s|", sizes[place]);
	}
	strcat(format, "%7$d%6$hhx%5$c%4$s%3$g%2$lld%1$d");
	expected = snprintf(want, sizeof(want), format, i, l, d, "text", 'c', i, width);
	n = print(got, sizeof(got), format, i, l, d, "text", 'c', i, width);
	return (n == expected && strcmp(got, want) == 0) || differ(format, "places", got, want);
}

/* ---- Scanner ---- */

/* A number's text: exact, or with fewer or more digits, or exactly between two, or nearly. */
static void draw_real_text(char *to, double d, double next)
{
	_Float128 middle = ((_Float128)d + (_Float128)next) / 2;
	char format[20];
	size_t n;

	sprintf(format, "%%.%u%c", below(below(100) ? 25 : 1100), below(3) ? 'e' : 'g');
	if (below(3) == 0) /* of usual magnitudes 110 digits are all */
		strfromf128(to, 3000, below(100) ? "%.110e" : "%.1100e", middle);
	else
		snprintf(to, 3000, below(8) ? format : "%a", d);
	if (below(4) == 0 && strchr(to, '.')) { /* a digit somewhere else */
		n = below((unsigned)strlen(to));
		to[n] = to[n] >= '0' && to[n] <= '9' ? (char)('0' + below(10)) : to[n];
	}
	if (below(10) == 0)
		strcat(to, below(2) ? "e" : "x");
}

/* What a function made of a text. */
struct reading {
	uint64_t bits[2];
	char *end;
	int error;
};

static bool same_reading(const char *what, const char *text, const struct reading *got,
			 const struct reading *want)
{
	char texts[2][80];
	const struct reading *both[] = { got, want };

	if (memcmp(got->bits, want->bits, sizeof(got->bits)) == 0 && got->end == want->end &&
	    got->error == want->error)
		return true;
	for (unsigned i = 0; i < 2; i++)
		sprintf(texts[i], "%#lx, %d characters, errno %d", both[i]->bits[0],
			(int)(both[i]->end - text), both[i]->error);
	return differ(what, text, texts[0], texts[1]);
}

#define READ(r, type, call)                        \
	do {                                       \
		type v_;                           \
		errno = 0;                         \
		v_ = (call);                       \
		(r).error = errno;                 \
		memcpy((r).bits, &v_, sizeof(v_)); \
	} while (0)

#define SAME(type, ours, theirs, ...)                                       \
	({                                                                  \
		struct reading got_ = { .error = 0 }, want_ = got_;         \
		READ(got_, type, ours(text, &got_.end, ##__VA_ARGS__));     \
		READ(want_, type, theirs(text, &want_.end, ##__VA_ARGS__)); \
		same_reading(#theirs, text, &got_, &want_);                 \
	})

static bool one_strtod(char unused)
{
	static char text[4000];
	double d = draw_double();
	uint64_t bits;

	(void)unused;
	memcpy(&bits, &d, sizeof(bits));
	draw_real_text(text, d, to_double(bits + 1));
	return SAME(double, __wrap_strtod, strtod);
}

static bool one_strtof(char unused)
{
	static char text[4000];
	uint32_t bits = (uint32_t)draw(), next = bits + 1;
	float f, g;

	(void)unused;
	if (below(3))
		bits = (bits & 0x807fffff) | (127 - 30 + below(60)) << 23, next = bits + 1;
	memcpy(&f, &bits, sizeof(f));
	memcpy(&g, &next, sizeof(g));
	draw_real_text(text, f, g);
	return SAME(float, __wrap_strtof, strtof);
}

static bool one_strtold(char unused)
{
	static char text[16000];
	uint64_t bits[] = { draw(), draw() };
	char format[20];
	_Float128 q;
	size_t n;

	(void)unused;
	if (below(1000))
		bits[1] = (bits[1] & 0x8000ffffffffffff) | (uint64_t)(16383 - 100 + below(200))
								   << 48;
	memcpy(&q, bits, sizeof(q));
	sprintf(format, "%%.%u%c", below(below(2000) ? 60 : 12000), below(8) ? 'e' : 'a');
	strfromf128(text, sizeof(text), format, q);
	n = strlen(text);
	if (below(20) == 0) /* a tie: a whole number with a bit too many, and zeros, or nearly */
		n = (size_t)sprintf(text, "1%u%018lu5", 1 + below(8), draw() % 1000000000000000000);
	if (below(4) == 0)
		sprintf(text + n, below(2) ? "e" : "+");
	return SAME(_Float128, __wrap_strtold, strtof128);
}

/* Pieces of numbers, and of what is nearly one. */
static const char *const pieces[] = {
	"0",
	"1",
	"9",
	"12",
	"0x",
	"0X1",
	"x",
	"e",
	"e+",
	"E-2",
	"p",
	"p3",
	".",
	"-",
	"+",
	"inf",
	"INFINITY",
	"infi",
	"nan",
	"nan(",
	"(12)",
	"(0x1f)",
	"(_a)",
	")",
	" ",
	"\t",
	"\n",
	"a",
	"f",
	"z",
	"word",
	"(nil)",
	"]",
	"%",
	"99999999999999999999",
	"2147483648",
	"1e400",
	"1e-400",
	"4.9e-324",
	"2.2250738585072011e-308",
	"123456789012345678901234567890",
	"007",
};

static void draw_pieces(char *to, unsigned most)
{
	*to = '\0';
	for (unsigned n = 1 + below(most); n-- > 0;)
		strcat(to, pieces[below(sizeof(pieces) / sizeof(pieces[0]))]);
}

static bool one_odd_text(char unused)
{
	static const int bases[] = { 0, 2, 8, 10, 16, 36 };
	char text[400];
	int base = bases[below(6)];

	(void)unused;
	draw_pieces(text, 4);
	return SAME(double, __wrap_strtod, strtod) & SAME(float, __wrap_strtof, strtof) &
	       SAME(_Float128, __wrap_strtold, strtof128) &
	       SAME(long, __wrap_strtol, strtol, base) &
	       SAME(unsigned long, __wrap_strtoul, strtoul, base);
}

static int scan(const char *text, const char *format, ...)
{
	struct co_io_source s = co_io_source_text(text);
	va_list ap;
	int n;

	va_start(ap, format);
	n = co_io_scan(&s, format, ap);
	va_end(ap);
	return n;
}

static bool one_scan(char unused)
{
	static const char *const conversions[] = {
		"d",   "i",   "u",        "x",    "o",    "p",     "f",     "lf",      "le",
		"hd",  "hhu", "ld",       "lld",  "jd",   "zu",    "tx",    "s",       "c",
		"ls",  "lc",  "[a-f0-9]", "[^ ]", "[]x]", "[^]-]", "[z-a]", "[0-9.-]", "n",
		"hhn", "lln", "%",        " ",    "x",    ",",
	};
	static char got[6][600], want[6][600];
	char text[400], format[100] = "", g[40], w[40];
	bool has_places = !below(4);
	int n, expected;

	(void)unused;
	draw_pieces(text, 8);
	for (unsigned i = 1 + below(4); i-- > 0;) {
		unsigned which = below(sizeof(conversions) / sizeof(conversions[0]));

		if (below(6) == 0)
			strcat(format, " ");
		if (which < 29 && has_places)
			sprintf(format + strlen(format), "%%%u$", 1 + below(6));
		else if (which < 30)
			sprintf(format + strlen(format), "%%%s",
				which < 26 && !below(5) ? "*" : "");
		if (which < 26 && !below(3))
			sprintf(format + strlen(format), "%u", 1 + below(12));
		strcat(format, conversions[which]);
	}
	memset(got, 0xa5, sizeof(got));
	memset(want, 0xa5, sizeof(want));
	errno = 0;
	n = scan(text, format, got[0], got[1], got[2], got[3], got[4], got[5]);
	expected = sscanf(text, format, want[0], want[1], want[2], want[3], want[4], want[5]);
	if (n == expected && memcmp(got, want, sizeof(got)) == 0)
		return true;
	sprintf(g, "%d, %#lx", n, *(uint64_t *)got[0]);
	sprintf(w, "%d, %#lx", expected, *(uint64_t *)want[0]);
	strcat(format, "' of '");
	return differ(format, text, g, w);
}

/* What is formatted is read back. */
static bool one_mode(char unused)
{
	static const int modes[] = { FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
	static const char conversions[] = "feaga";
	bool ok;

	(void)unused;
	fesetround(modes[below(3)]);
	ok = one_real(conversions[below(5)]) & one_strtod(0) & one_strtof(0);
	fesetround(FE_TONEAREST);
	return ok;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		bool (*one)(char conversion);
		char conversion;
	} tests[] = {
		{ "%f", one_real, 'f' },       { "%F", one_real, 'F' },
		{ "%e", one_real, 'e' },       { "%E", one_real, 'E' },
		{ "%g", one_real, 'g' },       { "%G", one_real, 'G' },
		{ "%a", one_real, 'a' },       { "%A", one_real, 'A' },
		{ "%Lf", one_long_real, 'f' }, { "%Le", one_long_real, 'e' },
		{ "%Lg", one_long_real, 'g' }, { "%La", one_long_real, 'a' },
		{ "%d", one_whole, 'd' },      { "%i", one_whole, 'i' },
		{ "%u", one_whole, 'u' },      { "%o", one_whole, 'o' },
		{ "%x", one_whole, 'x' },      { "%X", one_whole, 'X' },
		{ "%c", one_text, 'c' },       { "%s", one_text, 's' },
		{ "%p", one_text, 'p' },       { "arguments by place", one_placed, 0 },
		{ "strtod", one_strtod, 0 },   { "strtof", one_strtof, 0 },
		{ "strtold", one_strtold, 0 }, { "texts that are nearly numbers", one_odd_text, 0 },
		{ "sscanf", one_scan, 0 },     { "rounding modes", one_mode, 0 },
	};
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 1000000, bad = 0;
	unsigned count = sizeof(tests) / sizeof(tests[0]);
	bool is_same;

	for (unsigned i = 0; i < count; i++) {
		state = (argc > 2 ? strtoul(argv[2], NULL, 0) : 1) + i;
		wrong = 0;
		for (unsigned k = n; k-- > 0;)
			(void)tests[i].one(tests[i].conversion);
		printf("%s %u - %s: %u of %u differ\n", wrong ? "not ok" : "ok", i + 1,
		       tests[i].name, wrong, n);
		bad += wrong != 0;
	}
	is_same = digits_sum() == DIGITS_SUM;
	printf("%s %u - the sum of an image's test is %#x\n", is_same ? "ok" : "not ok", count + 1,
	       digits_sum());
	printf("1..%u\n", count + 1);
	return bad || !is_same;
}
