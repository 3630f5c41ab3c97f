/*
 * block.h - allocation of control blocks and stacks for coroutines.
 *
 * A hart has CO_PER_HART blocks, a free bit for each. The blocks of the lowest CO_SPM_STACKS bits
 * have a scratchpad stack of their own, which is free when its block is; the block that was freed
 * last is not among the bits but in the word `recent`, from where the next spawn takes it. Further
 * blocks come in slabs (slab.h). A block is filled in when it is first taken, and not at boot.
 *
 * A free block keeps the name of its last coroutine, for reports.
 */
#ifndef COHART_BLOCK_H
#define COHART_BLOCK_H

#include "../core.h"
#include "../lost.h"

#define BLOCK_WORDS (CO_PER_HART / CO_WORD_BITS)
/* Bits of the first free word whose blocks have a scratchpad stack. */
#define WITH_STACK (co_machine.with_stack)

/* Free a block of h whose `refs` are 0, and whose coroutine had no flags. */
INLINE void co_block_give(struct co_hart *h, struct co *c)
{
	/*
	 * acq_rel: releases the writes of c's coroutine, and acquires the writes of the last
	 * coroutine of the block that was in `recent`, whose bit releases them; pairs with itself
	 * and with the takes' acquire.
	 */
	c = (struct co *)co_atomic_swap(&h->recent, (uintptr_t)c, CO_ACQ_REL);
	if (c)
		co_bits_give(h->free, c->index);
}

/* Free all blocks of a hart that boots. */
void co_blocks_init(struct co_hart *h, unsigned hart);

/* Free any block that nobody uses any more. */
void co_block_free_rarely(struct co *c);
static inline void co_block_free(struct co *c)
{
	/* relaxed: the free bit releases it. */
	co_atomic_store(&c->refs, 0, CO_RELAXED);
	/* Blocks of slabs have flags. */
	if (c->flags || co_harts_lost())
		co_block_free_rarely(c);
	else
		co_block_give(co_hart_at(c->hart), c);
}

/* Take a block that was never taken, or one for a stack elsewhere; NULL: none is free. */
struct co *co_block_take_apart(unsigned hart, enum co_stack class);

/* Take a block and a big stack on hart 0, which calls it at boot. NULL: there is no stack. */
struct co *co_block_take_first(void);

/*
 * Leave no block of a lost hart free. Once its coroutines are given up this is done again: one that
 * ended just then has freed its block. Context: hart 0.
 */
void co_blocks_close(unsigned hart);

/* Take a block with a scratchpad stack that was taken before; NULL: no block is free. */
static inline struct co *co_block_take_own(struct co_hart *h, unsigned hart)
{
	struct co *c;
	uintptr_t made;
	int index;

	if (!CO_SPM_ROOMY)
		return NULL;
	/* acquire: its last coroutine's writes; pairs with co_block_give(). */
	c = (struct co *)co_atomic_swap(&h->recent, 0, CO_ACQUIRE);
	if (c)
		return c;
	/* relaxed: the free bit has published the block. */
	made = co_atomic_load(&h->made[0], CO_RELAXED);
	index = co_bits_take_of(&h->free[0], WITH_STACK & made);
	return index < 0 ? NULL : co_blocks_of(h, hart) + index;
}

/* Take a block and a stack on that hart; NULL: one of the two is used up. */
static inline struct co *co_block_take(unsigned hart, enum co_stack class)
{
	struct co *c = NULL;

	if (co_inject(CO_INJECT_MEMORY))
		return NULL;
	if (class <= CO_STACK_SPM)
		c = co_block_take_own(co_hart_at(hart), hart);
	return c ? c : co_block_take_apart(hart, class);
}

#endif
