/* sha256.c - SHA-256, and crypt's hash by it. */
#include <string.h>

#include "hash.h"

/* Fractions of the cube roots of the first 64 primes. */
const uint32_t sha256_constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static inline uint32_t right(uint32_t x, unsigned by)
{
	return x >> by | x << (32 - by);
}

static void block(struct sha256 *s, const uint8_t *data)
{
	uint32_t w[64], h[8];

	for (unsigned i = 0; i < 16; i++, data += 4)
		w[i] = (uint32_t)data[0] << 24 | (uint32_t)data[1] << 16 | (uint32_t)data[2] << 8 |
		       data[3];
	for (unsigned i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + (right(a, 7) ^ right(a, 18) ^ a >> 3) + w[i - 7] +
		       (right(b, 17) ^ right(b, 19) ^ b >> 10);
	}
	memcpy(h, s->state, sizeof(h));
	for (unsigned i = 0; i < 64; i++) {
		uint32_t a = h[0], e = h[4];
		uint32_t first = h[7] + (right(e, 6) ^ right(e, 11) ^ right(e, 25)) +
				 ((e & h[5]) ^ (~e & h[6])) + s->k[i] + w[i];
		uint32_t second = (right(a, 2) ^ right(a, 13) ^ right(a, 22)) +
				  ((a & h[1]) ^ (a & h[2]) ^ (h[1] & h[2]));

		memmove(h + 1, h, 7 * sizeof(*h));
		h[4] += first;
		h[0] = first + second;
	}
	for (unsigned i = 0; i < 8; i++)
		s->state[i] += h[i];
}

void sha256_begin(struct sha256 *s, const uint32_t *k)
{
	s->k = k;
	s->bytes = 0;
	s->state[0] = 0x6a09e667; /* immediates: a table would be in main memory */
	s->state[1] = 0xbb67ae85;
	s->state[2] = 0x3c6ef372;
	s->state[3] = 0xa54ff53a;
	s->state[4] = 0x510e527f;
	s->state[5] = 0x9b05688c;
	s->state[6] = 0x1f83d9ab;
	s->state[7] = 0x5be0cd19;
}

void sha256_add(struct sha256 *s, const void *data, size_t bytes)
{
	const uint8_t *from = data;

	while (bytes) {
		size_t at = s->bytes % 64, n = bytes < 64 - at ? bytes : 64 - at;

		memcpy(s->block + at, from, n);
		s->bytes += n;
		from += n;
		bytes -= n;
		if (at + n == 64)
			block(s, s->block);
	}
}

void sha256_end(struct sha256 *s, uint8_t *hash)
{
	size_t at = s->bytes % 64;
	uint64_t bits = s->bytes * 8;

	s->block[at++] = 0x80;
	if (at > 56) {
		memset(s->block + at, 0, 64 - at);
		block(s, s->block);
		at = 0;
	}
	memset(s->block + at, 0, 56 - at);
	for (unsigned i = 0; i < 8; i++)
		s->block[56 + i] = (uint8_t)(bits >> (56 - 8 * i));
	block(s, s->block);
	for (unsigned i = 0; i < 32; i++)
		hash[i] = (uint8_t)(s->state[i / 4] >> (24 - 8 * (i % 4)));
}

/* `bytes` bytes of a hash, repeated. */
static void add_repeated(struct sha256 *s, const uint8_t *hash, size_t bytes)
{
	for (; bytes > HASH_BYTES; bytes -= HASH_BYTES)
		sha256_add(s, hash, HASH_BYTES);
	sha256_add(s, hash, bytes);
}

/* The hash of a text that is repeated. */
static void hash_times(const uint32_t *k, const char *text, size_t bytes, unsigned times,
		       uint8_t *hash)
{
	struct sha256 s;

	sha256_begin(&s, k);
	while (times--)
		sha256_add(&s, text, bytes);
	sha256_end(&s, hash);
}

/* The first hash: of word, salt, and the hash of both with the word around the salt. */
static void first_hash(const uint32_t *k, const struct target *t, const char *word, size_t bytes,
		       uint8_t *hash)
{
	uint8_t around[HASH_BYTES];
	struct sha256 s;

	sha256_begin(&s, k);
	sha256_add(&s, word, bytes);
	sha256_add(&s, t->salt, t->salt_bytes);
	sha256_add(&s, word, bytes);
	sha256_end(&s, around);
	sha256_begin(&s, k);
	sha256_add(&s, word, bytes);
	sha256_add(&s, t->salt, t->salt_bytes);
	add_repeated(&s, around, bytes);
	for (size_t n = bytes; n; n >>= 1) {
		if (n & 1)
			sha256_add(&s, around, sizeof(around));
		else
			sha256_add(&s, word, bytes);
	}
	sha256_end(&s, hash);
}

void sha256_crypt(const uint32_t *k, const struct target *t, const char *word, size_t bytes,
		  uint8_t *hash)
{
	uint8_t words[HASH_BYTES], salts[HASH_BYTES];
	struct sha256 s;

	first_hash(k, t, word, bytes, hash);
	hash_times(k, word, bytes, (unsigned)bytes, words);
	hash_times(k, t->salt, t->salt_bytes, 16u + hash[0], salts);
	for (unsigned i = 0; i < t->rounds; i++) {
		sha256_begin(&s, k);
		if (i % 2)
			add_repeated(&s, words, bytes);
		else
			sha256_add(&s, hash, HASH_BYTES);
		if (i % 3)
			sha256_add(&s, salts, t->salt_bytes);
		if (i % 7)
			add_repeated(&s, words, bytes);
		if (i % 2)
			sha256_add(&s, hash, HASH_BYTES);
		else
			add_repeated(&s, words, bytes);
		sha256_end(&s, hash);
	}
}
