/*
 * context.c - hal/context.h for x86-64: the switch itself is switch.S's, here the sanitizers are
 * notified.
 */
#include <hal/context.h>

#include "fiber.h"
#include "host.h"

/* The words of a suspended context (switch.S). */
enum { FIBER, R15, R14, R13, R12, RBX, RBP, RESUME, WORDS };

static void *fiber_of(const struct hal_context *c)
{
	return ((void **)c->sp)[FIBER];
}

FIBER_CODE void hal_host_begin(void (*entry)(void))
{
	fiber_arrive();
	entry();
}

FIBER_CODE int hal_context_init(struct hal_context *c, uintptr_t stack_top, void (*entry)(void))
{
	void *fiber = fiber_new(&stack_top);
	uintptr_t *frame = (uintptr_t *)stack_top - WORDS;

	frame[FIBER] = (uintptr_t)fiber;
	frame[R15] = frame[R14] = frame[R13] = frame[R12] = 0;
	frame[RBX] = (uintptr_t)entry;
	frame[RBP] = 0;
	frame[RESUME] = (uintptr_t)hal_host_first_step;
	c->sp = (uintptr_t)frame;
	return 0;
}

FIBER_CODE int hal_context_switch(int result, struct hal_context *from,
				  const struct hal_context *to)
{
	void *self = fiber_self();

	fiber_leave(fiber_of(to), false);
	result = hal_host_swap(result, from, to, self);
	fiber_arrive();
	return result;
}

FIBER_CODE void hal_context_jump(int result, const struct hal_context *to)
{
	fiber_leave(fiber_of(to), true);
	hal_host_enter(result, to);
}

FIBER_CODE static __attribute__((noinline)) void begin(uintptr_t stack_top, void (*entry)(void))
{
	struct hal_context c;

	(void)hal_context_init(&c, stack_top, entry);
	hal_context_jump(0, &c);
}

/* The new stack may be the current one: `room` keeps begin() clear of its first words. */
FIBER_CODE void hal_context_begin(uintptr_t stack_top, void (*entry)(void))
{
	volatile char room[512];

	room[0] = 0;
	begin(stack_top, entry);
	(void)room[0];
	__builtin_unreachable();
}
