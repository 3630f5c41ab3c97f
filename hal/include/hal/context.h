/*
 * context.h - switching stacks: the heart of a coroutine.
 *
 * A context is one word, the stack pointer; everything else a callee must preserve is pushed below
 * it.
 */
#ifndef HAL_CONTEXT_H
#define HAL_CONTEXT_H

#include <stdint.h>

struct hal_context {
	uintptr_t sp;
};

/*
 * Lay the first frame of a new context: the first switch to it calls entry() on this stack.
 * @param stack_top  16-byte aligned end (highest address) of the stack
 * @param entry      never returns
 * @return 0, for tail calls
 * Context: the hart that will run it (the stack may be private to it).
 */
int hal_context_init(struct hal_context *c, uintptr_t stack_top, void (*entry)(void));

/*
 * Save the caller in `from`, go on with `to`.
 * @param result  returned by the call in which `to` was saved; a new context ignores it
 * @return `result` of the call that switches back
 * Cost: rv64 70 instructions a pair, and 30 for each of the two that has calculated in floating
 * point; aarch64 34 plus 16.
 */
int hal_context_switch(int result, struct hal_context *from, const struct hal_context *to);

/* Go on with `to`; the caller's context is dropped. */
_Noreturn void hal_context_jump(int result, const struct hal_context *to);

/*
 * Begin a new context on a stack at once; the caller's context is dropped, and may be on this
 * stack.
 * As hal_context_init() and hal_context_jump(), in some 6 instructions.
 * @param entry  never returns
 */
_Noreturn void hal_context_begin(uintptr_t stack_top, void (*entry)(void));

#endif
