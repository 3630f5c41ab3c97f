/*
 * bits.c - the model of core/lf/bits.h: a bit is one thread's at a time, and what its last owner
 * did is over for the next; in one word nobody is refused while there is enough for all.
 */
#include <string.h>

#include "core/lf/bits.h"
#include "relacy/model.h"

#define WORDS 2

static struct co_aword set[WORDS], open_words[1];
static int thing[WORDS * 64];

static void reset(unsigned threads)
{
	memset(set, 0, sizeof(set));
	memset(open_words, 0, sizeof(open_words));
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

/* ---- Two levels ---- */

static void one_open(unsigned users)
{
	one(users);
	co_atomic_store(&open_words[0], 2, CO_RELAXED);
}

static void two_open(unsigned users)
{
	two_in_two_words(users);
	co_atomic_store(&open_words[0], 3, CO_RELAXED);
}

/* The first level says more than there is. */
static void one_open_and_a_hint(unsigned users)
{
	one(users);
	co_atomic_store(&open_words[0], 3, CO_RELAXED);
}

static void patient_open(unsigned i)
{
	int bit;

	while ((bit = co_bits_take_open(open_words, 1, set, i % WORDS)) < 0)
		model_yield();
	co_plain_store(&thing[bit], co_plain_load(&thing[bit]) + 1);
	co_bits_give_open(open_words, set, (unsigned)bit);
}

/* Who gives finds its bit again at once, or a later one. */
static void one_then_other(unsigned i)
{
	patient_open(i);
	patient_open(i);
}

static void all_found(void)
{
	int uses = 0;

	for (unsigned i = 0; i < sizeof(thing) / sizeof(thing[0]); i++)
		uses += thing[i];
	MODEL_CHECK(uses == 4 || uses == 3);
	MODEL_CHECK(co_bits_take_open(open_words, 1, set, 0) >= 0);
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
	{ "two levels, one bit, three users", 3, one_open, patient_open, all_found, .bound = 3 },
	{ "two levels, two words, three users", 3, two_open, patient_open, all_found, .bound = 3 },
	{ "two levels, a hint too many, three users", 3, one_open_and_a_hint, patient_open,
	  all_found, .bound = 3 },
	{ "two levels, two users, twice", 2, one_open, one_then_other, all_found, .bound = 4 },
	{ 0 },
};
