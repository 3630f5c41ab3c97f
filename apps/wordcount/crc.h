/*
 * crc.h - the CRC-32 of zip, zlib and Ethernet, such that pieces add up.
 *
 *	crc_tables_init();                               // once, before any other
 *	struct crc left = crc_of(file, cut);
 *	struct crc right = crc_of(file + cut, bytes - cut);
 *	crc_append(&left, &right);                       // left.value is the CRC-32 of the whole
 *
 * A CRC is the remainder of a polynomial division, so that of two pieces one after the other is
 * left * x^(bits of right) + right. The power of x goes with each piece: whoever makes the piece
 * works it out, and to append is one multiplication.
 */
#ifndef WORDCOUNT_CRC_H
#define WORDCOUNT_CRC_H

#include <stddef.h>
#include <stdint.h>

struct crc {
	uint32_t value;
	uint32_t power; /* x^(8 * bytes), modulo the CRC's polynomial */
};

/* The CRC of no bytes at all. */
#define CRC_EMPTY ((struct crc){ .value = 0, .power = UINT32_C(1) << 31 })

/* Fill the tables; all harts that are started later may use them. */
void crc_tables_init(void);

/* Cost: 5 to 8 instructions a byte. */
struct crc crc_of(const unsigned char *p, size_t bytes);

/* *c becomes that of its piece followed by the piece of *next. Associative. */
void crc_append(struct crc *c, const struct crc *next);

#endif
