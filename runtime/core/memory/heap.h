/*
 * heap.h - the heap of a hart's window (spm.c), in a row of units.
 *
 * The row is a chain of blocks without gaps. Each begins with a unit that is its header and says
 * how long it and the block before it are; first fit, and free neighbours are joined at once. Only
 * the owner allocates and frees, so there is no lock; other harts read the counts only.
 *
 * All arithmetic is on indices of units. tests/proof/heap.h has the proof that blocks tile the row,
 * that nothing outside of it is touched, and of the further properties in docs/verification.md.
 * Lines with @ in comments are the proof's.
 */
#ifndef COHART_HEAP_H
#define COHART_HEAP_H

#include <cohart/atomic.h>

/* A unit of the row, as the header of a block. */
struct co_heap_block {
	uint32_t units;  /* header included */
	uint32_t before; /* of the block before, 0 for the first */
	uint32_t owner;  /* the coroutine that took it, by number */
	uint16_t mark;   /* CO_BLOCK_TAKEN: it is handed out; finds wild frees */
	uint16_t shift;  /* units from the header's end to the caller's memory */
};

#define CO_BLOCK_TAKEN 0x5ca7u
/* In the unit before the caller's memory, if that is not the header: its shift leads back. */
#define CO_BLOCK_SIGN 0xa358u

#define CO_HEAP_UNITS_MAX (1u << 16) /* a shift fits */

struct co_heap {
	struct co_heap_block *block;
	uint32_t units;     /* of the row: 2 to CO_HEAP_UNITS_MAX */
	struct co_a32 used; /* units in blocks that are taken; for reports */
	struct co_a32 high; /* the most it ever was */
};

/* One free block. @param block  aligned to a unit */
void co_heap_init(struct co_heap *h, struct co_heap_block *block, uint32_t units);

/*
 * @param bytes  at least 1
 * @param align  a power of two; a unit at least is given
 * @return the index of the unit where the bytes begin; 0: no free block is large enough
 */
uint32_t co_heap_alloc(struct co_heap *h, size_t bytes, size_t align, uint32_t owner);

/* The bytes that the largest free block has room for; 0: no block is free. */
size_t co_heap_largest(const struct co_heap *h);

/* @param unit  from co_heap_alloc() (asserted as far as the marks tell) */
void co_heap_free(struct co_heap *h, uint32_t unit);

/* Free all blocks of one owner. */
void co_heap_free_of(struct co_heap *h, uint32_t owner);

#endif
