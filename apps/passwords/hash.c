/* hash.c - targets, by their texts, and whether a word is it. */
#include "hash.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS 5000 /* where the text says nothing */
#define ROUNDS_LEAST 1000
#define ROUNDS_MOST 999999999

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static const char *parse_md5(struct target *t, const char *text)
{
	t->kind = MD5;
	for (unsigned i = 0; i < 32; i++) {
		if (digit(text[i]) < 0)
			return "it is neither 32 hexadecimal digits nor $5$SALT$HASH";
		t->hash[i / 2] = (uint8_t)(t->hash[i / 2] << 4 | digit(text[i]));
	}
	return text[32] ? "an MD5 hash has 32 digits" : NULL;
}

static int digit_of_crypt(char c)
{
	static const char digits[] =
		"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* The bytes that four digits are of; 32 and above: there are no more. */
static const uint8_t of_digits[11][3] = {
	{ 0, 10, 20 }, { 21, 1, 11 }, { 12, 22, 2 }, { 3, 13, 23 }, { 24, 4, 14 },  { 15, 25, 5 },
	{ 6, 16, 26 }, { 27, 7, 17 }, { 18, 28, 8 }, { 9, 19, 29 }, { 32, 31, 30 },
};

static const char *parse_crypt_hash(struct target *t, const char *text)
{
	if (strlen(text) != 43)
		return "the hash of $5$ has 43 digits";
	for (unsigned i = 0; i < 43; i++) {
		unsigned group = i / 4, bits = 6 * (i % 4);
		int d = digit_of_crypt(text[i]);

		if (d < 0)
			return "the hash of $5$ has a digit that is none";
		/* Six bits, of which some may be of the next byte: least significant first. */
		for (unsigned b = 0; b < 6; b++) {
			unsigned at = of_digits[group][2 - (bits + b) / 8];

			if (at < HASH_BYTES)
				t->hash[at] |= (uint8_t)((d >> b & 1) << (bits + b) % 8);
		}
	}
	return NULL;
}

static const char *parse_crypt(struct target *t, const char *text)
{
	const char *salt = text;

	t->kind = SHA256_CRYPT;
	t->rounds = ROUNDS;
	if (strncmp(text, "rounds=", 7) == 0) {
		char *end;
		unsigned long n = strtoul(text + 7, &end, 10);

		if (*end != '$' || end == text + 7)
			return "rounds=N ends with a $";
		t->rounds = (unsigned)(n < ROUNDS_LEAST  ? ROUNDS_LEAST
				       : n > ROUNDS_MOST ? ROUNDS_MOST
							 : n);
		salt = end + 1;
	}
	text = strchr(salt, '$');
	if (!text)
		return "behind $5$ are a salt, a $ and a hash";
	/* A longer salt is cut. */
	t->salt_bytes = (unsigned)(text - salt < SALT_MOST ? text - salt : SALT_MOST);
	memcpy(t->salt, salt, t->salt_bytes);
	return parse_crypt_hash(t, text + 1);
}

const char *target_parse(struct target *t, const char *text)
{
	memset(t, 0, sizeof(*t));
	return strncmp(text, "$5$", 3) ? parse_md5(t, text) : parse_crypt(t, text + 3);
}

void hasher_init(struct hasher *h, const struct target *t)
{
	h->target = *t;
	memcpy(h->k, t->kind == MD5 ? md5_constants : sha256_constants, sizeof(h->k));
}

bool hasher_is(const struct hasher *h, const char *word, size_t bytes)
{
	uint8_t hash[HASH_BYTES];

	if (h->target.kind == MD5)
		md5_short(h->k, word, bytes, hash);
	else
		sha256_crypt(h->k, &h->target, word, bytes, hash);
	return memcmp(hash, h->target.hash, h->target.kind == MD5 ? 16 : HASH_BYTES) == 0;
}
