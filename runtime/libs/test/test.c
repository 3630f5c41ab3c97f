/*
 * test.c - runs the cases that the command line selects, and reports in TAP, or to cohart-test.
 *
 * TAP's plan line comes last: an image that dies on the way has none, which is a failure. To
 * cohart-test, which gives --key=, each line about a case is the key, the case's number in the
 * section, a word and a sum: no text of a case's own can pass for one, nor can a line that was
 * garbled on its way.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/hook.h"
#include "../../core/inject.h"
#include "../../core/lost.h"
#include "../../core/report.h"
#include "test.h"

/* A case that takes longer says so. */
#define SLOW_US 1000000
/* Runs of a benchmark. */
#define BENCH_TIMES 8

extern const struct co_test __tests_start[], __tests_end[]; /* linker/ */

/* A case to run. */
struct pick {
	const struct co_test *test; /* NULL: there is no further one */
	uint32_t row;
};

/* The command line. */
static struct {
	char **words;
	int count;
	const char *list;   /* --run=: numbers of cases, or NULL */
	const char *key;    /* --key=, or NULL */
	bool leaks;         /* --leaks */
	bool until_failure; /* --until-failure */
	bool slices;        /* --slices: preemption points, drawn from the seed */
	uint64_t seed;
} args;

static const char *skipped;        /* why the case that runs was left */
static struct co_a32 seed_printed; /* for the case that runs */
static char case_name[80];
/* Of the case that runs: failures and faults of the run at its begin. */
static uint32_t failures_before, faults_before;

/* Print a line to cohart-test. */
static void tell(const char *format, ...)
{
	char text[240];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	printf("%s %s #%04x\n", args.key, text, co_test_sum(text));
}

/* ---- The case's coroutine ---- */

void co_test_skip(const char *reason)
{
	static char line[160];
	struct co_text t = { line, sizeof(line), 0 };

	co_text_add(&t, "%s", reason && *reason ? reason : "no reason");
	for (char *c = line; *c; c++)
		*c = *c == '\n' || *c == '\r' ? ' ' : *c;
	skipped = line;
	co_exit(0);
}

struct co_test_random co_test_random(uint64_t stream)
{
	struct co_test_random r = { args.seed };

	if (!co_atomic_swap(&seed_printed, 1, CO_RELAXED)) /* relaxed: printed once, no more */
		printf("# seed %llu (--seed=%llu repeats it)\n", (unsigned long long)args.seed,
		       (unsigned long long)args.seed);
	r.state = co_test_next(&r) ^ stream * 0xd1342543de82ef95u;
	return r;
}

void co_test_with_random(void (*fn)(struct co_test_random *random))
{
	struct co_test_random r = co_test_random(0);

	fn(&r);
}

static struct pick now;

/* Count the coroutines that faults have ended so far, and the lost harts. */
static uint32_t count_faults(void)
{
	uint32_t n = co_harts_lost();

	/* relaxed: coroutines of a case have ended when it is over, or are left behind. */
	for (unsigned hart = 0; hart < co_harts(); hart++)
		n += co_atomic_load(&co_hart_at(hart)->faults, CO_RELAXED);
	return n;
}

/*
 * Tell cohart-test how the run ends while a case runs, and how many checks of it have failed,
 * beside faults that it does not allow. The line goes past stdio: whatever a case has printed, the
 * report of a deadlock follows the line.
 */
static void tell_end(void)
{
	char text[64];
	struct co_text t = { text, sizeof(text), 0 };
	unsigned sum;

	if (!args.key || !now.test)
		return;
	co_text_add(&t, "%u.%u %s %u", (unsigned)(now.test - __tests_start), (unsigned)now.row,
		    co_machine.exits ? "exits" : "ends",
		    (unsigned)(co_test_failures() - failures_before +
			       (now.test->faulty ? 0 : count_faults() - faults_before)));
	sum = co_test_sum(text);
	co_report("%s %s #%x%x%x%x", args.key, text, sum >> 12, sum >> 8 & 15, sum >> 4 & 15,
		  sum & 15); /* its formats have no leading zeros */
}

CO_HOOKS = { .run_ends = tell_end };

static void run_row(void)
{
	const struct co_test *t = now.test;

	t->run(t->rows ? (const char *)t->rows + (size_t)now.row * t->row_bytes : NULL);
}

static struct co_counter start; /* of run_on_all_harts(): harts that have not arrived */

/* Note a failure, at the case's line, if r is an error. */
static void check_ended(int r, const char *what)
{
	co_test_check_eq(co_test_signed(r), co_test_signed(0), what, "0", now.test->file,
			 (int)now.test->line);
}

static intptr_t run_on_hart(void *fn)
{
	int r;

	co_counter_done(&start);
	r = co_counter_wait(&start);
	if (co_test_check(r == 0, "all harts begin the case", now.test->file, (int)now.test->line))
		((void (*)(void))fn)();
	return 0;
}

/* Call fn on every hart at once; an error is a failure of the case. */
static void run_on_all_harts(void (*fn)(void), const char *what)
{
	static struct co_batch batch;
	const unsigned n = co_harts();
	int r = 0, ended;

	start = (struct co_counter){ 0 };
	co_counter_add(&start, n);
	for (unsigned hart = 0; hart < n && r == 0; hart++) {
		const struct co_attr attr = { .name = case_name, .on = CO_ON_HART(hart) };

		r = co_batch_spawn(&batch, &attr, run_on_hart, (void *)fn, NULL);
	}
	if (r)
		co_batch_cancel(&batch);
	ended = co_batch_join(&batch);
	check_ended(r ? r : ended, what);
}

static void run_case_on_all(void)
{
	run_on_all_harts(run_row, "the case on every hart");
}

static void run_nothing(const void *row)
{
	(void)row;
}

/* Call a benchmark's body some times. Returns the fewest instructions that it took. */
static uint64_t count_instructions(void (*body)(const void *row))
{
	uint64_t least = UINT64_MAX;

	__asm__ volatile("" : "+r"(body)); /* a call, of either */
	for (unsigned i = 0; i < BENCH_TIMES; i++) {
		uint64_t begun = co_instructions(), took;

		body(NULL);
		took = co_instructions() - begun;
		least = took < least ? took : least;
	}
	return least;
}

static void run_bench(void)
{
	uint64_t own = count_instructions(run_nothing), cost = count_instructions(now.test->run);

	cost = cost > own ? cost - own : 0;
	if (args.key)
		tell("%u.%u costs %llu", (unsigned)(now.test - __tests_start), (unsigned)now.row,
		     (unsigned long long)cost);
	else
		printf("# %s: %llu instructions\n", case_name, (unsigned long long)cost);
}

static intptr_t enter(void *arg)
{
	const struct co_test *t = now.test;
	void (*const kinds[])(void) = { run_row, run_case_on_all, run_bench };
	void (*run)(void) = kinds[t->kind];

	(void)arg;
	if (t->faults && !co_inject_begin(t->faults))
		co_test_check(false, ".faults is a list of kind:rate and kind=number", t->file,
			      (int)t->line);
	if (t->around)
		t->around(run);
	else
		run();
	if (!co_test_holds_nothing() && (t->leaks || args.leaks))
		co_test_check(false, "nothing is left behind", t->file, (int)t->line);
	return 0;
}

static intptr_t enter_part(void *part)
{
	((void (*)(void))part)();
	return 0;
}

/* Run a part of a fixture, on hart 0 or on all. */
static void run_part(void (*part)(void), const char *name, bool all)
{
	const struct co_attr attr = { .name = name, .on = CO_ON_HART(0), .stack = CO_STACK_BIG };
	struct co *c;
	int r;

	if (!part)
		return;
	if (all) {
		run_on_all_harts(part, name);
		return;
	}
	r = co_spawn(&c, &attr, enter_part, (void *)part);
	r = r ? r : co_join(c, NULL);
	check_ended(r, name);
}

/* Why the case cannot run on this machine; NULL: it can. */
static const char *cannot_run(const struct co_test *t)
{
	static char why[64];

	if (t->harts > co_harts()) {
		snprintf(why, sizeof(why), "it needs %u harts, and there are %u",
			 (unsigned)t->harts, co_harts());
		return why;
	}
	if (t->faults && !CO_FAULTS_ON)
		return "its faults are injected in images that are built with FAULTS=1";
	return t->skip_if ? t->skip_if() : NULL;
}

/* Has the case's coroutine ended as it should? Else a line says how. */
static bool ended_well(uint32_t expects, int r, const struct co_fault *fault)
{
	const char *how = fault->pc ? "a fault" : "a panic";
	uint32_t end = r != -EFAULT ? CO_TEST_RETURNS : fault->pc ? CO_TEST_FAULTS : CO_TEST_PANICS;

	if (r && r != -EFAULT)
		printf("# the case could not run: error %d\n", r);
	else if (end == expects)
		return true;
	else if (end != CO_TEST_RETURNS)
		printf("# %s has ended the case: %s\n", how, fault->what);
	else if (expects == CO_TEST_FAULTS || expects == CO_TEST_PANICS)
		printf("# the case has returned, and should have ended by a %s\n",
		       expects == CO_TEST_FAULTS ? "fault" : "panic");
	else
		printf("# the case has returned, and should have ended the run\n");
	return false;
}

/* Note a failure if others than the case's coroutine have faulted. */
static void check_faults(void)
{
	const struct co_test *t = now.test;
	uint32_t own = t->expects == CO_TEST_FAULTS || t->expects == CO_TEST_PANICS;
	uint32_t n = count_faults() - faults_before - own;

	if (n && !t->faulty)
		co_test_check_eq(co_test_signed((int)n), co_test_signed(0), "faults of the case",
				 "0 (.faulty = 1 allows them)", t->file, (int)t->line);
}

/* Run the body, and the fixture's functions around it. True if it ended well. */
static bool run_body(void)
{
	const struct co_test *t = now.test;
	const struct co_test_fixture *f = t->fixture;
	const struct co_attr attr = { .name = case_name,
				      .on = CO_ON_HART(0),
				      .stack = CO_STACK_BIG };
	uint32_t before = co_test_failures();
	struct co_fault fault = { 0 };
	struct co *c;
	bool well;
	int r;

	if (f) {
		run_part(f->set_up, "set_up", false);
		run_part(f->set_up_hart, "set_up_hart", true);
	}
	well = co_test_failures() == before;
	if (well) {
		if (args.slices && !co_test_slices_begin(args.seed))
			co_test_check(false, "this board has an alarm, for slices", t->file,
				      (int)t->line);
		r = co_spawn(&c, &attr, enter, NULL);
		/* No deadline here: with one pending the runtime could not tell a deadlock. */
		r = r ? r : co_join_fault(c, NULL, &fault);
		co_test_slices_end();
		co_inject_end();
		well = skipped || ended_well(t->expects, r, &fault);
	}
	if (f) {
		run_part(f->tear_down_hart, "tear_down_hart", true);
		run_part(f->tear_down, "tear_down", false);
	}
	return well;
}

/* The verdict, to cohart-test or as TAP. */
static void report(bool passed, unsigned number, uint64_t us)
{
	if (args.key)
		tell("%u.%u %s %llu%s%s", (unsigned)(now.test - __tests_start), (unsigned)now.row,
		     !passed   ? "failed"
		     : skipped ? "skipped"
			       : "passed",
		     (unsigned long long)us, skipped ? " " : "", skipped ? skipped : "");
	else
		printf("%sok %u - %s%s%s\n", passed ? "" : "not ", number, case_name,
		       skipped ? " # SKIP " : "", skipped ? skipped : "");
	/* Nobody would know of the next cases. */
	if (fflush(stdout) || ferror(stdout) || fileno(stdout) < 0) {
		co_report("# '%s' has closed the console, or it takes nothing", case_name);
		exit(1);
	}
}

/*
 * Run a case and report it. True if it passed.
 * @param first, last  of the cases with its fixture, which follow each other
 */
static bool run_case(unsigned number, bool first, bool last)
{
	const struct co_test *t = now.test;
	struct co_test_stock stock;
	uint64_t began = co_now(), us;
	uint32_t failures = co_test_failures(), failed;
	bool well = true;

	snprintf(case_name, sizeof(case_name), t->row_count ? "%s/%u" : "%s", t->name,
		 (unsigned)now.row);
	co_test_notes_begin(case_name);
	failures_before = failures;
	faults_before = count_faults();
	co_atomic_store(&seed_printed, 0, CO_RELAXED); /* relaxed: no case runs */
	if (args.key)
		tell("%u.%u begins", (unsigned)(t - __tests_start), (unsigned)now.row);
	if (t->fixture && first)
		run_part(t->fixture->begin, "begin", false);
	skipped = cannot_run(t);
	co_test_take_stock(&stock);
	if (!skipped) {
		well = co_test_failures() == failures && run_body();
		if (!co_test_nothing_left(&stock) && (t->leaks || args.leaks))
			co_test_check(false, "nothing is left behind", t->file, (int)t->line);
		if (well)
			check_faults();
	}
	if (t->fixture && last)
		run_part(t->fixture->end, "end", false);
	us = co_us(co_now() - began);
	failed = co_test_notes_end(failures);
	if (us >= SLOW_US && !args.key)
		printf("# %s took %llu us\n", case_name, (unsigned long long)us);
	report(well && !failed, number, us);
	return well && !failed;
}

/* ---- Which cases ---- */

/* NAME of --case=NAME, or NULL. */
static const char *case_of(const char *word)
{
	return strncmp(word, "--case=", 7) == 0 ? word + 7 : NULL;
}

/* Does the case run only where its full name is given? A deadlock and an exit end the run. */
static bool by_name(const struct co_test *t)
{
	return t->by_name || t->expects >= CO_TEST_DEADLOCKS;
}

/* A full name selects that case alone, any other text each case that begins with it. */
static bool selects(const char *name, const struct co_test *t)
{
	for (const struct co_test *i = __tests_start; i < __tests_end; i++)
		if (strcmp(i->name, name) == 0)
			return t == i;
	return !by_name(t) && strncmp(t->name, name, strlen(name)) == 0;
}

static bool selected(const struct co_test *t)
{
	bool all = true;

	for (int i = 1; i < args.count; i++) {
		const char *name = case_of(args.words[i]);

		if (name && selects(name, t))
			return true;
		all = all && !name;
	}
	return all && !by_name(t);
}

/* The case behind p in the section, or its next row, if it is selected. */
static struct pick next_selected(struct pick p)
{
	const struct co_test *t = p.test ? p.test : __tests_start;

	if (p.test && p.row + 1 < t->row_count)
		return (struct pick){ t, p.row + 1 };
	for (t += p.test != NULL; t < __tests_end; t++) {
		if (selected(t))
			return (struct pick){ t, 0 };
	}
	return (struct pick){ 0 };
}

/* The next number of --run=3,5.2,...: a case of the section, and its row. */
static struct pick next_listed(void)
{
	char *end;
	struct pick p = { 0 };
	unsigned long i = strtoul(args.list, &end, 10);

	if (end == args.list || i >= (size_t)(__tests_end - __tests_start))
		return p;
	p.test = &__tests_start[i];
	if (*end == '.')
		p.row = (uint32_t)strtoul(end + 1, &end, 10);
	args.list = *end == ',' ? end + 1 : end;
	return p;
}

static struct pick next(struct pick p)
{
	return args.list ? next_listed() : next_selected(p);
}

static void print_cases(void)
{
	for (const struct co_test *t = __tests_start; t < __tests_end; t++)
		printf(" %s", t->name);
	printf("\n");
}

/* Does each --case= select something? Else a line names all cases. */
static bool all_select(void)
{
	for (int i = 1; i < args.count; i++) {
		const char *name = case_of(args.words[i]);
		const struct co_test *t = __tests_start;

		if (!name)
			continue;
		while (t < __tests_end && !selects(name, t))
			t++;
		if (t < __tests_end)
			continue;
		printf("# no case begins with %s; there are:", name);
		print_cases();
		return false;
	}
	return true;
}

/* Is each name that of one case? Else a line says which is not. */
static bool names_differ(void)
{
	for (const struct co_test *t = __tests_start; t < __tests_end; t++) {
		for (const struct co_test *other = __tests_start; other < t; other++) {
			if (strcmp(t->name, other->name) != 0)
				continue;
			printf("# two cases of the name %s: %s:%u and %s:%u\n", t->name,
			       other->file, (unsigned)other->line, t->file, (unsigned)t->line);
			return false;
		}
	}
	return true;
}

/* Take one word of the command line. False: it is no option. */
static bool option(const char *word)
{
	char *end = (char *)word + strlen(word);

	if (strncmp(word, "--seed=", 7) == 0)
		args.seed = strtoull(word + 7, &end, 0);
	else if (strncmp(word, "--run=", 6) == 0)
		args.list = word + 6;
	else if (strncmp(word, "--key=", 6) == 0)
		args.key = word + 6;
	else if (strcmp(word, "--leaks") == 0)
		args.leaks = true;
	else if (strcmp(word, "--until-failure") == 0)
		args.until_failure = true;
	else if (strcmp(word, "--slices") == 0)
		args.slices = true;
	else
		return case_of(word);
	return !*end;
}

static bool options(int argc, char **argv)
{
	args.words = argv;
	args.count = argc;
	args.seed = co_now() ^ co_instructions() << 20;
	for (int i = 1; i < argc; i++) {
		if (!option(argv[i])) {
			printf("# no option %s; there are: --case=NAME --seed=N --leaks\n",
			       argv[i]);
			return false;
		}
	}
	return true;
}

int co_test_main(int argc, char **argv)
{
	unsigned number = 0, failed = 0;
	const struct co_test_fixture *before = NULL;
	struct pick after;

	if (argc <= 1 && !co_test_ask(&argc, &argv))
		return 1;
	if (!options(argc, argv) || (!args.key && !names_differ()) || !all_select())
		return 1;
	for (now = next((struct pick){ 0 }); now.test; now = after) {
		const struct co_test_fixture *f = now.test->fixture;

		after = next(now);
		failed += !run_case(++number, f != before, !after.test || after.test->fixture != f);
		before = f;
		if (failed && args.until_failure)
			break;
	}
	/* "1..0" would mean "skipped, all is well": an image without cases has no plan. */
	if (number == 0) {
		printf("# no case; there are:");
		print_cases();
		return 1;
	}
	if (args.key)
		tell("done");
	else
		printf("1..%u\n", number);
	return failed || co_test_failures() ? 1 : 0;
}
