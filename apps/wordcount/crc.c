/*
 * crc.c - see crc.h. Polynomials modulo P are 32-bit numbers, highest power in the lowest bit.
 * Source: M. E. Kounavis, F. L. Berry, "Novel table lookup-based algorithms for high-performance
 * CRC generation", 2008 (eight bytes a step).
 */
#include "crc.h"

/*
 * P less its x^32: x^26 + x^23 + x^22 + x^16 + x^12 + x^11 + x^10 + x^8 + x^7 + x^5 + x^4 + x^2 +
 * x + 1.
 */
#define P UINT32_C(0xedb88320)

#define ONE (UINT32_C(1) << 31) /* x^0 */

/* A word of memory, whatever type was written there. */
typedef uint64_t __attribute__((may_alias)) eight_bytes;

/* slice[k][b]: byte b followed by k zero bytes. */
static uint32_t slice[8][256];

/* squares[k] = x^(8 * 2^k). */
static uint32_t squares[64];

/* a * x */
static inline uint32_t times_x(uint32_t a)
{
	return a >> 1 ^ (a & 1 ? P : 0);
}

/* a * b */
static uint32_t times(uint32_t a, uint32_t b)
{
	uint32_t product = 0;

	for (; a; a <<= 1) {
		if (a & ONE)
			product ^= b;
		b = times_x(b);
	}
	return product;
}

/* x^(8 * bytes) */
static uint32_t power_of(size_t bytes)
{
	uint32_t power = ONE;

	for (unsigned k = 0; bytes; k++, bytes >>= 1)
		if (bytes & 1)
			power = times(power, squares[k]);
	return power;
}

void crc_tables_init(void)
{
	for (uint32_t b = 0; b < 256; b++) {
		uint32_t c = b;

		for (unsigned bit = 0; bit < 8; bit++)
			c = times_x(c);
		slice[0][b] = c;
	}
	for (unsigned k = 1; k < 8; k++)
		for (unsigned b = 0; b < 256; b++) {
			uint32_t c = slice[k - 1][b];

			slice[k][b] = c >> 8 ^ slice[0][c & 0xff];
		}
	squares[0] = ONE >> 8;
	for (unsigned k = 1; k < 64; k++)
		squares[k] = times(squares[k - 1], squares[k - 1]);
}

/* The remainder after eight more bytes, already added to it. */
static inline uint32_t eight(uint64_t x)
{
	uint32_t c = 0;

#pragma GCC unroll 8
	for (unsigned k = 0; k < 8; k++)
		c ^= slice[7 - k][x >> 8 * k & 0xff];
	return c;
}

struct crc crc_of(const unsigned char *p, size_t bytes)
{
	uint32_t c = UINT32_MAX;
	const unsigned char *end = p + bytes;

	while (p < end) {
		if ((uintptr_t)p % 8 == 0 && end - p >= 8) {
			c = eight(*(const eight_bytes *)p ^ c);
			p += 8;
		} else {
			c = c >> 8 ^ slice[0][(c ^ *p++) & 0xff];
		}
	}
	return (struct crc){ .value = ~c, .power = power_of(bytes) };
}

void crc_append(struct crc *c, const struct crc *next)
{
	c->value = times(c->value, next->power) ^ next->value;
	c->power = times(c->power, next->power);
}
