/*
 * proxy.c - compute harts that use the C library: the proxy on their management hart does the work.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cohart/cohart.h>

#include "shows.h"
#include "stopwatch.h"
#include "team.h"

/* Groups whose first compute hart says hello. */
#define SPEAKERS 4

static intptr_t hello(void *arg)
{
	unsigned hart = co_hart();

	(void)arg;
	printf("  hart %u, %s in group %u: hello\n", hart, co_role_name(co_hart_role(hart)),
	       co_hart_group(hart));
	return 0;
}

/* fopen, fwrite, fread, remove, on whatever hart this runs. */
static int use_file(const char *name)
{
	static const char written[] = "Every hart has the C library.\n";
	char read[sizeof(written)] = "";
	FILE *f = fopen(name, "wb");

	if (!f)
		return errno ? -errno : -EIO;
	size_t n = fwrite(written, 1, sizeof(written), f);

	if (fclose(f) || n != sizeof(written))
		return -EIO;
	f = fopen(name, "rb");
	if (!f)
		return errno ? -errno : -EIO;
	n = fread(read, 1, sizeof(read), f);
	fclose(f);
	if (n != sizeof(written) || memcmp(read, written, n) != 0)
		return -EIO;
	return remove(name) ? -EIO : 0;
}

/*
 * Several tours may run in one directory of the host: eight letters that are not the same twice.
 * Each costs the same number of instructions whatever it is, so that repeatable runs stay
 * repeatable.
 */
static void make_name(char *letters)
{
	uint64_t bits = (uint64_t)time(NULL) * 65521 ^ co_now();

	for (unsigned i = 0; i < 8; i++)
		letters[i] = (char)('a' + (bits >> 4 * i & 15));
}

static intptr_t use_own_file(void *arg)
{
	char name[] = "tour-xxxxxxxx.tmp";

	(void)arg;
	make_name(strchr(name, 'x'));
	int r = use_file(name);

	if (r)
		fprintf(stderr, "tour: %s: %s\n", name, strerror(-r));
	return r;
}

static int run_on(unsigned hart, const char *name, co_fn *fn)
{
	struct co *c;
	intptr_t result;
	int r = co_spawn(&c, &(struct co_attr){ .name = name, .on = CO_ON_HART(hart) }, fn, NULL);

	if (r == 0)
		r = co_join(c, &result);
	return r ? r : (int)result;
}

int show_proxy(void)
{
	unsigned spoken = 0;
	struct stopwatch w = { 0 };

	stopwatch_title("proxy: the C library on compute harts");
	for (unsigned g = 0; g < co_groups() && spoken < SPEAKERS; g++) {
		if (co_group(g)->computes == 0)
			continue;
		w = stopwatch_start();
		int r = run_on(co_group(g)->compute, "hello", hello);

		if (r)
			return r;
		stopwatch_stop(&w);
		spoken++;
	}
	stopwatch_print(&w, 1, "spawn, such a line, join");
	w = stopwatch_start();
	int r = run_on(team_hart(team_size() - 1), "file", use_own_file);

	stopwatch_stop(&w);
	if (r == 0)
		stopwatch_print(&w, 1, "hart %u wrote, read and removed a file of the host",
				team_hart(team_size() - 1));
	return r;
}
