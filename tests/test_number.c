/*
 * test_number.c - numbers in text, right to the last digit, and what else is scanned: hard cases,
 * and a sum over many (tests/digits compares each conversion with another C library).
 *
 * Topologies: 2x(1+2)
 */
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <wchar.h>

#include <hal/board.h>

#include "digits/sum.h"
#include "files.h"

/* Formats are the subject. */
#pragma GCC diagnostic ignored "-Wformat"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
#pragma GCC diagnostic ignored "-Wnonnull" /* there is one locale: NULL */

/* What not every library declares, or has. */
double strtod_l(const char *text, char **end, locale_t l);
long strtol_l(const char *text, char **end, int base, locale_t l);
char *gcvt(double d, int digits, char *to);
int siprintf(char *to, const char *format, ...) __attribute__((weak));
int siscanf(const char *text, const char *format, ...) __attribute__((weak));

/* What the compiler does not look into. */
static __attribute__((noinline)) int print(char *to, size_t room, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(to, room, format, ap);
	va_end(ap);
	return n;
}

#define PRINTS(text, ...)                                                       \
	do {                                                                    \
		char got_[400];                                                 \
		CHECK_EQ(print(got_, sizeof(got_), __VA_ARGS__), strlen(text)); \
		CHECK_STR(got_, text);                                          \
	} while (0)

TEST_EVERYWHERE(a_double_is_printed_as_the_number_that_it_is)
{
	PRINTS("0.00 0.0 0 0.000", "%.2f %.1f %.0f %.3f", 0.0046, 0.046, 0.46, 0.00046);
	PRINTS("2.67 1.00 0.1 0.2 0.3 0.5", "%.2f %.2f %.1f %.1f %.1f %.1f", 2.675, 1.005, 0.15,
	       0.25, 0.35, 0.45);
	PRINTS("0 2 2 4", "%.0f %.0f %.0f %.0f", 0.5, 1.5, 2.5, 3.5);
	PRINTS("0.66666666666666662966", "%.20f", 2 / 3.);
	PRINTS("0.10000000000000001 0.1000000000000000055511151231257827", "%.17g %.34g", 0.1, 0.1);
	PRINTS("-10247366524.086269", "%.6f", -10247366524.086269378662109375);
	PRINTS("999999 1e+06", "%.6g %.6g", 999999.4, 999999.6);
	if (is_library_ours()) /* the PC's forgets the zeros */
		PRINTS("1.00000e+06", "%#g", 999999.99);
	PRINTS("9.9e+00 1.0e+01", "%.1e %.1e", 9.94, 9.96);
	PRINTS("5e-324 4.940656458412465441766e-324", "%.0e %.21e", 5e-324, 5e-324);
	PRINTS("179769313486231570814527423731704356798070567525844996598917476803157260780028"
	       "538760589558632766878171540458953514382464234321326889464182768467546703537516"
	       "986049910576551282076245490090389328944075868508455133942304583236903222948165"
	       "808559332123348274797826204144723168738177180919299881250404026184124858368",
	       "%.0f", DBL_MAX);
	PRINTS("0x1.8p+0 0x0.0000000000001p-1022 0x1.ap+0 0X2P+0", "%a %a %.1a %.0A", 1.5, 5e-324,
	       0x1.98p0, 1.5);
	PRINTS("-inf  NAN|inf  ", "%f %4F|%-05e", -INFINITY, fabs(NAN), INFINITY);
}

TEST_EVERYWHERE(sums_over_many_numbers_are_right)
{
	if (co_hart() == 0 || co_hart() == co_harts() - 1) /* the text is one */
		CHECK_EQ(digits_sum(), DIGITS_SUM);
	test_sleep_us(0);
}

TEST_EVERYWHERE(what_a_format_may_have_is_known)
{
	long long count = -1;
	signed char few = -1;

	PRINTS("abc", "ab%hhnc%lln", &few, &count);
	CHECK_EQ(few, 2);
	CHECK_EQ(count, 3);
	PRINTS("a|abc|  b|(null)|", "%lc|%.3ls|%3lc|%ls|%.3s", L'a', L"abcdef", L'b', NULL, NULL);
	PRINTS("(nil)", "%p", NULL);
	FAILS(print(NULL, 0, "%lc", 200), -1, EILSEQ);
	FAILS(print(NULL, 0, "%2147483648d", 1), -1, EOVERFLOW);
	if (hal_board.is_process)
		return; /* its library makes each of the blanks: ten seconds */
	FAILS(print(NULL, 0, "%2147483647d+", 1), -1, EOVERFLOW);
	CHECK_EQ(print(NULL, 0, "%2147483647d", 1), INT_MAX);
}

TEST_EVERYWHERE(arguments_are_found_by_their_places)
{
	char word[8] = "";
	int n = 0;
	double d = 0;

	PRINTS("two 1 2.5 two", "%2$s %1$d %3$.1f %2$s", 1, "two", 2.5);
	PRINTS("|    7|2.500|7    |", "|%3$*1$lld|%4$.*2$f|%3$-*1$lld|", 5, 3, 7LL, 2.5);
	PRINTS("9 8", "%2$*3$hhd %1$d", 8, 9 + 256, -1);
	PRINTS("0.5 c 3", "%3$Lg %2$c %1$d", 3, 'c', 0.5L);
	FAILS(print(NULL, 0, "%99999999999$d", 1), -1, EOVERFLOW);
	CHECK_EQ(sscanf("5 word 1.5", "%2$d %1$7s %3$lf", word, &n, &d), 3);
	CHECK_STR(word, "word");
	CHECK(n == 5 && d == 1.5);
}

TEST_EVERYWHERE(other_names_are_of_the_same_formatter_and_scanner)
{
	static const wchar_t text[] = L" -0x1.8p1z";
	char to[40];
	wchar_t *end;
	char *stop;
	double d = 0;

	CHECK(wcstod(text, &end) == -3 && *end == L'z');
	CHECK(wcstof(L"1.0000000596046447753906250000000000001", NULL) == 0x1.000002p0f);
	CHECK_EQ(wcstol(text, &end, 0), -1);
	CHECK_EQ(*end, L'.');
	FAILS(wcstoull(L"99999999999999999999", NULL, 10), ULLONG_MAX, ERANGE);
	CHECK_EQ(wcstol(L"x", &end, 10), 0);
	CHECK_EQ(*end, L'x');
	if (!is_library_ours())
		return;
	CHECK(strtod_l("2.5x", &stop, NULL) == 2.5 && *stop == 'x');
	CHECK_EQ(strtol_l("0x10", &stop, 16, NULL), 16);
	CHECK_STR(gcvt(0.1, 17, to), "0.10000000000000001");
	if (siprintf && siscanf) { /* newlib's */
		CHECK_EQ(siprintf(to, "%.2f", 0.0046), 4);
		CHECK_EQ(siscanf("0x1.8", "%lf", &d), 1);
		CHECK(d == 1.5);
	}
}

/* Once, from the text, to a float: by way of a double some would be one off. */
TEST_EVERYWHERE(a_text_is_rounded_once)
{
	char *end;

	CHECK(strtof("1.000000059604644775390625", NULL) == 1);
	CHECK(strtof("1.0000000596046447753906250000000000001", NULL) == 0x1.000002p0f);
	CHECK(strtod("0x1.8", &end) == 1.5 && !*end);
	CHECK(strtod("-0x.8p-2z", &end) == -0.125 && *end == 'z');
	CHECK(strtod("0x", &end) == 0 && *end == 'x');
	CHECK(strtod("00x2", &end) == 0 && *end == 'x');
	CHECK(strtod("1e+", &end) == 1 && *end == 'e');
	CHECK(strtod("9007199254740993", NULL) == 9007199254740992.);
	CHECK(strtod("9007199254740993.00000000000000000000000000000000001", NULL) ==
	      9007199254740994.);
	CHECK(strtod("2.2250738585072011e-308", NULL) == 0x0.fffffffffffffp-1022);
	CHECK(isinf(strtod("infini", &end)) && strcmp(end, "ini") == 0);
	CHECK(isnan(strtod("nan(0x1)!", &end)) && *end == '!');
	FAILS(strtod("-1e999", NULL), -HUGE_VAL, ERANGE);
	FAILS(strtod("1e-999", NULL), 0, ERANGE);
	FAILS(strtod("2.4703282292062327e-324", NULL), 0, ERANGE);
	FAILS(strtod("2.4703282292062328e-324", NULL), 5e-324, ERANGE);
	FAILS(strtof("1e39", NULL), HUGE_VALF, ERANGE);
	CHECK(atof(" 1.5x") == 1.5);
}

#if LDBL_MANT_DIG == 113
TEST_EVERYWHERE(a_long_double_has_all_its_digits)
{
	static char text[5100];
	char *end;

	PRINTS("0.1000000000000000000000000000000000048148248609680896", "%.52Lf", 0.1L);
	PRINTS("3.1415926535897932384626433832795028 0x1.921fb54442d18469898cc51701b8p+1",
	       "%.34Lf %La", 3.141592653589793238462643383279502884L,
	       3.141592653589793238462643383279502884L);
	PRINTS("1.18973149535723176508575932662800702e+4932", "%.35Le", LDBL_MAX);
	PRINTS("6.475175119438025110924438958227646552e-4966", "%.37Lg", LDBL_TRUE_MIN);
	CHECK_EQ(print(NULL, 0, "%.3Lf", -LDBL_MAX), 4938);
	CHECK(strtold("0.1", NULL) == 0.1L && strtold("1e4932", &end) == 1e4932L);
	CHECK(strtold("6.4751751194380251109244389582276465525e-4966", NULL) == LDBL_TRUE_MIN);
	if (co_hart() == 0) {
		CHECK_EQ(print(text, sizeof(text), "%.0Lf", LDBL_MAX), 4933);
		CHECK(strtold(text, &end) == LDBL_MAX && !*end);
	}
}
#endif

TEST_EVERYWHERE(whole_numbers_that_do_not_fit_are_the_nearest_that_do)
{
	int i = 7, j = 7;
	long l = 0;
	long long ll = 0;
	short h = 0;
	unsigned long long u = 0;
	char *end;

	FAILS(strtol("-99999999999999999999x", &end, 10), LONG_MIN, ERANGE);
	CHECK_EQ(*end, 'x');
	FAILS(strtoul("-99999999999999999999", NULL, 10), ULONG_MAX, ERANGE);
	FAILS(strtoll("0x8000000000000000", NULL, 0), LLONG_MAX, ERANGE);
	FAILS(strtol("1", NULL, 1), 0, EINVAL);
	CHECK_EQ(strtoul("-1", NULL, 10), ULONG_MAX);
	CHECK_EQ(strtol(" 0x", &end, 16), 0);
	CHECK_EQ(*end, 'x');
	CHECK_EQ(strtoimax("zz", NULL, 36), 35 * 36 + 35);
	CHECK_EQ(sscanf("99999999999999999999 99999999999999999999", "%ld %lld", &l, &ll), 2);
	CHECK_EQ(l, LONG_MAX);
	CHECK_EQ(ll, LLONG_MAX);
	CHECK_EQ(sscanf("-99999999999999999999 70000 -1", "%d%hd%llu", &i, &h, &u), 3);
	CHECK_EQ(i, (int)LONG_MIN);
	CHECK_EQ(h, 70000 - 65536);
	CHECK_EQ(u, ULLONG_MAX);
	CHECK_EQ(sscanf("0x1f 017 08", "%i%i%i", &i, &j, &i), 3);
	CHECK_EQ(j, 15);
}

TEST_EVERYWHERE(a_text_is_scanned_by_every_conversion)
{
	char word[20] = "", set[20] = "", c[4] = "...";
	float f = 0;
	double d = 0;
	void *p = &d;
	wchar_t wide[8] = L"";
	intmax_t m = 0;
	size_t z = 0;
	int n = -1, last = -1;

	CHECK_EQ(sscanf("12:abc-]x% 0x1.8p1,-inf", "%*d:%[a-c]%[]-]x%% %f,%lf%n", word, set, &f, &d,
			&n),
		 4);
	CHECK_STR(word, "abc");
	CHECK_STR(set, "-]");
	CHECK(f == 3 && d == -INFINITY);
	CHECK_EQ(n, 23);
	CHECK_EQ(sscanf(" ab (nil) -5 7wide", " %2c %p%jd%zu%3ls", c, &p, &m, &z, wide), 5);
	CHECK(memcmp(c, "ab.", 3) == 0 && !p && m == -5 && z == 7 && wide[2] == L'd' && !wide[3]);
	CHECK_EQ(sscanf("12345", "%2d%2d%n%d", &n, &last, &n, &last), 3);
	CHECK_EQ(last, 5);
	CHECK_EQ(sscanf("\bnil)", "%p", &p), 0);
	CHECK_EQ(sscanf("/-!x", "%[!--/]%c", set, c), 2); /* from ! to -, then from - to / */
	CHECK_STR(set, "/-!");
	CHECK_EQ(sscanf("", "%d", &n), EOF);
	CHECK_EQ(sscanf("x", "%d", &n), 0);
	CHECK_EQ(sscanf("  ", " %n", &n), 0);
	CHECK_EQ(n, 2);
}

TEST_EVERYWHERE(a_text_is_scanned_into_memory_that_is_allocated_for_it)
{
	char *word = NULL, *set = NULL, *one = NULL, *none = NULL, *given = NULL;
	wchar_t *wide = NULL;
	int n = -1;

	CHECK_EQ(sscanf("a-word-that-is-longer-than-what-is-allocated-first 11x2wide!",
			"%ms %m[1]%mc%*ms%n", &word, &set, &one, &n),
		 3);
	CHECK_STR(word, "a-word-that-is-longer-than-what-is-allocated-first");
	CHECK_STR(set, "11");
	CHECK(one && *one == 'x');
	CHECK_EQ(n, 60);
	free(word);
	free(set);
	free(one);
	CHECK_EQ(sscanf("wide", "%3mls", &wide), 1);
	CHECK(wide && wide[2] == L'd' && !wide[3]);
	free(wide);
	CHECK_EQ(sscanf("7", "%m[a]", &none), 0);
	CHECK(!none);
	free(none);
	CHECK_EQ(sscanf("", "%ms", &given), EOF);
	CHECK(!given);
}

/* Of what it reads it pushes back the one character that is not its own, and no other. */
TEST_EVERYWHERE(what_is_not_scanned_is_there_for_the_next)
{
	FILE *f = open_own("w+");
	char word[8] = "";
	double d = 0;
	int n = 0;

	CHECK(fputs("12ab 1.5e3x;-7", f) >= 0);
	rewind(f);
	CHECK_EQ(fscanf(f, "%d", &n), 1);
	CHECK_EQ(n, 12);
	CHECK_EQ(fgetc(f), 'a');
	CHECK_EQ(fscanf(f, "%d", &n), 0);
	CHECK_EQ(fscanf(f, "%7s%lf", word, &d), 2);
	CHECK_STR(word, "b");
	CHECK(d == 1500);
	CHECK_EQ(fgetc(f), 'x');
	CHECK_EQ(fscanf(f, ",%d", &n), 0);
	CHECK_EQ(fscanf(f, ";%d", &n), 1);
	CHECK_EQ(n, -7);
	CHECK_EQ(fscanf(f, "%d", &n), EOF);
	CHECK(feof(f));
	close_own(f);
}
