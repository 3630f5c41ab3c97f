/*
 * test.c - runs the cases of an image and reports in TAP.
 *
 * The plan line comes last: an image that dies on the way has none, which the runner takes for a
 * failure. No version line: it would have to be the very first of the output, which belongs to the
 * firmware.
 */
#include <limits.h>

#include "../../runtime/core/core.h"
#include "test.h"

/* A case that takes longer says so. */
#define SLOW_US 1000000

/* Failures that are printed of one case; the rest is counted. */
#define SHOWN 20

extern const struct test tests_start[] __asm__("__tests_start");
extern const struct test tests_end[] __asm__("__tests_end");

static struct co_a32 failures; /* of the whole run */
static struct co_a32 shown;    /* of the case that runs */
static const char *skipped;    /* why the case that runs was left */
static uint64_t seed;
static struct co_a32 seed_printed;

/* The command line: its --case=NAME choose, if there are any. */
static char **words;
static int word_count;

/* Count a failure; true if there is room, and a coroutine, to print it. */
static bool note_failure(void)
{
	co_atomic_add(&failures, 1, CO_RELAXED); /* counted only: nothing is read after it */
	if (!co_self())
		return false;
	return co_atomic_add(&shown, 1, CO_RELAXED) < SHOWN;
}

bool test_check(bool holds, const char *what, const char *file, int line)
{
	if (!holds && note_failure())
		printf("# %s:%d: %s is false (hart %u, %s)\n", file, line, what, co_hart(),
		       co_name(co_self()));
	return holds;
}

/* The name of a negative error; "" of another number, and of -1, which is mostly another thing. */
static const char *error_name(intmax_t value)
{
	return value < -1 && value >= INT_MIN ? co_error_name((int)value) : "";
}

/* `value`, and its name if it is an error, as text in `room`. */
static const char *text_of(intmax_t value, char room[40])
{
	const char *name = error_name(value);

	snprintf(room, 40, "%lld%s%s%s", (long long)value, *name ? " (" : "", name,
		 *name ? ")" : "");
	return room;
}

bool test_check_eq(intmax_t got, intmax_t want, const char *what, const char *file, int line)
{
	if (got != want && note_failure())
		printf("# %s:%d: %s is %s, not %s (hart %u, %s)\n", file, line, what,
		       text_of(got, (char[40]){ 0 }), text_of(want, (char[40]){ 0 }), co_hart(),
		       co_name(co_self()));
	return got == want;
}

bool test_check_str(const char *got, const char *want, const char *what, const char *file, int line)
{
	bool same = got && strcmp(got, want) == 0;

	if (!same && note_failure())
		printf("# %s:%d: %s is \"%s\", not \"%s\" (hart %u, %s)\n", file, line, what,
		       got ? got : "(null)", want, co_hart(), co_name(co_self()));
	return same;
}

void test_skip(const char *reason)
{
	skipped = reason;
	co_exit(0);
}

void test_pause(struct test_random *r)
{
	switch (test_below(r, 8)) {
	case 0:
		test_sleep_us(test_below(r, 30));
		break;
	case 1:
	case 2:
		co_pause();
		break;
	}
}

struct test_random test_random(uint64_t stream)
{
	struct test_random r = { seed };

	if (!co_atomic_swap(&seed_printed, 1, CO_RELAXED)) /* only to print it once */
		printf("# seed %llu (--seed=%llu repeats it)\n", (unsigned long long)seed,
		       (unsigned long long)seed);
	r.state = test_next(&r) ^ stream * 0xd1342543de82ef95u;
	return r;
}

unsigned test_computes(void)
{
	unsigned n = 0;

	for (unsigned g = 0; g < co_groups(); g++)
		n += co_group(g)->computes;
	return n;
}

unsigned test_compute(unsigned i)
{
	for (unsigned g = 0; g < co_groups(); g++) {
		if (i < co_group(g)->computes)
			return co_group(g)->compute + i;
		i -= co_group(g)->computes;
	}
	co_panic("test_compute: there are %u compute harts", test_computes());
}

/* What these check, they check for their caller: `what` is its call. */

struct co *test_spawn_at(const struct co_attr *attr, co_fn *fn, void *arg, TEST_CALLER)
{
	struct co *c = NULL;

	if (!test_check_eq(co_spawn(&c, attr, fn, arg), 0, what, file, line))
		co_exit(TEST_LEFT);
	return c;
}

struct co *test_spawn_on_at(unsigned hart, co_fn *fn, void *arg, TEST_CALLER)
{
	return test_spawn_at(&(struct co_attr){ .on = CO_ON_HART(hart) }, fn, arg, what, file,
			     line);
}

intptr_t test_join_at(struct co *c, TEST_CALLER)
{
	intptr_t result = -1;

	test_check_eq(co_join(c, &result), 0, what, file, line);
	return result;
}

void test_cancel_at(struct co *c, TEST_CALLER)
{
	co_cancel(c);
	test_check_eq(test_join_at(c, what, file, line), -ECANCELED, what, file, line);
}

void test_join_all_at(struct co *const *c, unsigned n, intptr_t want, TEST_CALLER)
{
	for (unsigned i = 0; i < n; i++)
		test_check_eq(test_join_at(c[i], what, file, line), want, what, file, line);
}

void test_spread_at(co_fn *fn, unsigned n, intptr_t want, TEST_CALLER)
{
	enum { MOST = 2048 };
	static intptr_t result[MOST];
	static struct co_batch batch;
	bool started = n <= MOST;

	for (uintptr_t i = 0; i < n && started; i++) {
		const struct co_attr attr = { .on = CO_ON_HART(i % co_harts()) };

		started = co_batch_spawn(&batch, &attr, fn, (void *)i, &result[i]) == 0;
	}
	if (!test_check(started, what, file, line))
		co_exit(TEST_LEFT);
	test_check_eq(co_batch_join(&batch), 0, what, file, line);
	for (unsigned i = 0; i < n; i++)
		test_check_eq(result[i], want, what, file, line);
}

bool test_filled(const void *p, unsigned char value, size_t n)
{
	const unsigned char *at = p, *end = at + n;

	while (at < end && *at == value)
		at++;
	return at == end;
}

struct co_spm_use test_spm_use(unsigned hart)
{
	struct co_spm_use use;

	co_spm_use(hart, &use);
	return use;
}

size_t test_spm_used(void)
{
	size_t used = 0;

	for (unsigned hart = 0; hart < co_harts(); hart++)
		used += test_spm_use(hart).used;
	return used;
}

void test_tidy(void (*run)(void))
{
	size_t before = test_spm_used();

	run();
	AWAIT(test_spm_used() == before);
}

/* It is in its queue, has looked, and does not run: it is parked, or its hart sleeps, too. */
static bool is_asleep(const struct co *c)
{
	/* acquire, both: what it did before. */
	uint32_t token = co_atomic_load(&c->token, CO_ACQUIRE);

	return token & CO_ARMED &&
	       (!(token & CO_IN_PLACE) ||
		co_atomic_load(&co_hart_at(c->hart)->inbox.idle, CO_ACQUIRE) != CO_BUSY);
}

bool test_await_sleep_at(const struct co *c, TEST_CALLER)
{
	/* acquire: what it did before. */
	return TEST_AWAIT(!(co_atomic_load(&c->refs, CO_ACQUIRE) & CO_RUNNING) || is_asleep(c),
			  what, file, line);
}

struct co *test_sleeper_at(unsigned hart, co_fn *fn, void *arg, TEST_CALLER)
{
	struct co *c = test_spawn_on_at(hart, fn, arg, what, file, line);

	if (!test_await_sleep_at(c, what, file, line))
		co_exit(TEST_LEFT);
	return c;
}

static intptr_t run(void *arg)
{
	const struct test *t = arg;

	if (t->around)
		t->around(t->run);
	else
		t->run();
	return 0;
}

/* Run one case and print its line. True if it passed. */
static bool run_case(const struct test *t, unsigned number)
{
	const struct co_attr attr = { .name = t->name, .on = CO_ON_HART(0), .stack = CO_STACK_BIG };
	uint32_t before = co_atomic_load(&failures, CO_RELAXED); /* counts, no more */
	uint64_t start = co_now(), us;
	struct co *c;
	int r;

	co_atomic_store(&shown, 0, CO_RELAXED);
	skipped = NULL;
	r = co_spawn(&c, &attr, run, (void *)(uintptr_t)t);
	/* No deadline here: with one pending the runtime could never tell that all are stuck. */
	if (r == 0)
		r = co_join(c, NULL);
	us = co_us(co_now() - start);
	uint32_t failed = co_atomic_load(&failures, CO_RELAXED) - before;

	if (r == -EFAULT)
		printf("# a fault has ended the case\n");
	else if (r)
		printf("# the case could not run: error %d\n", r);
	if (co_atomic_load(&shown, CO_RELAXED) < failed)
		printf("# %u failures where nothing can be printed\n",
		       (unsigned)(failed - co_atomic_load(&shown, CO_RELAXED)));
	else if (failed > SHOWN)
		printf("# and %u more failures\n", (unsigned)(failed - SHOWN));
	if (us >= SLOW_US)
		printf("# %s took %llu us\n", t->name, (unsigned long long)us);
	printf("%sok %u - %s%s%s\n", r || failed ? "not " : "", number, t->name,
	       skipped ? " # SKIP " : "", skipped ? skipped : "");
	return !r && !failed;
}

/* NAME of --case=NAME, or NULL. */
static const char *case_of(const char *word)
{
	return strncmp(word, "--case=", 7) == 0 ? word + 7 : NULL;
}

/* Read the command line. False, and a line that says why, if it makes no sense. */
static bool options(int argc, char **argv)
{
	seed = co_now() ^ co_instructions() << 20;
	for (int i = 1; i < argc; i++) {
		char *end = "";

		if (case_of(argv[i]))
			continue;
		if (strncmp(argv[i], "--seed=", 7) == 0)
			seed = strtoull(argv[i] + 7, &end, 0);
		else
			end = argv[i];
		if (*end) {
			printf("# no option %s; there are: --case=NAME --seed=N\n", argv[i]);
			return false;
		}
	}
	return true;
}

/* A full name selects that case alone, any other text those that begin with it. */
static bool selects(const char *name, const struct test *t)
{
	for (const struct test *i = tests_start; i < tests_end; i++)
		if (strcmp(i->name, name) == 0)
			return t == i;
	return !t->by_name && strncmp(t->name, name, strlen(name)) == 0;
}

static bool selected(const struct test *t)
{
	bool all = true;

	for (int i = 1; i < word_count; i++) {
		const char *name = case_of(words[i]);

		if (name && selects(name, t))
			return true;
		all = all && !name;
	}
	return all && !t->by_name;
}

static void print_cases(void)
{
	for (const struct test *t = tests_start; t < tests_end; t++)
		printf(" %s", t->name);
	printf("\n");
}

/* Whether each --case= selects something; else a line says what there is. */
static bool all_select(void)
{
	for (int i = 1; i < word_count; i++) {
		const char *name = case_of(words[i]);
		const struct test *t = tests_start;

		if (!name)
			continue;
		while (t < tests_end && !selects(name, t))
			t++;
		if (t < tests_end)
			continue;
		printf("# no case begins with %s; there are:", name);
		print_cases();
		return false;
	}
	return true;
}

/* Weak: an image may have one of its own (selftest/early.c). */
__attribute__((weak)) int main(int argc, char **argv)
{
	unsigned number = 0, failed = 0;

	words = argv;
	word_count = argc;
	if (!options(argc, argv) || !all_select())
		return 1;
	for (const struct test *t = tests_start; t < tests_end; t++) {
		if (!selected(t))
			continue;
		number++;
		if (!run_case(t, number))
			failed++;
	}
	/* "1..0" would mean "skipped, all is well" to prove: an image without cases has no plan. */
	if (number == 0) {
		printf("# no case; there are:");
		print_cases();
		return 1;
	}
	printf("1..%u\n", number);
	return failed || co_atomic_load(&failures, CO_RELAXED) ? 1 : 0;
}
