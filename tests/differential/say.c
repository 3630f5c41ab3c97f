/* say.c - lines of results, in a file of the host's. */
#include <float.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "say.h"
#include "output.h"

bool has_long64 = sizeof(long) == 8, has_errno, has_fenv, has_statics = true;
const char *folder;

static char text[1 << 16];
static size_t used;
static FILE *out;

static void put(char c)
{
	if (used == sizeof(text))
		output_flush();
	text[used++] = c;
}

static void put_text(const char *s)
{
	while (*s)
		put(*s++);
}

static void put_number(unsigned long long n, unsigned base, unsigned digits)
{
	char t[24];
	unsigned i = 0;

	do
		t[i++] = "0123456789abcdef"[n % base];
	while ((n /= base) || i < digits);
	while (i)
		put(t[--i]);
}

static void put_signed(long long n)
{
	if (n < 0)
		put('-');
	put_number(n < 0 ? 0 - (unsigned long long)n : (unsigned long long)n, 10, 1);
}

/* As a string of C, so that every byte shows and none is a blank. */
static void put_char(unsigned c)
{
	if (c > ' ' && c < 0x7f && c != '\\' && c != '"') {
		put((char)c);
	} else {
		put('\\');
		put_number(c, 16, 2);
	}
}

static void put_bytes(const unsigned char *p, size_t n)
{
	put('"');
	while (n--)
		put_char(*p++);
	put('"');
}

static void put_wide(const wchar_t *s)
{
	put_text("L\"");
	for (; *s; s++)
		put_char((unsigned)*s);
	put('"');
}

static void put_errno(int e)
{
	static const struct {
		int number;
		const char *name;
	} known[] = {
		{ 0, "0" },           { EDOM, "EDOM" },       { ERANGE, "ERANGE" },
		{ EILSEQ, "EILSEQ" }, { EINVAL, "EINVAL" },   { ENOENT, "ENOENT" },
		{ EBADF, "EBADF" },   { EEXIST, "EEXIST" },   { EISDIR, "EISDIR" },
		{ ENOMEM, "ENOMEM" }, { ESPIPE, "ESPIPE" },   { EOVERFLOW, "EOVERFLOW" },
		{ EACCES, "EACCES" }, { ENOTDIR, "ENOTDIR" }, { ESRCH, "ESRCH" },
	};

	for (unsigned i = 0; i < COUNT(known); i++) {
		if (known[i].number == e) {
			put_text(known[i].name);
			return;
		}
	}
	put_signed(e);
}

/* All NaNs are one. */
static void put_double(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	if (bits << 1 > 0xffe0000000000000u)
		put_text("nan");
	else
		put_number(bits, 16, 16);
}

static void put_float(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	if (bits << 1 > 0xff000000u)
		put_text("nan");
	else
		put_number(bits, 16, 8);
}

static void put_argument(char kind, va_list *ap)
{
	const void *p;

	switch (kind) {
	case 'd':
		put_signed(va_arg(*ap, int));
		break;
	case 'l':
		put_signed(va_arg(*ap, long long));
		break;
	case 'x':
		put_number(va_arg(*ap, unsigned long long), 16, 1);
		break;
	case 'c':
		put_char(va_arg(*ap, unsigned) & 255);
		break;
	case 'e':
		put_errno(va_arg(*ap, int));
		break;
	case 'D':
		put_double(va_arg(*ap, double));
		break;
	case 'F':
		put_float((float)va_arg(*ap, double));
		break;
	case 'S': {
		int n = va_arg(*ap, int);

		put(n < 0 ? '-' : n > 0 ? '+' : '0');
		break;
	}
	case 'b':
		p = va_arg(*ap, const void *);
		put_bytes(p, (size_t)va_arg(*ap, int));
		break;
	case 's':
		p = va_arg(*ap, const void *);
		if (p)
			put_bytes(p, strlen(p));
		else
			put_text("NULL");
		break;
	case 'r':
		put_text(va_arg(*ap, const char *));
		break;
	case 'w':
		put_wide(va_arg(*ap, const wchar_t *));
		break;
	default:
		put_text("what?");
	}
}

static void say_va(const char *format, va_list *ap)
{
	for (; *format; format++) {
		if (*format == '%')
			put_argument(*++format, ap);
		else
			put(*format);
	}
}

void say_part(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	say_va(format, &ap);
	va_end(ap);
}

void say(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	say_va(format, &ap);
	va_end(ap);
	put('\n');
}

bool output_open(const char *name)
{
	out = fopen(name, "w");
	return out != NULL;
}

void output_flush(void)
{
	if (fwrite(text, 1, used, out) != used)
		put_text("\nwhat was said could not be written\n");
	used = 0;
}

bool output_close(void)
{
	output_flush();
	return fclose(out) == 0;
}
