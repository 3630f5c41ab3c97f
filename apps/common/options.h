/*
 * options.h - the command line of an app: what it may say, and what is wrong with it.
 *
 * Example
 *	const struct app_option known[] = {
 *		{ "size", 'n', .number = &size, .least = 4, .most = 4096 },
 *		{ "way", 'w', .which = &way, .words = ways, .n_words = 3 },
 *		{ "step", .real = &step, .from = 1e-6, .to = 1 },
 *		{ "out", 'o', .text = &out },
 *		{ "scalar", .on = &scalar },
 *		{ 0 },
 *	};
 *	int code = app_options("stencil", usage, known, argc, argv);
 *
 *	if (code >= 0)
 *		return code;
 */
#ifndef APPS_COMMON_OPTIONS_H
#define APPS_COMMON_OPTIONS_H

#include <stdbool.h>

#define APP_OPTIONS 16 /* as many at most */

/* One of `number`, `real`, `which`, `text` and `on` is given: what it sets. */
struct app_option {
	const char *name; /* NULL after the last */
	char letter;      /* 0: it has none */
	unsigned *number; /* from `least` to `most` */
	unsigned least, most;
	double *real; /* from `from` to `to` */
	double from, to;
	int *which; /* the place among `words` */
	const char *const *words;
	unsigned n_words;
	const char **text;
	bool *on; /* it takes no argument */
};

/*
 * Read the whole command line; --help prints `usage`, and an error is one line.
 * @return -1: go on; else the exit code
 */
int app_options(const char *app, const char *usage, const struct app_option *known, int argc,
		char **argv);

#endif
