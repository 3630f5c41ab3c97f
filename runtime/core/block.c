/* block.c - control blocks of coroutines and their stacks, free and taken. */
#include <errno.h>

#include "block.h"
#include "slab.h"

void co_block_init(struct co *c, unsigned hart, unsigned index)
{
	*c = (struct co){ .doorbell = co_hart_at(hart)->doorbell,
			  .hart = (uint16_t)hart,
			  .index = index,
			  .flags = CO_FLAG_UNPAINTED };
	c->waiter.token = &c->token;
}

void co_blocks_init(struct co_hart *h, unsigned hart)
{
	for (unsigned i = 0; i < CO_PER_HART; i++) {
		struct co *c = &co_area_of(h, hart)->co[i];

		co_block_init(c, hart, i);
		c->guess = (uint32_t)((uintptr_t)c - (uintptr_t)h) * CO_PER_HART + i;
		co_stack_own(c);
	}
	co_slabs_init(hart);
	for (unsigned i = 0; i < BLOCK_WORDS; i++)
		co_atomic_store(&h->free[i], ~(uintptr_t)0, CO_RELAXED);
	co_atomic_store(&h->recent, co_blocks_of(h, hart)->guess, CO_RELAXED);
}

NOINLINE void co_block_free_rarely(struct co *c)
{
	bool retired = c->flags & CO_FLAG_RETIRED;

	co_atomic_store(&c->refs, 0, CO_RELEASE); /* as in co_block_give() */
	c->flags &= CO_FLAG_UNPAINTED | CO_FLAG_SMALL;
	co_stack_own(c);
	/* On a lost hart no coroutine may start. */
	if (retired || (co_harts_lost() && co_hart_lost(c->hart)))
		return;
	if (c->index >= CO_PER_HART)
		co_slab_give(c);
	else
		co_bits_give(co_hart_at(c->hart)->free, c->index);
}

/* A block for a stack of another kind; one with a scratchpad stack if there is no other. */
static struct co *take_block(struct co_hart *h, unsigned hart)
{
	struct co *c;

	for (unsigned i = 0; i < BLOCK_WORDS; i++) {
		int index = co_bits_take_of(&h->free[i], ~(i ? 0 : WITH_STACK));

		if (index >= 0)
			return co_blocks_of(h, hart) + i * CO_WORD_BITS + index;
	}
	c = co_slab_take(hart, CO_STACK_ANY);
	return c ? c : co_block_take_own(h, hart);
}

int co_block_take_apart(unsigned hart, enum co_stack class, struct co **out)
{
	bool small = class == CO_STACK_1K || class == CO_STACK_2K;
	struct co *c = small                   ? co_slab_take(hart, class)
		       : class != CO_STACK_SPM ? take_block(co_hart_at(hart), hart)
					       : NULL;

	if (!c)
		return -EAGAIN;
	if (!small && co_stack_take(class == CO_STACK_ANY ? CO_STACK_MAIN : class, c)) {
		co_block_free(c);
		return -EAGAIN;
	}
	*out = c;
	return 0;
}
