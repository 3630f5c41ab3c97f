/*
 * test_printf.c - formatted output from every hart.
 *
 * Topologies: 2x(1+2)
 */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>

#include "../runtime/io/print_ring.h"
#include "files.h"

/* Formats are the subject: those that no compiler can see through, and arguments that promote. */
#pragma GCC diagnostic ignored "-Wformat"
#pragma GCC diagnostic ignored "-Wformat-security"

/* Private to each hart, so the server cannot reach it. */
static _Thread_local char private_text[1600];
static _Thread_local char private_long[4200];

static char got[16000];
static char want[16000];

/* What is printed there is compared with what snprintf() makes of it, on the very same hart. */
static FILE *out;
static long begins;

static void open_out(void)
{
	out = fopen(file_name(), "w+");
	REQUIRE(out);
	/* The host keeps the file until it is closed. */
	CHECK_EQ(remove(file_name()), 0);
}

static void same(int line, int printed, int expected)
{
	size_t n;

	REQUIRE_EQ(fseek(out, begins, SEEK_SET), 0);
	n = fread(got, 1, sizeof(got) - 1, out);
	got[n] = '\0';
	begins += (long)n;
	CHECK_EQ(fseek(out, begins, SEEK_SET), 0);
	CHECK_EQ(printed, expected);
	CHECK_EQ(n, expected);
	if (expected < 0 || n != (size_t)expected || memcmp(got, want, n) != 0) {
		printf("# line %d: \"%.100s\", wanted \"%.100s\"\n", line, got, want);
		CHECK(!"the same as snprintf()");
	}
}

#define SAME(...) \
	same(__LINE__, fprintf(out, __VA_ARGS__), snprintf(want, sizeof(want), __VA_ARGS__))

static void compare_everywhere(void (*fn)(void))
{
	open_out();
	begins = 0;
	everywhere(fn);
	CHECK_EQ(fclose(out), 0);
}

#define TEST_COMPARED(id) TEST_AROUND(id, compare_everywhere)

TEST_COMPARED(integers_in_all_sizes_and_shapes)
{
	SAME("plain");
	SAME("%%|%d|%i|%u", 42, -42, 42u);
	SAME("%o|%x|%X|%#o|%#x|%#X", 8, 0xbeef, 0xbeef, 8, 0xbeef, 0xbeef);
	SAME("%d|%d|%u", INT_MIN, INT_MAX, UINT_MAX);
	SAME("%ld|%ld|%lu", LONG_MIN, LONG_MAX, ULONG_MAX);
	SAME("%lld|%lld|%llu|%llx", LLONG_MIN, LLONG_MAX, ULLONG_MAX, 0x123456789abcdefull);
	SAME("%hhd|%hhu|%hd|%hu|%hhx", 300, 300, 70000, 70000, -1);
	SAME("%jd|%ju|%zu|%zd|%td", (intmax_t)-5, (uintmax_t)5, sizeof(int), (ptrdiff_t)-9,
	     (ptrdiff_t)9);
	SAME("|%5d|%-5d|%05d|%+d|% d|%+5d|%-+5d|", 42, 42, 42, 42, 42, 42, 42);
	SAME("|%.3d|%8.3d|%-8.3d|%.0d|", 7, 7, 7, 0);
	SAME("|%*d|%-*d|%.*d|%*.*d|%*d|%.*d|", 6, 1, 6, 2, 4, 3, 8, 3, 4, -6, 5, -1, 6);
	SAME("%c%c%c|%3c|%-3c|", 'a', 'b', 'c', 'd', 'e');
	SAME("|%----------8d|%-------------------8d|", 5, 6);
	SAME("%p|%20p|%p", (void *)0x1234, (void *)0x80001234, NULL);
}

TEST_COMPARED(floating_point_in_all_shapes)
{
	static const double values[] = {
		0.0,   -0.0,  1.0,    1.5,        -2.25, 3.14159265358979, 1e10,
		1e-10, 1e300, 5e-324, 123456.789, 0.1,   99.99999,         1e22
	};

	for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		SAME("%f|%e|%g|%a", values[i], values[i], values[i], values[i]);
		SAME("%F|%E|%G|%A", values[i], values[i], values[i], values[i]);
		SAME("|%10.2f|%-12.3e|%+.0f|%#g|%020.5f|", values[i], values[i], values[i],
		     values[i], values[i]);
	}
	SAME("%f %F %g %E", (double)INFINITY, -(double)INFINITY, (double)NAN, (double)INFINITY);
	SAME("|%*.*f|%d|%.*g|%s|", 12, 3, 2.5, 7, 4, 1.0 / 3, "after");
	snprintf(want, sizeof(want), "%d %.3Lf|%10.1Lf|%-9Lg|%Le %s", 3, 1.25L, -2.5L, 0.5L,
		 -7e100L, "after");
	CHECK_STR(want, "3 1.250|      -2.5|0.5      |-7.000000e+100 after");
	SAME("%.3Lf %Le %d", 1.25L, -7e100L, 3);
}

TEST_COMPARED(strings_from_anywhere)
{
	char buf[12] = "on my stack";
	char unterminated[4] = { 'f', 'o', 'u', 'r' };
	char *volatile nothing = NULL; /* so that the compiler does not know */

	SAME("%s|%s|%s", "literal", buf, "");
	SAME("|%10s|%-10s|%.3s|%10.3s|%-10.3s|%.0s|%.*s|", "word", buf, buf, buf, buf, buf, 4, buf);
	SAME("%.4s|%.2s", unterminated, unterminated);
	SAME("%s|%.3s", nothing, nothing);
	SAME("%d %s %u %s %c %s %f", 1, buf, 2u, "b", '3', buf, 4.0);
}

TEST_COMPARED(nothing_is_too_long)
{
	for (unsigned i = 0; i < sizeof(private_long) - 1; i++)
		private_long[i] = (char)('a' + i % 26);
	memset(private_text, 'z', sizeof(private_text) - 1);
	/* Larger than any buffer, padded both ways, and cut. */
	SAME("<%s>", private_long);
	SAME("%d<%5000s>%d", 1, private_long, 2);
	SAME("%d<%-5000s>%d", 1, private_long, 2);
	SAME("<%*s|%*s>", 5000, private_long, -5000, private_long);
	SAME("<%.4100s>", private_long);
	SAME("<%10s|%-10s>", private_long, private_long);
	SAME("%.99999999s", "word");
	/* What fills a buffer to the last byte. */
	for (int n = CO_RECORD_BYTES - 60; n <= CO_RECORD_BYTES; n++)
		SAME("%.*s%d%*d", n, private_long, n, 7, n % 10);
	for (int n = CO_BOUNCE_BYTES - 80; n <= CO_BOUNCE_BYTES; n++)
		SAME("%.*s%d", n, private_long, n);
	SAME("%d %s %d %s %d %s %d", 1, private_text, 2, private_text, 3, private_text, 4);
}

TEST_COMPARED(a_format_may_lie_anywhere)
{
	char format[40] = "short: %d %s %5.1f\n";
	size_t n = 0;

	SAME(format, 5, "five", 5.0);
	memset(private_text, 0, sizeof(private_text));
	for (unsigned i = 0; i < 9; i++)
		n += (size_t)snprintf(private_text + n, sizeof(private_text) - n, "%0150d%%%%-%%d|",
				      7);
	SAME(private_text, 1, 2, 3, 4, 5, 6, 7, 8, 9);
	memset(private_text, '-', 1300);
	private_text[1300] = '\0';
	SAME(private_text);
	errno = 3;
	SAME("%d", 1);
	CHECK_EQ(errno, 3);
}

TEST_OURS(what_a_full_device_does_not_take_is_reported)
{
	static char room[16];
	static const char *const formats[] = { "%s", "%5000s|", "%.300s",
					       "more than its buffer holds, then %s" };

	memset(private_long, 'l', sizeof(private_long) - 1);
	for (unsigned i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		FILE *f = fopen("/dev/full", "w");

		if (!f)
			return; /* not every host has one */
		CHECK_EQ(setvbuf(f, room, _IOFBF, sizeof(room)), 0);
		errno = 0;
		CHECK(fprintf(f, formats[i], private_long) < 0);
		CHECK_EQ(errno, ENOSPC);
		CHECK(ferror(f));
		(void)fclose(f);
	}
}

/* On the console: deferred, if the conversions are simple. */
#define COUNTED(...) CHECK_EQ(printf(__VA_ARGS__), snprintf(want, sizeof(want), __VA_ARGS__))

static int vprint(const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vprintf(format, ap);
	va_end(ap);
	return n;
}

/* What is deferred, or nearly: each limit from both sides. */
TEST_EVERYWHERE(formats_on_the_console_are_counted_right)
{
	char *volatile nothing = NULL; /* so that the compiler does not know */
	const char *volatile empty = "";

	memset(private_long, 'l', sizeof(private_long) - 1);
	COUNTED("# %d%d%d%d%d%d%d%d%d%d%d%d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
	COUNTED("# %d%d%d%d%d%d%d%d%d%d%d%d%d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
	COUNTED("# %i%i%i%i%i%i%i%i%i%i%i%c%i\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, '+', 13);
	COUNTED("# %d%lld%d%lld%d%lld%d%lld\n", 1, 2ll, 3, 4ll, 5, 6ll, 7, 8ll);
	COUNTED("# %lld%d%lld%lld%lld%lld%lld%d\n", 1ll, 2, 3ll, 4ll, 5ll, 6ll, 7ll, 8);
	COUNTED("# %lld%lld%lld%lld%lld%lld%lld\n", 1ll, 2ll, 3ll, 4ll, 5ll, 6ll, LLONG_MIN);
	COUNTED("# %s|%.3s|%10s\n", nothing, nothing, nothing);
	COUNTED("# %d %s\n", 1, nothing);
	COUNTED(empty);
	COUNTED("# %300d %.3u %.5x %1023d\n", 7, 8u, 9u, 1);
	for (int n = 330; n < 480; n++)
		COUNTED("# %d %s %c\n", n, private_long + sizeof(private_long) - 1 - n, 'c');
	COUNTED("# %1020d\n", 1);
	COUNTED("# %1021d\n", 1);
	COUNTED("# %p %20p %p\n", (void *)0x1234, (void *)~(uintptr_t)0, (void *)nothing);
	COUNTED("# %u %u %d %d\n", UINT_MAX, 8191u, INT_MIN, -8192);
	COUNTED("# %c%%%-4c%04d|%-7s|%3s|\n", 'a', 'b', -7, "short", "longer");
}

TEST_EVERYWHERE(what_is_not_deferred_is_counted_right)
{
	COUNTED("# %hd %hu\n", 70000, 70000);
	COUNTED("# %hhd\n", 300);
	COUNTED("# %.3d %+d % d %#x %*d\n", 7, 8, 9, 10, 5, 11);
	COUNTED("# %.5lx\n", 7L);
	COUNTED("# %.1c\n", 'a');
	COUNTED("# %d %a\n", 1, 0.5);
	COUNTED("# %.12e %.12f %g\n", 1.5, 2.5, 3.5);
	COUNTED("# %.3f %g\n", 2.5, 3.5);
	CHECK_EQ(vprint("# %s%g\n", "a list: ", 0.25), 15);
	CHECK_EQ(vprint("# %s%d\n", "a list: ", 25), 13);
}

TEST_EVERYWHERE(numbers_of_all_lengths_are_counted_right)
{
	static const int values[] = { 0,       9,        10,        99,     100,   999,
				      1000,    8191,     8192,      9999,   10000, 99999,
				      100000,  999999,   1000000,   12345,  54321, 655360,
				      9999999, 99999999, 999999999, INT_MAX };

	for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		COUNTED("# %d %d %u %i\n", values[i], -values[i], values[i], ~values[i]);
		COUNTED("# %3d|%-6u|%07d\n", -values[i], values[i], values[i]);
		COUNTED("# %li %lld %jd %zu %td\n", (long)values[i], -(long long)values[i],
			(intmax_t)values[i], (size_t)values[i], (ptrdiff_t)~values[i]);
	}
}

/* Each power of ten that a long holds, and its neighbours. */
TEST_EVERYWHERE(longs_of_all_lengths_are_counted_right)
{
	long v = 1;

	for (bool last = false; !last; last = v > LONG_MAX / 10, v = last ? LONG_MAX : v * 10) {
		COUNTED("# %ld %lu %zd %zu\n", v, (unsigned long)-v, (ssize_t)-v, (size_t)v);
		COUNTED("# %ld %lu %zd %zu\n", 1 - v, v - 1ul, (ssize_t)(v - 1), (size_t)-v);
	}
	COUNTED("# %ld %zd %lu %zu\n", LONG_MIN, (ssize_t)LONG_MIN, ULONG_MAX, SIZE_MAX);
	COUNTED("# %ld%ld%ld%ld%ld%ld%ld%ld%ld%ld%ld%ld\n", 1l, 2l, 3l, 4l, 5l, 6l, 7l, 8l, 9l, 10l,
		11l, 12l);
	COUNTED("# %d%ld%ld%ld%ld%ld%ld%ld%ld%ld%ld%ld%ld\n", 1, 2l, 3l, 4l, 5l, 6l, 7l, 8l, 9l,
		10l, 11l, 12l, 13l);
}

#define EXACT(text, ...)                                                             \
	do {                                                                         \
		CHECK_EQ(snprintf(got, sizeof(got), __VA_ARGS__), sizeof(text) - 1); \
		CHECK_STR(got, text);                                                \
	} while (0)

/* The texts are what the C library of a PC makes of them. */
TEST_EVERYWHERE(usual_conversions_make_what_they_should)
{
	const char *volatile nothing = NULL;

	EXACT("0 7 -7 2147483647 -2147483648 4294967295", "%d %u %d %d %d %u", 0, 7u, -7, INT_MAX,
	      INT_MIN, UINT_MAX);
	EXACT("0 7 -7 2147483647 -2147483648", "%ld %lu %zd %ld %ld", 0l, 7ul, (ssize_t)-7,
	      2147483647l, -2147483647l - 1);
	EXACT("1000000000 4294967295 -1", "%zu %lu %ld", (size_t)1000000000, 4294967295ul, -1l);
#if LONG_MAX > INT_MAX
	EXACT("9223372036854775807 -9223372036854775808", "%ld %ld", LONG_MAX, LONG_MIN);
	EXACT("18446744073709551615 10000000000", "%lu %zu", ULONG_MAX, (size_t)10000000000);
#endif
	EXACT("a||0123456789012345678901234567890123456789|", "%s|%s|%s|", "a", "",
	      "0123456789012345678901234567890123456789");
	EXACT("(null)", "%s", nothing);
	EXACT("f 7b BEEF 17 %|   7|7   |007|ab", "%x %lx %X %o %%|%4ld|%-4lu|%03zd|%.2s", 15, 123l,
	      0xbeef, 15, 7l, 7ul, (ssize_t)7, "abc");
}

#define ENDLESS 66000
static const char endless[ENDLESS + 1] = { [0] = '#', [1 ... ENDLESS - 1] = '-' };

static intptr_t print_endless(void *arg)
{
	CHECK_EQ(printf(endless), ENDLESS);
	CHECK_EQ(printf("\n%s\n", endless), ENDLESS + 2);
	return 0;
}

TEST(a_constant_of_more_than_64_kib_is_counted_whole)
{
	test_join(test_spawn_on(co_harts() - 1, print_endless, NULL));
}

/* Several on a hart want the one bounce buffer, and every line must arrive in full. */
#define PRINTERS 3
#define LINES 20

static FILE *shared_file;

static intptr_t printer(void *arg)
{
	char mine[20];

	snprintf(mine, sizeof(mine), "hart%u", co_hart());
	for (int i = 0; i < LINES; i++)
		CHECK(fprintf(shared_file, "%s %d %d %s\n", mine, (int)(intptr_t)arg, i, mine) > 0);
	return 0;
}

TEST(all_at_once)
{
	static unsigned char seen[512 * PRINTERS][LINES];
	unsigned hart, who, i, again, bad = 0, lines = 0;
	char line[80];

	open_out();
	shared_file = out;
	memset(seen, 0, sizeof(seen));
	test_spread(printer, PRINTERS * co_harts(), 0);
	rewind(out);
	while (fgets(line, sizeof(line), out)) {
		lines++;
		if (sscanf(line, "hart%u %u %u hart%u\n", &hart, &who, &i, &again) != 4 ||
		    hart != again || who % co_harts() != hart || i >= LINES || seen[who][i]++)
			bad++;
	}
	CHECK_EQ(bad, 0);
	CHECK_EQ(lines, PRINTERS * LINES * co_harts());
	CHECK_EQ(fclose(out), 0);
}
