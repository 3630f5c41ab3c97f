/*
 * block.h - taking a control block with a stack for a coroutine, and giving it back.
 *
 * A block and the scratchpad slot of its number are a pair, free by one bit. Where slots run out,
 * or main memory is wanted, or a coroutine has ended whose handle somebody has still, one of the
 * two is free alone, by a bit of its own; they become a pair again when both are.
 *
 * A block that is free is as most spawns want it: refs is CO_RUNNING, its name "unnamed", its stack
 * its own.
 */
#ifndef COHART_BLOCK_H
#define COHART_BLOCK_H

#include <errno.h>

#include "core.h"

#define BLOCK_WORDS (CO_PER_HART / CO_WORD_BITS)

/*
 * A coroutine that has not ended holds its block by this; handles and cancels under way count 1
 * each.
 */
#define CO_RUNNING 0x10000u

/* As a block is while it is free: what one spawn needs that another does not. */
void co_block_tidy(struct co *c);
/* c has no stack any more, and nobody knows of it. */
void co_block_free(struct co *c);
/* A block, and a stack that is not its own; -EAGAIN. */
int co_block_take_apart(unsigned hart, enum co_stack class, struct co **out);

/* A control block with its own stack. */
static inline bool co_block_take_pair(unsigned hart, struct co **out)
{
	struct co_hart *h = co_hart_at(hart);
	int index;

	/* relaxed, acquire: as in co_bits_take(); mostly it is the first one. */
	if (co_atomic_load(&h->free_pairs, CO_RELAXED) & 1 &&
	    co_atomic_and(&h->free_pairs, ~(uintptr_t)1, CO_ACQUIRE) & 1) {
		*out = co_annex_of(h, hart)->co;
		return true;
	}
	index = co_bits_take(&h->free_pairs, 1, 0);
	if (index < 0)
		return false;
	*out = &co_annex_of(h, hart)->co[index];
	return true;
}

/* A control block and a stack on that hart, or -EAGAIN. */
static inline int co_block_take(unsigned hart, enum co_stack class, struct co **out)
{
	return class <= CO_STACK_SPM && co_block_take_pair(hart, out)
		       ? 0
		       : co_block_take_apart(hart, class, out);
}

#endif
