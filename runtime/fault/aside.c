/*
 * aside.c - looks of hart 0 that may report, on the stack of its executor.
 *
 * Hart 0 looks in scheduling points, and while it sleeps on the stack of a coroutine that waits. A
 * report takes more than 2 KiB, and the stack may have 1 KiB. Whatever runs on the executor's stack
 * enters a coroutine for good, and the next entry begins at the top (core/sched/executor.c): while
 * a coroutine's stack is in use, the executor's is free.
 */
#include <hal/context.h>

#include "fault.h"

struct hal_context co_aside_caller; /* while a look is aside; else its sp is 0; gdb reads it */
static void (*look)(void);

static _Noreturn void begin(void)
{
	look();
	hal_context_jump(0, &co_aside_caller);
}

static bool is_on_executor_stack(uintptr_t sp)
{
	uintptr_t low = co_executor.stack_top - CO_EXECUTOR_STACK_BYTES;

	return sp - low < CO_EXECUTOR_STACK_BYTES;
}

void co_aside(void (*fn)(void))
{
	struct hal_context there;

	if (is_on_executor_stack((uintptr_t)__builtin_frame_address(0))) {
		fn();
		return;
	}
	look = fn;
	(void)hal_context_init(&there, co_executor.stack_top, begin);
	(void)hal_context_switch(0, &co_aside_caller, &there);
	co_aside_caller.sp = 0;
}

uintptr_t co_aside_from(void)
{
	return co_executor.hart ? 0 : co_aside_caller.sp;
}
