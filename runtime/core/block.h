/*
 * block.h - allocation of control blocks and stacks for coroutines.
 *
 * A hart has CO_PER_HART blocks, a free bit for each. Those of the lowest CO_SPM_STACKS bits have a
 * scratchpad stack of their own, which is free when they are. Others come in slabs (slab.h).
 * A block is filled in when it is first taken, and not at boot.
 *
 * A free block keeps the name of its last coroutine, for reports.
 */
#ifndef COHART_BLOCK_H
#define COHART_BLOCK_H

#include "core.h"
#include "lost.h"

#define BLOCK_WORDS (CO_PER_HART / CO_WORD_BITS)
/* In the first word of free bits: those with a stack. */
#define WITH_STACK (co_machine.with_stack)

/* Free a block of h whose `refs` are 0, and whose coroutine had no flags. */
static inline void co_block_give(struct co_hart *h, struct co *c)
{
	/* relaxed: a guess for the next take. */
	co_atomic_store(&h->recent, c->guess, CO_RELAXED);
	/* release: pairs with the takes' acquire. It has a scratchpad stack: a bit of this word. */
	co_atomic_or(&h->free[0], (uintptr_t)1 << c->index, CO_RELEASE);
}

/* Free any block that nobody uses any more. */
void co_block_free_rarely(struct co *c);
static inline void co_block_free(struct co *c)
{
	/* relaxed: the free bit releases it. */
	co_atomic_store(&c->refs, 0, CO_RELAXED);
	/* Those of slabs have flags. */
	if (c->flags || co_harts_lost())
		co_block_free_rarely(c);
	else
		co_block_give(co_hart_at(c->hart), c);
}

/* Take a block that was never taken, or one for a stack elsewhere. Returns 0 or -EAGAIN. */
int co_block_take_apart(unsigned hart, enum co_stack class, struct co **out);

/* shortage.c: nothing was free on harts first..first+n-1; hart 0 says so, now and then. */
void co_shortage(unsigned first, unsigned n, enum co_stack wanted);

/* Take a block with a scratchpad stack that was taken before; NULL: there is none. */
static inline struct co *co_block_take_own(struct co_hart *h, unsigned hart)
{
	uintptr_t guess, bit, made;
	int index;

	if (!CO_SPM_ROOMY)
		return NULL;
	/*
	 * Its place in the window, times CO_PER_HART, and its index: so nothing is read of the
	 * block, which may be far, and which has been made. relaxed: a guess.
	 */
	guess = co_atomic_load(&h->recent, CO_RELAXED);
	bit = (uintptr_t)1 << guess % CO_WORD_BITS;

	/* acquire: what its last owner did; pairs with co_block_give(). */
	if (co_atomic_and(&h->free[0], ~bit, CO_ACQUIRE) & bit)
		return (struct co *)((uintptr_t)h + guess / CO_PER_HART);
	/* relaxed: the free bit has published the block. */
	made = co_atomic_load(&h->made[0], CO_RELAXED);
	index = co_bits_take_of(&h->free[0], WITH_STACK & made);
	return index < 0 ? NULL : co_blocks_of(h, hart) + index;
}

/* Take a block and a stack on that hart. Returns 0 or -EAGAIN. */
static inline int co_block_take(unsigned hart, enum co_stack class, struct co **out)
{
	if (co_inject(CO_INJECT_MEMORY))
		return -EAGAIN;
	*out = class <= CO_STACK_SPM ? co_block_take_own(co_hart_at(hart), hart) : NULL;
	return *out ? 0 : co_block_take_apart(hart, class, out);
}

#endif
