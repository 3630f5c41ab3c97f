/* stack.h - the internal interface of stack.c. By core.h. */
#ifndef COHART_STACK_H
#define COHART_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cohart/coroutine.h>

/*
 * The bytes of stacks that the pools take, where main memory has `room` bytes for all uses; *bits:
 * the bytes of their words of bits.
 */
size_t co_stack_bytes_of_all(size_t room, size_t *bits);
/* Bytes of a rank's stack. */
size_t co_stack_of_rank(void);
void co_stack_carve(uintptr_t base, void *bits);
void co_stack_map(uintptr_t shared);
/*
 * The class of a rank's main(), beside enum co_stack: each rank has one, whose top may be in its
 * hart's window.
 */
#define CO_STACK_RANK (CO_STACK_8K + 1)
/* Are [p, p + bytes) on ranks' stacks, which may be mapped to another address of the memory? */
bool co_stack_is_mapped(uintptr_t p, size_t bytes);
/* Give c its block's own stack, if there is one. */
void co_stack_own(struct co *c);
/* Give c a slot of main memory, or return -ENOBUFS. Free it; c's own stack is freed with c. */
int co_stack_take(enum co_stack class, struct co *c);
void co_stack_give(struct co *c);
/*
 * Take a main-memory slot for a coroutine whose own stack is full.
 * Returns 0 or -ENOBUFS. Context: any.
 * co_stack_replace(): c, which runs on the new slot now, frees its former stack, unless it has
 * CO_FLAG_KEPT.
 */
struct co_stack_spare {
	uintptr_t top;
	unsigned slot;
};
int co_stack_spare(const struct co *c, struct co_stack_spare *spare);
void co_stack_replace(struct co *c, const struct co_stack_spare *spare);
/* Lowest address of c's stack and its size. */
uintptr_t co_stack_of(const struct co *c, size_t *bytes);
/* Number of main-memory slots of a class, of free ones, and bytes of one. Context: any. */
unsigned co_stacks(enum co_stack class);
unsigned co_stacks_free(enum co_stack class);
size_t co_stack_bytes_in(enum co_stack class);
/* End the run if c, which has begun, has overwritten the canary of its small stack. Context: c's
 * hart. */
void co_stack_check(struct co *c);
/*
 * The size of the small stack of *c, a block of the hart, if its canary is overwritten; else 0. *c
 * becomes NULL if the block is overwritten, too. Context: its hart's trap, or hart 0 while the hart
 * is silent; c has begun.
 */
size_t co_stack_overflown(unsigned hart, struct co **c);
/* Paint c's stack if it never was. Context: c's hart. */
void co_stack_paint(struct co *c);
/* Bytes of c's stack ever used, by earlier owners too; 0: none. Context: c's hart. */
size_t co_stack_used(const struct co *c);
/* The stack, or the guard page under it, that an address lies in. */
struct co_stack_place {
	const char *name;   /* "executor", "trap", "SPM", "main-memory", "small", "rank's", ... */
	const char *larger; /* the option that makes these stacks larger, or NULL */
	int hart;           /* the window's, -1: main memory */
	unsigned slot;
	bool guard;
	uintptr_t low, high; /* of the stack */
};
bool co_stack_find(uintptr_t address, struct co_stack_place *place);
/* The stack of confined code while this hart describes its fault. high 0: none. */
extern _Thread_local struct co_stack_place co_stack_beside;

#endif
