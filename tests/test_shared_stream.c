/*
 * test_shared_stream.c - one stream of the C library that coroutines of many harts use: calls do
 * not mix, no byte is lost or doubled, and what one of them is ended by, or its hart, is not the
 * others' business.
 *
 * Topologies: 2x(1+2)
 */
#include <cohart/proxy.h>

#include "files.h"
#include "loss.h"

enum { WRITERS = 8, LINES = 40, BYTES = 600 };

static FILE *shared;

/* With a mode, few bytes fit in the buffer: most calls wait for hart 0. */
static FILE *open_shared(int mode)
{
	static char room[48];

	shared = open_own("w+");
	if (mode >= 0)
		REQUIRE_EQ(setvbuf(shared, room, mode, sizeof(room)), 0);
	return shared;
}

static intptr_t write_lines(void *arg)
{
	unsigned i = (unsigned)(uintptr_t)arg;

	for (unsigned n = 0; n < LINES; n++) {
		if (n % 2)
			CHECK_EQ(fprintf(shared, "%c %u of a writer's\n", 'a' + (int)i, n % 10),
				 18);
		else
			CHECK(fputs((char[]){ (char)('a' + i), ' ', (char)('0' + n % 10), '\n', 0 },
				    shared) >= 0);
	}
	return 0;
}

static void check_lines(int mode)
{
	FILE *f = open_shared(mode);
	unsigned next[WRITERS] = { 0 };
	char line[40];

	test_spread(write_lines, WRITERS, 0);
	rewind(f);
	while (fgets(line, sizeof(line), f)) {
		unsigned i = (unsigned)line[0] - 'a';

		REQUIRE(i < WRITERS);
		CHECK_EQ(line[2] - '0', next[i] % 10);
		CHECK_STR(line + 3, next[i] % 2 ? " of a writer's\n" : "\n");
		next[i]++;
	}
	for (unsigned i = 0; i < WRITERS; i++)
		CHECK_EQ(next[i], LINES);
	close_own(f);
}

TEST(lines_of_many_harts_do_not_mix)
{
	check_lines(-1);
	check_lines(_IOFBF);
	check_lines(_IOLBF);
}

static intptr_t put_bytes(void *arg)
{
	for (unsigned n = 0; n < BYTES; n++) {
		CHECK_EQ(fputc('A' + (int)(intptr_t)arg, shared), 'A' + (int)(intptr_t)arg);
		if (n % 64 == 63)
			co_pause();
	}
	return 0;
}

static struct co_a32 got[256];

static intptr_t get_bytes(void *arg)
{
	int c;

	while ((c = getc(shared)) != EOF) {
		/* One is given back, and read again. ThreadSanitizer does not see glibc's locks. */
		if (c == 'Z' && !hal_board.is_process)
			CHECK_EQ(ungetc('Y', shared), 'Y');
		co_atomic_add(&got[c], 1, CO_RELAXED);
	}
	return 0;
}

TEST(bytes_of_many_harts_are_written_and_read_once)
{
	FILE *f = open_shared(_IOFBF);

	test_spread(put_bytes, WRITERS, 0);
	CHECK_EQ(fputc('Z', f), 'Z');
	CHECK_EQ(ftell(f), WRITERS * BYTES + 1);
	rewind(f);
	for (unsigned i = 0; i < 256; i++)
		co_atomic_store(&got[i], 0, CO_RELAXED);
	test_spread(get_bytes, WRITERS, 0);
	for (unsigned i = 0; i < WRITERS; i++)
		CHECK_EQ(co_atomic_load(&got['A' + i], CO_RELAXED), BYTES);
	CHECK_EQ(co_atomic_load(&got['Z'], CO_RELAXED), 1);
	CHECK_EQ(co_atomic_load(&got['Y'], CO_RELAXED), !hal_board.is_process);
	close_own(f);
}

static intptr_t print_by_hart_0(void *arg)
{
	CHECK(fputs(arg, shared) >= 0);
	return 0;
}

static intptr_t call_hart_0(void *arg)
{
	static char line[] = "x 0\n";

	for (unsigned n = 0; n < LINES; n++) {
		CHECK_EQ(co_proxy_call(print_by_hart_0, line), 0);
		CHECK_EQ(fputs("y 1\n", shared) < 0, 0);
	}
	return 0;
}

/* Whose stream it is may wait for hart 0, and hart 0 in such a call for the stream. */
TEST(hart_0_serves_while_it_waits_for_a_stream)
{
	FILE *f = open_shared(_IOLBF);
	unsigned x = 0, y = 0;
	char line[40];

	test_spread(call_hart_0, WRITERS, 0);
	rewind(f);
	while (fgets(line, sizeof(line), f)) {
		x += strcmp(line, "x 0\n") == 0;
		y += strcmp(line, "y 1\n") == 0;
	}
	CHECK_EQ(x, WRITERS * LINES);
	CHECK_EQ(y, WRITERS * LINES);
	close_own(f);
}

static intptr_t open_and_close(void *arg)
{
	char name[140];

	snprintf(name, sizeof(name), "%s-%d", file_name(), (int)(intptr_t)arg);
	for (unsigned n = 0; n < 20; n++) {
		FILE *f = fopen(name, "w+");

		REQUIRE(f);
		CHECK_EQ(fprintf(f, "%u", n), n < 10 ? 1 : 2);
		CHECK_EQ(fflush(NULL), 0); /* all streams, of others that come and go, too */
		f = freopen(name, "r", f);
		REQUIRE(f);
		CHECK_EQ(fgetc(f), n < 10 ? '0' + (int)n : '1');
		CHECK_EQ(fclose(f), 0);
	}
	CHECK_EQ(remove(name), 0);
	return 0;
}

TEST(streams_are_opened_and_closed_side_by_side)
{
	if (hal_board.is_process)
		SKIP("glibc 2.36 hangs where one thread reopens a file and another flushes all");
	file_name();
	test_spread(open_and_close, WRITERS, 0);
}

static intptr_t fault_in_it(void *arg)
{
	CHECK(fputs("before\n", shared) >= 0);
	(void)fwrite((const void *)wild, 1, (size_t)(uintptr_t)arg, shared);
	return 0;
}

TEST_OURS_FAULTY(a_fault_in_a_call_loses_no_others_text)
{
	static const size_t bytes[] = { 20, 5000 }; /* into the buffer, and straight to hart 0 */

	for (unsigned i = 0; i < 2; i++) {
		FILE *f = open_shared(-1);
		char line[20] = "";

		CHECK(fputs("first\n", f) >= 0);
		CHECK_EQ(
			co_join(test_spawn_on(co_harts() - 1, fault_in_it, (void *)bytes[i]), NULL),
			-EFAULT);
		CHECK(fputs("after\n", f) >= 0);
		rewind(f);
		CHECK(fgets(line, sizeof(line), f));
		CHECK_STR(line, "first\n");
		CHECK(fgets(line, sizeof(line), f));
		CHECK_STR(line, "before\n");
		CHECK(fgets(line, sizeof(line), f));
		CHECK_STR(line, "after\n");
		CHECK(!fgets(line, sizeof(line), f));
		close_own(f);
	}
}
