/*
 * test_streams.c - the C library's streams from a hart other than 0: what goes to a file is there,
 * and what goes to the console says so by what is returned.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "harness/test.h"

static intptr_t write_a_file(void *arg)
{
	FILE *f = arg;

	CHECK_EQ(fprintf(f, "%s %d\n", "one", 2), 6);
	CHECK_EQ(fputc('x', f), 'x');
	CHECK(fputs("yz\n", f) >= 0);
	CHECK_EQ(fwrite("12345678", 2, 3, f), 3);
	CHECK_EQ(fflush(f), 0);
	return 0;
}

TEST(what_a_hart_writes_to_a_file_is_there)
{
	static char name[96];
	char got[32] = "";
	FILE *f;

	snprintf(name, sizeof(name), "/tmp/cohart-streams-%s-%s-%ld", co_board(), co_topology(),
		 (long)time(NULL));
	f = fopen(name, "w+");
	REQUIRE(f);
	CHECK_EQ(remove(name), 0);
	test_join(test_spawn_on(co_harts() - 1, write_a_file, f));
	CHECK_EQ(fseek(f, 0, SEEK_SET), 0);
	CHECK_EQ(fread(got, 1, sizeof(got) - 1, f), 16);
	CHECK_STR(got, "one 2\nxyz\n123456");
	CHECK_EQ(fclose(f), 0);
}

static int print_list(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int print_list(const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vprintf(format, ap);
	va_end(ap);
	return n;
}

static intptr_t print_much(void *arg)
{
	/* Longer than what is posted, so it is fetched in pieces. */
	static char wide[1200];

	(void)arg;
	memset(wide, '-', sizeof(wide) - 1);
	CHECK_EQ(printf("# %s\n", wide), sizeof(wide) + 2);
	CHECK_EQ(print_list("# %d of %s\n", 3, "a list"), 14);
	CHECK_EQ(printf("%s", ""), 0);
	CHECK_EQ(putchar('#'), '#');
	CHECK(fputs(" by characters\n", stdout) >= 0);
	CHECK_EQ(fwrite("# twice\n", 4, 2, stderr), 2);
	CHECK_EQ(fwrite("", 1, 0, stdout), 0);
	CHECK_EQ(fflush(stdout), 0);
	return 0;
}

TEST(what_a_hart_prints_is_counted_whole)
{
	test_join(test_spawn_on(co_harts() - 1, print_much, NULL));
}

TEST(the_console_takes_all_that_hart_0_prints)
{
	(void)print_much(NULL);
	CHECK_EQ(fflush(NULL), 0);
}
