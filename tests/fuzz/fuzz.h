/*
 * fuzz.h - a fuzzer: what a parser is given here is bytes that somebody made up.
 *
 * Example: tests/fuzz/thing.c
 *	#include "../../runtime/core/thing.c"    // the parser itself, its statics too
 *	#include "fuzz.h"
 *
 *	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
 *	{
 *		char *text = fuzz_text(data, size);
 *
 *		MUST(thing_parse(text) <= size);
 *		free(text);
 *		return 0;
 *	}
 *
 * A fuzzer is a program of this PC, made of one file; nothing lists it. What the parser calls is
 * given there, so that nothing of a machine is needed. `data` is exactly `size` bytes of the heap:
 * one that is read beyond is found by AddressSanitizer. corpus/thing/ has inputs that reach what
 * there is to reach, plants/thing a bug that must be found.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What holds whatever the input. */
#define MUST(x) ((x) ? (void)0 : fuzz_broken(#x, __FILE__, __LINE__))

static inline void fuzz_broken(const char *what, const char *file, int at)
{
	fprintf(stderr, "%s:%d: does not hold: %s\n", file, at, what);
	abort();
}

/*
 * For a parser that says what is wrong: it does so by this, `#define fprintf fuzz_complain`, which
 * counts how often, and makes the text for AddressSanitizer to see.
 */
static unsigned fuzz_complaints;

static inline int fuzz_complain(FILE *f, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static inline int fuzz_complain(FILE *f, const char *format, ...)
{
	char text[1024];
	va_list ap;

	(void)f;
	va_start(ap, format);
	MUST(vsnprintf(text, sizeof(text), format, ap) > 0);
	va_end(ap);
	fuzz_complaints++;
	return 0;
}

/* A copy with a NUL behind it, to be freed. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

#endif
