/*
 * program.c - does without a host what its command line names, and says what came of it.
 * tests/nohost/run runs it. README.md and LICENSE of this tree are linked into it, and "words".
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cohart/cohart.h>

#include "../../runtime/core/hook.h"
#include "../../runtime/core/option.h"

static unsigned faults_at_boot;

CO_OPTION = { .word = "--fault-at-boot", .value = &faults_at_boot, .most = 1, .unit = "" };

static uint32_t *volatile nowhere = (uint32_t *)(uintptr_t)16;

static void boot(unsigned hart)
{
	if (faults_at_boot)
		*nowhere = hart;
}

CO_HOOKS = { .hart_boot = boot };

/* What a call has come to: its result, or its error's name. */
static void say(const char *what, long result)
{
	if (result < 0)
		printf("%s: %s\n", what, co_error_name(-errno));
	else
		printf("%s: %ld\n", what, result);
}

static void say_open(const char *what, const char *path, int flags)
{
	int fd = open(path, flags, 0666);

	say(what, fd < 0 ? fd : 0);
	if (fd >= 0)
		close(fd);
}

static void say_text(const char *what, const char *path)
{
	char text[64] = "";
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	printf("%s: %zu '%s'\n", what, n, n ? text : f ? "" : "none");
	if (f)
		fclose(f);
}

static void write_text(const char *path, const char *mode, const char *text)
{
	FILE *f = fopen(path, mode);

	if (!f || fputs(text, f) < 0 || fclose(f))
		printf("%s: %s\n", path, co_error_name(-errno));
}

static void use_files(void)
{
	char byte[2] = { 1, 1 };
	int fd, other;

	write_text("out/a", "w", "one\n");
	write_text("out/a", "a", "two\n");
	say_text("read back", "./out/a");
	fd = open("out/a", O_RDWR);
	say("seek behind the end", (long)lseek(fd, 100, SEEK_SET));
	say("write there", (long)write(fd, "x", 1));
	say("length", (long)lseek(fd, 0, SEEK_END));
	lseek(fd, 50, SEEK_SET);
	say("read the hole", (long)read(fd, byte, 2));
	printf("it has %d %d\n", byte[0], byte[1]);
	say("remove while open", unlink("out/a"));
	say_open("open it", "out/a", O_RDONLY);
	say("the removed file's length", (long)lseek(fd, 0, SEEK_END));
	write_text("out/a", "w", "new");
	say("and after another of its name", (long)lseek(fd, 0, SEEK_END));
	close(fd);
	write_text("b", "w", "b's");
	say("rename over it", rename("out/a", "b"));
	say_text("b", "b");
	say("rename what is not there", rename("out/a", "b"));
	say_open("exclusive", "b", O_WRONLY | O_CREAT | O_EXCL);
	say_open("a folder", "new/", O_WRONLY | O_CREAT);
	fd = open("b", O_RDONLY);
	other = open("b", O_WRONLY | O_TRUNC);
	say("truncated for another", (long)lseek(fd, 0, SEEK_END));
	say("read it", (long)read(fd, byte, 1));
	close(other);
	close(fd);
	say_open("write to what is linked in", "LICENSE", O_WRONLY);
	say_open("create it", "LICENSE", O_WRONLY | O_CREAT | O_TRUNC);
	say("remove it", remove("LICENSE"));
	say("rename over it", rename("b", "LICENSE"));
	say_open("read it", "LICENSE", O_RDONLY | O_CREAT);
}

/* Until there is no room, three times: a file that is truncated or removed gives its room back. */
static void fill(void)
{
	static char block[65536];
	long mib[3];

	for (int i = 0; i < 3; i++) {
		long bytes = 0;
		ssize_t n;
		int fd = open("large", O_WRONLY | O_CREAT | O_TRUNC, 0666);
		int other = open("small", O_WRONLY | O_CREAT | O_TRUNC, 0666);

		while ((n = write(fd, block, sizeof(block))) > 0)
			bytes += n;
		if (!i)
			say("a write to a file that is full", n);
		say("and to another", (long)write(other, block, sizeof(block)));
		close(other);
		close(fd);
		if (i)
			unlink("large");
		mib[i] = bytes >> 20;
	}
	printf("as much again: %s, %s\n", mib[0] == mib[1] && mib[1] == mib[2] ? "yes" : "no",
	       mib[0] > 4 ? "some" : "little");
}

static intptr_t faults(void *arg)
{
	*nowhere = 1;
	return (intptr_t)arg;
}

static intptr_t writes(void *arg)
{
	write_text(arg, "w", "from another hart");
	return 0;
}

static void on_a_compute_hart(co_fn *fn, void *arg)
{
	const struct co_attr attr = { .on = CO_ON_HART(1), .stack = CO_STACK_MAIN };
	intptr_t result = 0;
	struct co *c;
	int r = co_spawn(&c, &attr, fn, arg) ?: co_join(c, &result);

	printf("joined: %s\n", r ? co_error_name(r) : "well");
}

static void echo(void)
{
	char line[80];

	while (fgets(line, sizeof(line), stdin))
		printf("got %s", line);
	printf("end\n");
}

static void clocks(void)
{
	struct timespec a, b;

	say("time()", (long)time(NULL));
	say("monotonic", clock_gettime(CLOCK_MONOTONIC, &a));
	if (co_sleep_us(2000))
		return;
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("it goes on: %s\n",
	       (b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec >= 2000000 ? "yes"
										     : "no");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "exit") == 0)
		exit(atoi(argv[2]));
	else if (strcmp(what, "echo") == 0)
		echo();
	else if (strcmp(what, "files") == 0)
		use_files();
	else if (strcmp(what, "fill") == 0)
		fill();
	else if (strcmp(what, "clocks") == 0)
		clocks();
	else if (strcmp(what, "far") == 0)
		on_a_compute_hart(writes, "far"), say_text("read here", "far");
	else if (strcmp(what, "missing") == 0)
		say_open("missing", "a", O_RDONLY), say_open("missing", "b", O_RDONLY);
	else if (strcmp(what, "fault") == 0)
		on_a_compute_hart(faults, NULL);
	else if (strcmp(what, "fault-in-main") == 0)
		faults(NULL);
	else if (strcmp(what, "deadlock") == 0)
		(void)!co_event_wait(&(struct co_event){ 0 });
	else if (strcmp(what, "panic") == 0)
		co_panic("for %s", "good");
	else
		for (int i = 1; i < argc; i++)
			printf("word %d is '%s'\n", i, argv[i]);
	if (strcmp(what, "unended") == 0)
		printf("no newline");
	return 0;
}
