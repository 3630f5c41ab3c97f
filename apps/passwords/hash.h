/*
 * hash.h - the hashes that are searched for: raw MD5, and crypt's SHA-256.
 *
 * All constants of the algorithms are in a struct hasher, so that a worker has a copy of them near
 * itself: on its stack, which is in its hart's scratchpad.
 *
 * Source: RFC 1321 (MD5); FIPS 180-4 (SHA-256); U. Drepper, "Unix crypt using SHA-256 and SHA-512",
 * version 0.6.
 */
#ifndef APPS_PASSWORDS_HASH_H
#define APPS_PASSWORDS_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WORD_MOST 96 /* bytes of a word that is hashed */
#define SALT_MOST 16
#define HASH_BYTES 32

struct target {
	enum { MD5, SHA256_CRYPT } kind;
	unsigned rounds; /* of SHA256_CRYPT; and its salt */
	unsigned salt_bytes;
	char salt[SALT_MOST];
	uint8_t hash[HASH_BYTES]; /* of MD5 the first 16 */
};

struct hasher {
	struct target target;
	uint32_t k[64]; /* the algorithm's round constants */
};

/*
 * Take a target from its text: 32 hexadecimal digits, or $5$[rounds=N$]SALT$HASH.
 * @return NULL; or the text of an error
 */
const char *target_parse(struct target *t, const char *text);
void hasher_init(struct hasher *h, const struct target *t);
/* Has the word the target's hash? bytes: at most WORD_MOST. */
bool hasher_is(const struct hasher *h, const char *word, size_t bytes);

/* ---- The algorithms ---- */

extern const uint32_t md5_constants[64], sha256_constants[64];

/* MD5 of a word of at most 55 bytes, which is one block. */
void md5_short(const uint32_t *k, const char *word, size_t bytes, uint8_t *hash);

struct sha256 {
	const uint32_t *k;
	uint32_t state[8];
	uint64_t bytes;
	uint8_t block[64];
};

void sha256_begin(struct sha256 *s, const uint32_t *k);
void sha256_add(struct sha256 *s, const void *data, size_t bytes);
void sha256_end(struct sha256 *s, uint8_t *hash);
/* crypt's hash of a word, with the salt and the rounds of a target. */
void sha256_crypt(const uint32_t *k, const struct target *t, const char *word, size_t bytes,
		  uint8_t *hash);

#endif
