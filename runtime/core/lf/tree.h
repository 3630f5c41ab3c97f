/*
 * tree.h - a large set of small numbers, whose lowest is found in a few steps: a bit for each
 * number, above it a bit for each word that may have some set, and so on. Any hart adds, takes and
 * looks; an add is an or on each level, a take one and.
 *
 * Each level above the lowest is a hint: a hart that finds a word empty clears the bit above, looks
 * at the word once more, and sets the bit again if the word has got some. So a number that is in
 * the set is found, once its add is through.
 */
#ifndef COHART_LF_TREE_H
#define COHART_LF_TREE_H

#include "bits.h"

#define CO_TREE_LEVELS 3

struct co_tree {
	struct co_aword *level[CO_TREE_LEVELS]; /* the lowest first */
	size_t top;                             /* words of the highest */
};

/* Words of a tree for numbers below n, n a multiple of the bits of a word. */
static inline size_t co_tree_words(size_t n)
{
	size_t words = 0;

	for (unsigned i = 0; i < CO_TREE_LEVELS; i++) {
		n = (n + CO_WORD_BITS - 1) / CO_WORD_BITS;
		words += n;
	}
	return words;
}

/*
 * Lay a tree out in `words`. Levels above the lowest must be 0. Returns the first word behind it.
 */
static inline struct co_aword *co_tree_place(struct co_tree *t, size_t n, struct co_aword *words)
{
	for (unsigned i = 0; i < CO_TREE_LEVELS; i++) {
		n = (n + CO_WORD_BITS - 1) / CO_WORD_BITS;
		t->level[i] = words;
		words += n;
	}
	t->top = n;
	return words;
}

/* Which bit of its word stands for number i. */
static inline uintptr_t co_tree_bit(size_t i)
{
	return (uintptr_t)1 << i % CO_WORD_BITS;
}

/*
 * Set bit i of `level`, and its bits on all higher levels, even if they are set: a hart that is
 * setting or clearing them may not be through.
 */
static inline void co_tree_raise(struct co_tree *t, unsigned level, size_t i)
{
	/* release, each: the level below; pairs with co_tree_close(). */
#pragma GCC unroll 3
	for (; level < CO_TREE_LEVELS; level++, i /= CO_WORD_BITS)
		co_atomic_or(&t->level[level][i / CO_WORD_BITS], co_tree_bit(i), CO_RELEASE);
}

static inline void co_tree_add(struct co_tree *t, size_t number)
{
	co_tree_raise(t, 0, number);
}

/* A word of `level` looks empty: clear the bit above, unless the word has got some meanwhile. */
static inline void co_tree_close(struct co_tree *t, unsigned level, size_t word)
{
	/* acquire: an add that has set this bit; pairs with co_tree_raise(). */
	co_atomic_and(&t->level[level + 1][word / CO_WORD_BITS], ~co_tree_bit(word), CO_ACQUIRE);
	if (co_atomic_load(&t->level[level][word], CO_RELAXED))
		co_tree_raise(t, level + 1, word);
}

/*
 * Word `word` of the lowest level is empty now: tell the levels above, so that no look finds it.
 * True: the bit of the highest level was cleared, too.
 */
static inline bool co_tree_emptied(struct co_tree *t, size_t word)
{
#pragma GCC unroll 2
	for (unsigned level = 0; level < CO_TREE_LEVELS - 1; level++, word /= CO_WORD_BITS) {
		if (level && co_atomic_load(&t->level[level][word], CO_RELAXED))
			return false;
		co_tree_close(t, level, word);
	}
	return true;
}

enum co_tree_taken {
	CO_TREE_MISSED, /* it was not in the set */
	CO_TREE_TOOK,   /* this hart alone has taken it */
	CO_TREE_EMPTIED /* and the bit of the highest level was cleared */
};

/* Take a number out. */
static inline enum co_tree_taken co_tree_take(struct co_tree *t, size_t number)
{
	uintptr_t bit = co_tree_bit(number), before;

	/* acquire: the writes before the number's add; pairs with co_tree_raise(). */
	before = co_atomic_and(&t->level[0][number / CO_WORD_BITS], ~bit, CO_ACQUIRE);
	if (before == bit && co_tree_emptied(t, number / CO_WORD_BITS))
		return CO_TREE_EMPTIED;
	return before & bit ? CO_TREE_TOOK : CO_TREE_MISSED;
}

/* A hint: no word of the highest level has a bit. */
static inline bool co_tree_looks_empty(const struct co_tree *t)
{
	const struct co_aword *word = t->level[CO_TREE_LEVELS - 1];
	size_t more = t->top;

	while (!co_atomic_load(word, CO_RELAXED)) {
		if (!--more)
			return true;
		word++;
	}
	return false;
}

/* The lowest number of the set; -EAGAIN: the set is empty. */
static inline int co_tree_first(struct co_tree *t)
{
	for (size_t w = 0; w < t->top; w++) {
		size_t at = w;

		/* relaxed: a guess; co_tree_take() acquires the writes before the number's add. */
#pragma GCC unroll 3
		for (unsigned level = CO_TREE_LEVELS; level--;) {
			uintptr_t bits = co_atomic_load(&t->level[level][at], CO_RELAXED);

			if (!bits && level != CO_TREE_LEVELS - 1) {
				co_tree_close(t, level, at);
				w--; /* look again */
			}
			if (!bits)
				break;
			at = at * CO_WORD_BITS + co_bit_number(bits & -bits);
			if (!level)
				return (int)at;
		}
	}
	return -EAGAIN;
}

/* Take the lowest number out; -EAGAIN: the set is empty. */
static inline int co_tree_pop(struct co_tree *t)
{
	int first;

	do
		first = co_tree_first(t);
	while (first >= 0 && !co_tree_take(t, (size_t)first));
	return first;
}

#endif
