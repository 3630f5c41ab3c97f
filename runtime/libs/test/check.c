/* check.c - checks: failures are printed where they happen, or kept for the end of the case. */
#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "test.h"

_Static_assert(sizeof(struct co_test_noted) <= sizeof(struct co_test_page), "a page");
#define noted (*(struct co_test_noted *)&co_test_page)

static const char *name_of_case = "";

/* Confined code has thread-locals of its own, of which the executor has never been set up. */
static bool is_confined(void)
{
	return !co_executor.self;
}

void co_test_notes_begin(const char *name)
{
	name_of_case = name;
	co_atomic_store(&noted.shown, 0, CO_RELAXED); /* relaxed, both: counts */
	co_atomic_store(&noted.kept, 0, CO_RELAXED);
}

/* Count a failure; true if it is to be printed, and can be. */
static bool note(const struct co_test_failure *f)
{
	uint32_t i;

	co_atomic_add(&noted.failures, 1, CO_RELAXED); /* relaxed: a count; nothing is read after */
	if (co_self())
		return co_atomic_add(&noted.shown, 1, CO_RELAXED) < CO_TEST_SHOWN;
	i = co_atomic_add(&noted.kept, 1, CO_RELAXED);
	if (i >= CO_TEST_KEPT)
		return false;
	noted.keeps[i] = *f;
	return false;
}

/* Print "# file:line: text (hart 1, worker; case name)". Context: coroutine. */
static void print(const struct co_test_failure *f, const char *text, const char *who)
{
	bool own = strcmp(who, name_of_case) == 0;

	printf("# %s:%d: %s (", f->file, f->line, text);
	if (f->hart != CO_TEST_CONFINED)
		printf("hart %u, ", f->hart);
	printf("%s%s%s)\n", who, own ? "" : "; case ", own ? "" : name_of_case);
}

/* The name of a negative error; "" of other numbers, and of -1, which mostly is no error. */
static const char *error_name(struct co_test_value v)
{
	intmax_t value = (intmax_t)v.bits;

	return v.kind == CO_TEST_SIGNED && value < -1 && value >= INT_MIN
		       ? co_error_name((int)value)
		       : "";
}

static const char *value_text(char *to, size_t bytes, struct co_test_value v)
{
	const char *name = error_name(v);

	if (v.kind == CO_TEST_POINTER)
		snprintf(to, bytes, "%p", (void *)(uintptr_t)v.bits);
	else if (v.kind == CO_TEST_UNSIGNED)
		snprintf(to, bytes, "%llu", (unsigned long long)v.bits);
	else
		snprintf(to, bytes, "%lld%s%s%s", (long long)v.bits, *name ? " (" : "", name,
			 *name ? ")" : "");
	return to;
}

/* Does an expression say more than its value? A number does not. */
static bool says_more(const char *expression)
{
	return *expression && (isalpha((unsigned char)*expression) || strchr("_(*&", *expression));
}

/* The text of a failed check, in `to`. */
static void failure_text(char *to, size_t bytes, const struct co_test_failure *f)
{
	char got[40], want[40];
	bool more = f->wanted && says_more(f->wanted);

	if (f->wanted)
		snprintf(to, bytes, "%.140s is %s, not %s%s%.60s", f->what,
			 value_text(got, sizeof(got), f->got),
			 value_text(want, sizeof(want), f->want), more ? ", which is " : "",
			 more ? f->wanted : "");
	else
		snprintf(to, bytes, "%.200s%s", f->what, f->says);
}

/* Note a failure, and print it with `text`; NULL: its own. */
static void failed(struct co_test_failure f, const char *text)
{
	char own[256];

	f.hart = is_confined() ? CO_TEST_CONFINED : co_hart();
	if (!note(&f))
		return;
	if (!text)
		failure_text(own, sizeof(own), &f);
	print(&f, text ? text : own, co_name(co_self()));
}

bool co_test_check(bool held, const char *what, const char *file, int line)
{
	if (!held)
		failed((struct co_test_failure){ file, line, .what = what, .says = " is false" },
		       NULL);
	return held;
}

bool co_test_check_text(bool held, const char *text, const char *file, int line)
{
	/* The text may be gone when a failure is printed that was kept. */
	if (!held)
		failed((struct co_test_failure){ file, line, .what = "a value",
						 .says = " differs" },
		       text);
	return held;
}

/* Is it a negative number, whose bits an unsigned one may have, too? */
static bool negative(struct co_test_value v)
{
	return v.kind == CO_TEST_SIGNED && (intmax_t)v.bits < 0;
}

bool co_test_check_eq(struct co_test_value got, struct co_test_value want, const char *what,
		      const char *wanted, const char *file, int line)
{
	bool held = got.bits == want.bits && negative(got) == negative(want);

	if (!held)
		failed((struct co_test_failure){ file, line, .what = what, .wanted = wanted,
						 .got = got, .want = want },
		       NULL);
	return held;
}

bool co_test_check_str(const char *got, const char *want, const char *what, const char *file,
		       int line)
{
	bool held = got == want || (got && want && strcmp(got, want) == 0);
	char text[400];

	if (held)
		return true;
	if (co_self())
		snprintf(text, sizeof(text), "%.100s is \"%.120s\", not \"%.120s\"", what,
			 got ? got : "(null)", want ? want : "(null)");
	failed((struct co_test_failure){ file, line, .what = what, .says = " is another text" },
	       text);
	return false;
}

/* Two digits for each of n bytes. */
static void add_bytes(char *text, size_t bytes, const unsigned char *p, size_t n)
{
	for (size_t i = 0, used = strlen(text); i < n && used < bytes; i++)
		used += (size_t)snprintf(text + used, bytes - used, " %02x", p[i]);
}

bool co_test_check_mem(const void *got, const void *want, size_t bytes, const char *what,
		       const char *file, int line)
{
	const unsigned char *a = got, *b = want;
	char text[256];
	size_t at = 0, n;

	while (at < bytes && a[at] == b[at])
		at++;
	if (at == bytes)
		return true;
	if (co_self()) {
		n = bytes - at < 16 ? bytes - at : 16;
		snprintf(text, sizeof(text), "%.80s differs from byte %lu of %lu on: is", what,
			 (unsigned long)at, (unsigned long)bytes);
		add_bytes(text, sizeof(text), a + at, n);
		snprintf(text + strlen(text), sizeof(text) - strlen(text), ", not");
		add_bytes(text, sizeof(text), b + at, n);
	}
	failed((struct co_test_failure){ file, line, .what = what, .says = " differs" }, text);
	return false;
}

void co_test_leave(void)
{
	co_exit(CO_TEST_LEFT);
}

unsigned co_test_notes_end(uint32_t before)
{
	/* relaxed, all: the coroutines that failed have been joined, or the counts are a moment
	 * old. */
	uint32_t all = co_atomic_load(&noted.failures, CO_RELAXED) - before;
	uint32_t kept = co_atomic_load(&noted.kept, CO_RELAXED);
	uint32_t shown = co_least(co_atomic_load(&noted.shown, CO_RELAXED), CO_TEST_SHOWN);
	char text[256];

	for (uint32_t i = 0; i < kept && i < CO_TEST_KEPT; i++) {
		const struct co_test_failure *f = &noted.keeps[i];

		failure_text(text, sizeof(text), f);
		print(f, text, f->hart == CO_TEST_CONFINED ? "confined" : "a handler");
		shown++;
	}
	if (all > shown)
		printf("# and %u more failures\n", (unsigned)(all - shown));
	return all;
}

uint32_t co_test_failures(void)
{
	return co_atomic_load(&noted.failures, CO_RELAXED); /* relaxed: a count */
}
