/*
 * test_libc.c - files, errno, time and locks of the C library, from every hart.
 *
 * Topologies: 2x(1+2)
 */
#include <fcntl.h>
#include <stdarg.h>
#include <sys/lock.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "files.h"

#define BIG 10000

/* Private to each hart, so the server cannot reach it: what it holds has to be bounced. */
static _Thread_local char private_text[4800];

TEST_EVERYWHERE(a_file_comes_back_as_it_was_written)
{
	static char shared[BIG + 1];
	FILE *f = open_own("w");
	size_t sum = 0;

	for (unsigned i = 0; i < sizeof(private_text); i++)
		private_text[i] = (char)('a' + i % 23);
	CHECK_EQ(fwrite(private_text, 1, sizeof(private_text), f), sizeof(private_text));
	CHECK_EQ(fwrite(private_text, 48, 100, f), 100);
	CHECK_EQ(fputs("tail", f), 0);
	CHECK_EQ(fputc('!', f), '!');
	CHECK_EQ(fclose(f), 0);

	f = open_own("rb");
	sum = fread(shared, 1, BIG, f);
	CHECK_EQ(sum, 2 * sizeof(private_text) + 5);
	CHECK(feof(f) && !ferror(f));
	CHECK(memcmp(shared, private_text, sizeof(private_text)) == 0);
	CHECK(memcmp(shared + sizeof(private_text), private_text, sizeof(private_text)) == 0);
	CHECK(memcmp(shared + 2 * sizeof(private_text), "tail!", 5) == 0);

	memset(private_text, 0, sizeof(private_text));
	CHECK_EQ(fseek(f, 1, SEEK_SET), 0);
	CHECK_EQ(fread(private_text, 1, sizeof(private_text), f), sizeof(private_text));
	CHECK(memcmp(private_text, shared + 1, sizeof(private_text)) == 0);
	CHECK_EQ(ftell(f), 1 + (long)sizeof(private_text));
	CHECK_EQ(fseek(f, -5, SEEK_END), 0);
	CHECK_EQ(fgetc(f), 't');
	CHECK_EQ(ungetc('T', f), 'T');
	CHECK_EQ(fread(private_text, 2, 10, f), 2);
	CHECK(memcmp(private_text, "Tail!", 5) == 0);
	CHECK_EQ(fgetc(f), EOF);
	close_own(f);
}

TEST_EVERYWHERE(errors_have_their_errno)
{
	FILE *f;

	FAILS(fopen("/nowhere/at/all", "r"), NULL, ENOENT);
	FAILS(fopen("/", "w"), NULL, EISDIR);
	FAILS(fopen("/tmp/x", "nonsense"), NULL, EINVAL);
	FAILS(remove("/nowhere/at/all"), -1, ENOENT);
	FAILS(rename("/nowhere/at/all", "/tmp/x"), -1, ENOENT);
	f = fopen("/etc/passwd", "r");
	REQUIRE(f);
	FAILS(fwrite("x", 1, 1, f), 0, EBADF);
	CHECK(ferror(f));
	clearerr(f);
	CHECK(!ferror(f));
	CHECK_EQ(fprintf(f, "x"), -1);
	CHECK_EQ(fclose(f), 0);
	FAILS(fseek(stdout, 0, SEEK_SET), -1, ESPIPE);
}

TEST_EVERYWHERE(lines_and_words_are_read_whole)
{
	static char shared[BIG];
	FILE *f = open_own("w+");
	int a = 0, b = 0, n;
	char word[20];

	/* One line that is longer than a bounce buffer, one that ends without a newline. */
	memset(private_text, 'y', sizeof(private_text));
	private_text[sizeof(private_text) - 1] = '\0';
	CHECK_EQ(fprintf(f, "first\n%s\n\n12 -7 seven rest", private_text),
		 (int)sizeof(private_text) + 23);
	rewind(f);
	CHECK(fgets(word, sizeof(word), f) == word);
	CHECK_STR(word, "first\n");
	memset(private_text, 0, sizeof(private_text));
	CHECK(fgets(private_text, sizeof(private_text), f) == private_text);
	CHECK_EQ(strlen(private_text), sizeof(private_text) - 1);
	CHECK_EQ(private_text[sizeof(private_text) - 2], 'y');
	CHECK(fgets(shared, sizeof(shared), f) == shared);
	CHECK_STR(shared, "\n");
	CHECK(fgets(word, sizeof(word), f) == word);
	CHECK_STR(word, "\n");
	n = fscanf(f, "%d %d %19s", &a, &b, word);
	CHECK_EQ(n, 3);
	CHECK_EQ(a, 12);
	CHECK_EQ(b, -7);
	CHECK_STR(word, "seven");
	CHECK_EQ(fgetc(f), ' ');
	CHECK(fgets(word, sizeof(word), f) == word);
	CHECK_STR(word, "rest");
	CHECK(!fgets(word, sizeof(word), f));
	CHECK(feof(f));
	CHECK_STR(word, "rest");
	close_own(f);
}

TEST_EVERYWHERE(files_open_in_every_mode)
{
	char name[144];
	FILE *f = open_own("w");

	CHECK_EQ(fputs("one", f), 0);
	CHECK_EQ(fclose(f), 0);
	f = open_own("a");
	CHECK_EQ(ftell(f), 3);
	CHECK_EQ(fputs("two", f), 0);
	CHECK_EQ(ftell(f), 6);
	CHECK_EQ(fclose(f), 0);
	expect("onetwo");
	f = open_own("r+");
	CHECK_EQ(fgetc(f), 'o');
	CHECK_EQ(fseek(f, 0, SEEK_CUR), 0);
	CHECK_EQ(fputc('N', f), 'N');
	CHECK_EQ(fseek(f, 0, SEEK_CUR), 0);
	CHECK_EQ(fgetc(f), 'e');
	CHECK_EQ(fclose(f), 0);
	expect("oNetwo");
	FAILS(fopen(file_name(), "wx"), NULL, EEXIST);

	snprintf(name, sizeof(name), "%s-renamed", file_name());
	CHECK_EQ(rename(file_name(), name), 0);
	CHECK(!fopen(file_name(), "r"));
	CHECK_EQ(unlink(name), 0);
}

/* 5 GiB; where off_t has 32 bits, the last byte that has a position behind it. */
TEST_EVERYWHERE(files_may_be_as_large_as_a_position_can_say)
{
	const bool small = sizeof(off_t) == 4;
	const off_t far = small ? INT32_MAX - 1 : (off_t)(5 * (INT64_C(1) << 30));
	FILE *f = open_own("w+");
	char c;

	CHECK_EQ(fseeko(f, far, SEEK_SET), 0);
	CHECK_EQ(fputc('!', f), '!');
	CHECK_EQ(ftello(f), far + 1);
	CHECK_EQ(fseeko(f, -1, SEEK_END), 0);
	CHECK_EQ(fgetc(f), '!');
	if (small) {
		FAILS(write(fileno(f), "!", 1), -1, EFBIG);
		FAILS(read(fileno(f), &c, 1), -1, EOVERFLOW);
	}
	close_own(f);
}

TEST_EVERYWHERE(too_many_files_are_refused_and_closing_makes_room)
{
	static FILE *open_files[80];
	unsigned n = 0;

	while (n < 80 && (open_files[n] = fopen("/etc/passwd", "r")))
		n++;
	CHECK_EQ(n, 61);
	CHECK_EQ(errno, EMFILE);
	while (n)
		CHECK_EQ(fclose(open_files[--n]), 0);
}

TEST_EVERYWHERE(time_passes)
{
	struct timeval a, b;
	clock_t c = clock();

	CHECK(time(NULL) > 1600000000);
	CHECK_EQ(gettimeofday(&a, NULL), 0);
	test_sleep_us(1000);
	CHECK_EQ(gettimeofday(&b, NULL), 0);
	CHECK(b.tv_sec > a.tv_sec || (b.tv_sec == a.tv_sec && b.tv_usec > a.tv_usec));
	test_sleep_us(2 * 1000000 / CLOCKS_PER_SEC);
	CHECK(clock() > c);
}

TEST_EVERYWHERE(strings_are_formatted_and_scanned_where_they_are)
{
	char buf[40];
	int n = 0;

	CHECK_EQ(snprintf(buf, sizeof(buf), "%d-%s-%.2f", 42, "x", 1.5), 9);
	CHECK_STR(buf, "42-x-1.50");
	CHECK_EQ(sscanf(buf, "%d-", &n), 1);
	CHECK_EQ(n, 42);
	CHECK_EQ(fgetc(stdin), EOF);
	CHECK_EQ(fileno(stdout), 1);
	CHECK_EQ(isatty(fileno(stdout)), 0);
}

/* Numbers that take the library's long arithmetic, which may wait for memory. */
static intptr_t converts(void *arg)
{
	for (int i = 1; i <= 20; i++) {
		double want = (1.0 + (double)(intptr_t)arg / 7) * (i % 2 ? 1e300 : 1e-300) / i;
		char text[32];

		snprintf(text, sizeof(text), "%.17g", want);
		CHECK(strtod(text, NULL) == want);
	}
	return 0;
}

TEST(coroutines_of_a_hart_convert_numbers_at_the_same_time)
{
	struct co *c[4];

	for (intptr_t i = 0; i < 4; i++)
		c[i] = test_spawn_on(co_harts() - 1, converts, (void *)i);
	test_join_all(c, 4, 0);
}

#ifdef __LIBC_LOCK /* a library without locks has nothing that two would touch */
static unsigned guarded;

static intptr_t lock_and_count(void *arg)
{
	for (int i = 0; i < 100; i++) {
		unsigned seen;

		__LIBC_LOCK();
		__LIBC_LOCK();
		seen = guarded;
		if (i % 10 == 0)
			co_pause();
		guarded = seen + 1;
		__LIBC_UNLOCK();
		__LIBC_UNLOCK();
	}
	return 0;
}

TEST(libc_locks_exclude_coroutines_of_all_harts)
{
	unsigned n = 2 * co_harts();

	guarded = 0;
	test_spread(lock_and_count, n, 0);
	CHECK_EQ(guarded, n * 100);
}

static void try_twice(void)
{
	_LOCK_RECURSIVE_T l = &__lock___libc_recursive_mutex;

	CHECK(__lock_try_acquire_recursive(l));
	CHECK(__lock_try_acquire_recursive(l));
	__lock_release_recursive(l);
	__lock_release_recursive(l);
}

BODY(try_once, __lock_try_acquire_recursive(&__lock___libc_recursive_mutex))

TEST(a_lock_that_is_tried_is_its_owners_as_often_as_he_likes)
{
	everywhere(try_twice);
	__LIBC_LOCK();
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, try_once, NULL)), 0);
	__LIBC_UNLOCK();
}
#endif
