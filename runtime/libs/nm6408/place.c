/* place.c - where processes are: the table TFX, from the command line or a file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/hart.h>

#include "load.h"

enum { FILE_BYTES = 512 };

/* Does the core exist in this machine, and is it not lost? */
static bool is_there(unsigned core)
{
	return core < co_net_cores() && !co_hart_gone(core);
}

static int bad(const char *item, size_t n, const char *why)
{
	fprintf(stderr, "bfskn: --tfx: '%.*s': %s\n", (int)n, item, why);
	return -EINVAL;
}

/* The core of that number or name; -1: neither. */
static int core_named(const char *s, size_t n)
{
	char *end;
	unsigned long number = strtoul(s, &end, 10);

	if (n && end == s + n && number < CO_NET_CORES)
		return (int)number;
	for (unsigned i = 0; i < CO_NET_CORES; i++) {
		const char *name = co_net_core_name(i);

		if (strlen(name) == n && strncmp(name, s, n) == 0)
			return (int)i;
	}
	return -1;
}

/* Parse CORE or PROCESS:CORE. *next is the process for an item without a number. */
static int take_item(const struct bfskn_program *p, const char *s, size_t n, unsigned *next,
		     int *wanted)
{
	const char *colon = memchr(s, ':', n);
	size_t skip = colon ? (size_t)(colon + 1 - s) : 0;
	size_t digits = strspn(s, "0123456789");
	unsigned long process = colon ? strtoul(s, NULL, 10) : *next;
	int core = core_named(s + skip, n - skip);

	if (colon && (!digits || s + digits != colon))
		return bad(s, n, "a process is a number");
	if (process >= p->n)
		return bad(s, n, "the program has no such process");
	if (core < 0)
		return bad(s, n,
			   "no core; there are CPU, CPU0 to CPU3 and NMPU00 to NMPU33, or 0 to 20");
	if (wanted[process] >= 0)
		return bad(s, n, "this process has a core already");
	for (unsigned i = 0; i < p->n; i++) {
		if (wanted[i] == core)
			return bad(s, n, "another process has this core");
	}
	wanted[process] = core;
	*next = (unsigned)process + 1;
	return 0;
}

static int take_items(const struct bfskn_program *p, const char *s, int *wanted)
{
	unsigned next = 0;
	int r = 0;

	while (!r && *(s += strspn(s, ", \t\r\n"))) {
		size_t n = strcspn(s, ", \t\r\n");

		r = take_item(p, s, n, &next, wanted);
		s += n;
	}
	return r;
}

static int take_file(const struct bfskn_program *p, const char *name, int *wanted)
{
	char text[FILE_BYTES];
	FILE *f = fopen(name, "r");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
	bool fits = f && (feof(f) || getc(f) == EOF);

	if (f)
		fclose(f);
	text[n] = '\0';
	if (!f)
		return bad(name, strlen(name), "this file cannot be read");
	return fits ? take_items(p, text, wanted)
		    : bad(name, strlen(name), "this file is too long");
}

static bool has_route(unsigned a, unsigned b)
{
	struct co_net_route r;

	return !co_net_route(a, b, &r);
}

/* How many of the routes that `wanted` has to the processes' cores `candidate` has, too. */
static unsigned kept(const struct bfskn_program *p, const int *cores, unsigned process,
		     unsigned wanted, unsigned candidate)
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->n; i++)
		n += i != process && cores[i] >= 0 && has_route(wanted, (unsigned)cores[i]) &&
		     has_route(candidate, (unsigned)cores[i]);
	return n;
}

static bool is_free(const struct bfskn_program *p, const int *cores, unsigned core)
{
	for (unsigned i = 0; i < p->n; i++) {
		if (cores[i] == (int)core)
			return false;
	}
	return is_there(core);
}

/* A free core in the place of `wanted`, which does not exist (< 0: any core). -1: none is left. */
static int substitute(const struct bfskn_program *p, const int *cores, unsigned process, int wanted)
{
	int best = -1;
	unsigned most = 0;

	for (unsigned core = 0; core < CO_NET_CORES; core++) {
		unsigned n;

		if (!is_free(p, cores, core))
			continue;
		n = wanted < 0 ? 0 : kept(p, cores, process, (unsigned)wanted, core);
		if (best < 0 || n > most) {
			best = (int)core;
			most = n;
		}
	}
	return best;
}

int bfskn_place(struct bfskn_program *p, int argc, char **argv)
{
	int cores[CO_NET_CORES], r = 0;

	memset(cores, -1, sizeof(cores));
	memset(p->process_on, -1, sizeof(p->process_on));
	for (int i = 1; i < argc && !r; i++) {
		if (strncmp(argv[i], "--tfx=@", 7) == 0)
			r = take_file(p, argv[i] + 7, cores);
		else if (strncmp(argv[i], "--tfx=", 6) == 0)
			r = take_items(p, argv[i] + 6, cores);
	}
	/* First the processes with a core in the table, so that no other takes that core. */
	for (unsigned pass = 0; pass < 2 && !r; pass++) {
		for (unsigned i = 0; i < p->n && !r; i++) {
			int wanted = cores[i];

			if (pass != (wanted < 0) || (wanted >= 0 && is_there((unsigned)wanted)))
				continue;
			cores[i] = substitute(p, cores, i, wanted);
			if (cores[i] < 0) {
				fprintf(stderr,
					"bfskn: process %u of %u has no core: the machine has %u\n",
					i, p->n, co_harts());
				return -ENOSPC;
			}
			if (wanted >= 0)
				fprintf(stderr,
					"bfskn: process %u is on %s, since %s is not there\n", i,
					co_net_core_name((unsigned)cores[i]),
					co_net_core_name((unsigned)wanted));
		}
	}
	for (unsigned i = 0; i < p->n && !r; i++) {
		p->core_of[i] = (uint8_t)cores[i];
		p->process_on[cores[i]] = (int)i;
	}
	return r;
}
