/*
 * wide.c - numbers in wide text, functions that take a locale, and additions of C23 and POSIX: made
 * of the formatter (format.c) and the scanner (number.c), in place of the library's, which use its
 * own formatter and scanner.
 */
#include <inttypes.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* Not every library declares all of these. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* A program may have its own. */
#define WEAK __attribute__((weak))

#define FEW 80 /* characters that take no memory of the heap */

/*
 * Copy the leading characters that can be in a number, all ASCII. Without memory none, and errno is
 * ENOMEM.
 */
static char *narrow(const wchar_t *wide, char *few)
{
	size_t n = wcsspn(wide, L"\t\n\v\f\r +-.()_0123456789abcdefghijklmnopqrstuvwxyz"
				L"ABCDEFGHIJKLMNOPQRSTUVWXYZ");
	char *text = n < FEW ? few : malloc(n + 1);

	if (!text)
		text = few, n = 0;
	for (size_t i = 0; i < n; i++)
		text[i] = (char)wide[i];
	text[n] = '\0';
	return text;
}

static void finish(const wchar_t *wide, wchar_t **end, const char *few, char *text, char *stop)
{
	if (end)
		*end = (wchar_t *)(uintptr_t)(wide + (stop - text));
	if (text != few)
		free(text);
}

#define READ(type, function, ...)                          \
	char few[FEW], *text = narrow(wide, few), *stop;   \
	type value = function(text, &stop, ##__VA_ARGS__); \
	finish(wide, end, few, text, stop);                \
	return value

WEAK double wcstod(const wchar_t *wide, wchar_t **end)
{
	READ(double, strtod);
}

WEAK float wcstof(const wchar_t *wide, wchar_t **end)
{
	READ(float, strtof);
}

WEAK long double wcstold(const wchar_t *wide, wchar_t **end)
{
	READ(long double, strtold);
}

WEAK long wcstol(const wchar_t *wide, wchar_t **end, int base)
{
	READ(long, strtol, base);
}

WEAK unsigned long wcstoul(const wchar_t *wide, wchar_t **end, int base)
{
	READ(unsigned long, strtoul, base);
}

WEAK long long wcstoll(const wchar_t *wide, wchar_t **end, int base)
{
	READ(long long, strtoll, base);
}

WEAK unsigned long long wcstoull(const wchar_t *wide, wchar_t **end, int base)
{
	READ(unsigned long long, strtoull, base);
}

WEAK intmax_t wcstoimax(const wchar_t *wide, wchar_t **end, int base)
{
	READ(intmax_t, strtoimax, base);
}

WEAK uintmax_t wcstoumax(const wchar_t *wide, wchar_t **end, int base)
{
	READ(uintmax_t, strtoumax, base);
}

/* ---- There is one locale ---- */

/* NOLINTBEGIN(bugprone-macro-parentheses): types */
#define REAL(type, name, text)                                            \
	WEAK type name##_l(const text *from, text **end, locale_t unused) \
	{                                                                 \
		return (void)unused, name(from, end);                     \
	}
#define WHOLE(type, name, text)                                                     \
	WEAK type name##_l(const text *from, text **end, int base, locale_t unused) \
	{                                                                           \
		return (void)unused, name(from, end, base);                         \
	}

/* NOLINTEND(bugprone-macro-parentheses) */

REAL(double, strtod, char)
REAL(float, strtof, char)
REAL(long double, strtold, char)
REAL(double, wcstod, wchar_t)
REAL(float, wcstof, wchar_t)
REAL(long double, wcstold, wchar_t)
WHOLE(long, strtol, char)
WHOLE(unsigned long, strtoul, char)
WHOLE(long long, strtoll, char)
WHOLE(unsigned long long, strtoull, char)
WHOLE(intmax_t, strtoimax, char)
WHOLE(uintmax_t, strtoumax, char)
WHOLE(long, wcstol, wchar_t)
WHOLE(unsigned long, wcstoul, wchar_t)
WHOLE(long long, wcstoll, wchar_t)
WHOLE(unsigned long long, wcstoull, wchar_t)
WHOLE(intmax_t, wcstoimax, wchar_t)
WHOLE(uintmax_t, wcstoumax, wchar_t)

/* ---- One number to text ---- */

/* The format is one conversion, of a double. */
WEAK int strfromd(char *to, size_t room, const char *format, double d)
{
	return snprintf(to, room, format, d);
}

WEAK int strfromf(char *to, size_t room, const char *format, float f)
{
	return snprintf(to, room, format, (double)f);
}

WEAK int strfroml(char *to, size_t room, const char *format, long double d)
{
	char own[16];
	size_t n = strcspn(format, "aAeEfFgG");

	if (!format[n] || n + 3 > sizeof(own))
		return -1;
	memcpy(own, format, n);
	own[n] = 'L';
	own[n + 1] = format[n];
	own[n + 2] = '\0';
	return snprintf(to, room, own, d);
}

WEAK char *gcvt(double d, int digits, char *to)
{
	(void)sprintf(to, "%.*g", digits, d);
	return to;
}

WEAK char *gcvtf(float f, int digits, char *to)
{
	return gcvt((double)f, digits, to);
}
