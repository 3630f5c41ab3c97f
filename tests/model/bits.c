/*
 * bits.c - the model of core/lf/bits.h: a bit is one thread's at a time, and what its last owner
 * did is over for the next; in one word nobody is refused while there is enough for all.
 */
#include <string.h>

#include "core/lf/bits.h"
#include "relacy/model.h"

#define WORDS 2

static struct co_aword set[WORDS];
static int thing[WORDS * 64];

static void reset(unsigned threads)
{
	memset(set, 0, sizeof(set));
	memset(thing, 0, sizeof(thing));
}

static void two_in_two_words(unsigned threads)
{
	reset(threads);
	co_atomic_store(&set[0], 1, CO_RELAXED);
	co_atomic_store(&set[1], 2, CO_RELAXED);
}

static void two_in_one_word(unsigned threads)
{
	reset(threads);
	co_atomic_store(&set[0], 6, CO_RELAXED);
}

static void one(unsigned threads)
{
	reset(threads);
	co_atomic_store(&set[1], 4, CO_RELAXED);
}

static void use(int bit)
{
	MODEL_CHECK(bit >= 0);
	co_plain_store(&thing[bit], co_plain_load(&thing[bit]) + 1);
	co_bits_give(set, (unsigned)bit);
}

static void two_users(unsigned i)
{
	use(co_bits_take(set, WORDS, i));
	use(co_bits_take(set, WORDS, 0));
}

/* Fewer bits than users. */
static void patient(unsigned i)
{
	int bit;

	while ((bit = co_bits_take(set, WORDS, i % WORDS)) < 0)
		model_yield();
	use(bit);
}

static void all_used(void)
{
	int uses = 0;

	for (unsigned i = 0; i < sizeof(thing) / sizeof(thing[0]); i++)
		uses += thing[i];
	MODEL_CHECK(uses == 4 || uses == 3);
	MODEL_CHECK(co_bits_take(set, WORDS, 0) >= 0);
}

const struct model models[] = {
	{ "two bits in two words, three users", 3, two_in_two_words, patient, all_used,
	  .bound = 3 },
	{ "two bits in one word, two users", 2, two_in_one_word, two_users, all_used, .bound = 4 },
	{ "one bit, three users", 3, one, patient, all_used, .bound = 3 },
	{ "two bits, three users", 3, two_in_one_word, patient, all_used, .bound = 3 },
	{ 0 },
};
