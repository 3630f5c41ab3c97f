/*
 * stock.h - free blocks of one size: a hart's stock of them, and the words of the spans that they
 * are cut from. Swaps, ands and ors alone, of one step each: no hart waits for another, and a hart
 * that stops strands at most the block in its hand, or its stock of one size.
 *
 * A stock is a stack. Its hart swaps all of it out, and stores the rest, or the new top block; so
 * for a moment the stock looks empty to other harts, which may swap all of it out as well, when
 * memory is short. Only its hart stores, and so no block comes back unseen between two steps.
 *
 * A span's word has a bit for each block that is in no stock and with no user. A hart takes bits by
 * an and, and owns the blocks whose bits were set; a hart that finds all bits set, and swaps all of
 * them out, owns the span. A hart that owns no block of a span cannot know how the span is used by
 * now.
 */
#ifndef COHART_LF_STOCK_H
#define COHART_LF_STOCK_H

#include "bits.h"

/* A block in a stock. */
struct co_stock_block {
	struct co_stock_block *next;
	uintptr_t room; /* how many more may lie above it */
};

/* Take the top. NULL: the stock is empty. Context: its hart. */
static inline struct co_stock_block *co_stock_pop(struct co_aword *stock)
{
	/* relaxed: this hart has put it there. */
	struct co_stock_block *b = (struct co_stock_block *)co_atomic_swap(stock, 0, CO_RELAXED);

	/* release: the blocks' links; pairs with co_stock_take_all(). */
	if (b)
		co_atomic_store(stock, (uintptr_t)co_plain_load(&b->next), CO_RELEASE);
	return b;
}

/* Swap all out, to put it back by co_stock_put(), or not. Context: its hart, or a hart in need. */
static inline struct co_stock_block *co_stock_take_all(struct co_aword *stock)
{
	/* acquire: the links; pairs with co_stock_put() and co_stock_pop(). */
	return (struct co_stock_block *)co_atomic_swap(stock, 0, CO_ACQUIRE);
}

/* Make b the top, above the blocks that were swapped out. Context: its hart; the stock is empty. */
static inline void co_stock_put(struct co_aword *stock, struct co_stock_block *b,
				struct co_stock_block *below, uintptr_t room)
{
	co_plain_store(&b->next, below);
	co_plain_store(&b->room, room);
	/* release: the links, and the last use of b; pairs with co_stock_take_all(). */
	co_atomic_store(stock, (uintptr_t)b, CO_RELEASE);
}

/*
 * Make b the top of an empty stock with room for `room` blocks, above `below`, or alone (NULL). One
 * store publishes both: a block below that a hart in need had taken must not be linked any more.
 * Context: its hart.
 */
static inline void co_stock_begin(struct co_aword *stock, struct co_stock_block *b,
				  struct co_stock_block *below, uintptr_t room)
{
	if (below) {
		co_plain_store(&below->next, NULL);
		co_plain_store(&below->room, --room);
	}
	co_stock_put(stock, b, below, room - 1);
}

/* Take a block of a span. Returns its bit; 0: no block was free. */
static inline uint32_t co_span_take(struct co_a32 *word)
{
	uint32_t bits, bit;

	/* relaxed: a guess; the and decides. */
	while ((bits = co_atomic_load(word, CO_RELAXED))) {
		bit = bits & -bits;
		/*
		 * acquire: the last user's accesses, and how the span is cut; pairs with
		 * co_span_give(), co_span_begin().
		 */
		if (co_atomic_and(word, ~bit, CO_ACQUIRE) & bit)
			return bit;
	}
	return 0;
}

/* Make a span of memory of which no other hart has a block. */
static inline void co_span_begin(struct co_a32 *word, uint32_t bits)
{
	/* release: how the span is cut; pairs with co_span_take(). */
	co_atomic_store(word, bits, CO_RELEASE);
}

/* Returns the bits that were there before. */
static inline uint32_t co_span_give(struct co_a32 *word, uint32_t bits)
{
	/* release: the last use of the blocks; pairs with co_span_take(), co_span_take_all(). */
	return co_atomic_or(word, bits, CO_RELEASE);
}

/*
 * Take all free blocks of a span. If it looked all free, it may have become units or another span
 * meanwhile: the caller owns it if it got all blocks, and the span's class is unchanged.
 */
static inline uint32_t co_span_take_all(struct co_a32 *word)
{
	/* acquire: the last use of the blocks; pairs with co_span_give(). */
	return co_atomic_swap(word, 0, CO_ACQUIRE);
}

#endif
