/* test.h - the test library's own: the case that runs, and its failures. */
#ifndef COHART_TEST_TEST_H
#define COHART_TEST_TEST_H

#define CO_TEST_LIBRARY_
#define CO_TEST_NO_MAIN
#include <cohart/test.h>

#include "../../core/core.h"

/* Failures that are printed of one case; further ones are counted. */
#define CO_TEST_SHOWN 20
/* Failures that are kept of one case, where nothing can be printed. */
#define CO_TEST_KEPT 8

/* A failure of a check. */
struct co_test_failure {
	const char *file;
	int line;
	unsigned hart; /* CO_TEST_CONFINED: of a confined coroutine */
	const char *what;
	const char *says;   /* its failure: " is false"; NULL: values that are not equal, with */
	const char *wanted; /* the second expression */
	struct co_test_value got, want;
};
#define CO_TEST_CONFINED (~0u)

/* In co_test_page. */
struct co_test_noted {
	struct co_a32 failures; /* of the run; they only grow */
	struct co_a32 shown;    /* of the case, printed by the coroutine that failed */
	struct co_a32 kept;     /* of the case, in `keeps`, or beyond them */
	struct co_test_failure keeps[CO_TEST_KEPT];
};

/* Begin to note failures of the case of this name; the name stays. */
void co_test_notes_begin(const char *name);

/* Failures of the run up to now. */
uint32_t co_test_failures(void);

/* Print failures that are kept, and how many more there are. Returns the number since `before`. */
unsigned co_test_notes_end(uint32_t before);

/*
 * From now on each hart's time slices end at moments drawn from the seed: slices.c. False: this
 * board has no alarms (hal/alarm.h). Context: main(), with nothing sliced.
 */
bool co_test_slices_begin(uint64_t seed);
void co_test_slices_end(void);

/* A sum of a text's bytes and their order: of lines that may be garbled on their way. */
uint16_t co_test_sum(const char *text);

/*
 * Where nobody else gives words, ask for some on the console, for a second: prompt.c. False: they
 * have come garbled, again and again. Context: main().
 */
bool co_test_ask(int *argc, char ***argv);

/* Memory in use before a case: left.c. */
struct co_test_stock {
	size_t heap; /* bytes that blocks of libc's heap have */
	size_t windows;
};

void co_test_take_stock(struct co_test_stock *s);
/* Name coroutines and memory that there were not in `before`. True: none. Context: main(). */
bool co_test_nothing_left(const struct co_test_stock *before);
/* Say so if the calling coroutine, about to end, still holds an object. True: it holds none. */
bool co_test_holds_nothing(void);

#endif
