/*
 * test_files.c - files by their descriptors: what flags do, what is refused and with which errno,
 * and that a refusal loses nothing.
 *
 * Topologies: 2x(1+2)
 */
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#include "files.h"

#define ENTRY (O_RDWR | O_CREAT)

static void append(int flags, const char *text, long end)
{
	int fd = open(file_name(), flags | O_APPEND, 0600);

	REQUIRE(fd > 2);
	CHECK_EQ(write(fd, text, strlen(text)), strlen(text));
	CHECK_EQ(lseek(fd, 0, SEEK_CUR), end);
	CHECK_EQ(close(fd), 0);
}

static void check_refused(int r, int err)
{
	CHECK_EQ(r, -1);
	CHECK_EQ(errno, err);
	errno = 0;
}

TEST_EVERYWHERE(without_creat_no_file_comes_into_being)
{
	static const int flags[] = { O_RDONLY,           O_WRONLY,         O_RDWR,
				     O_WRONLY | O_TRUNC, O_RDWR | O_TRUNC, O_WRONLY | O_APPEND,
				     O_RDWR | O_APPEND };

	for (unsigned i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		check_refused(open(file_name(), flags[i]), ENOENT);
}

TEST_EVERYWHERE(flags_create_keep_append_and_truncate)
{
	char c = 0;
	int fd = open(file_name(), ENTRY, 0600);

	REQUIRE(fd > 2);
	CHECK_EQ(write(fd, "ab", 2), 2);
	CHECK_EQ(lseek(fd, -1, SEEK_CUR), 1);
	CHECK_EQ(read(fd, &c, 1), 1);
	CHECK_EQ(c, 'b');
	CHECK_EQ(close(fd), 0);
	fd = open(file_name(), ENTRY, 0600);
	REQUIRE(fd > 2);
	CHECK_EQ(close(fd), 0);
	expect("ab");
	check_refused(open(file_name(), ENTRY | O_EXCL, 0600), EEXIST);
	append(O_WRONLY, "c", 3);
	append(O_RDWR, "d", 4);
	append(O_WRONLY | O_CREAT, "e", 5);
	append(O_RDWR | O_CREAT, "f", 6);
	expect("abcdef");
	fd = open(file_name(), O_RDWR | O_TRUNC);
	REQUIRE(fd > 2);
	CHECK_EQ(close(fd), 0);
	expect("");
	CHECK_EQ(unlink(file_name()), 0);
	append(O_WRONLY | O_CREAT | O_EXCL, "new", 3);
	expect("new");
	CHECK_EQ(unlink(file_name()), 0);
}

TEST_EVERYWHERE(what_is_appended_overwrites_nothing)
{
	int a = open(file_name(), ENTRY | O_APPEND, 0600);
	int b = open(file_name(), O_WRONLY | O_APPEND);
	char c = 0;

	REQUIRE(a > 2 && b > 2);
	CHECK_EQ(write(a, "a", 1), 1);
	CHECK_EQ(write(b, "bcd", 3), 3);
	CHECK_EQ(lseek(a, 0, SEEK_SET), 0);
	CHECK_EQ(read(a, &c, 1), 1);
	CHECK_EQ(c, 'a');
	CHECK_EQ(write(a, "e", 1), 1);
	CHECK_EQ(lseek(a, 0, SEEK_CUR), 5);
	CHECK_EQ(close(b), 0);
	CHECK_EQ(close(a), 0);
	expect("abcde");
	CHECK_EQ(unlink(file_name()), 0);
}

TEST_EVERYWHERE(a_file_that_is_created_for_reading_is_not_written)
{
	int fd = open(file_name(), O_RDONLY | O_CREAT, 0600);

	REQUIRE(fd > 2);
	check_refused((int)write(fd, "x", 1), EBADF);
	CHECK_EQ(close(fd), 0);
	expect("");
	CHECK_EQ(unlink(file_name()), 0);
}

/* The C library's headers say that none is NULL, which UndefinedBehaviorSanitizer knows. */
#define WITH_NULL __attribute__((no_sanitize("undefined")))

WITH_NULL static void bad_names(void)
{
	const char *volatile nowhere = NULL; /* so that the compiler does not know */
	char *endless = malloc(PATH_MAX + 2);

	REQUIRE(endless);
	memset(endless, 'n', PATH_MAX + 1);
	endless[PATH_MAX + 1] = '\0';
	errno = 0;
	check_refused(open(nowhere, O_RDONLY), EFAULT);
	check_refused(unlink(nowhere), EFAULT);
	check_refused(rename(nowhere, file_name()), EFAULT);
	check_refused(rename(file_name(), nowhere), EFAULT);
	check_refused(open(":tt", O_RDWR), ENOENT); /* which would be the host's terminal */
	check_refused(open(endless, O_RDONLY), ENAMETOOLONG);
	check_refused(unlink(endless), ENAMETOOLONG);
	free(endless);
}

TEST(names_that_are_none_are_refused)
{
	everywhere(bad_names);
}

/* Private to each hart, so it is copied for the server, which has not quite that much room. */
static _Thread_local char private_name[4090];

TEST_EVERYWHERE(names_in_private_memory_are_copied_or_refused)
{
	int fd;

	snprintf(private_name, sizeof(private_name), "%s-private", file_name());
	fd = open(private_name, ENTRY, 0600);
	REQUIRE(fd > 2);
	CHECK_EQ(close(fd), 0);
	CHECK_EQ(rename(private_name, file_name()), 0);
	CHECK_EQ(rename(file_name(), private_name), 0);
	/* Longer than what copies have room for; the host would take it. */
	memset(private_name, '/', sizeof(private_name) - 5);
	snprintf(private_name + sizeof(private_name) - 5, 5, "nil");
	check_refused(open(private_name, O_RDONLY),
		      co_hart() && is_library_ours() ? ENAMETOOLONG : ENOENT);
	check_refused(rename(file_name(), private_name),
		      co_hart() && is_library_ours() ? ENAMETOOLONG : ENOENT);
	snprintf(private_name, sizeof(private_name), "%s-private", file_name());
	CHECK_EQ(unlink(private_name), 0);
}

TEST_EVERYWHERE(bytes_in_private_memory_come_in_pieces)
{
	int fd = open(file_name(), ENTRY, 0600);
	size_t kept = 0;

	REQUIRE(fd > 2);
	memset(private_name, 'p', sizeof(private_name));
	CHECK_EQ(write(fd, private_name, sizeof(private_name)), sizeof(private_name));
	CHECK_EQ(lseek(fd, 0, SEEK_SET), 0);
	memset(private_name, 0, sizeof(private_name));
	CHECK_EQ(read(fd, private_name, sizeof(private_name)), sizeof(private_name));
	for (size_t i = 0; i < sizeof(private_name); i++)
		kept += private_name[i] == 'p';
	CHECK_EQ(kept, sizeof(private_name));
	CHECK_EQ(lseek(fd, -10, SEEK_END), sizeof(private_name) - 10);
	CHECK_EQ(read(fd, private_name, 100), 10);
	CHECK_EQ(read(fd, private_name, 100), 0);
	CHECK_EQ(close(fd), 0);
	errno = 0;
	check_refused((int)read(fd, private_name, 100), EBADF);
	check_refused((int)write(fd, private_name, 100), EBADF);
	CHECK_EQ(unlink(file_name()), 0);
}

TEST_EVERYWHERE(descriptors_that_are_none_are_refused)
{
	static const int none[] = { -1, 57, 1000000 };
	struct stat st;
	char c;

	errno = 0;
	for (unsigned i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		check_refused(close(none[i]), EBADF);
		check_refused((int)read(none[i], &c, 1), EBADF);
		check_refused((int)write(none[i], "x", 1), EBADF);
		check_refused((int)lseek(none[i], 0, SEEK_SET), EBADF);
		check_refused(fstat(none[i], &st), EBADF);
	}
}

TEST_EVERYWHERE(a_position_that_is_refused_is_not_taken)
{
	const off_t far = (off_t)(((uint64_t)1 << (8 * sizeof(off_t) - 1)) - 1);
	int fd = open(file_name(), ENTRY, 0600);
	struct stat st;
	char c = 'x';

	REQUIRE(fd > 2);
	CHECK_EQ(write(fd, "abc", 3), 3);
	CHECK_EQ(lseek(fd, 1, SEEK_SET), 1);
	errno = 0;
	check_refused((int)lseek(fd, 0, 99), EINVAL);
	check_refused((int)lseek(fd, -2, SEEK_CUR), EINVAL);
	check_refused((int)lseek(fd, far, SEEK_CUR), is_library_ours() ? EOVERFLOW : EINVAL);
	CHECK_EQ(write(fd, &c, 0), 0);
	CHECK_EQ(read(fd, &c, 0), 0);
	CHECK_EQ(read(fd, &c, 1), 1); /* none of them has moved it */
	CHECK_EQ(c, 'b');
	CHECK_EQ(lseek(fd, -1, SEEK_END), 2);
	CHECK_EQ(lseek(fd, 100, SEEK_SET), 100);
	CHECK_EQ(write(fd, "z", 1), 1);
	CHECK_EQ(fstat(fd, &st), 0);
	CHECK_EQ(st.st_size, 101);
	CHECK(S_ISREG(st.st_mode));
	CHECK_EQ(isatty(fd), 0);
	CHECK_EQ(close(fd), 0);
	fd = open(file_name(), O_WRONLY | O_TRUNC);
	REQUIRE(fd > 2);
	check_refused((int)read(fd, &c, 1), EBADF);
	CHECK_EQ(close(fd), 0);
	expect("");
	CHECK_EQ(unlink(file_name()), 0);
}

/* A device takes any position; it gives and takes all, up to where an off_t can say. */
TEST_OURS(a_transfer_ends_where_positions_do)
{
	const off_t far = (off_t)(((uint64_t)1 << (8 * sizeof(off_t) - 1)) - 1);
	char c[5] = "xxxx";
	int fd = open("/dev/zero", O_RDWR);

	if (fd < 0)
		return; /* not every host has one */
	CHECK_EQ(lseek(fd, far - 3, SEEK_SET), far - 3);
	CHECK_EQ(read(fd, c, 4), 3);
	CHECK(!c[0] && !c[1] && !c[2]);
	CHECK_EQ(c[3], 'x');
	errno = 0;
	check_refused((int)read(fd, c, 4), EOVERFLOW);
	check_refused((int)write(fd, c, 4), EFBIG);
	CHECK_EQ(read(fd, c, 0), 0);
	CHECK_EQ(write(fd, c, 0), 0);
	CHECK_EQ(lseek(fd, far - 2, SEEK_SET), far - 2);
	CHECK_EQ(write(fd, c, 4), 2);
	CHECK_EQ(lseek(fd, 0, SEEK_CUR), far);
	CHECK_EQ(close(fd), 0);
}

/* A terminal of its own, where the host has such: it can be read and written, and that is all. */
TEST_EVERYWHERE(a_file_without_positions_has_none)
{
	int fd = open("/dev/ptmx", O_RDWR);

	if (fd < 0)
		return;
	errno = 0;
	check_refused((int)lseek(fd, 1, SEEK_SET), ESPIPE);
	check_refused((int)lseek(fd, 0, SEEK_CUR), ESPIPE);
	CHECK_EQ(close(fd), 0);
}

TEST_OURS(a_folder_is_opened_and_not_read)
{
	int fd = open("/", O_RDONLY);
	struct stat st;
	char c = 'x';

	REQUIRE(fd > 2);
	errno = 0;
	check_refused((int)read(fd, &c, 1), EISDIR);
	CHECK_EQ(fstat(fd, &st), 0);
	/* What cannot be read short of its end has failed. */
	if (st.st_size > 1 && lseek(fd, 1, SEEK_SET) == 1)
		check_refused((int)read(fd, &c, 1), EIO);
	CHECK_EQ(c, 'x');
	CHECK_EQ(close(fd), 0);
}

TEST_OURS(the_console_is_a_device_without_positions)
{
	struct stat st = { .st_size = 5 };
	char c = 'x';

	errno = 0;
	CHECK_EQ(read(0, &c, 0), 0);
	CHECK_EQ(read(0, &c, 1), 0);
	CHECK_EQ(c, 'x');
	check_refused((int)read(1, &c, 1), EBADF);
	check_refused((int)write(0, &c, 1), EBADF);
	check_refused((int)lseek(2, 0, SEEK_SET), ESPIPE);
	CHECK_EQ(fstat(1, &st), 0);
	CHECK(S_ISCHR(st.st_mode));
	CHECK_EQ(st.st_size, 0);
	CHECK_EQ(write(2, "# by its descriptor\n", 20), 20);
	CHECK_EQ(write(1, "", 0), 0);
	for (int fd = 0; fd < 3; fd++) {
		CHECK_EQ(isatty(fd), 0);
		CHECK_EQ(errno, ENOTTY);
		CHECK_EQ(close(fd), 0); /* it stays open */
	}
}

WITH_NULL static void clocks(void)
{
	struct timeval *volatile nowhere = NULL; /* so that the compiler does not know */
	struct tms t = { 0 };
	clock_t a, b;

	CHECK_EQ(gettimeofday(nowhere, NULL), 0);
	a = times(NULL);
	test_sleep_us(20000);
	b = times(&t);
	CHECK(b > a);
	CHECK(t.tms_utime > 0 || !is_library_ours());
}

/* With --icount, where a second of the board's is over in much less of the host's. */
TEST_LONG(a_second_that_lasts_has_its_last_microsecond)
{
	struct timeval before, now;

	REQUIRE_EQ(gettimeofday(&before, NULL), 0);
	for (unsigned i = 0; i < 40; i++) {
		REQUIRE_EQ(co_sleep_us(100000), 0);
		REQUIRE_EQ(gettimeofday(&now, NULL), 0);
		CHECK(now.tv_usec >= 0 && now.tv_usec < 1000000);
		CHECK(now.tv_sec > before.tv_sec ||
		      (now.tv_sec == before.tv_sec && now.tv_usec >= before.tv_usec));
		before = now;
	}
}

TEST(clocks_are_read_without_a_place_for_the_time)
{
	everywhere(clocks);
}
