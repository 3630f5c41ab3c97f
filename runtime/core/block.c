/* block.c - control blocks of coroutines and their stacks, free and taken. */
#include <errno.h>

#include "block.h"
#include "lost.h"

/* Pairs, as far as there are stacks. */
#define PAIRS (CO_SPM_STACKS == CO_WORD_BITS ? ~(uintptr_t)0 : ((uintptr_t)1 << PAIR_COUNT) - 1)
#define PAIR_COUNT (CO_SPM_STACKS % CO_WORD_BITS)

void co_blocks_init(struct co_hart *h, unsigned hart)
{
	struct co *co = co_area_of(h, hart)->co;

	for (unsigned i = 0; i < CO_PER_HART; i++) {
		co[i] = (struct co){ .hart = (uint16_t)hart,
				     .index = (uint16_t)i,
				     .flags = CO_FLAG_UNPAINTED };
		co[i].waiter.token = &co[i].token;
		co_atomic_store(&co[i].refs, CO_RUNNING, CO_RELAXED);
		co_stack_own(&co[i]);
	}
	for (unsigned i = 0; i < BLOCK_WORDS; i++)
		co_atomic_store(&h->free[i], ~(i ? 0 : PAIRS), CO_RELAXED);
	co_atomic_store(&h->free_pairs, PAIRS, CO_RELAXED);
	co_atomic_store(&h->free_stacks, 0, CO_RELAXED);
}

void co_block_free(struct co *c)
{
	struct co_hart *h = co_hart_at(c->hart);
	uintptr_t bit = (uintptr_t)1 << c->index % CO_WORD_BITS;

	co_atomic_store(&c->state, CO_FREE, CO_RELEASE); /* as in co_block_give_pair() */
	co_atomic_store(&c->refs, CO_RUNNING, CO_RELAXED);
	c->flags &= CO_FLAG_UNPAINTED; /* the only flag that outlives the coroutine */
	co_stack_own(c);
	if (co_harts_lost() && co_hart_lost(c->hart))
		return; /* no coroutine may start there */
	/* Mostly its own stack is free too. acquire: pairs with its giver; released again below. */
	if (c->index + 1 <= CO_SPM_STACKS && co_atomic_and(&h->free_stacks, ~bit, CO_ACQUIRE) & bit)
		co_bits_give(&h->free_pairs, c->index);
	else
		co_bits_give(h->free, c->index);
}

/* Take a block, preferably one whose stack is not free. */
static int take_block(struct co_hart *h)
{
	int index = co_bits_take(h->free, BLOCK_WORDS, 0);

	if (index >= 0)
		return index;
	index = co_bits_take(&h->free_pairs, 1, 0);
	if (index >= 0)
		co_bits_give(&h->free_stacks, (unsigned)index);
	return index;
}

int co_block_take_apart(unsigned hart, enum co_stack class, struct co **out)
{
	struct co_hart *h = co_hart_at(hart);
	int stack = class <= CO_STACK_SPM ? co_bits_take(&h->free_stacks, 1, 0) : -EAGAIN;
	int index = -EAGAIN;
	struct co *c;

	if (stack >= 0 || class != CO_STACK_SPM)
		index = take_block(h);
	if (index < 0) {
		if (stack >= 0)
			co_bits_give(&h->free_stacks, (unsigned)stack);
		return -EAGAIN;
	}
	c = &co_area_of(h, hart)->co[index];
	if (stack >= 0) {
		co_stack_lend(c, (unsigned)stack);
	} else if (co_stack_take(class == CO_STACK_ANY ? CO_STACK_MAIN : class, c)) {
		co_block_free(c);
		return -EAGAIN;
	}
	*out = c;
	return 0;
}
