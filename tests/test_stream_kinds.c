/*
 * test_stream_kinds.c - the C library's streams that are none of the usual: in memory, on the
 * console the wrong way, by its number, several on one file, and with modes that are none.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "../runtime/core/core.h"
#include "files.h"

/* Private to each hart, so it is copied for the server, which has not that much room. */
static _Thread_local char private_text[5000];

TEST_EVERYWHERE_IF(modes_that_are_none_are_refused_however_long, is_library_ours(),
		   "a PC's library looks at what it knows of a mode")
{
	const int err = co_hart() ? ENAMETOOLONG : EINVAL;
	FILE *f = fopen(file_name(), "w+");

	REQUIRE(f);
	memset(private_text, 'q', sizeof(private_text) - 1);
	FAILS(fopen(file_name(), private_text), NULL, err);
	FAILS(fdopen(fileno(f), private_text), NULL, err);
	FAILS(fdopen(fileno(f), "q"), NULL, EINVAL);
	if (co_hart()) {
		errno = 0;
		CHECK(!freopen(private_text, "r", f));
		CHECK_EQ(errno, ENAMETOOLONG); /* which leaves it open */
	}
	CHECK(fputs("kept", f) >= 0);
	CHECK_EQ(fclose(f), 0);
	CHECK_EQ(remove(file_name()), 0);
}

TEST_EVERYWHERE(a_stream_in_memory_is_its_hart_s_own)
{
	static char room[32];
	FILE *f = fmemopen(room, sizeof(room), "w+");
	char got[8] = "";
	int n = 0;

	REQUIRE(f);
	FAILS(fileno(f), -1, EBADF);
	CHECK_EQ(fprintf(f, "%d ", 12), 3);
	CHECK_EQ(fputc('a', f), 'a');
	CHECK(fputs("bc\n", f) >= 0);
	CHECK_EQ(fwrite("defg", 2, 2, f), 2);
	CHECK_EQ(fflush(f), 0);
	CHECK_EQ(fseek(f, 0, SEEK_SET), 0);
	CHECK_EQ(fscanf(f, "%d", &n), 1);
	CHECK_EQ(n, 12);
	CHECK_EQ(fgetc(f), ' ');
	CHECK_EQ(ungetc('z', f), 'z');
	CHECK(fgets(got, sizeof(got), f) == got);
	CHECK_STR(got, "zabc\n");
	CHECK_EQ(ftell(f), 7);
	CHECK_EQ(fread(got, 1, 2, f), 2);
	CHECK(got[0] == 'd' && got[1] == 'e');
	clearerr(f);
	CHECK_EQ(setvbuf(f, NULL, _IOFBF, 0), 0);
	CHECK_EQ(fclose(f), 0);
}

TEST_EVERYWHERE_IF(the_console_is_not_used_the_wrong_way, is_library_ours(),
		   "a PC's console may be read and written both ways")
{
	FAILS(fputs("x", stdin), EOF, EBADF);
	CHECK(ferror(stdin));
	clearerr(stdin);
	FAILS(fputc('x', stdin), EOF, EBADF);
	FAILS(fprintf(stdin, "x"), -1, EBADF);
	FAILS(fgetc(stdout), EOF, EBADF);
	clearerr(stdin);
	clearerr(stdout);
	CHECK(fputs("", stdout) >= 0);
}

/* As many as have locks of their own, and two more. */
#define MANY (64 + 2)

TEST_EVERYWHERE(streams_beyond_those_of_all_files_work_too)
{
	static FILE *f[MANY];
	int fd = open(file_name(), O_RDWR | O_CREAT, 0600);

	REQUIRE(fd > 2);
	for (unsigned i = 0; i < MANY; i++) {
		f[i] = fdopen(fd, "r+");
		REQUIRE(f[i]);
	}
	for (unsigned i = 0; i < MANY; i++) {
		CHECK_EQ(fputc('a' + (int)i % 26, f[i]), 'a' + (int)i % 26);
		CHECK_EQ(fflush(f[i]), 0);
	}
	for (unsigned i = 0; i < MANY; i++)
		(void)fclose(f[i]); /* the first closes the descriptor, too */
	CHECK_EQ(close(fd), -1);
	expect("abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmn");
	CHECK_EQ(remove(file_name()), 0);
}

static struct co_a32 handled;

static void print_in_a_handler(struct co_msg *m)
{
	char *p = malloc(100);
	int n = printf("# a handler's line, ");

	(void)m;
	n += printf("in pieces\n");
	free(p);
	co_atomic_store(&handled, p && !co_self() ? (uint32_t)n : 1, CO_RELEASE);
}

static intptr_t post_a_handler(void *arg)
{
	static struct co_msg m = { .run = print_in_a_handler };

	(void)arg;
	co_atomic_store(&handled, 0, CO_RELAXED);
	co_post(0, &m);
	test_await(&handled, 1);
	return (intptr_t)co_atomic_load(&handled, CO_ACQUIRE);
}

TEST(a_handler_on_hart_0_may_print_and_allocate)
{
	if (!is_library_ours())
		SKIP("a PC's library is its own");
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, post_a_handler, NULL)), 30);
}

TEST_EVERYWHERE_IF(a_stream_on_the_consoles_number_ends_without_it, is_library_ours(),
		   "a PC's console would be closed with it")
{
	FILE *f = fdopen(1, "w");

	REQUIRE(f);
	CHECK_EQ(fileno(f), 1);
	CHECK_EQ(fputs("# by its number\n", f), 0);
	CHECK_EQ(fclose(f), 0);
	CHECK_EQ(printf("# and it is open still\n"), 23);
}
