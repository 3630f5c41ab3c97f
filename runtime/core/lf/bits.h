/*
 * bits.h - a set of free things, a bit for each. An atomic and takes one, an atomic or gives it
 * back: no undo, no wait; a taker that loses a bit to another hart tries the remaining bits.
 *
 * A large set has a second level, with a bit for each word that may have set bits. The second level
 * is a hint: a taker that finds an empty word clears the word's bit, and reads the word again.
 */
#ifndef COHART_LF_BITS_H
#define COHART_LF_BITS_H

#include <errno.h>

#include <cohart/atomic.h>

#define CO_WORD_BITS (8 * __SIZEOF_POINTER__)

/* How many are set; for few. */
static inline unsigned co_bits_count(uintptr_t bits)
{
	unsigned n = 0;

	for (; bits; bits &= bits - 1)
		n++;
	return n;
}

/* Take a bit of `among` that is set in that word; -EAGAIN: none is left. */
static inline int co_bits_take_of(struct co_aword *word, uintptr_t among)
{
	/* relaxed: a guess; the and decides. */
	uintptr_t bits = co_atomic_load(word, CO_RELAXED) & among;

	while (bits) {
		uintptr_t bit = bits & -bits;
		/* acquire: the last owner's writes; pairs with co_bits_give(). */
		uintptr_t before = co_atomic_and(word, ~bit, CO_ACQUIRE);

		if (before & bit)
			return (int)co_bit_number(bit);
		bits = before & among & ~bit;
	}
	return -EAGAIN;
}

/* Take a bit that is set in words[0..n-1], looking from word `start` on; -EAGAIN: none is left. */
static inline int co_bits_take(struct co_aword *words, unsigned n, unsigned start)
{
	for (unsigned i = 0, w = start; i < n; i++, w = w + 1 < n ? w + 1 : 0) {
		int bit = co_bits_take_of(&words[w], ~(uintptr_t)0);

		if (bit >= 0)
			return (int)(w * CO_WORD_BITS) + bit;
	}
	return -EAGAIN;
}

static inline void co_bits_give(struct co_aword *words, unsigned bit)
{
	/* release: pairs with co_bits_take()'s acquire. */
	co_atomic_or(&words[bit / CO_WORD_BITS], (uintptr_t)1 << bit % CO_WORD_BITS, CO_RELEASE);
}

/* Word `word` looks empty: clear its bit, unless something was given to it meanwhile. */
static inline void co_bits_close(struct co_aword *open, struct co_aword *words, unsigned word)
{
	uintptr_t bit = (uintptr_t)1 << word % CO_WORD_BITS;

	/* acquire: a give that has set this bit, to look again; pairs with co_bits_give_open(). */
	co_atomic_and(&open[word / CO_WORD_BITS], ~bit, CO_ACQUIRE);
	if (co_atomic_load(&words[word], CO_RELAXED))
		co_atomic_or(&open[word / CO_WORD_BITS], bit, CO_RELAXED);
}

/* co_bits_take() of a set with two levels, of open[0..n-1], looking from words[start] on. */
static inline int co_bits_take_open(struct co_aword *open, unsigned n, struct co_aword *words,
				    unsigned start)
{
	uintptr_t skipped = ((uintptr_t)1 << start % CO_WORD_BITS) - 1;

	/* The first word of open[] is looked at twice, for the bits that were skipped. */
	for (unsigned i = 0, w = start / CO_WORD_BITS; i <= n; i++, w = w + 1 < n ? w + 1 : 0) {
		/* relaxed: a guess, as in co_bits_take(). */
		uintptr_t some = co_atomic_load(&open[w], CO_RELAXED) & ~skipped;

		for (skipped = 0; some; some &= some - 1) {
			unsigned word = w * CO_WORD_BITS + co_bit_number(some & -some);
			int bit = co_bits_take(&words[word], 1, 0);

			if (bit >= 0)
				return (int)(word * CO_WORD_BITS) + bit;
			co_bits_close(open, words, word);
		}
	}
	return -EAGAIN;
}

static inline void co_bits_give_open(struct co_aword *open, struct co_aword *words, unsigned bit)
{
	unsigned word = bit / CO_WORD_BITS;
	/* release: as in co_bits_give(). */
	uintptr_t before =
		co_atomic_or(&words[word], (uintptr_t)1 << bit % CO_WORD_BITS, CO_RELEASE);

	/* release: pairs with co_bits_close(). */
	if (!before)
		co_atomic_or(&open[word / CO_WORD_BITS], (uintptr_t)1 << word % CO_WORD_BITS,
			     CO_RELEASE);
}

#endif
