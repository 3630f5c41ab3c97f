/*
 * radix.h - numbers of any length between base 2^32, which a floating-point number is, and base
 * 10^9, which its decimal form is: exactly, both ways, by two loops.
 *
 * A number is an array of digits of its base and a point in it. Its whole part is divided by the
 * target base, over and over: the remainders are its digits in that base, the lowest first. Its
 * fraction is multiplied by the target base: the carries are its digits in that base, the highest
 * first.
 */
#ifndef COHART_IO_RADIX_H
#define COHART_IO_RADIX_H

#include <float.h>
#include <stdbool.h>
#include <stdint.h>

#include "../../core/compiler.h"

#define RADIX_BINARY ((uint64_t)1 << 32)
#define RADIX_DECIMAL ((uint64_t)1000000000)
#define RADIX_DIGITS 9 /* decimal ones in a digit of base 10^9 */

/*
 * Digits lie in memory as they are read (`step` 1: the highest first) or as words of a binary
 * number do (-1). `top` is the highest; n of them, from there on down.
 */

/* Divide n digits of base `from` by `to`. Returns the remainder. */
static inline uint32_t radix_divide(uint32_t *top, int step, int n, uint64_t from, uint64_t to)
{
	uint64_t rest = 0;

	for (; n-- > 0; top += step) {
		rest = rest * from + *top;
		*top = (uint32_t)(rest / to);
		rest %= to;
	}
	return (uint32_t)rest;
}

/* Multiply n digits of base `from`, the last of them at `low`, by `to`. Returns the carry. */
static inline uint32_t radix_multiply(uint32_t *low, int step, int n, uint64_t from, uint64_t to)
{
	uint64_t carry = 0;

	for (; n-- > 0; low -= step) {
		carry += *low * to;
		*low = (uint32_t)(carry % from);
		carry /= from;
	}
	return (uint32_t)carry;
}

/* The part that is cut off behind a digit, compared with half of the digit's unit. */
enum radix_rest { RADIX_NOTHING, RADIX_LESS, RADIX_HALF, RADIX_MORE };

static inline enum radix_rest radix_rest(uint64_t cut, uint64_t half, bool more)
{
	return cut > half    ? RADIX_MORE
	       : cut == half ? (more ? RADIX_MORE : RADIX_HALF)
	       : cut || more ? RADIX_LESS
			     : RADIX_NOTHING;
}

/*
 * Is the digit before the rest to be one more? The processor says so, in the mode that it rounds
 * in: the units of a double of that size are 2, and the rest is added in halves of 1.
 */
static inline bool radix_rounds_up(bool is_negative, bool is_odd, enum radix_rest rest)
{
	double whole = 0x1p53 + (is_odd ? 2 : 0), part = rest * 0.5;

	whole = is_negative ? -whole : whole;
	part = is_negative ? -part : part;
	__asm__ volatile("" : "+m"(whole)); /* the compiler would round to the nearest */
	__asm__ volatile("" : "+m"(part));
	return whole + part != whole;
}

/* A floating-point number's bits: a double's, and a long double's if that is larger. */
union radix_double {
	double value;
	uint64_t bits;
};

#if LDBL_MANT_DIG == 113
union radix_long {
	long double value;
	uint64_t bits[2]; /* the low ones first: all boards are little-endian */
};
#define RADIX_LONG_SHIFT 48 /* of the exponent in the high ones */
#elif LDBL_MANT_DIG != DBL_MANT_DIG
#error "a long double is a double, or has 113 bits"
#endif

#endif
