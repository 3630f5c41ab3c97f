/*
 * test_streams.c - the C library's streams: what goes to the console is counted, and what cannot
 * be done says so. At the end those that are none of the usual: in memory, by the console's number,
 * in a handler. Files of all harts are test_libc.c's.
 */
#include <fcntl.h>
#include <unistd.h>

#include "../runtime/core/core.h"
#include "files.h"

TEST_EVERYWHERE(what_is_printed_is_counted_whole)
{
	/* Longer than what is deferred, so it is fetched in pieces. */
	static char wide[1200];

	memset(wide, '-', sizeof(wide) - 1);
	CHECK_EQ(printf("# %s\n", wide), sizeof(wide) + 2);
	CHECK_EQ(printf("%s", ""), 0);
	CHECK_EQ(putchar('#'), '#');
	CHECK(fputs(" by characters\n", stdout) >= 0);
	CHECK_EQ(fwrite("# twice\n", 4, 2, stderr), 2);
	CHECK_EQ(fwrite("", 1, 0, stdout), 0);
	CHECK_EQ(fflush(stdout), 0);
	CHECK_EQ(fflush(NULL), 0);
}

TEST_OURS(what_is_no_stream_is_refused)
{
	FILE *volatile nowhere = NULL; /* so that the compiler does not know */
	const char *volatile no_text = NULL;
	char c[2] = "x";
	int n = 0;

	errno = 0;
	CHECK_EQ(fread(c, 1, 1, nowhere), 0);
	CHECK_EQ(fwrite(c, 1, 1, nowhere), 0);
	CHECK_EQ(fputc('x', nowhere), EOF);
	CHECK_EQ(fputs("x", nowhere), EOF);
	CHECK_EQ(fprintf(nowhere, "x"), -1);
	CHECK_EQ(fclose(nowhere), EOF);
	CHECK_EQ(fgetc(nowhere), EOF);
	CHECK_EQ(ungetc('x', nowhere), EOF);
	CHECK(!fgets(c, sizeof(c), nowhere));
	CHECK_EQ(fscanf(nowhere, "%d", &n), EOF);
	CHECK_EQ(fseek(nowhere, 0, SEEK_SET), -1);
	CHECK_EQ(ftell(nowhere), -1);
	FAILS(setvbuf(nowhere, NULL, _IONBF, 0), EOF, EBADF);
	FAILS(fileno(nowhere), -1, EBADF);
	errno = 0;
	(clearerr)(nowhere); /* which may be a macro, too */
	CHECK_EQ(errno, EBADF);
	FAILS(freopen(file_name(), "r", nowhere), NULL, EBADF);
	FAILS(freopen(file_name(), "r", stdin), NULL, EINVAL);
	FAILS(freopen(no_text, "r", stdout), NULL, EINVAL);
	FAILS(freopen(file_name(), no_text, stdout), NULL, EINVAL);
	FAILS(fopen(no_text, "r"), NULL, EINVAL);
	FAILS(fopen(file_name(), no_text), NULL, EINVAL);
	FAILS(fdopen(1, no_text), NULL, EINVAL);
	CHECK_STR(c, "x");
}

static const volatile size_t half_of_all = SIZE_MAX / 2 + 1;

static void too_much(void)
{
	FILE *f = open_own("w+");
	char c = 'x';

	FAILS(fwrite(&c, half_of_all, 2, f), 0, EOVERFLOW);
	FAILS(fread(&c, half_of_all, 2, f), 0, EOVERFLOW);
	CHECK_EQ(fread(&c, 0, 5, f), 0);
	CHECK_EQ(fwrite(&c, 5, 0, f), 0);
	CHECK_EQ(ftell(f), 0);
	close_own(f);
}

static void print_too_much(void)
{
	FAILS(fwrite("x", half_of_all, 2, stdout), 0, EOVERFLOW);
}

TEST(more_bytes_than_addresses_are_refused)
{
	everywhere(print_too_much);
	if (is_library_ours())
		everywhere(too_much);
}

TEST_EVERYWHERE(a_buffer_keeps_all_a_line_or_until_it_is_flushed)
{
	static char room[256];
	FILE *f = open_own("w");

	CHECK_EQ(setvbuf(f, room, _IOLBF, sizeof(room)), 0);
	CHECK(fputs("a line\n", f) >= 0);
	expect("a line\n");
	CHECK(fputs("some", f) >= 0);
	expect("a line\n");
	CHECK_EQ(fflush(NULL), 0);
	expect("a line\nsome");
	CHECK_EQ(fclose(f), 0);
	f = open_own("w");
	CHECK_EQ(setvbuf(f, room, _IOFBF, sizeof(room)), 0);
	CHECK(fputs("a line\n", f) >= 0);
	expect("");
	CHECK_EQ(fclose(f), 0);
	expect("a line\n");
	CHECK_EQ(remove(file_name()), 0);
}

/* Private to each hart, so the server cannot reach it. */
static _Thread_local char private_room[5000];

TEST_OURS(a_buffer_that_not_all_harts_reach_is_refused)
{
	FILE *f = open_own("w");

	if (co_spm_stacks())
		FAILS(setvbuf(f, private_room, _IOFBF, sizeof(private_room)), EOF, EINVAL);
	CHECK_EQ(setvbuf(stdout, NULL, _IOLBF, BUFSIZ), 0); /* what it has anyway */
	CHECK_EQ(setvbuf(stdout, NULL, _IONBF, 0), EOF);
	close_own(f);
}

TEST_EVERYWHERE(a_stream_that_is_opened_again_loses_nothing)
{
	int fd = open(file_name(), O_RDWR | O_CREAT, 0600);
	FILE *f = fdopen(fd, "w");
	FILE *g;

	REQUIRE(fd > 2 && f);
	CHECK_EQ(fileno(f), fd);
	CHECK(fputs("first", f) >= 0);
	g = freopen(file_name(), "a", f);
	CHECK(g == f);
	REQUIRE(g);
	CHECK(fputs(", second", g) >= 0);
	CHECK_EQ(fclose(g), 0);
	expect("first, second");
	CHECK_EQ(remove(file_name()), 0);
	FAILS(fdopen(fd, "w"), NULL, EBADF);
	f = fopen("/dev/null", "r");
	REQUIRE(f);
	FAILS(freopen("/nowhere/at/all", "r", f), NULL, ENOENT); /* which closes it */
}

/* A stream whose device takes nothing; its buffer is small, and `text` is in it. */
static FILE *open_full(int mode, const char *text)
{
	static char room[64];
	FILE *f = fopen("/dev/full", "w+");

	REQUIRE(f);
	CHECK_EQ(setvbuf(f, room, mode, sizeof(room)), 0);
	CHECK(fputs(text, f) >= 0);
	errno = 0;
	return f;
}

static void close_full(FILE *f)
{
	CHECK_EQ(errno, ENOSPC);
	CHECK(ferror(f));
	(void)fclose(f);
}

static bool no_full_device(void)
{
	FILE *f = fopen("/dev/full", "w");

	return !f || fclose(f); /* not every host has one */
}

TEST_OURS(a_stream_whose_device_is_full_says_so_in_every_call)
{
	static char much[200];
	FILE *f;

	if (no_full_device())
		return;
	f = open_full(_IOFBF, "");
	CHECK(fwrite(much, 1, sizeof(much), f) < sizeof(much)); /* straight to the device */
	close_full(f);
	f = open_full(_IOFBF, "lost");
	CHECK(fwrite(much, 1, 64, f) < 64); /* the buffer is full on the way */
	close_full(f);
	CHECK_EQ(fclose(open_full(_IOFBF, "lost")), EOF);
	f = open_full(_IOFBF, "lost");
	CHECK_EQ(fseek(f, 0, SEEK_SET), -1);
	close_full(f);
	f = open_full(_IOFBF, "lost");
	CHECK_EQ(fflush(NULL), EOF);
	close_full(f);
	f = open_full(_IOFBF, "lost");
	CHECK_EQ(fflush(f), EOF);
	close_full(f);
	f = open_full(_IOLBF, "");
	CHECK_EQ(fputs("lost\n", f), EOF);
	close_full(f);
}

/* Where a file may have a mebibyte: what fits is written, and that it is not all. */
TEST_LONG(what_a_file_has_no_room_for_is_reported)
{
	const size_t most = 1u << 20, bytes = most + 12345;
	char *much = calloc(1, bytes);
	FILE *f = fopen(file_name(), "w");

	REQUIRE(much && f);
	CHECK_EQ(remove(file_name()), 0);
	FAILS(fwrite(much, 1, bytes, f), most, ENOSPC);
	CHECK(ferror(f));
	CHECK_EQ(ftell(f), most);
	CHECK_EQ(fclose(f), 0);
	free(much);
}

TEST_EVERYWHERE(a_stream_is_not_used_the_way_it_was_not_opened)
{
	FILE *f = open_own("wx");
	char much[100];

	FAILS(fread(much, 1, 1, f), 0, EBADF);
	CHECK(ferror(f) && !feof(f));
	clearerr(f);
	CHECK(fputs("kept", f) >= 0);
	CHECK_EQ(fclose(f), 0);
	expect("kept");
	f = open_own("r");
	FAILS(fputc('x', f), EOF, EBADF);
	CHECK(ferror(f));
	CHECK_EQ(fclose(f), 0);
	expect("kept");
	CHECK_EQ(remove(file_name()), 0);
	f = fopen("/tmp", "r"); /* a folder: it can be opened, and that is all */
	REQUIRE(f);
	CHECK_EQ(setvbuf(f, NULL, _IOFBF, 16), 0);
	FAILS(fread(much, 1, sizeof(much), f), 0, EISDIR);
	CHECK(ferror(f) && !feof(f));
	CHECK_EQ(fclose(f), 0);
}

TEST_OURS(a_stream_that_cannot_put_out_is_not_turned_round)
{
	char c = 'x';
	FILE *f;

	if (no_full_device())
		return;
	f = open_full(_IOFBF, "lost");
	CHECK_EQ(fread(&c, 1, 1, f), 0); /* what was written is put out first, and cannot be */
	CHECK_EQ(c, 'x');
	close_full(f);
	f = open_full(_IOFBF, "lost");
	CHECK_EQ(ftell(f), -1);
	close_full(f);
}

/* Pieces of the bounce buffer, and one byte more or less. */
TEST_EVERYWHERE(lines_are_whole_whatever_pieces_they_come_in)
{
	const unsigned piece = 4096 - 5 * sizeof(intptr_t);
	FILE *f = open_own("w+");

	for (unsigned n = piece - 1; n <= piece + 1; n++) {
		memset(private_room, 'a' + (int)(n - piece + 1), n);
		private_room[n - 1] = '\n';
		REQUIRE_EQ(fwrite(private_room, 1, n, f), n);
	}
	rewind(f);
	for (unsigned n = piece - 1; n <= piece + 1; n++) {
		REQUIRE(fgets(private_room, sizeof(private_room), f) == private_room);
		CHECK_EQ(strlen(private_room), n);
		CHECK_EQ(private_room[0], 'a' + (int)(n - piece + 1));
		CHECK_EQ(private_room[n - 1], '\n');
	}
	CHECK(!fgets(private_room, sizeof(private_room), f));
	rewind(f);
	CHECK(fgets(private_room, 1, f) == private_room);
	CHECK_EQ(private_room[0], '\0');
	CHECK(!fgets(private_room, 0, f) || !is_library_ours());
	CHECK_EQ(ungetc('Z', f), 'Z');
	CHECK(fgets(private_room, 3, f) == private_room);
	CHECK_STR(private_room, "Za");
	CHECK_EQ(ungetc('\n', f), '\n');
	CHECK(fgets(private_room, 3, f) == private_room);
	CHECK_STR(private_room, "\n");
	CHECK_EQ(ungetc('Y', f), 'Y');
	CHECK_EQ(fread(private_room, 1, 1, f), 1);
	CHECK_EQ(private_room[0], 'Y');
	close_own(f);
}

TEST_EVERYWHERE(a_scan_leaves_what_does_not_fit)
{
	FILE *f = open_own("w+");
	int a = 0, b = 7;

	CHECK(fputs("12x", f) >= 0);
	rewind(f);
	CHECK_EQ(fscanf(f, "%d%d", &a, &b), 1);
	CHECK_EQ(a, 12);
	CHECK_EQ(b, 7);
	CHECK_EQ(fgetc(f), 'x'); /* it is not lost */
	CHECK_EQ(fscanf(f, "%d", &b), EOF);
	CHECK(feof(f));
	CHECK_EQ(b, 7);
	CHECK(fputs("", f) >= 0);
	close_own(f);
}

/* ---- Streams that are none of the usual ---- */

TEST_OURS(modes_that_are_none_are_refused_however_long)
{
	FILE *f = open_own("w+");

	memset(private_room, 'q', sizeof(private_room) - 1);
	FAILS(fopen(file_name(), private_room), NULL, EINVAL);
	FAILS(fdopen(fileno(f), private_room), NULL, EINVAL);
	FAILS(fdopen(fileno(f), "q"), NULL, EINVAL);
	if (co_hart())
		FAILS(fopen(private_room, "r"), NULL, ENAMETOOLONG);
	CHECK(fputs("kept", f) >= 0);
	close_own(f);
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

TEST_OURS(the_console_is_not_used_the_wrong_way)
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

static struct co_a32 handled;

static void print_in_a_handler(struct co_msg *m)
{
	char *p = malloc(100);
	int n = printf("# a handler's line, ");

	n += printf("in pieces\n");
	free(p);
	co_atomic_store(&handled, p && !co_self() ? (uint32_t)n : 1, CO_RELEASE);
}

static intptr_t post_a_handler(void *arg)
{
	static struct co_msg m = { .run = print_in_a_handler };

	co_atomic_store(&handled, 0, CO_RELAXED);
	co_post(0, &m);
	test_await(&handled, 1);
	return (intptr_t)co_atomic_load(&handled, CO_ACQUIRE);
}

/* A buffer in a frame that is left: the stream has one of its own. */
static intptr_t gives_its_frame(void *arg)
{
	char room[200];

	memset(room, '?', sizeof(room));
	if (arg) {
		CHECK_EQ(setvbuf(arg, room, _IOFBF, sizeof(room)), 0);
		CHECK(fputs("begun, ", arg) >= 0);
	}
	return room[0];
}

TEST_OURS(a_stream_outlives_the_frame_that_its_buffer_is_said_to_be_in)
{
	for (unsigned big = 0; big < 2; big++) {
		const struct co_attr attr = { .on = CO_ON_HART(co_harts() - 1),
					      .stack = big ? CO_STACK_MAIN : CO_STACK_ANY };
		char text[40];
		FILE *f = fopen(file_name(), "w+");

		REQUIRE(f);
		CHECK_EQ(test_join(test_spawn(&attr, gives_its_frame, f)), '?');
		CHECK_EQ(test_join(test_spawn(&attr, gives_its_frame, NULL)), '?');
		CHECK(fputs("done\n", f) >= 0);
		rewind(f);
		REQUIRE(fgets(text, sizeof(text), f));
		CHECK_STR(text, "begun, done\n");
		CHECK_EQ(fclose(f), 0);
	}
}

TEST(a_handler_on_hart_0_may_print_and_allocate)
{
	if (!is_library_ours())
		SKIP("a PC's library is its own");
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, post_a_handler, NULL)), 30);
}

TEST_OURS(a_stream_on_the_consoles_number_ends_without_it)
{
	FILE *f = fdopen(1, "w");

	REQUIRE(f);
	CHECK_EQ(fileno(f), 1);
	CHECK_EQ(fputs("# by its number\n", f), 0);
	CHECK_EQ(fclose(f), 0);
	CHECK_EQ(printf("# and it is open still\n"), 23);
}
