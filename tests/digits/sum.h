/*
 * sum.h - a sum over the texts of a few thousand numbers, and over what is read of them again: this
 * PC's C library (digits.c) and an image (tests/test_number.c) have the same.
 */
#ifndef TESTS_DIGITS_SUM_H
#define TESTS_DIGITS_SUM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_NUMBERS 2000
#define DIGITS_SUM 0xb463de8du

static inline uint64_t digits_draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static inline uint32_t digits_add(uint32_t sum, const void *p, size_t bytes)
{
	for (const unsigned char *at = p, *end = at + bytes; at < end; at++)
		sum = (sum ^ *at) * 16777619u;
	return sum;
}

/* Of all magnitudes, and every other one of a usual one. */
static inline uint32_t digits_sum(void)
{
	static const char *const formats[] = { "%.*e", "%.*f", "%.*g", "%.*a" };
	static char text[400];
	uint32_t sum = 2166136261u;
	uint64_t state = 1;

	for (unsigned i = 0; i < DIGITS_NUMBERS; i++) {
		uint64_t bits = digits_draw(&state);
		int n, precision = (int)(digits_draw(&state) % 25);
		double d;
		float f;

		if (i % 2)
			bits = (bits & 0x800fffffffffffff) | (1023 - 32 + (bits >> 52 & 63)) << 52;
		memcpy(&d, &bits, sizeof(d));
		if (d != d)
			continue;
		n = snprintf(text, sizeof(text), formats[i / 2 % 4], precision, d);
		sum = digits_add(sum, text, (size_t)n);
		d = strtod(text, NULL);
		f = strtof(text, NULL);
		sum = digits_add(sum, &d, sizeof(d));
		sum = digits_add(sum, &f, sizeof(f));
	}
	return sum;
}

#endif
