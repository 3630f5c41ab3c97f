/* beside.c - for the program of this PC: what glibc does not have, by the manual pages of those who
 * have it. */
#include <ctype.h>
#include <string.h>

#include "beside.h"

size_t strlcpy(char *to, const char *from, size_t size)
{
	size_t n = strlen(from);

	if (size) {
		size_t kept = n < size ? n : size - 1;

		memcpy(to, from, kept);
		to[kept] = '\0';
	}
	return n;
}

size_t strlcat(char *to, const char *from, size_t size)
{
	size_t n = strnlen(to, size);

	return n + strlcpy(to + n, from, size - n);
}

char *strnstr(const char *s, const char *find, size_t n)
{
	return memmem(s, strnlen(s, n), find, strlen(find));
}

char *strlwr(char *s)
{
	for (char *p = s; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return s;
}

char *strupr(char *s)
{
	for (char *p = s; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	return s;
}

int timingsafe_bcmp(const void *a, const void *b, size_t n)
{
	return memcmp(a, b, n) != 0;
}

int timingsafe_memcmp(const void *a, const void *b, size_t n)
{
	return memcmp(a, b, n);
}

int flsll(long long n)
{
	return n ? 64 - __builtin_clzll((unsigned long long)n) : 0;
}

int flsl(long n)
{
	return flsll((long long)(unsigned long)n);
}

int fls(int n)
{
	return flsll((unsigned)n);
}

char *utoa(unsigned n, char *s, int base)
{
	char digits[33];
	unsigned i = 0, at = 0;

	if (base < 2 || base > 36) {
		s[0] = '\0';
		return NULL;
	}
	do
		digits[i++] = "0123456789abcdefghijklmnopqrstuvwxyz"[n % (unsigned)base];
	while (n /= (unsigned)base);
	while (i)
		s[at++] = digits[--i];
	s[at] = '\0';
	return s;
}

char *itoa(int n, char *s, int base)
{
	if (base != 10 || n >= 0)
		return utoa((unsigned)n, s, base);
	s[0] = '-';
	utoa(0 - (unsigned)n, s + 1, base);
	return s;
}
