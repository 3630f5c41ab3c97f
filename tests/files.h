/* files.h - for tests of the C library's files: a name of one's own, and where to call from. */
#ifndef TESTS_FILES_H
#define TESTS_FILES_H

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "harness/test.h"

/* A name that no other run uses at the same time. */
static inline const char *file_name(void)
{
	static char name[128];
	const char *image = strrchr(__BASE_FILE__, '/');

	if (!name[0])
		snprintf(name, sizeof(name), "/tmp/cohart-%s-%s-%s-%ld",
			 image ? image + 1 : __BASE_FILE__, co_board(), co_topology(),
			 (long)time(NULL));
	return name;
}

static inline FILE *open_own(const char *mode)
{
	FILE *f = fopen(file_name(), mode);

	REQUIRE(f);
	return f;
}

static inline void close_own(FILE *f)
{
	CHECK_EQ(fclose(f), 0);
	CHECK_EQ(remove(file_name()), 0);
}

/* A call that returns that, and says why. */
#define FAILS(call, returned, why)           \
	do {                                 \
		errno = 0;                   \
		CHECK((call) == (returned)); \
		CHECK_EQ(errno, why);        \
	} while (0)

/* What the file holds, as it is at the host: not what waits in a stream's buffer. */
static inline void expect(const char *want)
{
	char got[80] = "";
	int fd = open(file_name(), O_RDONLY);

	REQUIRE(fd > 2);
	CHECK_EQ(read(fd, got, sizeof(got) - 1), strlen(want));
	CHECK_STR(got, want);
	CHECK_EQ(read(fd, got, 1), 0);
	CHECK_EQ(close(fd), 0);
}

static inline intptr_t run_here(void *fn)
{
	((void (*)(void))fn)();
	return 0;
}

/* Run fn on hart 0 and on the last hart, there on both kinds of stack. */
static inline void everywhere(void (*fn)(void))
{
	const struct co_attr attr[] = {
		{ .on = CO_ON_HART(0) },
		{ .on = CO_ON_HART(co_harts() - 1),
		  .stack = co_spm_stacks() ? CO_STACK_SPM : CO_STACK_ANY },
		{ .on = CO_ON_HART(co_harts() - 1), .stack = CO_STACK_MAIN },
	};

	file_name();
	for (unsigned i = 0; i < 3; i++) {
		struct co *c;

		REQUIRE_EQ(co_spawn(&c, &attr[i], run_here, (void *)fn), 0);
		CHECK_EQ(test_join(c), 0);
	}
}

/* On a PC it is the PC's library, which takes no NULL for a stream and knows other errors. */
static inline bool is_library_ours(void)
{
	return strcmp(co_board(), "host") != 0;
}

static inline void everywhere_if_ours(void (*fn)(void))
{
	if (!is_library_ours())
		SKIP("a PC's library is its own");
	everywhere(fn);
}

/* A case that is run so; one of what our library alone promises. */
#define TEST_EVERYWHERE(id) TEST_AROUND(id, everywhere)
#define TEST_OURS(id) TEST_AROUND(id, everywhere_if_ours)
#define TEST_OURS_FAULTY(id) CO_TEST(id, .around = everywhere_if_ours, .faulty = 1)

#endif
