/*
 * text.c - mbstowcs() and wcstombs(), in place of the library's: picolibc 1.8's and newlib 3.3's do
 * not count without a place to write to.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* A program may have its own. */
#define WEAK __attribute__((weak))

/* All characters are of one byte: docs/libc.md. */
WEAK size_t mbstowcs(wchar_t *to, const char *from, size_t room)
{
	size_t n = 0;

	if (!to)
		return strlen(from);
	while (n < room && (to[n] = (unsigned char)from[n]))
		n++;
	return n;
}

WEAK size_t wcstombs(char *to, const wchar_t *from, size_t room)
{
	size_t n = 0;

	for (; !to || n < room; n++) {
		if ((unsigned long)from[n] > 0xff) {
			errno = EILSEQ;
			return (size_t)-1;
		}
		if (to)
			to[n] = (char)from[n];
		if (!from[n])
			break;
	}
	return n;
}
