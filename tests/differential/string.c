/* string.c - <string.h>, <strings.h> and what else works on bytes. */
#include <string.h>
#include <strings.h>
#include <stdlib.h>
#include <unistd.h>

#include "beside.h"
#include "say.h"

static const char *const texts[] = { "",
				     "a",
				     "b",
				     "ab",
				     "aB",
				     "abc",
				     "abd",
				     "aba",
				     "ABC",
				     "abcabcd",
				     "aab",
				     "aaaaab",
				     "\xff",
				     "\x80",
				     "\x7f",
				     "a\xff",
				     "a\x01",
				     "hello, world",
				     "hello, World",
				     "0123456789abcdef",
				     "0123456789abcdeg",
				     "a rather long text, of more than thirty-two bytes",
				     ",;,a,;b,,c",
				     " \t\n" };

/* A copy at `at` bytes from an address that is a multiple of 16, with bytes around it that are not
 * of it. */
static char *place(unsigned which, unsigned at, const char *s)
{
	static char room[2][160] __attribute__((aligned(16)));

	memset(room[which], '#', sizeof(room[which]));
	return strcpy(room[which] + 16 + at, s);
}

static void compare(const char *s, const char *t)
{
	say("strcmp %s %s = %S", s, t, strcmp(s, t));
	say("strcoll %s %s = %S", s, t, strcoll(s, t));
	say("strcasecmp %s %s = %S", s, t, strcasecmp(s, t));
	say("strverscmp %s %s = %S", s, t, strverscmp(s, t));
	for (unsigned n = 0; n < 5; n++) {
		say("strncmp %s %s %d = %S", s, t, n, strncmp(s, t, n));
		say("strncasecmp %s %s %d = %S", s, t, n, strncasecmp(s, t, n));
	}
	say("strncmp %s %s max = %S", s, t, strncmp(s, t, SIZE_MAX));
	for (unsigned i = 0; i < 9; i += 3)
		say("strcmp+%d %s %s = %S", i, s, t, strcmp(place(0, i, s), place(1, 8 - i, t)));
	say("strspn %s %s = %d %d", s, t, (int)strspn(s, t), (int)strcspn(s, t));
	say("strpbrk %s %s = %d", s, t, AT(strpbrk(s, t), s));
	say("strstr %s %s = %d", s, t, AT(strstr(s, t), s));
	say("strcasestr %s %s = %d", s, t, AT(strcasestr(s, t), s));
	say("strnstr %s %s = %d", s, t, AT(strnstr(s, t, 5), s));
	say("memmem %s %s = %d", s, t, AT((char *)memmem(s, strlen(s), t, strlen(t)), s));
}

static void find(const char *s)
{
	static const int wanted[] = { 'a', 'b', 'B', 0, 0xff, -1, 0x80, 256 + 'b', '9' };
	size_t n = strlen(s);

	say("strlen %s = %d %d %d", s, (int)strlen(s), (int)strnlen(s, 3),
	    (int)strnlen(s, SIZE_MAX));
	for (unsigned i = 0; i < COUNT(wanted); i++) {
		const int c = wanted[i];

		say("strchr %s %d = %d", s, c, AT(strchr(s, c), s));
		say("strrchr %s %d = %d", s, c, AT(strrchr(s, c), s));
		say("strchrnul %s %d = %d", s, c, AT(strchrnul(s, c), s));
		say("index %s %d = %d %d", s, c, AT(index(s, c), s), AT(rindex(s, c), s));
		say("memchr %s %d = %d", s, c, AT((char *)memchr(s, c, n), s));
		say("memchr.max %s %d = %d", s, c, c ? 0 : AT((char *)memchr(s, c, SIZE_MAX), s));
		say("memrchr %s %d = %d", s, c, AT((char *)memrchr(s, c, n), s));
		for (unsigned at = 0; at < 9; at++) {
			char *p = place(0, at, s);

			say_part("memchr+%d %s %d = %d", at, s, c, AT((char *)memchr(p, c, n), p));
			say(" %d %d %d %d", AT(strchr(p, c), p), AT(strrchr(p, c), p),
			    AT((char *)memrchr(p, c, n), p), (int)strlen(p));
		}
		if (strchr(s, c))
			say("rawmemchr %s %d = %d", s, c, AT((char *)rawmemchr(s, c), s));
	}
}

static void copy(const char *s)
{
	char b[80];
	size_t n = strlen(s);

	memset(b, '#', sizeof(b));
	say_part("strcpy %s = %d", s, AT(strcpy(b + 1, s), b));
	say(" %b", b, (int)n + 4);
	memset(b, '#', sizeof(b));
	say_part("stpcpy %s = %d", s, AT(stpcpy(b + 1, s), b));
	say(" %b", b, (int)n + 4);
	for (unsigned size = 0; size < 12; size += 3) {
		memset(b, '#', sizeof(b));
		say_part("strncpy %s %d = %d", s, size, AT(strncpy(b, s, size), b));
		say(" %b", b, 14);
		memset(b, '#', sizeof(b));
		say_part("stpncpy %s %d = %d", s, size, AT(stpncpy(b, s, size), b));
		say(" %b", b, 14);
		memset(b, '#', sizeof(b));
		say_part("strlcpy %s %d = %d", s, size, (int)strlcpy(b, s, size));
		say(" %b", b, 14);
		strcpy(b, "pre");
		memset(b + 4, '#', 16);
		say_part("strncat %s %d = %d", s, size, AT(strncat(b, s, size), b));
		say(" %b", b, 18);
		strcpy(b, "pre");
		memset(b + 4, '#', 16);
		say_part("strlcat %s %d = %d", s, size, (int)strlcat(b, s, size));
		say(" %b", b, 14);
		memset(b, '#', sizeof(b));
		say_part("memccpy %s %d = %d", s, size,
			 AT((char *)memccpy(b, s, 'b', n < size ? n : size), b));
		say(" %b", b, 14);
	}
	strcpy(b, "pre");
	say("strcat %s = %s", s, strcat(b, s));
	memset(b, '#', sizeof(b));
	say_part("strxfrm %s = %d", s, (int)strxfrm(b, s, n + 1));
	say(" %b", b, (int)n + 2);
	say("strxfrm.0 %s = %d", s, (int)strxfrm(NULL, s, 0));
	strcpy(b, s);
	say("strlwr %s = %s", s, strlwr(b));
	say("strupr %s = %s", s, strupr(b));
	for (unsigned max = 0; max < 6; max += 5) {
		char *d = strndup(s, max);

		say("strndup %s %d = %s", s, max, d);
		free(d);
	}
	{
		char *d = strdup(s);

		say("strdup %s = %s", s, d);
		free(d);
	}
}

static void move(void)
{
	char a[96], b[96];

	for (unsigned i = 0; i < 300; i++) {
		unsigned from = i % 17, to = i * 7 % 19, n = i * 5 % 60;

		for (unsigned j = 0; j < sizeof(a); j++)
			a[j] = (char)('0' + j % 70), b[j] = '#';
		say_part("memcpy %d %d %d = %d", from, to, n,
			 AT((char *)memcpy(b + to, a + from, n), b));
		say(" %b", b, 90);
		say_part("memmove %d %d %d = %d", from, to, n,
			 AT((char *)memmove(a + to, a + from, n), a));
		say(" %b", a, 90);
		say_part("mempcpy %d %d %d = %d", from, to, n,
			 AT((char *)mempcpy(b + to, a + from, n), b));
		say(" %b", b, 90);
		say_part("memset %d %d = %d", to, n,
			 AT((char *)memset(b + to, (int)(i + 256), n), b));
		say(" %b", b, 90);
		bcopy(a + from, a + to, n);
		say("bcopy %d %d %d = %b", from, to, n, a, 90);
		bzero(a + to, n);
		explicit_bzero(a + from, n / 2);
		say("bzero %d %d %d = %b", from, to, n, a, 90);
		memset(b, '#', sizeof(b));
		swab(a + from, b + to, (ssize_t)n & ~1);
		say("swab %d %d %d = %b", from, to, n, b, 90);
	}
	for (unsigned i = 0; i < 200; i++) {
		unsigned from = i % 9, to = i * 7 % 11, n = i % 40, at = i % 41;

		memset(a, 'x', sizeof(a));
		memset(b, 'x', sizeof(b));
		a[from + at] = i % 2 ? 'a' : (char)0xff;
		say("memcmp %d %d %d = %S %d", i, from, n, memcmp(a + from, b + to, n),
		    !!bcmp(a + from, b + to, n));
		say("timingsafe_memcmp %d = %S %d", i, timingsafe_memcmp(a + from, b + to, n),
		    !!timingsafe_bcmp(a + from, b + to, n));
	}
}

static void tokens(const char *s)
{
	static const char *const by[] = { "", ",", ",;", " \t\n", "abc" };

	for (unsigned i = 0; i < COUNT(by); i++) {
		char b[80], *save = NULL, *p = b, *t;

		strcpy(b, s);
		say_part("strtok_r %s %s =", s, by[i]);
		for (t = strtok_r(b, by[i], &save); t; t = strtok_r(NULL, by[i], &save))
			say_part(" %s", t);
		say("");
		strcpy(b, s);
		say_part("strtok %s %s =", s, by[i]);
		for (t = strtok(b, by[i]); t; t = strtok(NULL, by[i]))
			say_part(" %s", t);
		say("");
		strcpy(b, s);
		say_part("strsep %s %s =", s, by[i]);
		while ((t = strsep(&p, by[i])))
			say_part(" %s", t);
		say("");
	}
}

static void bits(void)
{
	static const unsigned long long some[] = { 0,
						   1,
						   2,
						   0x80,
						   0x8000,
						   0x80000000u,
						   0x7fffffff,
						   0xffffffffu,
						   0x100000000u,
						   0x8000000000000000u,
						   0xffffffffffffffffu };

	for (unsigned i = 0; i < COUNT(some); i++) {
		say("ffs %x = %d", some[i], ffs((int)some[i]));
		say("ffsll %x = %d", some[i], ffsll((long long)some[i]));
		say("fls %x = %d", some[i], fls((int)some[i]));
		say("flsll %x = %d", some[i], flsll((long long)some[i]));
		if (has_long64)
			say("ffsl %x = %d %d", some[i], ffsl((long)some[i]), flsl((long)some[i]));
	}
}

static void versions(void)
{
	static const char *const v[] = { "1",      "10", "9",   "01",    "010",
					 "09",     "0",  "00",  "000",   "1.2.3",
					 "1.2.10", "a1", "a01", "a001b", "a0010" };

	for (unsigned i = 0; i < COUNT(v); i++) {
		for (unsigned j = 0; j < COUNT(v); j++)
			say("strverscmp %s %s = %S", v[i], v[j], strverscmp(v[i], v[j]));
	}
}

static void errors(void)
{
	static const int known[] = {
		0, EDOM, ERANGE, ENOENT, EINVAL, EEXIST, ENOMEM, EISDIR, EBADF
	};
	char b[200], small[4] = "###";

	for (unsigned i = 0; i < COUNT(known); i++) {
		const char *t = strerror(known[i]);

		/* The texts are each library's own. */
		say("strerror %e = %d %d", known[i], t && (known[i] == 0 || *t),
		    errno_text(known[i], b, sizeof(b)) == 0);
		say("strerror_r %e = %d", known[i], strcmp(b, t) == 0);
		say("strerror_r.gnu %e = %d", known[i],
		    strcmp(strerror_r(known[i], b, sizeof(b)), t) == 0);
	}
	say("strerror.unknown = %d", strerror(99999) != NULL);
	(void)errno_text(EINVAL, small, sizeof(small));
	say("strerror_r.small = %d", small[3] == '\0');
}

void cases_string(void)
{
	for (unsigned i = 0; i < COUNT(texts); i++) {
		find(texts[i]);
		copy(texts[i]);
		tokens(texts[i]);
		for (unsigned j = 0; j < COUNT(texts); j++)
			compare(texts[i], texts[j]);
	}
	move();
	bits();
	versions();
	errors();
}
