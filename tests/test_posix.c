/* test_posix.c - POSIX names that programs use, called on hart 0 and on a compute hart. */
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "files.h"

/* Each case on hart 0 and on the last hart. */
#define BOTH(id)                                                                      \
	static intptr_t id##_on(void *arg);                                           \
	TEST(id)                                                                      \
	{                                                                             \
		CHECK_EQ(id##_on(NULL), 0);                                           \
		CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, id##_on, NULL)), 0); \
	}                                                                             \
	static intptr_t id##_on(void *arg)

BOTH(clocks_go_on)
{
	static const clockid_t clocks[] = { CLOCK_REALTIME, CLOCK_MONOTONIC,
					    CLOCK_PROCESS_CPUTIME_ID };
	struct timespec a, b, step = { 0, 2000000 };
	struct timeval now;

	for (unsigned i = 0; i < 3; i++) {
		REQUIRE_EQ(clock_getres(clocks[i], &a), 0);
		CHECK(a.tv_sec == 0 && a.tv_nsec > 0 && a.tv_nsec <= 1000);
		CHECK_EQ(clock_getres(clocks[i], NULL), 0);
		REQUIRE_EQ(clock_gettime(clocks[i], &a), 0);
		CHECK_EQ(nanosleep(&step, NULL), 0);
		REQUIRE_EQ(clock_gettime(clocks[i], &b), 0);
		CHECK(b.tv_nsec >= 0 && b.tv_nsec < 1000000000);
		CHECK((b.tv_sec - a.tv_sec) * 1000000000LL + b.tv_nsec - a.tv_nsec >= 2000000);
		FAILS(clock_settime(clocks[i], &a), -1, EPERM);
	}
	REQUIRE_EQ(clock_gettime(CLOCK_REALTIME, &a), 0);
	REQUIRE_EQ(gettimeofday(&now, NULL), 0);
	CHECK(now.tv_sec - a.tv_sec <= 1 && a.tv_sec > 1600000000);
	FAILS(clock_gettime((clockid_t)99, &a), -1, EINVAL);
	FAILS(clock_getres((clockid_t)99, &a), -1, EINVAL);
	return 0;
}

/* Over the host's seconds, which is all that it tells. */
TEST(the_time_of_day_goes_on_no_slower_than_the_machine)
{
	struct timeval before, after;

	REQUIRE_EQ(gettimeofday(&before, NULL), 0);
	for (unsigned i = 0; i < 5; i++) {
		CHECK_EQ(usleep(400000), 0);
		REQUIRE_EQ(gettimeofday(&after, NULL), 0);
		CHECK((after.tv_sec - before.tv_sec) * 1000000LL + after.tv_usec - before.tv_usec >=
		      400000);
		before = after;
	}
}

BOTH(sleeps_end_when_they_should)
{
	struct timespec t = { 0, 300000 }, now;
	uint64_t before = co_now();

	CHECK_EQ(usleep(300), 0);
	CHECK_EQ(nanosleep(&t, NULL), 0);
	CHECK_EQ(clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL), 0);
	REQUIRE_EQ(clock_gettime(CLOCK_MONOTONIC, &now), 0);
	CHECK_EQ(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &now, NULL), 0);
	CHECK(co_us(co_now() - before) >= 900);
	CHECK_EQ(sleep(0), 0);
	t.tv_nsec = 1000000000;
	FAILS(nanosleep(&t, NULL), -1, EINVAL);
	CHECK_EQ(clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL), EINVAL);
	CHECK_EQ(clock_nanosleep((clockid_t)99, 0, &now, NULL), EINVAL);
	return 0;
}

BOTH(the_machine_is_named)
{
	struct utsname u;
	char name[64];

	REQUIRE_EQ(uname(&u), 0);
	CHECK_STR(u.sysname, "Cohart");
	CHECK_STR(u.machine, co_board());
	CHECK_STR(u.version, co_topology());
	CHECK_STR(u.release, CO_VERSION);
	REQUIRE_EQ(gethostname(name, sizeof(name)), 0);
	CHECK_STR(name, u.nodename);
	FAILS(gethostname(name, 2), -1, ENAMETOOLONG);
	CHECK(sysconf(_SC_NPROCESSORS_ONLN) >= 1 &&
	      sysconf(_SC_NPROCESSORS_ONLN) <= (long)co_harts());
	CHECK_EQ(sysconf(_SC_NPROCESSORS_CONF), sysconf(_SC_NPROCESSORS_ONLN));
	CHECK_EQ(sysconf(_SC_PAGESIZE), 4096);
	CHECK_EQ(getpagesize(), 4096);
	CHECK_EQ(sysconf(_SC_CLK_TCK), CLOCKS_PER_SEC);
	CHECK(sysconf(_SC_PHYS_PAGES) > 100);
	FAILS(sysconf(-1), -1, EINVAL);
	CHECK(getpid() == 1 && getppid() == 0 && getuid() == 0 && getgid() == 0);
	CHECK(geteuid() == 0 && getegid() == 0);
	CHECK_EQ(sched_yield(), 0);
	CHECK_EQ(sched_getcpu(), co_hart());
	return 0;
}

BOTH(a_thread_stays_where_it_is)
{
	unsigned other = co_hart() ? 0 : 1;
	cpu_set_t set;

	REQUIRE_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
	CHECK(CPU_ISSET(co_hart(), &set) && !CPU_ISSET(other, &set));
	CPU_SET(other, &set);
	CHECK_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
	CPU_CLR(co_hart(), &set);
	FAILS(sched_setaffinity(0, sizeof(set), &set), -1, EINVAL);
	return 0;
}

BOTH(what_was_used_is_reported)
{
	struct rusage use;
	struct rlimit limit;
	struct tms t;

	REQUIRE_EQ(getrusage(RUSAGE_SELF, &use), 0);
	CHECK(use.ru_utime.tv_sec || use.ru_utime.tv_usec);
	REQUIRE_EQ(getrusage(RUSAGE_CHILDREN, &use), 0);
	CHECK(!use.ru_utime.tv_sec && !use.ru_utime.tv_usec);
	FAILS(getrusage(77, &use), -1, EINVAL);
	CHECK(times(&t) != (clock_t)-1);
	REQUIRE_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
	CHECK_EQ(limit.rlim_cur, sysconf(_SC_OPEN_MAX));
	FAILS(setrlimit(RLIMIT_NOFILE, &limit), -1, EPERM);
	FAILS(getrlimit(77, &limit), -1, EINVAL);
	return 0;
}

BOTH(a_directory_is_no_file)
{
	const char *path = file_name();
	struct stat st;
	FILE *f = open_own("w");

	fputs("five\n", f);
	fclose(f);
	REQUIRE_EQ(stat(path, &st), 0);
	CHECK(S_ISREG(st.st_mode) && st.st_size == 5);
	REQUIRE_EQ(lstat(path, &st), 0);
	CHECK_EQ(access(path, F_OK), 0);
	CHECK_EQ(access(path, R_OK | W_OK), 0);
	FAILS(access(path, X_OK), -1, ENOSYS);
	FAILS(access(path, 64), -1, EINVAL);
	CHECK_EQ(unlink(path), 0);
	FAILS(stat(path, &st), -1, ENOENT);
	FAILS(access(path, R_OK), -1, ENOENT);
	REQUIRE_EQ(stat(".", &st), 0);
	CHECK(S_ISDIR(st.st_mode));
	CHECK_EQ(access(".", R_OK), 0);
	return 0;
}

BOTH(reads_and_writes_at_a_place_leave_the_position)
{
	const char *path = file_name();
	char text[8] = "";
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	REQUIRE(fd >= 0);
	CHECK_EQ(write(fd, "0123456789", 10), 10);
	CHECK_EQ(lseek(fd, 3, SEEK_SET), 3);
	CHECK_EQ(pread(fd, text, 4, 5), 4);
	CHECK(!memcmp(text, "5678", 5));
	CHECK_EQ(pread(fd, text, 4, 8), 2);
	CHECK_EQ(pread(fd, text, 4, 10), 0);
	CHECK_EQ(pwrite(fd, "xy", 2, 9), 2);
	CHECK_EQ(lseek(fd, 0, SEEK_CUR), 3);
	CHECK_EQ(pread(fd, text, 4, 7), 4);
	CHECK(!memcmp(text, "78xy", 4));
	FAILS(pread(fd, text, 1, -1), -1, EINVAL);
	FAILS(pwrite(fd, text, 1, -1), -1, EINVAL);
	CHECK_EQ(lseek(fd, 0, SEEK_CUR), 3);
	CHECK_EQ(close(fd), 0);
	FAILS(pread(fd, text, 1, 0), -1, EBADF);
	FAILS(pwrite(fd, text, 1, 0), -1, EBADF);
	CHECK_EQ(unlink(path), 0);
	return 0;
}

BOTH(what_the_host_has_no_word_for_is_refused)
{
	char to[8];

	FAILS(mkdir("x", 0755), -1, ENOSYS);
	FAILS(rmdir("x"), -1, ENOSYS);
	FAILS(chmod("x", 0644), -1, ENOSYS);
	FAILS(fchmod(1, 0644), -1, ENOSYS);
	FAILS(chown("x", 0, 0), -1, ENOSYS);
	FAILS(link("x", "y"), -1, ENOSYS);
	FAILS(symlink("x", "y"), -1, ENOSYS);
	FAILS(readlink("x", to, sizeof(to)), -1, ENOSYS);
	FAILS(truncate("x", 0), -1, ENOSYS);
	FAILS(ftruncate(1, 0), -1, ENOSYS);
	FAILS(fsync(1), -1, ENOSYS);
	FAILS(chdir("x"), -1, ENOSYS);
	CHECK(!getcwd(to, sizeof(to)) && errno == ENOSYS);
	CHECK_EQ(umask(0), 022);
	return 0;
}

BOTH(lines_are_read_whole)
{
	const char *path = file_name();
	char *line = NULL;
	size_t size = 0;
	FILE *f = open_own("w");

	fputs("one\n\n", f);
	for (unsigned i = 0; i < 1000; i++)
		fputc('x', f);
	fputs("\na:b", f);
	fclose(f);
	f = fopen(path, "r");
	REQUIRE(f);
	CHECK_EQ(getline(&line, &size, f), 4);
	CHECK_STR(line, "one\n");
	CHECK_EQ(getline(&line, &size, f), 1);
	CHECK_EQ(getline(&line, &size, f), 1001);
	CHECK(size > 1001 && line[999] == 'x' && line[1000] == '\n' && !line[1001]);
	CHECK_EQ(getdelim(&line, &size, ':', f), 2);
	CHECK_STR(line, "a:");
	CHECK_EQ(getline(&line, &size, f), 1);
	CHECK_STR(line, "b");
	CHECK_EQ(getline(&line, &size, f), -1);
	CHECK(feof(f));
	FAILS(getline(NULL, &size, f), -1, EINVAL);
	free(line);
	fclose(f);
	return unlink(path);
}

/* Once for all: its state is static. */
TEST(options_are_taken_apart)
{
	static char *words[] = { "image", "-a", "-b", "7", "rest", NULL };

	CHECK_EQ(getopt(5, words, "ab:"), 'a');
	CHECK_EQ(getopt(5, words, "ab:"), 'b');
	CHECK_STR(optarg, "7");
	CHECK_EQ(getopt(5, words, "ab:"), -1);
	CHECK_EQ(optind, 4);
}
