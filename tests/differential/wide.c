/* wide.c - <wchar.h> but its streams. */
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "say.h"

static const wchar_t *const texts[] = { L"",
					L"a",
					L"b",
					L"ab",
					L"aB",
					L"abc",
					L"abd",
					L"ABC",
					L"aab",
					L"abcabcd",
					L"hello, world",
					L"12",
					L"-0x1fz",
					L" 077 ",
					L",a;b,,c",
					L"9223372036854775808" };

static void compare(const wchar_t *s, const wchar_t *t)
{
	say("wcscmp %w %w = %S %S", s, t, wcscmp(s, t), wcscoll(s, t));
	say("wcscasecmp %w %w = %S", s, t, wcscasecmp(s, t));
	for (unsigned n = 0; n < 4; n++)
		say("wcsncmp %w %w %d = %S %S", s, t, n, wcsncmp(s, t, n), wcsncasecmp(s, t, n));
	say("wcsspn %w %w = %d %d", s, t, (int)wcsspn(s, t), (int)wcscspn(s, t));
	say("wcspbrk %w %w = %d", s, t, AT(wcspbrk(s, t), s));
	say("wcsstr %w %w = %d", s, t, AT(wcsstr(s, t), s));
	say("wmemcmp %w %w = %S", s, t, wmemcmp(s, t, 1));
}

static void find(const wchar_t *s)
{
	static const wchar_t wanted[] = { L'a', L'b', L'c', 0, L'z' };
	size_t n = wcslen(s);

	say("wcslen %w = %d %d", s, (int)n, (int)wcsnlen(s, 3));
	for (unsigned i = 0; i < COUNT(wanted); i++) {
		say("wcschr %w %d = %d %d", s, (int)wanted[i], AT(wcschr(s, wanted[i]), s),
		    AT(wcsrchr(s, wanted[i]), s));
		say("wmemchr %w %d = %d", s, (int)wanted[i], AT(wmemchr(s, wanted[i], n), s));
	}
	say("wcswidth %w = %d %d", s, wcswidth(s, n), wcwidth(s[0]));
}

static void copy(const wchar_t *s)
{
	wchar_t b[40], *d;
	size_t n = wcslen(s);

	say_part("wcscpy %w = %d", s, AT(wcscpy(b, s), b));
	say(" %w", b);
	say_part("wcpcpy %w = %d", s, AT(wcpcpy(b, s), b));
	say(" %w", b);
	wmemset(b, L'#', 30)[30] = 0;
	say_part("wcsncpy %w = %d", s, AT(wcsncpy(b, s, 4), b));
	say(" %w", b);
	wmemset(b, L'#', 30)[30] = 0;
	say_part("wcpncpy %w = %d", s, AT(wcpncpy(b, s, 4), b));
	say(" %w", b);
	wcscpy(b, L"pre");
	say("wcscat %w = %w", s, wcscat(b, s));
	wcscpy(b, L"pre");
	say("wcsncat %w = %w", s, wcsncat(b, s, 2));
	wmemset(b, L'#', 30)[30] = 0;
	say_part("wmemcpy %w = %d", s, AT(wmemcpy(b + 1, s, n), b));
	say(" %w", b);
	say_part("wmempcpy %w = %d", s, AT(wmempcpy(b + 2, s, n), b));
	say(" %w", b);
	say_part("wmemmove %w = %d", s, AT(wmemmove(b + 3, b, 12), b));
	say(" %w", b);
	wmemset(b, L'#', 30)[30] = 0;
	say("wcsxfrm %w = %d", s, (int)wcsxfrm(b, s, n + 1));
	d = wcsdup(s);
	say("wcsdup %w = %w", s, d);
	free(d);
}

/* Where the last number ended. */
static wchar_t *end;

/* Whether it is an error that there is no number is open. */
static void said_number(const char *name, const wchar_t *s, int base, long long r)
{
	say("%r %w %d = %x %d %e", name, s, base, r, AT(end, s), AT(end, s) ? errno : 0);
}

#define WCSTO(name, type, s, base) \
	said_number(#name, s, base, (errno = 0, (long long)(type)name(s, &end, base)))

static void parse(const wchar_t *s)
{
	static const int bases[] = { 0, 8, 10, 16, 36 };

	for (unsigned i = 0; i < COUNT(bases); i++) {
		WCSTO(wcstoll, long long, s, bases[i]);
		WCSTO(wcstoull, unsigned long long, s, bases[i]);
		WCSTO(wcstoimax, intmax_t, s, bases[i]);
		WCSTO(wcstoumax, uintmax_t, s, bases[i]);
		if (has_long64) {
			WCSTO(wcstol, long, s, bases[i]);
			WCSTO(wcstoul, unsigned long, s, bases[i]);
		}
	}
}

static void tokens(const wchar_t *s)
{
	wchar_t b[40], *save, *t;

	wcscpy(b, s);
	say_part("wcstok %w =", s);
	for (t = wcstok(b, L",;", &save); t; t = wcstok(NULL, L",;", &save))
		say_part(" %w", t);
	say("");
}

static void convert(void)
{
	static const char *const s[] = { "", "a", "abc", "hello" };
	wchar_t w[20];
	char b[20];

	for (unsigned i = 0; i < COUNT(s); i++) {
		const char *from = s[i];
		const wchar_t *back = w;
		mbstate_t state = { 0 };
		wchar_t c = L'#';

		say_part("mbrtowc %s = %d", from, (int)mbrtowc(&c, from, 5, &state));
		say(" %d", (int)c);
		say("mbrtowc.0 %s = %d", from, (int)mbrtowc(&c, from, 0, &state));
		say("mbrlen %s = %d %d", from, (int)mbrlen(from, 5, &state), mbsinit(&state) != 0);
		say_part("mbsrtowcs %s = %d", s[i], (int)mbsrtowcs(w, &from, 20, &state));
		say(" %d %w", from == NULL, w);
		say_part("wcsrtombs %s = %d", s[i], (int)wcsrtombs(b, &back, 20, &state));
		say(" %d %s", back == NULL, b);
		from = s[i];
		say_part("mbsnrtowcs %s = %d", s[i], (int)mbsnrtowcs(w, &from, 3, 20, &state));
		say(" %d", AT(from, s[i]));
		back = w;
		say_part("wcsnrtombs %s = %d", s[i], (int)wcsnrtombs(b, &back, 2, 20, &state));
		say(" %d", AT(back, w));
		memset(b, '#', sizeof(b));
		say_part("wcrtomb %s = %d", s[i], (int)wcrtomb(b, (wchar_t)s[i][0], &state));
		say(" %b", b, 2);
		from = s[i];
		say("mbsrtowcs.count %s = %d", s[i], (int)mbsrtowcs(NULL, &from, 0, &state));
	}
	for (int c = -1; c < 128; c++)
		say("btowc %d = %d %d", c, (int)btowc(c), wctob((wint_t)c));
	say("mbsinit = %d", mbsinit(NULL) != 0);
	say("wcrtomb.null = %d", (int)wcrtomb(NULL, L'x', NULL));
	say("mbrtowc.null = %d", (int)mbrtowc(NULL, NULL, 0, NULL));
}

static void locales(void)
{
	struct lconv *l = localeconv();
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), d = duplocale(c);

	say("setlocale = %s", setlocale(LC_ALL, NULL));
	say("setlocale.C = %s", setlocale(LC_ALL, "C"));
	say("setlocale.none = %s", setlocale(LC_ALL, "xx_nothing"));
	say("localeconv = %s %s %s %d %d", l->decimal_point, l->thousands_sep, l->currency_symbol,
	    l->frac_digits == CHAR_MAX, l->p_cs_precedes == CHAR_MAX);
	say("uselocale = %d", uselocale(c) != 0 && uselocale((locale_t)0) == c);
	uselocale(LC_GLOBAL_LOCALE);
	say("strcoll_l = %S %S", strcoll_l("a", "b", d), strcasecmp_l("A", "a", d));
	say("strncasecmp_l = %S", strncasecmp_l("AB", "aC", 1, d));
	say("wcscasecmp_l = %S %S", wcscasecmp_l(L"A", L"a", d), wcsncasecmp_l(L"AB", L"aC", 1, d));
	say("wcscoll_l = %S", wcscoll_l(L"b", L"a", d));
	say("strxfrm_l = %d %d", (int)strxfrm_l(NULL, "abc", 0, d),
	    (int)wcsxfrm_l(NULL, L"ab", 0, d));
	say("strtol_l = %l %l %x", (long long)strtol_l("-12", NULL, 0, d),
	    strtoll_l("0x10", NULL, 0, d), strtoull_l("77", NULL, 8, d));
	say("strtoul_l = %x", (long long)strtoul_l("12", NULL, 3, d));
	say("wcstol_l = %l %l %x", (long long)wcstol_l(L"-12", NULL, 0, d),
	    wcstoll_l(L"0x10", NULL, 0, d), wcstoull_l(L"77", NULL, 8, d));
	say("wcstoul_l = %x", (long long)wcstoul_l(L"12", NULL, 3, d));
	say("strerror_l = %d", *strerror_l(ENOENT, d) != 0);
	freelocale(d);
	freelocale(c);
}

void cases_wide(void)
{
	for (unsigned i = 0; i < COUNT(texts); i++) {
		find(texts[i]);
		copy(texts[i]);
		parse(texts[i]);
		tokens(texts[i]);
		for (unsigned j = 0; j < COUNT(texts); j++)
			compare(texts[i], texts[j]);
	}
	convert();
	if (has_statics)
		locales();
}
