/* stack.h - what the runtime's files know of stacks (stack.c): classes, slots, paint. By core.h. */
#ifndef COHART_STACK_H
#define COHART_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cohart/coroutine.h>

void co_stack_carve(void);
void co_stack_map(uintptr_t shared);
/* The block's own stack is c's, if it has one. */
void co_stack_own(struct co *c);
/* A scratchpad slot, taken already, or one of main memory: -EAGAIN when there is none. */
void co_stack_lend(struct co *c, unsigned slot);
int co_stack_take(enum co_stack class, struct co *c);
void co_stack_give(struct co *c);
/*
 * A main-memory slot that is no coroutine's yet, for one whose own stack is full: -EAGAIN when
 * there is none. Context: any. Then c, which runs on it, has it as its stack; its own goes back,
 * unless that is CO_FLAG_KEPT.
 */
struct co_stack_spare {
	uintptr_t top;
	unsigned slot;
};
int co_stack_spare(const struct co *c, struct co_stack_spare *spare);
void co_stack_replace(struct co *c, const struct co_stack_spare *spare);
/* Lowest address of c's stack and its size. */
uintptr_t co_stack_of(const struct co *c, size_t *bytes);
/* Slots of a class in main memory that are free. Context: any; a moment old. */
unsigned co_stacks_free(enum co_stack class);
/* Paint it unless it was painted before. Context: c's hart. */
void co_stack_paint(struct co *c);
/* Bytes of it that its owners so far have used; 0: nobody has begun on it. As above. */
size_t co_stack_used(const struct co *c);
/* The stack, or the guard page under it, that an address lies in. */
struct co_stack_place {
	const char *name; /* "executor", "trap", "SPM", "main-memory", "big", "confined" */
	int hart;         /* whose window, -1: main memory */
	unsigned slot;
	bool guard;
	uintptr_t low, high; /* of the stack */
};
bool co_stack_find(uintptr_t address, struct co_stack_place *place);
/* While this hart describes a fault of confined code: its stack. high 0: none. */
extern _Thread_local struct co_stack_place co_stack_beside;

#endif
