/*
 * bits.h - a set of free things, a bit each. An atomic and takes one, an atomic or gives it back:
 * no undo, no wait; a taker that loses a bit to another hart tries the bits that are left.
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

/* Take a bit that is set in words[0..n-1], looking from word `start` on; -EAGAIN: none is left. */
static inline int co_bits_take(struct co_aword *words, unsigned n, unsigned start)
{
	for (unsigned i = 0, w = start; i < n; i++, w = w + 1 < n ? w + 1 : 0) {
		/* relaxed: a guess; the and decides. */
		uintptr_t bits = co_atomic_load(&words[w], CO_RELAXED);

		while (bits) {
			uintptr_t bit = bits & -bits;
			/* acquire: what its last owner did; pairs with co_bits_give(). */
			uintptr_t before = co_atomic_and(&words[w], ~bit, CO_ACQUIRE);

			if (before & bit)
				return (int)(w * CO_WORD_BITS + co_bit_number(bit));
			bits = before & ~bit;
		}
	}
	return -EAGAIN;
}

static inline void co_bits_give(struct co_aword *words, unsigned bit)
{
	/* release: pairs with co_bits_take()'s acquire. */
	co_atomic_or(&words[bit / CO_WORD_BITS], (uintptr_t)1 << bit % CO_WORD_BITS, CO_RELEASE);
}

#endif
