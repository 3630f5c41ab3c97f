/*
 * test.h - unit tests that run on the target: cases of an image, which cohart-test runs.
 *
 * Example
 *	#include <cohart/test.h>
 *
 *	CO_TEST(sums_are_right)
 *	{
 *		CO_CHECK_EQ(sum(2, 2), 4);
 *	}
 *
 *	CO_TEST(four_share_a_lock, .tags = "lock slow", .harts = 4, .timeout_s = 5) { ... }
 *
 *	static const struct row { int a, b, sum; } rows[] = { { 1, 2, 3 }, { -1, 1, 0 } };
 *
 *	CO_TEST_EACH(table_of_sums, row, rows)       // table_of_sums/0, table_of_sums/1
 *	{
 *		CO_CHECK_EQ(sum(row->a, row->b), row->sum);
 *	}
 *
 *	cohart-cc sum.c test_sum.c -o test_sum.elf && cohart-test test_sum.elf
 *
 * Each case is a coroutine of its own on hart 0, named after it, with a big stack in main memory.
 * Cases run one by one, in the order of their lines. Data that a case shares with further harts
 * is static, so that it outlives a CO_REQUIRE() that fails. Coroutines that live when a case has
 * ended, objects that it still holds, scratchpad memory and libc's heap that it has not freed are
 * named in a line behind "# left behind". A fault that ends any coroutine while a case runs, or a
 * lost hart, is a failure of the case, unless it is `.faulty`.
 *
 * Checks work in coroutines of every hart, in handlers, and in confined coroutines
 * (confined_test.h). A failure is printed where it happens, with file, line, hart and
 * coroutine, and counts for the case that runs; where nothing can be printed it is kept, and
 * printed at the end of the case.
 *
 * The header brings its own main(), which is weak. An image that is started by itself runs all of
 * its cases and prints TAP. Its command line: --case=NAME (that case, else all that begin with
 * NAME), --seed=N, --leaks (it is a failure to leave something behind).
 */
#ifndef COHART_TEST_H
#define COHART_TEST_H

#include <stdio.h>

#include <cohart/detail/base.h>
#include <cohart/detail/random.h>

CO_BEGIN_C
/*
 * Functions that set up and tear down for cases; NULL: none. Each runs in a coroutine of its own;
 * checks that fail in it count for the case. A case whose set-up has failed does not run, but is
 * torn down.
 */
struct co_test_fixture {
	void (*begin)(void);  /* once, on hart 0, before the first of its cases */
	void (*end)(void);    /* once, after the last */
	void (*set_up)(void); /* on hart 0, before each case */
	void (*tear_down)(void);
	void (*set_up_hart)(void); /* on every hart at once, before each case */
	void (*tear_down_hart)(void);
};

/* A way to end that a case is expected to have. */
enum co_test_end {
	CO_TEST_RETURNS,
	CO_TEST_FAULTS,    /* a fault ends the case's coroutine */
	CO_TEST_PANICS,    /* so does a panic, or an assertion */
	CO_TEST_DEADLOCKS, /* the run ends by the report of a deadlock */
	CO_TEST_EXITS_ = 0x100,
};
/* The run ends with an exit code, 0..255. Like a deadlock's, the case runs if it is named. */
#define CO_TEST_EXITS(code) (CO_TEST_EXITS_ | (code))

/*
 * A case: an entry in a section of the image, which cohart-test reads without a run. The options of
 * CO_TEST() and its kin are the fields from `tags` on; C++ wants them in this order.
 */
struct co_test {
	const char *name, *file;
	void (*run)(const void *row);
	const void *rows; /* of CO_TEST_EACH() */
	uint32_t line, row_bytes, row_count;
	uint32_t bytes; /* of this struct */
	uint32_t kind;  /* 1: CO_TEST_ON_ALL(), 2: CO_BENCH() */
	uint32_t unused;
	/* Options. */
	const char *tags;             /* words for cohart-test --tag, with blanks between them */
	const char *(*skip_if)(void); /* returns why the case cannot run here, or NULL */
	const struct co_test_fixture *fixture;
	void (*around)(void (*run)(void)); /* calls run(), which is the case */
	uint32_t harts; /* that the machine has at least; on a smaller one the case is skipped */
	uint32_t timeout_s; /* the limit of cohart-test, which gives the case a boot of its own */
	uint32_t expects;   /* enum co_test_end */
	uint32_t by_name;   /* 1: the case takes long, and runs if its full name is given */
	uint32_t leaks;     /* 1: it is a failure to leave something behind */
	uint32_t faulty;    /* 1: other coroutines may fault, and harts be lost */
	/*
	 * Faults that are injected while the case runs, in an image that is built with FAULTS=1:
	 * "memory:20,doorbell:5", one allocation in 20, one ring in 5; or "memory=3", the third. In
	 * other images the case is skipped. Kinds: doorbell spurious wake file dma memory, which is
	 * of scratchpads, stacks and coroutines, not of libc's heap.
	 */
	const char *faults;
};

/* clang-format off */
/* NOLINTBEGIN(bugprone-macro-parentheses): names of functions and types cannot have any. */
#define CO_TEST_TEXT_(x) #x
#define CO_TEST_TEXT(x) CO_TEST_TEXT_(x)
/* The linker sorts entries by the line in the section's name; the compiler might not. */
#define CO_TEST_ENTRY_(id, which, table, size, count, ...)                                        \
	static const struct co_test co_test_of_##id __attribute__((                               \
		used, aligned(sizeof(void *)), section(".tests." CO_TEST_TEXT(__LINE__)))) = {    \
		.name = #id, .file = __FILE__, .run = co_tests_##id, .rows = table,               \
		.line = __LINE__, .row_bytes = size, .row_count = count,                          \
		.bytes = sizeof(struct co_test), .kind = which, .unused = 0, __VA_ARGS__           \
	}
#define CO_TEST_UNUSED_ __attribute__((unused))
#define CO_TEST_OF_(id, which, ...)                                                \
	static void co_tests_##id(CO_TEST_UNUSED_ const void *co_test_row);       \
	CO_TEST_ENTRY_(id, which, NULL, 0, 0, __VA_ARGS__);                       \
	static void co_tests_##id(CO_TEST_UNUSED_ const void *co_test_row)

/* Define a case; its options follow the name: CO_TEST(name, .harts = 4, .leaks = 1) { ... } */
#define CO_TEST(id, ...) CO_TEST_OF_(id, 0, __VA_ARGS__)

/*
 * Define a case whose body runs on every hart at once, in a coroutine a hart: all meet in a barrier
 * before the body. The case has ended when all have.
 */
#define CO_TEST_ON_ALL(id, ...) CO_TEST_OF_(id, 1, __VA_ARGS__)

/*
 * Define a case that is a benchmark: the body runs eight times, and the least number of
 * instructions of a run is the case's cost. cohart-test runs it with --icount, which counts
 * exactly, and on all harts together, and compares costs (--baseline).
 */
#define CO_BENCH(id, ...) CO_TEST_OF_(id, 2, __VA_ARGS__)

/*
 * Define a case for each entry of a table, an array of this file. The body finds the entry by the
 * pointer `row`; the cases are name/0, name/1, ...
 */
#define CO_TEST_EACH(id, row, table, ...)                                                     \
	static void co_tests_row_##id(CO_TEST_ROW_(table) row);                               \
	static void co_tests_##id(const void *row)                                            \
	{                                                                                     \
		co_tests_row_##id((CO_TEST_ROW_(table))row);                                  \
	}                                                                                     \
	CO_TEST_ENTRY_(id, 0, table, sizeof((table)[0]), CO_TEST_ROWS_(table), __VA_ARGS__);  \
	static void co_tests_row_##id(CO_TEST_ROW_(table) row)
#define CO_TEST_ROW_(table) __typeof__(&(table)[0])
#define CO_TEST_ROWS_(table) (sizeof(table) / sizeof((table)[0]))

/* Define a case with random numbers: the body draws from `random`, as by co_test_random(0). */
#define CO_TEST_RANDOM(id, ...)                                         \
	static void co_tests_row_##id(CO_TEST_DRAWS_);                  \
	static void co_tests_##id(CO_TEST_UNUSED_ const void *row)      \
	{                                                               \
		co_test_with_random(co_tests_row_##id);                 \
	}                                                               \
	CO_TEST_ENTRY_(id, 0, NULL, 0, 0, __VA_ARGS__);                 \
	static void co_tests_row_##id(CO_TEST_DRAWS_)
#define CO_TEST_DRAWS_ CO_TEST_UNUSED_ struct co_test_random *random
/* NOLINTEND(bugprone-macro-parentheses) */
/* clang-format on */

/* Note a failure and go on. The value is true if the check held. Arguments are evaluated once. */
#define CO_CHECK(x) co_test_check(!!(x), #x, __FILE__, __LINE__)
/* Integers of any types, by value, or pointers. A negative error is printed with its name. */
#define CO_CHECK_EQ(got, want) \
	co_test_check_eq(CO_TEST_VALUE(got), CO_TEST_VALUE(want), #got, #want, __FILE__, __LINE__)
#define CO_CHECK_STR(got, want) co_test_check_str(got, want, #got, __FILE__, __LINE__)
/* A failure prints the offset of the first byte that differs, and 16 bytes of both from there. */
#define CO_CHECK_MEM(got, want, bytes) co_test_check_mem(got, want, bytes, #got, __FILE__, __LINE__)
/* Floating point: got and want differ by no more than `within`. Not a number is near to nothing. */
#define CO_CHECK_NEAR(got, want, within) \
	co_test_check_near(got, want, within, #got, __FILE__, __LINE__)

/* As CO_CHECK() and its kin, but a failure ends the calling coroutine. Context: coroutine. */
#define CO_REQUIRE(x) \
	((x) ? (void)0 : ((void)co_test_check(false, #x, __FILE__, __LINE__), CO_TEST_LEAVE_()))
#define CO_REQUIRE_EQ(got, want) CO_TEST_OR_LEAVE_(CO_CHECK_EQ(got, want))
#define CO_REQUIRE_STR(got, want) CO_TEST_OR_LEAVE_(CO_CHECK_STR(got, want))
#define CO_REQUIRE_MEM(got, want, bytes) CO_TEST_OR_LEAVE_(CO_CHECK_MEM(got, want, bytes))
#define CO_REQUIRE_NEAR(got, want, within) CO_TEST_OR_LEAVE_(CO_CHECK_NEAR(got, want, within))
#define CO_TEST_OR_LEAVE_(held) ((held) ? (void)0 : CO_TEST_LEAVE_())
#define CO_TEST_LEAVE_ co_test_leave

/* The result of a coroutine that a CO_REQUIRE() has ended. */
#define CO_TEST_LEFT INTPTR_MIN

/* A value of a check. */
enum co_test_kind { CO_TEST_SIGNED, CO_TEST_UNSIGNED, CO_TEST_POINTER };
struct co_test_value {
	uintmax_t bits;
	enum co_test_kind kind;
};

/* The functions of the macros above. Context: any, if it held. */
bool co_test_check(bool held, const char *what, const char *file, int line);
bool co_test_check_eq(struct co_test_value got, struct co_test_value want, const char *what,
		      const char *wanted, const char *file, int line);
bool co_test_check_str(const char *got, const char *want, const char *what, const char *file,
		       int line);
bool co_test_check_mem(const void *got, const void *want, size_t bytes, const char *what,
		       const char *file, int line);
/* A check with a text of its own: "sum is 3.5". Context: coroutine, unless it held. */
bool co_test_check_text(bool held, const char *text, const char *file, int line);
CO_NORETURN void co_test_leave(void);

/*
 * Leave the case: it cannot run here.
 * @param reason  a literal, printed behind the case
 * Context: the case itself.
 */
CO_NORETURN void co_test_skip(const char *reason);

/*
 * Lose a hart: its executor faults, as by a bug of the runtime's. Cases that follow lack it, too: a
 * case that calls this is `.faulty`, and wants a boot of its own (.timeout_s).
 * @param hart  1..co_harts()-1 (asserted), and not the caller's
 * Context: coroutine. The hart is lost (co_hart_gone()) a moment later.
 */
void co_test_lose(unsigned hart);

/* Run the cases that the command line selects: main() of an image of cases. Returns its result. */
int co_test_main(int argc, char **argv);

/*
 * A stream of random numbers. A run draws its seed from the clock, or takes --seed=N; the first
 * call of a case prints it. Streams of one seed differ from each other and repeat.
 * Context: coroutine.
 */
struct co_test_random co_test_random(uint64_t stream);
/* Call fn with the stream 0: for CO_TEST_RANDOM(). */
void co_test_with_random(void (*fn)(struct co_test_random *random));

static inline struct co_test_value co_test_signed(intmax_t x)
{
	struct co_test_value v = { (uintmax_t)x, CO_TEST_SIGNED };

	return v;
}

static inline struct co_test_value co_test_unsigned(uintmax_t x)
{
	struct co_test_value v = { x, CO_TEST_UNSIGNED };

	return v;
}

static inline struct co_test_value co_test_pointer(const void *x)
{
	struct co_test_value v = { (uintptr_t)x, CO_TEST_POINTER };

	return v;
}

#ifndef CO_NO_FP
static inline bool co_test_check_near(double got, double want, double within, const char *what,
				      const char *file, int line)
{
	char text[160];
	bool held = got == want || (got - want <= within && want - got <= within);

	if (!held)
		snprintf(text, sizeof(text), "%.90s is %.9g, not %.9g within %.3g", what, got, want,
			 within);
	return co_test_check_text(held, text, file, line);
}
#endif
CO_END_C

/* clang-format off */
#ifdef __cplusplus
/* Options that are not given are 0. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
extern "C++" {
/* Integers, enumerations without a class, pointers; of other types none fits. */
static inline co_test_value co_test_value_of(signed long long x) { return co_test_signed(x); }
static inline co_test_value co_test_value_of(long x) { return co_test_signed(x); }
static inline co_test_value co_test_value_of(int x) { return co_test_signed(x); }
static inline co_test_value co_test_value_of(unsigned x) { return co_test_unsigned(x); }
static inline co_test_value co_test_value_of(unsigned long x) { return co_test_unsigned(x); }
static inline co_test_value co_test_value_of(unsigned long long x) { return co_test_unsigned(x); }
static inline co_test_value co_test_value_of(const void *x) { return co_test_pointer(x); }
static inline co_test_value co_test_value_of(decltype(nullptr)) { return co_test_pointer(nullptr); }
co_test_value co_test_value_of(double) = delete;
}
#define CO_TEST_VALUE(x) co_test_value_of(x)
#else
#define CO_TEST_VALUE(x)                                                                     \
	_Generic((x), bool: co_test_signed, char: co_test_signed, signed char: co_test_signed, \
		 short: co_test_signed, int: co_test_signed, long: co_test_signed,           \
		 long long: co_test_signed, unsigned char: co_test_unsigned,                 \
		 unsigned short: co_test_unsigned, unsigned: co_test_unsigned,               \
		 CO_TEST_LONG_, default: co_test_pointer)(x)
#define CO_TEST_LONG_ unsigned long: co_test_unsigned, unsigned long long: co_test_unsigned
#endif
/* clang-format on */

/* Failures of the case that runs, in the program's data, which a domain may share. */
struct co_test_page {
	alignas(4096) unsigned char bytes[4096];
};
#ifdef CO_TEST_LIBRARY_
extern struct co_test_page co_test_page;
#else
__attribute__((weak)) struct co_test_page co_test_page;
#endif

/* The image's, unless the program has one: before the #include, #define CO_TEST_NO_MAIN. */
#ifndef CO_TEST_NO_MAIN
__attribute__((weak)) int main(int argc, char **argv)
{
	return co_test_main(argc, argv);
}
#endif

#endif
