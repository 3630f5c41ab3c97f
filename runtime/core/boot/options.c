/*
 * options.c - the command line: the runtime's options are taken out, the rest is main()'s.
 *
 * Words are split at blanks; a backslash takes the next character as it is, so that a file name may
 * have blanks. Words behind a single "--" are the program's, untouched.
 */
#include <string.h>

#include <hal/probe.h>
#include <hal/host.h>

#include "../option.h"
#include "boot.h"
#include "process.h"

#define LINE_BYTES 4096
#define WORDS 128
#define MOST_MS 1000000u
#define MOST_RANKS 65534u
#define MOST_STACK_KIB 65536u

/* Split the line into words, in place. */
static int split_words(char *line, char **words)
{
	int n = 0;
	char *from = line;
	char *to = line;

	while (*from == ' ')
		from++;
	while (*from) {
		if (n == WORDS)
			co_die("the command line has more than %d words", WORDS);
		words[n++] = to;
		while (*from && *from != ' ') {
			if (*from == '\\' && from[1])
				from++;
			*to++ = *from++;
		}
		while (*from == ' ')
			from++;
		*to++ = '\0';
	}
	words[n] = NULL;
	return n;
}

/* The number behind --name=, a whole number of `what`. */
static unsigned number(const char *word, const char *text, unsigned most, const char *what)
{
	unsigned long n = 0; /* ten times as much is no overflow */
	const char *p = text;

	for (; *p >= '0' && *p <= '9' && n <= most; p++)
		n = n * 10 + (unsigned long)(*p - '0');
	if (p == text || *p || n > most)
		co_die("%s: it takes a whole number of %s", word, what);
	return (unsigned)n;
}

static void take_faults(const char *text)
{
#ifdef CO_FAULTS
	co_inject_option(text);
#else
	co_die("--faults=%s: this image is built without them: make FAULTS=1", text);
#endif
}

/* The most coroutines of a hart; it has at least the CO_PER_HART in its shared area. */
static void take_coroutines(const char *word)
{
	unsigned n =
		number(word, word + 13, CO_PER_HART_MAX, "coroutines a hart, at most 16777216");

	co_options.per_hart = n < CO_PER_HART ? CO_PER_HART : (unsigned)co_round_up(n, CO_PER_HART);
}

/* The options of images of ranks. In other images these words are the program's. */
static bool take_rank_option(char *word)
{
	if (!co_has_ranks())
		return false;
	if (strcmp(word, "--ranks=groups") == 0)
		co_options.rank_groups = true;
	else if (strncmp(word, "--ranks=", 8) == 0)
		co_options.ranks = number(word, word + 8, MOST_RANKS, "ranks (0: all)");
	else if (strncmp(word, "--stack=", 8) == 0)
		co_options.stack_kib = number(word, word + 8, MOST_STACK_KIB, "KiB");
	else
		return false;
	return true;
}

/* The options of rooms that the image has: option.h. */
static bool take_room_option(const char *word)
{
	for (const struct co_option *o = __options_start; o < __options_end; o++) {
		size_t n = strlen(o->word);

		if (strncmp(word, o->word, n) != 0)
			continue;
		if (o->word[n - 1] == '=')
			*o->value = number(word, word + n, o->most, o->unit);
		else if (word[n])
			continue;
		else
			*o->value = 1;
		return true;
	}
	return false;
}

/* Handle an option of the runtime. Returns false for other words. */
static bool take_option(char *word)
{
	if (strncmp(word, "--topology=", 11) == 0)
		co_options.topology = word + 11;
	else if (strncmp(word, "--spm=", 6) == 0)
		co_options.spm = word + 6;
	else if (strncmp(word, "--node=", 7) == 0)
		co_options.node = number(word, word + 7, 9999, "groups, at most 9999 (0: all)");
	else if (strncmp(word, "--super-node=", 13) == 0)
		co_options.super_node =
			number(word, word + 13, 9999, "nodes, at most 9999 (0: all)");
	else if (strcmp(word, "--allow-missing") == 0)
		co_options.allow_missing = true;
	else if (strncmp(word, "--faults=", 9) == 0)
		take_faults(word + 9);
	else if (strncmp(word, "--watch=", 8) == 0)
		co_options.watch_ms =
			number(word, word + 8, MOST_MS, "milliseconds, at most 1000000 (0: off)");
	else if (strncmp(word, "--coroutines=", 13) == 0)
		take_coroutines(word);
	else if (strcmp(word, "--tty") == 0)
		co_options.tty = true;
	else if (strcmp(word, "--tty-in") == 0)
		co_options.tty_in = true;
	else if (strcmp(word, "--console=semihost") == 0)
		co_options.console_semihost = true;
	else if (strcmp(word, "--console=none") == 0)
		co_options.console_none = true;
	else if (strncmp(word, "--console=", 10) != 0)
		return take_rank_option(word) || take_room_option(word);
	else if (strcmp(word + 10, "uart") != 0)
		co_die("--console=%s: there are uart, semihost and none", word + 10);
	return true;
}

void co_options_read(int *argc, char ***argv)
{
	char *line = hal_probe_take(LINE_BYTES);
	int r = hal_host_command_line(line, LINE_BYTES);
	char **words;
	int kept = 0;
	int n;
	int i = 0;

	if (co_has_ranks())
		co_options.watch_ms = 0; /* ordinary programs do not give way */
	if (r < 0)
		co_die("the command line could not be read, or is longer than %d bytes",
		       LINE_BYTES - 1);
	hal_board.free = (uintptr_t)line + strlen(line) + 1; /* the rest goes back */
	words = hal_probe_take((WORDS + 1) * sizeof(*words));
	n = split_words(line, words);
	hal_board.free = (uintptr_t)&words[n + 1];
	for (; i < n && strcmp(words[i], "--") != 0; i++) {
		if (i == 0 || !take_option(words[i]))
			words[kept++] = words[i];
	}
	if (i < n)
		i++;
	while (i < n)
		words[kept++] = words[i++];
	words[kept] = NULL;
	if (kept)
		co_image = words[0];
	*argc = kept;
	*argv = words;
}
