/*
 * slab.h - control blocks beyond a hart's CO_PER_HART, cut from main memory when they are needed.
 *
 * A slab has as many blocks of one hart as a word has bits, and for each a stack of class
 * CO_STACK_1K or CO_STACK_2K, or none: then its coroutine gets one of another kind. A hart has as
 * many slabs as --coroutines= allows, and keeps them. Slabs and libc's heap grow towards each
 * other.
 *
 * Block and stack are used again together, so one bit says whether both are free. Any hart takes
 * and frees them; only their own touches the stack. A small stack has no guard page: its lowest
 * words are a canary.
 */
#ifndef COHART_SLAB_H
#define COHART_SLAB_H

#include "../lf/tree.h"
#include "../machine.h"
#include "stack.h"

enum co_slab_kind { CO_SLAB_BARE, CO_SLAB_1K, CO_SLAB_2K, CO_SLAB_KINDS };

/* Most slabs of a hart, and words for a bit each. */
static inline unsigned co_slabs_most(void)
{
	return (co_machine.per_hart - CO_PER_HART) / CO_WORD_BITS;
}

static inline unsigned co_slabs_words(void)
{
	return co_slabs_most() / CO_WORD_BITS + 1;
}

/*
 * A hart's tables: where its slabs are, with their kind in the low bits; the free bits of their
 * blocks; for each kind which slabs have some; which blocks, of slabs or not, were cancelled; and
 * the hart's deadlines, once they are many.
 */
static inline size_t co_slab_tables_bytes(void)
{
	size_t words = 2 * co_slabs_most() + CO_SLAB_KINDS * co_slabs_words() +
		       co_tree_words(co_machine.per_hart) + co_machine.per_hart;

	return co_round_up(words * sizeof(uintptr_t), CO_LINE);
}

static inline struct co_aword *co_slabs_of(unsigned hart)
{
	return (struct co_aword *)(co_machine.tables + hart * co_machine.table_bytes);
}

static inline struct co_aword *co_slabs_free(unsigned hart)
{
	return co_slabs_of(hart) + co_slabs_most();
}

static inline struct co_aword *co_slabs_open(unsigned hart, enum co_slab_kind kind)
{
	return co_slabs_free(hart) + co_slabs_most() + kind * co_slabs_words();
}

/* The blocks, by index, whose coroutines' waits a cancel is to end. */
static inline struct co_tree co_slabs_cancelled(unsigned hart)
{
	struct co_tree t;

	(void)co_tree_place(&t, co_machine.per_hart, co_slabs_open(hart, CO_SLAB_KINDS));
	return t;
}

static inline struct co **co_slabs_timers(unsigned hart)
{
	return (struct co **)(co_slabs_open(hart, CO_SLAB_KINDS) +
			      co_tree_words(co_machine.per_hart));
}

/* slab.c: set a hart's tables up, before any hart uses them. */
void co_slabs_init(unsigned hart);
/* Take a block of a hart, with a stack of class CO_STACK_1K or CO_STACK_2K, or without a stack. */
struct co *co_slab_take(unsigned hart, enum co_stack class);
/* Free c, a block of a slab. */
void co_slab_give(struct co *c);
/* The hart is lost: none of its blocks is free any more. */
void co_slabs_close(unsigned hart);
/* Can the hart have no further slab? */
bool co_slabs_full(unsigned hart);
/* Has main memory room for a slab of any kind? */
bool co_slabs_room(void);
/*
 * Main memory that is nobody's: slabs are cut from its end, all else from its start, in steps that
 * are aligned as well. Returns where it is, or 0. Context: any hart.
 */
#define CO_MAIN_STEP (CO_WORD_BITS * 512)
uintptr_t co_main_cut(size_t bytes);
/* Where co_main_cut() cuts next. */
uintptr_t co_main_low(void);
/* Bytes that are left for slabs and co_main_cut(). */
size_t co_main_room(void);
/* At boot: that is all there is. */
void co_main_carve(uintptr_t low, uintptr_t high);
/* The lowest of all slabs: there libc's heap ends at the latest. */
uintptr_t co_slabs_lowest(void);
/* The class of c's own small stack, and where it ends. */
uint8_t co_slab_class(const struct co *c);
uintptr_t co_slab_stack(const struct co *c);
/*
 * The lowest address of the small stack beside c, a block of `hart`, and its size; 0: it has no
 * stack. By c's address alone, since c may be damaged.
 */
uintptr_t co_slab_beside(unsigned hart, const struct co *c, size_t *bytes);
/* Find an address in a small stack. */
bool co_slab_find(uintptr_t address, struct co_stack_place *place);
/* Fill in a block. */
void co_block_init(struct co *c, unsigned hart, unsigned index);

/* The block of that index, which has been made. */
struct co *co_block_of(unsigned hart, unsigned index);
/* The block of a hart that follows c, or its first block if c is NULL; NULL: c was the last. */
struct co *co_block_next(unsigned hart, const struct co *c);
/* Is c a block of the hart, where its index says? If not, it is damaged: reports go no further. */
bool co_block_in_place(unsigned hart, const struct co *c);
/* co_block_next() over all harts; NULL also behind a block that is damaged. */
struct co *co_block_next_of_all(const struct co *c);
/*
 * The block at p, or NULL. p may be out of date, since coroutines may still run while they are
 * listed at the end of a run.
 */
const struct co *co_block_at(uintptr_t p);
struct co_seen *co_seen_of(const struct co *c);

#endif
