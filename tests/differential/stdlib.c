/* stdlib.c - <stdlib.h> and <inttypes.h>: numbers from text, quotients, memory, the environment,
 * random numbers. */
#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "beside.h"
#include "say.h"

char *l64a(long);
long a64l(const char *);

static const char *const texts[] = { "",
				     " ",
				     "0",
				     "-0",
				     "+0",
				     "1",
				     "-1",
				     "+7",
				     " \t\n\v\f\r12",
				     "12abc",
				     "abc",
				     "0x",
				     "0xg",
				     "0x1f",
				     "0X1F",
				     "-0x1f",
				     "x1",
				     "0x 1",
				     "010",
				     "08",
				     "09z",
				     "z",
				     "Zz",
				     "+-1",
				     "--1",
				     "- 1",
				     "+",
				     "-",
				     "2147483647",
				     "2147483648",
				     "-2147483648",
				     "-2147483649",
				     "4294967295",
				     "4294967296",
				     "-4294967295",
				     "9223372036854775807",
				     "9223372036854775808",
				     "-9223372036854775808",
				     "-9223372036854775809",
				     "18446744073709551615",
				     "18446744073709551616",
				     "-18446744073709551615",
				     "-18446744073709551616",
				     "99999999999999999999999",
				     "0b101",
				     "0xffffffffffffffff",
				     "0x10000000000000000",
				     "1e5",
				     "1_000",
				     "777777777777777777777",
				     "1777777777777777777777",
				     "2777777777777777777777",
				     "zzzzzzzzzzzz",
				     "3w5e11264sgsf",
				     "3w5e11264sgsg",
				     "1y2p0ij32e8e7",
				     "1y2p0ij32e8e8" };

/* Where the last number ended. */
static char *end;

/* Whether it is an error that there is no number is open. */
static void said_number(const char *name, const char *format, const char *s, int base, long long r)
{
	int e = AT(end, s) ? errno : 0;

	say_part("%r %s %d = ", name, s, base);
	say_part(format, r);
	say(" %d %e", AT(end, s), e);
}

#define STRTO(name, type, format, s, base) \
	said_number(#name, format, s, base, (errno = 0, (long long)(type)name(s, &end, base)))

static void parse(const char *s)
{
	static const int bases[] = { 0, 2, 8, 10, 16, 36, 1, 37, -1 };

	for (unsigned i = 0; i < COUNT(bases); i++) {
		const int base = bases[i];

		/* What neither knows a base by: nothing is read, and where is not said. */
		if (base == 1 || base > 36 || base < 0) {
			errno = 0;
			say_part("strtol.base %s %d = %l", s, base,
				 (long long)strtol(s, NULL, base));
			say(" %e", errno);
			errno = 0;
			say_part("strtoull.base %s %d = %l", s, base,
				 (long long)strtoull(s, NULL, base));
			say(" %e", errno);
			continue;
		}
		STRTO(strtoll, long long, "%l", s, base);
		STRTO(strtoull, unsigned long long, "%x", s, base);
		STRTO(strtoimax, intmax_t, "%l", s, base);
		STRTO(strtoumax, uintmax_t, "%x", s, base);
		if (!has_long64)
			continue;
		STRTO(strtol, long, "%l", s, base);
		STRTO(strtoul, unsigned long, "%x", s, base);
	}
	if (strlen(s) < 10)
		say("atoi %s = %d %l %l", s, atoi(s), (long long)atol(s), (long long)atoll(s));
}

/* In 32 bits, whatever a long has. */
static void parse_small(void)
{
	static const char *const small[] = { "",           "7",           "-12",
					     "2147483647", "-2147483648", "0x7fffffff",
					     "  +5x" };

	for (unsigned i = 0; i < COUNT(small); i++) {
		STRTO(strtol, long, "%l", small[i], 0);
		STRTO(strtol, long, "%l", small[i], 10);
	}
	STRTO(strtoul, unsigned long, "%x", "12z", 36);
}

static void divide(void)
{
	static const int some[] = { 0, 1, -1, 2, -2, 3, 7, -7, 10, -10, 2147483647, -2147483647 };

	for (unsigned i = 0; i < COUNT(some); i++) {
		say("abs %d = %d %l %l %l", some[i], abs(some[i]), (long long)labs(some[i]),
		    llabs(some[i]), (long long)imaxabs(some[i]));
		for (unsigned j = 1; j < COUNT(some); j++) {
			div_t d = div(some[i], some[j]);
			ldiv_t l = ldiv(some[i], some[j]);
			lldiv_t ll = lldiv(some[i] * 1000000000ll, some[j]);
			imaxdiv_t m = imaxdiv(some[i], some[j]);

			say("div %d %d = %d %d", some[i], some[j], d.quot, d.rem);
			say("ldiv %d %d = %l %l", some[i], some[j], (long long)l.quot,
			    (long long)l.rem);
			say("lldiv %d %d = %l %l", some[i], some[j], ll.quot, ll.rem);
			say("imaxdiv %d %d = %l %l", some[i], some[j], (long long)m.quot,
			    (long long)m.rem);
		}
	}
}

static void digits(void)
{
	static const int some[] = { 0, 1, -1, 255, -255, 2147483647, -2147483647 - 1 };
	char b[40];

	for (unsigned i = 0; i < COUNT(some); i++) {
		for (int base = 2; base < 37; base += 7) {
			say("itoa %d %d = %s", some[i], base, itoa(some[i], b, base));
			say("utoa %d %d = %s", some[i], base, utoa((unsigned)some[i], b, base));
		}
		say("itoa %d 10 = %s", some[i], itoa(some[i], b, 10));
	}
	say("a64l = %l %l %l", (long long)a64l(""), (long long)a64l("./z"),
	    (long long)a64l("zzzzz/"));
	say("l64a = %s", l64a(0));
	say("l64a = %s", l64a(123456));
}

static void environment(void)
{
	static char own[] = "COHART_OWN=1";

	say("getenv.none = %s", getenv("COHART_NOTHING"));
	say("setenv = %d", setenv("COHART_A", "one", 0));
	say("getenv = %s", getenv("COHART_A"));
	say("setenv.keep = %d", setenv("COHART_A", "two", 0));
	say("getenv.kept = %s", getenv("COHART_A"));
	say("setenv.over = %d", setenv("COHART_A", "a longer value", 1));
	say("getenv.over = %s", getenv("COHART_A"));
	say("getenv.prefix = %s", getenv("COHART_"));
	say("getenv.with = %s", getenv("COHART_A="));
	errno = 0;
	say_part("setenv.empty = %d", setenv("", "x", 1));
	say(" %e", errno);
	errno = 0;
	say_part("setenv.equals = %d", setenv("a=b", "x", 1));
	say(" %e", errno);
	say("putenv = %d", putenv(own));
	say("getenv.put = %s", getenv("COHART_OWN"));
	say("unsetenv = %d", unsetenv("COHART_A"));
	say("getenv.unset = %s", getenv("COHART_A"));
	errno = 0;
	say_part("unsetenv.empty = %d", unsetenv(""));
	say(" %e", errno);
}

/* Which numbers is each library's own; that a seed repeats them is not. */
static void repeats(void)
{
	unsigned seed = 5, again = 5;
	int first[10];
	bool same = true, in = true;

	srand(3);
	for (unsigned i = 0; i < COUNT(first); i++)
		first[i] = rand();
	srand(3);
	for (unsigned i = 0; i < COUNT(first); i++) {
		int n = rand();

		same &= n == first[i];
		in &= n >= 0 && n <= RAND_MAX;
	}
	say("rand = %d %d", same, in);
	for (unsigned i = 0; i < 10; i++)
		same &= rand_r(&seed) == rand_r(&again);
	say("rand_r = %d", same);
	srandom(8);
	first[0] = (int)random();
	srandom(8);
	say("random = %d %d", first[0] == (int)random(), first[0] >= 0);
}

/* POSIX says which numbers these are. */
static void drand(void)
{
	unsigned short x[3] = { 1, 2, 3 }, set[7] = { 9, 8, 7, 0x123, 0x456, 0x7, 0x89 };

	srand48(42);
	for (unsigned i = 0; i < 5; i++) {
		say("drand48 = %D", drand48());
		say("lrand48 = %l", (long long)lrand48());
		say("mrand48 = %l", (long long)mrand48());
		say("erand48 = %D", erand48(x));
		say("nrand48 = %l", (long long)nrand48(x));
		say("jrand48 = %l", (long long)jrand48(x));
	}
	seed48(set);
	say("seed48 = %D", drand48());
	lcong48(set);
	for (unsigned i = 0; i < 3; i++)
		say("lcong48 = %D", drand48());
	srand48(0x12345678);
	say("srand48 = %D", drand48());
}

static void memory(void)
{
	static const size_t sizes[] = { 1, 15, 16, 17, 100, 4096, 100000 };
	volatile size_t half = SIZE_MAX / 2;
	void *volatile p;

	for (unsigned i = 0; i < COUNT(sizes); i++) {
		unsigned char *a = malloc(sizes[i]), *b = calloc(sizes[i], 1);
		bool zero = true;

		for (size_t j = 0; b && j < sizes[i]; j++)
			zero &= !b[j];
		memset(a, 0x5a, sizes[i]);
		a = realloc(a, 2 * sizes[i]);
		say("malloc %d = %d %d %d", (int)sizes[i],
		    (uintptr_t)a % 16 == 0 && (uintptr_t)b % 16 == 0, zero,
		    a[0] == 0x5a && a[sizes[i] - 1] == 0x5a);
		free(b);
		a = realloc(a, sizes[i] / 2 + 1);
		say("realloc %d = %d", (int)sizes[i], a[0] == 0x5a);
		free(a);
	}
	for (size_t align = 8; align <= 4096; align *= 8) {
		void *q = NULL;
		int r = posix_memalign(&q, align, 100);

		p = aligned_alloc(align, 4096);
		say("aligned_alloc %d = %d", (int)align, p && (uintptr_t)p % align == 0);
		say("posix_memalign %d = %d %d", (int)align, r, (uintptr_t)q % align == 0);
		free(p);
		free(q);
	}
	p = (void *)1;
	say("posix_memalign.3 = %e %d", posix_memalign((void **)&p, 3, 8), p == (void *)1);
	errno = 0;
	p = malloc(half - 100);
	say("malloc.max = %d %e", p != NULL, errno);
	errno = 0;
	p = calloc(half, 4);
	say("calloc.over = %d %e", p != NULL, errno);
	errno = 0;
	p = reallocarray(NULL, half, 4);
	say("reallocarray.over = %d %e", p != NULL, errno);
	p = reallocarray(NULL, 10, 4);
	say("reallocarray = %d", p != NULL);
	free(p);
	p = realloc(NULL, 10);
	say("realloc.null = %d", p != NULL);
	say("malloc_usable_size = %d", malloc_usable_size(p) >= 10);
	free(p);
	free(NULL);
}

static int multibyte(const char *s, size_t n)
{
	wchar_t w = 0x55;
	int r = mbtowc(&w, s, n);

	say("mbtowc %s %d = %d %x", s, (int)n, r, (unsigned long long)w);
	say("mblen %s %d = %d", s, (int)n, mblen(s, n));
	return r;
}

static void characters(void)
{
	wchar_t w[10] = { 'x', 'x', 'x', 'x', 'x', 'x' };
	char b[10] = "#########";

	for (unsigned n = 1; n < 3; n++) {
		multibyte("", n);
		multibyte("a", n);
	}
	say("mbtowc.null = %d %d %d", mbtowc(NULL, NULL, 0), mblen(NULL, 0), wctomb(NULL, 0));
	say_part("wctomb = %d", wctomb(b, L'a'));
	say(" %b", b, 3);
	say_part("wctomb.0 = %d", wctomb(b, 0));
	say(" %b", b, 3);
	say_part("mbstowcs = %d", (int)mbstowcs(w, "abc", 2));
	say(" %d %d", w[1] == 'b', w[2] == 'x');
	say_part("mbstowcs.all = %d", (int)mbstowcs(w, "abc", 10));
	say(" %d", w[3] == 0);
	say("mbstowcs.count = %d", (int)mbstowcs(NULL, "abcd", 0));
	say_part("wcstombs = %d", (int)wcstombs(b, L"xyz", 2));
	say(" %b", b, 5);
	say_part("wcstombs.all = %d", (int)wcstombs(b, L"xyz", 9));
	say(" %b", b, 5);
	say("wcstombs.count = %d", (int)wcstombs(NULL, L"xyzz", 0));
	say("MB_CUR_MAX = %d", (int)MB_CUR_MAX);
}

static void options(void)
{
	static char *const keys[] = { "ro", "rw", "size", NULL };
	char text[] = "rw,size=12,ro=,bad=3,,rw", *p = text, *value;

	for (unsigned i = 0; i < 6 && *p; i++) {
		int n = getsubopt(&p, keys, &value);

		say("getsubopt %d = %d %s", i, n, n >= 0 ? value : "");
	}
	say("rpmatch = %d %d %d", rpmatch("yes"), rpmatch("No"), rpmatch("x"));
}

void cases_stdlib(void)
{
	for (unsigned i = 0; i < COUNT(texts); i++)
		parse(texts[i]);
	parse_small();
	divide();
	digits();
	repeats();
	drand();
	memory();
	characters();
	options();
	if (has_statics)
		environment();
}
