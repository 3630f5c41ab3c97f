/* md5.c - MD5 of a message that fits into one block. */
#include "hash.h"

/* floor(2^32 * |sin(i + 1)|) */
const uint32_t md5_constants[64] = {
	0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613,
	0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193,
	0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d,
	0x02441453, 0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed,
	0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122,
	0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa,
	0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665, 0xf4292244,
	0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
	0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb,
	0xeb86d391,
};

static inline uint32_t left(uint32_t x, unsigned by)
{
	return x << by | x >> (32 - by);
}

/* Step i of a round with its function f, whose word of the message is m. */
static inline void step(uint32_t s[4], uint32_t f, uint32_t k, uint32_t m, unsigned by)
{
	uint32_t b = s[1] + left(s[0] + f + k + m, by);

	s[0] = s[3];
	s[3] = s[2];
	s[2] = s[1];
	s[1] = b;
}

static void put(uint8_t *to, uint32_t x)
{
	for (unsigned i = 0; i < 4; i++)
		to[i] = (uint8_t)(x >> 8 * i);
}

/*
 * Constants are immediates where the compiler has them, and else of k: a table of this file would
 * be in main memory.
 */
void md5_short(const uint32_t *k, const char *word, size_t bytes, uint8_t *hash)
{
	uint32_t m[16] = { 0 }, s[4] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 };

	for (size_t i = 0; i < bytes; i++)
		m[i / 4] |= (uint32_t)(uint8_t)word[i] << 8 * (i % 4);
	m[bytes / 4] |= (uint32_t)0x80 << 8 * (bytes % 4);
	m[14] = (uint32_t)bytes * 8;
	for (unsigned i = 0; i < 16; i += 4) {
		step(s, (s[1] & s[2]) | (~s[1] & s[3]), k[i], m[i], 7);
		step(s, (s[1] & s[2]) | (~s[1] & s[3]), k[i + 1], m[i + 1], 12);
		step(s, (s[1] & s[2]) | (~s[1] & s[3]), k[i + 2], m[i + 2], 17);
		step(s, (s[1] & s[2]) | (~s[1] & s[3]), k[i + 3], m[i + 3], 22);
	}
	for (unsigned i = 16; i < 32; i += 4) {
		step(s, (s[3] & s[1]) | (~s[3] & s[2]), k[i], m[(5 * i + 1) % 16], 5);
		step(s, (s[3] & s[1]) | (~s[3] & s[2]), k[i + 1], m[(5 * i + 6) % 16], 9);
		step(s, (s[3] & s[1]) | (~s[3] & s[2]), k[i + 2], m[(5 * i + 11) % 16], 14);
		step(s, (s[3] & s[1]) | (~s[3] & s[2]), k[i + 3], m[5 * i % 16], 20);
	}
	for (unsigned i = 32; i < 48; i += 4) {
		step(s, s[1] ^ s[2] ^ s[3], k[i], m[(3 * i + 5) % 16], 4);
		step(s, s[1] ^ s[2] ^ s[3], k[i + 1], m[(3 * i + 8) % 16], 11);
		step(s, s[1] ^ s[2] ^ s[3], k[i + 2], m[(3 * i + 11) % 16], 16);
		step(s, s[1] ^ s[2] ^ s[3], k[i + 3], m[(3 * i + 14) % 16], 23);
	}
	for (unsigned i = 48; i < 64; i += 4) {
		step(s, s[2] ^ (s[1] | ~s[3]), k[i], m[7 * i % 16], 6);
		step(s, s[2] ^ (s[1] | ~s[3]), k[i + 1], m[(7 * i + 7) % 16], 10);
		step(s, s[2] ^ (s[1] | ~s[3]), k[i + 2], m[(7 * i + 14) % 16], 15);
		step(s, s[2] ^ (s[1] | ~s[3]), k[i + 3], m[(7 * i + 5) % 16], 21);
	}
	put(hash, s[0] + 0x67452301);
	put(hash + 4, s[1] + 0xefcdab89);
	put(hash + 8, s[2] + 0x98badcfe);
	put(hash + 12, s[3] + 0x10325476);
}
