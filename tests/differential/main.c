/*
 * main.c - the cases, in a file.
 * usage: differential OUTPUT FOLDER/ GROUPS... [FACTS...]; groups are files, facts are what a board
 * says of itself.
 *
 * With "facts" in place of the rest, a board says its facts; a PC gets them, so that it leaves
 * out the same.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "environment.h"
#include "output.h"
#include "say.h"

static const struct {
	const char *name;
	void (*cases)(void);
} groups[] = {
	{ "string", cases_string }, { "search", cases_search },   { "stdlib", cases_stdlib },
	{ "ctype", cases_ctype },   { "wide", cases_wide },       { "time", cases_time },
	{ "misc", cases_misc },     { "stdio", cases_stdio },     { "math", cases_math },
	{ "math2", cases_math2 },   { "complex", cases_complex },
};

static void fact(const char *word)
{
	has_long64 = has_long64 && strcmp(word, "long32") != 0;
	has_errno = has_errno && strcmp(word, "no-errno") != 0;
	has_fenv = has_fenv && strcmp(word, "no-fenv") != 0;
	has_statics = has_statics && strcmp(word, "no-statics") != 0;
}

static int run(int argc, char **argv)
{
	has_fenv = HAS_FENV;
	has_errno = (math_errhandling & MATH_ERRNO) != 0;
#if defined(__NEWLIB__) && \
	!defined(__PICOLIBC__) /* as it is packaged it sets none, and says so not */
	has_errno = false;
#endif
	if (argc == 2) {
		printf("%s %s %s\n", has_long64 ? "-" : "long32", has_errno ? "-" : "no-errno",
		       has_fenv ? "-" : "no-fenv");
		return 0;
	}
	if (argc < 4 || !output_open(argv[1]))
		return 2;
	folder = argv[2];
	for (int i = 3; i < argc; i++)
		fact(argv[i]);
	for (int i = 3; i < argc; i++) {
		for (unsigned g = 0; g < COUNT(groups); g++) {
			if (strcmp(argv[i], groups[g].name) == 0)
				groups[g].cases();
		}
	}
	return output_close() ? 0 : 1;
}

#ifdef __linux__
int main(int argc, char **argv)
{
	return run(argc, argv);
}
#else
#include <cohart/cohart.h>

struct words {
	int argc;
	char **argv;
};

static intptr_t run_there(void *arg)
{
	const struct words *w = arg;

	return run(w->argc, w->argv);
}

/* "no-statics" is what other harts than 0 are: then the cases run on the last one. */
int main(int argc, char **argv)
{
	static struct words w;
	struct co_attr attr = { .on = CO_ON_HART(0), .stack = CO_STACK_BIG };
	struct co *c;
	intptr_t code = 1;

	w = (struct words){ argc, argv };
	if (strcmp(argv[argc - 1], "no-statics") == 0)
		attr.on = CO_ON_HART(co_harts() - 1);
	return co_spawn(&c, &attr, run_there, &w) || co_join(c, &code) ? 1 : (int)code;
}
#endif
