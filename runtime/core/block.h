/*
 * block.h - allocation of control blocks and stacks for coroutines.
 *
 * A block and the scratchpad stack of the same number are a pair with one free bit. One of the two
 * may be free alone, with a free bit of its own: when a coroutine uses another stack, or has ended
 * while a handle of it is left. They become a pair again when both are free.
 *
 * A free block is prepared for the usual spawn: refs is CO_RUNNING, and its stack is its own. It
 * keeps the name of its last coroutine, for reports.
 */
#ifndef COHART_BLOCK_H
#define COHART_BLOCK_H

#include "core.h"

#define BLOCK_WORDS (CO_PER_HART / CO_WORD_BITS)

/* In refs: the coroutine has not ended. A handle counts 1. */
#define CO_RUNNING 0x10000u
/* In refs: its hart is lost and its joiner notified. The block is never used again. */
#define CO_GIVEN_UP 0x40000000u

/* Free a block that has no stack and no references left. */
void co_block_free(struct co *c);
/* Drop a reference to c; the last one frees the block. */
static inline void co_unref(struct co *c, uint32_t what)
{
	/* acq_rel: every use of c comes before it is free. */
	if (co_atomic_add(&c->refs, -what, CO_ACQ_REL) == what)
		co_block_free(c);
}

/* Has c, which has ended, no handle left? Then none can come, and nothing waits for c. */
static inline bool co_block_unheld(const struct co *c)
{
	/* acquire: uses of c by dropped handles; pairs with co_unref(). */
	return co_atomic_load(&c->refs, CO_ACQUIRE) == CO_RUNNING;
}

/* Free such a block and its own stack. */
static inline void co_block_give_pair(struct co_hart *h, struct co *c)
{
	/* release: what c has done; pairs with orphans(), fault.c. */
	co_atomic_store(&c->state, CO_FREE, CO_RELEASE);
	/* release: as in co_bits_give(). */
	co_atomic_or(&h->free_pairs, (uintptr_t)1 << c->index, CO_RELEASE);
}

/* Take a block and a stack that is not its own. Returns 0 or -EAGAIN. */
int co_block_take_apart(unsigned hart, enum co_stack class, struct co **out);

/* shortage.c: nothing was free on harts first..first+n-1; hart 0 says so, now and then. */
void co_shortage(unsigned first, unsigned n, enum co_stack wanted);

/* Take a block with its own stack; false if there is none. */
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

/* Take a block and a stack on that hart. Returns 0 or -EAGAIN. */
static inline int co_block_take(unsigned hart, enum co_stack class, struct co **out)
{
	if (co_inject(CO_INJECT_MEMORY))
		return -EAGAIN;
	return class <= CO_STACK_SPM && co_block_take_pair(co_hart_at(hart), hart, out)
		       ? 0
		       : co_block_take_apart(hart, class, out);
}

#endif
