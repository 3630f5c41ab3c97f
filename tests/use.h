/* use.h - for tests of faults: what of a hart is in use, and is not afterwards. */
#ifndef TESTS_USE_H
#define TESTS_USE_H

#include "../runtime/core/core.h"
#include "../runtime/core/memory/slab.h"
#include "harness/test.h"

struct use {
	size_t heap;
	unsigned blocks, main, big;
};

static inline unsigned ones(const struct co_aword *words, unsigned n)
{
	unsigned sum = 0;

	while (n--)
		sum += (unsigned)__builtin_popcountll(co_atomic_load(&words[n], CO_RELAXED));
	return sum;
}

/* As if all slabs were there already. */
static inline unsigned slab_blocks(unsigned hart)
{
	unsigned slabs = co_atomic_load(&co_hart_at(hart)->slabs, CO_RELAXED);

	return ones(co_slabs_free(hart), slabs) + (co_slabs_most() - slabs) * CO_WORD_BITS;
}

static inline struct use use_of(unsigned hart)
{
	const struct co_hart *h = co_hart_at(hart);

	return (struct use){
		.heap = test_spm_use(hart).used,
		.blocks = ones(h->free, CO_PER_HART / CO_WORD_BITS) + slab_blocks(hart) +
			  (co_atomic_load(&h->recent, CO_RELAXED) != 0),
		.main = co_stacks_free(CO_STACK_MAIN),
		.big = co_stacks_free(CO_STACK_BIG),
	};
}

/* Nothing is kept. A block that an earlier case has let go of may have come back only since. */
static inline void check_use(unsigned hart, const struct use *before)
{
	struct use now = use_of(hart);

	CHECK_EQ(now.heap, before->heap);
	CHECK(now.blocks >= before->blocks);
	CHECK_EQ(now.main, before->main);
	CHECK_EQ(now.big, before->big);
}

#endif
