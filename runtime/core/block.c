/* block.c - control blocks of coroutines and their stacks, free and taken. */
#include <errno.h>

#include "block.h"
#include "lost.h"
#include "slab.h"

/* Pairs, as far as there are stacks. */
#define PAIRS (CO_SPM_STACKS == CO_WORD_BITS ? ~(uintptr_t)0 : ((uintptr_t)1 << PAIR_COUNT) - 1)
#define PAIR_COUNT (CO_SPM_STACKS % CO_WORD_BITS)

void co_block_init(struct co *c, unsigned hart, unsigned index)
{
	*c = (struct co){ .doorbell = co_hart_at(hart)->doorbell,
			  .hart = (uint16_t)hart,
			  .index = index,
			  .flags = CO_FLAG_UNPAINTED };
	c->waiter.token = &c->token;
	co_atomic_store(&c->refs, CO_RUNNING, CO_RELAXED);
}

void co_blocks_init(struct co_hart *h, unsigned hart)
{
	for (unsigned i = 0; i < CO_PER_HART; i++) {
		struct co *c = &co_area_of(h, hart)->co[i];

		co_block_init(c, hart, i);
		co_stack_own(c);
	}
	co_slabs_init(hart);
	for (unsigned i = 0; i < BLOCK_WORDS; i++)
		co_atomic_store(&h->free[i], ~(i ? 0 : PAIRS), CO_RELAXED);
	co_atomic_store(&h->free_pairs, PAIRS, CO_RELAXED);
	co_atomic_store(&h->free_stacks, 0, CO_RELAXED);
}

/* What is free again in any case; `lasting`: the flags that outlive the coroutine. */
static inline void clear(struct co *c, unsigned lasting)
{
	co_atomic_store(&c->state, CO_FREE, CO_RELEASE); /* as in co_block_give_pair() */
	co_atomic_store(&c->refs, CO_RUNNING, CO_RELAXED);
	c->flags &= lasting;
	co_stack_own(c);
}

static NOINLINE void free_in_slab(struct co *c)
{
	bool retired = c->flags & CO_FLAG_RETIRED;

	clear(c, CO_FLAG_UNPAINTED | CO_FLAG_SMALL);
	if (!retired && !(co_harts_lost() && co_hart_lost(c->hart)))
		co_slab_give(c);
}

void co_block_free(struct co *c)
{
	struct co_hart *h = co_hart_at(c->hart);
	uintptr_t bit = (uintptr_t)1 << c->index % CO_WORD_BITS;

	if (c->index >= CO_PER_HART) {
		free_in_slab(c);
		return;
	}
	clear(c, CO_FLAG_UNPAINTED);
	if (co_harts_lost() && co_hart_lost(c->hart))
		return; /* no coroutine may start there */
	/* Mostly its own stack is free too. acquire: pairs with its giver; released again below. */
	if (c->index + 1 <= CO_SPM_STACKS && co_atomic_and(&h->free_stacks, ~bit, CO_ACQUIRE) & bit)
		co_bits_give(&h->free_pairs, c->index);
	else
		co_bits_give(h->free, c->index);
}

/* A block, whether its stack is free too or not; NULL: there is none. */
static struct co *take_block(struct co_hart *h, unsigned hart)
{
	int index = co_bits_take(h->free, BLOCK_WORDS, 0);

	if (index < 0) {
		index = co_bits_take(&h->free_pairs, 1, 0);
		if (index < 0)
			return co_slab_take(hart, CO_STACK_ANY);
		co_bits_give(&h->free_stacks, (unsigned)index);
	}
	return co_blocks_of(h, hart) + index;
}

int co_block_take_apart(unsigned hart, enum co_stack class, struct co **out)
{
	struct co_hart *h = co_hart_at(hart);
	int stack = class <= CO_STACK_SPM ? co_bits_take(&h->free_stacks, 1, 0) : -EAGAIN;
	struct co *c = NULL;

	if (class == CO_STACK_1K || class == CO_STACK_2K) {
		*out = co_slab_take(hart, class);
		return *out ? 0 : -EAGAIN;
	}
	if (stack >= 0 || class != CO_STACK_SPM)
		c = take_block(h, hart);
	if (!c) {
		if (stack >= 0)
			co_bits_give(&h->free_stacks, (unsigned)stack);
		return -EAGAIN;
	}
	if (stack >= 0) {
		co_stack_lend(c, (unsigned)stack);
	} else if (co_stack_take(class == CO_STACK_ANY ? CO_STACK_MAIN : class, c)) {
		co_block_free(c);
		return -EAGAIN;
	}
	*out = c;
	return 0;
}
