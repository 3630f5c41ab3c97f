/*
 * spm.h - scratchpad memory: each hart's own window.
 *
 * Example
 *	float *tile = co_spm_alloc(4096, 64);
 *	if (!tile)
 *		return -ENOMEM;
 *	float *theirs = co_spm_at(tile, neighbour);   // the same place in the neighbour's window
 *	...
 *	co_spm_free(tile);
 *
 * A window has a private part (stacks, _Thread_local variables, the executor), which other harts
 * can neither read nor write, and a public part, which all may. The heap here is the public part's
 * rest. Harts that make equal allocations in equal order get equal places (a symmetric heap).
 */
#ifndef COHART_SPM_H
#define COHART_SPM_H

#include <cohart/detail/base.h>

CO_BEGIN_C
/*
 * Take `bytes` of this hart's public heap.
 * @param bytes  at least 1 (asserted)
 * @param align  a power of two (asserted), 16 at least is given
 * @return NULL when no free block is large enough; nothing is changed then.
 * Context: any coroutine, for its own hart. Cost: a walk over the heap's blocks.
 */
void *co_spm_alloc(size_t bytes, size_t align);

/*
 * Give it back; neighbouring free blocks become one. NULL is allowed.
 * Context: a coroutine of the hart that took it (asserted). A second free is asserted against.
 */
void co_spm_free(void *p);

/*
 * Bytes of this hart's largest free block: co_spm_alloc() of that many, aligned to 16, would do.
 * Context: any coroutine. Cost: a walk over the heap's blocks.
 */
size_t co_spm_largest(void);

/*
 * The place of p in another hart's window.
 * @param p     in this hart's public part (asserted)
 * @param hart  0..co_harts()-1 (asserted)
 * Context: any. Cost: a multiply and an add.
 */
void *co_spm_at(const void *p, unsigned hart);

/* The hart in whose window p lies, -1 if in none. Context: any. */
int co_spm_hart(const void *p);

/* True if every hart may use [p, p + bytes): main memory, or a public part. Context: any. */
bool co_spm_shared(const void *p, size_t bytes);

struct co_spm_use {
	size_t heap_bytes; /* the public heap's size */
	size_t used;       /* now, headers included */
	size_t high_water; /* the most it ever was */
};

/* Context: any; of another hart the figures are a moment old. */
void co_spm_use(unsigned hart, struct co_spm_use *use);

/* The layout of a window, lowest first, to be printed. */
struct co_spm_part {
	const char *name;
	size_t offset; /* from the window's start */
	size_t bytes;
	bool is_public;
};

/*
 * The *count parts of hart 0's window. Other windows have these too, but --spm= may size heap,
 * mailboxes and caches for each group. Context: any.
 */
const struct co_spm_part *co_spm_parts(unsigned *count);

/*
 * Coroutine stacks in each window. 0: windows are too small here, all stacks are in main memory,
 * and there is no class CO_STACK_SPM. Context: any.
 */
unsigned co_spm_stacks(void);

/* Bytes of a window: every hart has as many. Context: any. */
size_t co_spm_bytes(void);

/*
 * Start of a hart's window, where its public part begins.
 * @param hart  0..co_harts()-1 (asserted)
 * Context: any.
 */
void *co_spm_base(unsigned hart);
CO_END_C
#endif
