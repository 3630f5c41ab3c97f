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
	co_deadline_set(c, CO_FOREVER);
	c->waiter.token = &c->token;
	co_waiter_init(&c->waiter);
}

static NOINLINE struct co *make_block(struct co_hart *h, unsigned hart, unsigned index)
{
	struct co *c = co_blocks_of(h, hart) + index;

	co_block_init(c, hart, index);
	co_stack_own(c);
	/* release: the block; pairs with is_made(), slab.c. */
	co_atomic_or(&h->made[index / CO_WORD_BITS], (uintptr_t)1 << index % CO_WORD_BITS,
		     CO_RELEASE);
	return c;
}

void co_blocks_init(struct co_hart *h, unsigned hart)
{
	co_slabs_init(hart);
	make_block(h, hart, 0); /* co_block_next() begins there */
	co_atomic_store(&h->recent, 0, CO_RELAXED);
	for (unsigned i = 0; i < BLOCK_WORDS; i++)
		co_atomic_store(&h->free[i], ~(uintptr_t)0, CO_RELAXED);
}

void co_blocks_close(unsigned hart)
{
	struct co_hart *h = co_hart_at(hart);

	/* relaxed: a coroutine whose spawn took a block before this is given up with the rest. */
	for (unsigned i = 0; i < CO_PER_HART / CO_WORD_BITS; i++)
		co_atomic_store(&h->free[i], 0, CO_RELAXED);
	co_atomic_store(&h->recent, 0, CO_RELAXED);
	co_slabs_close(hart);
}

NOINLINE void co_block_free_rarely(struct co *c)
{
	bool retired = c->flags & CO_FLAG_RETIRED;

	if (c->flags & CO_FLAG_STACK)
		co_stack_own(c);
	c->flags &= CO_FLAG_UNPAINTED | CO_FLAG_SMALL;
	c->last.run = NULL;
	c->req.unended.run = NULL; /* a second fault may have left it in a list */
	/* On a lost hart no coroutine may start. */
	if (retired || (co_harts_lost() && co_hart_lost(c->hart)))
		return;
	if (c->index >= CO_PER_HART)
		co_slab_give(c);
	else
		co_bits_give(co_hart_at(c->hart)->free, c->index);
}

static uintptr_t made_bits(const struct co_hart *h, unsigned word)
{
	/* relaxed: the free bit has published the block. */
	return co_atomic_load(&h->made[word], CO_RELAXED);
}

/* The block of a free bit that the caller has taken. */
static inline struct co *block_of_bit(struct co_hart *h, unsigned hart, unsigned word, unsigned bit)
{
	unsigned index = word * CO_WORD_BITS + bit;

	return made_bits(h, word) >> bit & 1 ? co_blocks_of(h, hart) + index
					     : make_block(h, hart, index);
}

/* Take a block with a scratchpad stack; NULL: no block is free. */
static NOINLINE struct co *take_with_stack(struct co_hart *h, unsigned hart)
{
	struct co *c = co_block_take_own(h, hart);
	int bit = c ? -EAGAIN : co_bits_take_of(&h->free[0], WITH_STACK);

	return bit < 0 ? c : block_of_bit(h, hart, 0, (unsigned)bit);
}

/* Take a block of the window without a scratchpad stack; NULL: no block is free. */
INLINE struct co *take_of_window(struct co_hart *h, unsigned hart)
{
	for (unsigned i = 0; i < BLOCK_WORDS; i++) {
		int bit = co_bits_take_of(&h->free[i], ~(i ? 0 : WITH_STACK));

		if (bit >= 0)
			return block_of_bit(h, hart, i, (unsigned)bit);
	}
	return NULL;
}

/* Take a block of the window or of a slab; with a scratchpad stack only if no other is free. */
static struct co *take_block(struct co_hart *h, unsigned hart)
{
	struct co *c = take_of_window(h, hart) ?: co_slab_take(hart, CO_STACK_ANY);

	return c ? c : take_with_stack(h, hart);
}

struct co *co_block_take_first(void)
{
	struct co *c = take_of_window(co_executor.self, 0);

	return c && co_stack_take(CO_STACK_BIG, c) == 0 ? c : NULL;
}

struct co *co_block_take_apart(unsigned hart, enum co_stack class)
{
	struct co_hart *h;
	struct co *c = NULL;

	if (class == CO_STACK_1K || class == CO_STACK_2K)
		return co_slab_take(hart, class);
	h = co_hart_at(hart);
	/* co_block_take_own() has found none that has been made. */
	if (class <= CO_STACK_SPM && WITH_STACK & ~made_bits(h, 0))
		c = take_with_stack(h, hart);
	if (c || class == CO_STACK_SPM)
		return c;
	c = take_block(h, hart);
	if (c && co_stack_take(class == CO_STACK_ANY ? CO_STACK_MAIN : class, c)) {
		co_block_free(c);
		return NULL;
	}
	return c;
}

const char *co_name(const struct co *c)
{
	const char *name = (const char *)co_atomic_load(&c->name, CO_RELAXED);

	if (!name || !co_noted(c))
		return "unnamed";
	/* Reports call this after faults: the pointer may be wild. */
	return (uintptr_t)name >= HAL_PAGE_BYTES && co_spm_shared(name, 1) ? name : "?";
}
