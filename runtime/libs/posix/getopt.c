/*
 * getopt.c - getopt() and its kin, as glibc has them: operands that stand before options are moved
 * behind them, unless the list of options begins with '+'. In the packaged libraries these
 * functions lose operands beside an unknown option, and its name.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "posix.h"

#undef optarg
#undef optind
#undef opterr
#undef optopt

POSIX CO_PER_RANK char *optarg;
POSIX CO_PER_RANK int optind = 1;
POSIX CO_PER_RANK int opterr = 1;
POSIX CO_PER_RANK int optopt = '?';

/* Letters that are left of an element; operands from `first` on, which end before `last`. */
static CO_PER_RANK struct {
	const char *letters;
	int first, last;
} at;

/* The arguments of a call. */
struct call {
	int argc;
	char **argv;
	const char *letters; /* without the characters that say how */
	char order;          /* '+': ends at an operand; '-': returns it; 0: moves it */
	bool is_quiet, says_missing;
	const struct option *all; /* NULL: there are no long ones */
	int *which;
	bool has_one_dash; /* long ones may have one */
};

static bool is_operand(const char *word)
{
	return word[0] != '-' || !word[1];
}

static void reverse(char **v, int from, int to)
{
	for (to--; from < to; from++, to--) {
		char *word = v[from];

		v[from] = v[to];
		v[to] = word;
	}
}

/* Move the operands behind the options that followed them, which end at `optind`. */
static void move_operands(char **argv)
{
	reverse(argv, at.first, at.last);
	reverse(argv, at.last, optind);
	reverse(argv, at.first, optind);
	at.first += optind - at.last;
	at.last = optind;
}

/* Go to the next option. Returns 0, -1 at the end, or 1 at an operand that is to be returned. */
static int next_element(const struct call *c)
{
	at.last = at.last < optind ? at.last : optind;
	at.first = at.first < optind ? at.first : optind;
	if (!c->order) {
		if (at.first != at.last)
			move_operands(c->argv);
		else
			at.first = optind;
		while (optind < c->argc && is_operand(c->argv[optind]))
			optind++;
		at.last = optind;
	}
	if (optind < c->argc && strcmp(c->argv[optind], "--") == 0) {
		optind++;
		if (at.first != at.last)
			move_operands(c->argv);
		else
			at.first = optind;
		optind = at.last = c->argc;
	}
	if (optind >= c->argc) {
		optind = at.first != at.last ? at.first : optind;
		return -1;
	}
	if (!is_operand(c->argv[optind]))
		return 0;
	if (c->order == '+')
		return -1;
	optarg = c->argv[optind++];
	return 1;
}

static int complain(const struct call *c, int returned, const char *text, const char *what, int n)
{
	if (!c->is_quiet)
		fprintf(stderr, "%s: %s '%.*s'\n", c->argv[0], text, n, what);
	return returned;
}

static int missing(const struct call *c, const char *what, int n)
{
	return complain(c, c->says_missing ? ':' : '?', "option requires an argument --", what, n);
}

/* Find the option with this name or abbreviation. NULL: not found, or *is_ambiguous: several. */
static const struct option *find(const struct call *c, const char *name, size_t n,
				 bool *is_ambiguous)
{
	const struct option *one = NULL;

	*is_ambiguous = false;
	for (const struct option *o = c->all; o->name; o++) {
		if (strncmp(o->name, name, n) != 0)
			continue;
		if (!o->name[n]) {
			*is_ambiguous = false;
			return o;
		}
		if (!one)
			one = o;
		else if (c->has_one_dash || one->has_arg != o->has_arg || one->flag != o->flag ||
			 one->val != o->val)
			*is_ambiguous = true;
	}
	return *is_ambiguous ? NULL : one;
}

/* Returns -1 if it is to be read as letters. */
static int long_option(const struct call *c, const char *name)
{
	size_t n = strcspn(name, "=");
	const char *value = name[n] ? name + n + 1 : NULL, *word = c->argv[optind];
	int length = (int)(name + n - word);
	bool is_ambiguous;
	const struct option *o = find(c, name, n, &is_ambiguous);

	if (!o && !is_ambiguous && c->has_one_dash && word[1] != '-' && strchr(c->letters, *name))
		return -1;
	optind++;
	optopt = 0;
	if (!o)
		return complain(c, '?', is_ambiguous ? "ambiguous option" : "unrecognized option",
				word, length);
	if (value && !o->has_arg) {
		optopt = o->val;
		return complain(c, '?', "no argument is allowed for option", word, length);
	}
	if (!value && o->has_arg == required_argument) {
		if (optind == c->argc) {
			optopt = o->val;
			return missing(c, word, length);
		}
		value = c->argv[optind++];
	}
	optarg = (char *)(uintptr_t)value;
	if (c->which)
		*c->which = (int)(o - c->all);
	if (!o->flag)
		return o->val;
	*o->flag = o->val;
	return 0;
}

static int letter(const struct call *c)
{
	char is = *at.letters++;
	const char *known = is == ':' || is == ';' ? NULL : strchr(c->letters, is);
	bool is_last = !*at.letters;

	optind += is_last;
	if (!known) {
		optopt = is;
		return complain(c, '?', "invalid option --", &is, 1);
	}
	if (known[1] != ':')
		return is;
	if (!is_last) {
		optarg = (char *)(uintptr_t)at.letters;
		optind++;
	} else if (known[2] != ':') {
		if (optind == c->argc) {
			optopt = is;
			at.letters = NULL;
			return missing(c, &is, 1);
		}
		optarg = c->argv[optind++];
	}
	at.letters = NULL;
	return is;
}

static int next_option(struct call *c)
{
	const char *word;
	int element, code;

	optarg = NULL;
	if (optind == 0) {
		optind = 1;
		at.letters = NULL;
		at.first = at.last = 1;
	}
	if (*c->letters == '+' || *c->letters == '-')
		c->order = *c->letters++;
	c->says_missing = *c->letters == ':';
	c->is_quiet = !opterr || c->says_missing;
	c->letters += c->says_missing;
	if (!at.letters || !*at.letters) {
		element = next_element(c);
		if (element)
			return element;
		word = c->argv[optind];
		at.letters = NULL;
		if (c->all && word[1] == '-')
			return long_option(c, word + 2);
		if (c->all && c->has_one_dash && (word[2] || !strchr(c->letters, word[1]))) {
			code = long_option(c, word + 1);
			if (code != -1)
				return code;
		}
		at.letters = word + 1;
	}
	return letter(c);
}

POSIX int getopt(int argc, char *const argv[], const char *letters)
{
	struct call c = { argc, (char **)(uintptr_t)argv, letters, .order = 0 };

	return next_option(&c);
}

POSIX int getopt_long(int argc, char *const argv[], const char *letters, const struct option *all,
		      int *which)
{
	struct call c = { argc, (char **)(uintptr_t)argv, letters, .all = all, .which = which };

	return next_option(&c);
}

POSIX int getopt_long_only(int argc, char *const argv[], const char *letters,
			   const struct option *all, int *which)
{
	struct call c = { argc,       (char **)(uintptr_t)argv, letters,
			  .all = all, .which = which,           .has_one_dash = true };

	return next_option(&c);
}
