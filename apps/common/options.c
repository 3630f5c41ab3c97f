/* options.c - see options.h. */
#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

#define HELP 'h'
#define FIRST 0x100 /* what getopt_long() returns of the first known option */

static bool parse_number(const char *app, const struct app_option *o, const char *text)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || value < o->least || value > o->most) {
		fprintf(stderr, "%s: --%s wants a number from %u to %u, not '%s'\n", app, o->name,
			o->least, o->most, text);
		return false;
	}
	*o->number = (unsigned)value;
	return true;
}

static bool parse_real(const char *app, const struct app_option *o, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= o->from && value <= o->to)) {
		fprintf(stderr, "%s: --%s wants a number from %g to %g, not '%s'\n", app, o->name,
			o->from, o->to, text);
		return false;
	}
	*o->real = value;
	return true;
}

static bool parse_word(const char *app, const struct app_option *o, const char *text)
{
	for (unsigned i = 0; i < o->n_words; i++) {
		if (strcmp(text, o->words[i]) == 0) {
			*o->which = (int)i;
			return true;
		}
	}
	fprintf(stderr, "%s: --%s: '%s' is none of:", app, o->name, text);
	for (unsigned i = 0; i < o->n_words; i++)
		fprintf(stderr, " %s", o->words[i]);
	fputc('\n', stderr);
	return false;
}

static bool parse_option(const char *app, const struct app_option *o)
{
	if (o->on)
		*o->on = true;
	if (o->text)
		*o->text = optarg;
	if (o->number)
		return parse_number(app, o, optarg);
	if (o->real)
		return parse_real(app, o, optarg);
	return o->which ? parse_word(app, o, optarg) : true;
}

/* What getopt_long() wants to know. */
static void list(const struct app_option *known, struct option *names, char *letters)
{
	unsigned n = 0;

	for (const struct app_option *o = known; o->name; o++, n++) {
		assert(n < APP_OPTIONS);
		names[n] = (struct option){ .name = o->name,
					    .has_arg = o->on ? no_argument : required_argument,
					    .val = FIRST + (int)n };
		if (o->letter)
			*letters++ = o->letter;
		if (o->letter && !o->on)
			*letters++ = ':';
	}
	names[n] = (struct option){ .name = "help", .val = HELP };
	names[n + 1] = (struct option){ .name = NULL };
	*letters = '\0';
}

static const struct app_option *find(const struct app_option *known, int option)
{
	for (unsigned i = 0; known[i].name; i++) {
		if (option == FIRST + (int)i || (option && option == known[i].letter))
			return &known[i];
	}
	return NULL; /* getopt_long() has said what is wrong */
}

int app_options(const char *app, const char *usage, const struct app_option *known, int argc,
		char **argv)
{
	struct option names[APP_OPTIONS + 2]; /* and --help, and the end */
	char letters[2 * APP_OPTIONS + 1];
	bool good = true;
	int option;

	list(known, names, letters);
	while (good && (option = getopt_long(argc, argv, letters, names, NULL)) != -1) {
		const struct app_option *o = find(known, option);

		if (option == HELP) {
			fputs(usage, stdout);
			return 0;
		}
		good = o && parse_option(app, o);
	}
	if (good && optind < argc) {
		fprintf(stderr, "%s: what is '%s'? (--help)\n", app, argv[optind]);
		good = false;
	}
	return good ? -1 : 2;
}
