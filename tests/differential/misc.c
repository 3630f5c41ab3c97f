/* misc.c - <setjmp.h>, <fenv.h>, <getopt.h>, <libgen.h>, <argz.h>, <envz.h>, <fnmatch.h>,
 * <regex.h>, <signal.h>. */
#include <argz.h>
#include <envz.h>
#include <fnmatch.h>
#include <getopt.h>
#include <libgen.h>
#include <regex.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "environment.h"
#include "say.h"

static jmp_buf there;

static void jump(int value)
{
	volatile char deep[200];

	deep[sizeof(deep) - 1] = 0;
	longjmp(there, value);
}

static void jumps(void)
{
	volatile int times = 0;
	volatile double kept = 1.25;
	int r = setjmp(there);

	times++;
	kept *= 2;
	say("setjmp = %d %d %D", r, times, kept);
	if (times < 4)
		jump(times == 2 ? 0 : times);
}

static int raised(void)
{
	int e = fetestexcept(FE_ALL_EXCEPT);

	return !!(e & FE_INVALID) + 2 * !!(e & FE_DIVBYZERO) + 4 * !!(e & FE_OVERFLOW) +
	       8 * !!(e & FE_UNDERFLOW) + 16 * !!(e & FE_INEXACT);
}

/* What a call has returned, and what is raised after it. */
static void said(const char *name, unsigned i, int returned)
{
	say("%r %d = %d %d", name, i, returned, raised());
}

static void environment(void)
{
	static const int one[] = { FE_INVALID, FE_DIVBYZERO, FE_INEXACT };
	static const int modes[] = { FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO };
	fexcept_t flags;
	fenv_t env;

	for (unsigned i = 0; i < COUNT(one); i++) {
		feclearexcept(FE_ALL_EXCEPT);
		said("feraiseexcept", i, feraiseexcept(one[i]));
		said("fegetexceptflag", i, fegetexceptflag(&flags, FE_ALL_EXCEPT));
		said("feclearexcept", i, feclearexcept(FE_ALL_EXCEPT));
		said("fesetexceptflag", i, fesetexceptflag(&flags, FE_ALL_EXCEPT));
		said("feholdexcept", i, feholdexcept(&env));
		feraiseexcept(FE_DIVBYZERO);
		said("feupdateenv", i, feupdateenv(&env));
		said("fesetenv", i, fesetenv(&env));
		said("fegetenv", i, fegetenv(&env));
		said("fesetenv.default", i, fesetenv(FE_DFL_ENV));
	}
	for (unsigned i = 0; i < COUNT(modes); i++) {
		volatile double x = 1, y = 3;

		said("fesetround", i, fesetround(modes[i]));
		say("fegetround %d = %d %D %D", i, fegetround() == modes[i], x / y, -x / y);
	}
	fesetround(FE_TONEAREST);
	errno = 0;
	say("fesetround.bad = %d", fesetround(0x7fff) != 0);
	feclearexcept(FE_ALL_EXCEPT);
}

static void options(const char *how, char **words)
{
	static const struct option all[] = { { "all", no_argument, NULL, 'a' },
					     { "size", required_argument, NULL, 's' },
					     { "colour", optional_argument, NULL, 'c' },
					     { "columns", no_argument, NULL, 'C' },
					     { NULL, 0, NULL, 0 } };
	char *argv[10];
	int argc = 0, c, which = -1;

	for (; words[argc]; argc++)
		argv[argc] = words[argc];
	argv[argc] = NULL;
	opterr = 0;
	optind = 0;
	while ((c = getopt(argc, argv, how)) != -1)
		say("getopt %s %s = %c %d %s %c", how, words[1], c, optind, optarg,
		    c == '?' ? optopt : 0),
			optarg = NULL;
	say_part("getopt.end %s %s = %d", how, words[1], optind);
	for (int i = 1; i < argc; i++)
		say_part(" %s", argv[i]);
	say("");
	for (int i = 0; i < argc; i++)
		argv[i] = words[i];
	optind = 0;
	while ((c = getopt_long(argc, argv, how, all, &which)) != -1)
		say("getopt_long %s %s = %c %d %s", how, words[1], c, optind, optarg),
			optarg = NULL;
	say("getopt_long.end %s %s = %d", how, words[1], optind);
	for (int i = 0; i < argc; i++)
		argv[i] = words[i];
	optind = 0;
	while ((c = getopt_long_only(argc, argv, how, all, &which)) != -1)
		say("getopt_long_only %s %s = %c %d %s", how, words[1], c, optind, optarg),
			optarg = NULL;
	say("getopt_long_only.end %s %s = %d", how, words[1], optind);
}

static void command_lines(void)
{
	static char *lines[][8] = { { "x", "-a", "-b", "file" },
				    { "x", "-ab", "-s", "12", "f" },
				    { "x", "-s12", "--", "-a" },
				    { "x", "file", "-a", "g", "-b" },
				    { "x", "-z", "-a" },
				    { "x", "-s" },
				    { "x", "-" },
				    { "x", "--all", "-a" },
				    { "x", "--size=3", "--size", "4" },
				    { "x", "--si=3", "--al" },
				    { "x", "--col" },
				    { "x", "--colour=red", "--colour" },
				    { "x", "--size" },
				    { "x", "--nothing" },
				    { "x", "--all=1" },
				    { "x", "-a", "--", "f", "g" },
				    { "x", "-all" } };
	static const char *const how[] = { "abs:", ":abs:", "+abs:", "-abs:", "as::" };

	for (unsigned i = 0; i < COUNT(lines); i++) {
		for (unsigned j = 0; j < COUNT(how); j++)
			options(how[j], lines[i]);
	}
}

static void paths(void)
{
	static const char *const some[] = { "/usr/lib", "/usr/", "usr",  "/",  ".",    "..",
					    "",         "//",    "a/b/", "/a", "a//b", "///a///" };

	for (unsigned i = 0; i < COUNT(some); i++) {
		char b[40];

		strcpy(b, some[i]);
		say("basename %s = %s", some[i], basename(b));
		strcpy(b, some[i]);
		say("dirname %s = %s", some[i], dirname(b));
	}
	say("basename.null = %s %s", basename(NULL), dirname(NULL));
}

static void vectors(void)
{
	char *argz = NULL, *e = NULL, *words[9] = { "one", "two", "", "three", NULL }, b[60],
	     *envz = NULL;
	size_t n = 0, m = 0;
	unsigned replaced = 0;

	say("argz_create = %d", argz_create(words, &argz, &n));
	say("argz_count = %d", (int)argz_count(argz, n));
	say("argz_add = %d", argz_add(&argz, &n, "four"));
	say("argz_add_sep = %d", argz_add_sep(&argz, &n, "a:b:c", ':'));
	say("argz = %b", argz, (int)n);
	say("argz_append = %d", argz_append(&argz, &n, "x\0y", 4));
	while ((e = argz_next(argz, n, e)))
		say("argz_next = %s", e);
	argz_delete(&argz, &n, argz + 4);
	say("argz_delete = %b", argz, (int)n);
	say("argz_insert = %d", argz_insert(&argz, &n, argz, "first"));
	say("argz = %b", argz, (int)n);
	say("argz_replace = %d", argz_replace(&argz, &n, "a", "AAAA", &replaced));
	say("argz = %d %b", replaced, argz, (int)n);
	argz_extract(argz, n, words);
	say("argz_extract = %s %s", words[0], words[1]);
	memcpy(b, argz, n);
	argz_stringify(b, n, ',');
	say("argz_stringify = %s", b);
	free(argz);
	argz = NULL;
	say("argz_create_sep = %d", argz_create_sep("p:q:", ':', &argz, &n));
	say("argz = %b", argz, (int)n);
	free(argz);
	say("envz_add = %d", envz_add(&envz, &m, "A", "1"));
	say("envz_add = %d", envz_add(&envz, &m, "B", NULL));
	say("envz_add = %d", envz_add(&envz, &m, "A", "22"));
	say("envz = %b", envz, (int)m);
	say("envz_get = %s %s %s", envz_get(envz, m, "A"), envz_get(envz, m, "B"),
	    envz_get(envz, m, "C"));
	e = envz_entry(envz, m, "A");
	say("envz_entry = %s", e);
	say("envz_merge = %d", envz_merge(&envz, &m, "A=3\0C=4", 8, 0));
	say("envz = %b", envz, (int)m);
	say("envz_merge = %d", envz_merge(&envz, &m, "A=3\0D=4", 8, 1));
	say("envz = %b", envz, (int)m);
	envz_remove(&envz, &m, "C");
	envz_strip(&envz, &m);
	say("envz_strip = %b", envz, (int)m);
	free(envz);
}

static const struct {
	const char *pattern, *text;
	int flags;
} some[] = { { "*", "", 0 },
	     { "a*", "abc", 0 },
	     { "a?c", "abc", 0 },
	     { "a?c", "ac", 0 },
	     { "[a-c]x", "bx", 0 },
	     { "[!a-c]x", "bx", 0 },
	     { "[^a-c]x", "dx", 0 },
	     { "*.c", ".c", FNM_PERIOD },
	     { "*.c", "x.c", FNM_PERIOD },
	     { "*", "a/b", FNM_PATHNAME },
	     { "*/b", "a/b", FNM_PATHNAME },
	     { "a\\*", "a*", 0 },
	     { "a\\*", "a\\b", FNM_NOESCAPE },
	     { "[]]", "]", 0 },
	     { "[a", "[a", 0 },
	     { "a**b", "axxb", 0 },
	     { "A", "a", FNM_CASEFOLD },
	     { "a", "a/b", FNM_LEADING_DIR },
	     { "[[:digit:]]", "5", 0 },
	     { "[a-]", "-", 0 },
	     { "", "", 0 },
	     { "?", "", 0 },
	     { "*a*b*c*", "xxaxxbxxc", 0 } };
static const struct {
	const char *pattern, *text;
	int flags;
} regs[] = { { "abc", "xxabcxx", 0 },
	     { "^a.c$", "abc", 0 },
	     { "a*", "baaa", 0 },
	     { "\\(a\\)\\1", "aa", 0 },
	     { "(a|b)+", "xabab", REG_EXTENDED },
	     { "a{2,3}", "aaaa", REG_EXTENDED },
	     { "[[:alpha:]]+", "12ab3", REG_EXTENDED },
	     { "(a)(b)?", "a", REG_EXTENDED },
	     { "ABC", "abc", REG_ICASE },
	     { "x", "y", 0 },
	     { "a|ab", "ab", REG_EXTENDED },
	     { "(", "x", REG_EXTENDED },
	     { "[a", "x", 0 },
	     { "*", "x", REG_EXTENDED },
	     { "a\\{1", "x", 0 },
	     { "^$", "", 0 },
	     { ".", "\n", REG_NEWLINE },
	     { "(ab|a)(c|bcd)", "abcd", REG_EXTENDED },
	     { "\\.", "a.b", 0 },
	     { "[^a]", "ab", 0 } };

static void patterns(void)
{
	for (unsigned i = 0; i < COUNT(some); i++)
		say("fnmatch %s %s %d = %d", some[i].pattern, some[i].text, i,
		    fnmatch(some[i].pattern, some[i].text, some[i].flags) != 0);
	for (unsigned i = 0; i < COUNT(regs); i++) {
		regmatch_t m[3] = { { -9, -9 }, { -9, -9 }, { -9, -9 } };
		regex_t r;
		int e = regcomp(&r, regs[i].pattern, regs[i].flags);
		char b[100];

		if (e) {
			say("regcomp %s = error %d", regs[i].pattern,
			    regerror(e, &r, b, sizeof(b)) > 1);
			continue;
		}
		e = regexec(&r, regs[i].text, 3, m, 0);
		say("regexec %s %s = %d %d %d %d %d %d %d", regs[i].pattern, regs[i].text, e != 0,
		    (int)m[0].rm_so, (int)m[0].rm_eo, (int)m[1].rm_so, (int)m[1].rm_eo,
		    (int)m[2].rm_so, (int)m[2].rm_eo);
		regfree(&r);
	}
}

static volatile int signals;

static void handle(int s)
{
	signals += s == SIGUSR1;
}

static void raising(void)
{
	say("signal = %d", signal(SIGUSR1, handle) == SIG_DFL);
	say_part("raise = %d", raise(SIGUSR1));
	say(" %d", signals);
	say("signal.ignore = %d", signal(SIGUSR1, SIG_IGN) != SIG_ERR);
	say_part("raise.ignored = %d", raise(SIGUSR1));
	say(" %d", signals);
	errno = 0;
	say_part("signal.bad = %d", signal(12345, handle) == SIG_ERR);
	say(" %e", errno);
	say("strsignal = %d", strsignal(SIGINT) != NULL);
}

void cases_misc(void)
{
	jumps();
	if (has_fenv)
		environment();
	vectors();
	patterns();
	if (!has_statics)
		return;
	command_lines();
	paths();
	raising();
}
