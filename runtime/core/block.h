/*
 * block.h - taking a control block with a stack for a coroutine, and giving it back.
 *
 * A block and the scratchpad slot of its number are a pair, free by one bit. Where slots run out,
 * or main memory is wanted, or a coroutine has ended whose handle somebody has still, one of the
 * two is free alone, by a bit of its own; they become a pair again when both are.
 *
 * A block that is free is as most spawns want it: refs is CO_RUNNING, its stack its own. The name
 * of its last owner stays, for reports of what it left behind.
 */
#ifndef COHART_BLOCK_H
#define COHART_BLOCK_H

#include <errno.h>

#include "core.h"

#define BLOCK_WORDS (CO_PER_HART / CO_WORD_BITS)

/* A coroutine that has not ended holds its block by this; a handle counts 1. */
#define CO_RUNNING 0x10000u
/* And its hart is lost, and its joiner has been notified: the block is nobody else's ever. */
#define CO_GIVEN_UP 0x40000000u

/* c has no stack any more, and nobody knows of it. */
void co_block_free(struct co *c);
/* One reference to c less; the last one frees the block. */
static inline void co_unref(struct co *c, uint32_t what)
{
	/* acq_rel: all that was done with c is over before it is free. */
	if (co_atomic_add(&c->refs, -what, CO_ACQ_REL) == what)
		co_block_free(c);
}

/* Does c, which has ended, hold itself alone? Then nobody else can again, and none waits for it. */
static inline bool co_block_unheld(const struct co *c)
{
	/* acquire: what others did with c before they let go is over; pairs with co_unref(). */
	return co_atomic_load(&c->refs, CO_ACQUIRE) == CO_RUNNING;
}

/* It goes back so, with its own stack. */
static inline void co_block_give_pair(struct co_hart *h, struct co *c)
{
	/* release: what c has done; pairs with orphans(), fault.c. */
	co_atomic_store(&c->state, CO_FREE, CO_RELEASE);
	/* release: as in co_bits_give(). */
	co_atomic_or(&h->free_pairs, (uintptr_t)1 << c->index, CO_RELEASE);
}

/* A block, and a stack that is not its own; -EAGAIN. */
int co_block_take_apart(unsigned hart, enum co_stack class, struct co **out);

/* A control block with its own stack. */
static inline bool co_block_take_pair(struct co_hart *h, unsigned hart, struct co **out)
{
	int index;

	/* relaxed, acquire: as in co_bits_take(); mostly it is the first one. */
	if (co_atomic_load(&h->free_pairs, CO_RELAXED) & 1 &&
	    co_atomic_and(&h->free_pairs, ~(uintptr_t)1, CO_ACQUIRE) & 1) {
		*out = co_blocks_of(h, hart);
		return true;
	}
	index = co_bits_take(&h->free_pairs, 1, 0);
	if (index < 0)
		return false;
	*out = co_blocks_of(h, hart) + index;
	return true;
}

/* A control block and a stack on that hart, or -EAGAIN. */
static inline int co_block_take(unsigned hart, enum co_stack class, struct co **out)
{
	if (co_inject(CO_INJECT_MEMORY))
		return -EAGAIN;
	return class <= CO_STACK_SPM && co_block_take_pair(co_hart_at(hart), hart, out)
		       ? 0
		       : co_block_take_apart(hart, class, out);
}

#endif
