/*
 * fiber.h - telling a sanitizer which stack runs. Without one, all of it is nothing.
 *
 * A fiber tells the sanitizer of a context: it has ThreadSanitizer's own handle, or the stack's
 * bounds for AddressSanitizer, and lies at the stack's top. fiber_leave() is called on the old
 * stack, right before the switch, fiber_arrive() on the new one, right after it.
 * Source: <sanitizer/tsan_interface.h>, <sanitizer/common_interface_defs.h>.
 */
#ifndef HAL_HOST_FIBER_H
#define HAL_HOST_FIBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Its code runs between two stacks, where a sanitizer must not look. */
#define FIBER_CODE __attribute__((no_sanitize("thread", "address", "undefined")))

#if defined(__SANITIZE_THREAD__)

#include <sanitizer/tsan_interface.h>

/*
 * ThreadSanitizer takes milliseconds to make a handle and to destroy it. So the handle of a context
 * that has ended goes to a later one of its hart, which happens after it anyway: the hart ran both.
 * A handle is used FIBER_USES times, since functions in which a context ended stay in the
 * handle's list of callers (of 65,536): reports may show them below a context's.
 */
#define FIBER_USES 64
#define FIBER_SPARES 64

struct fiber {
	void *handle;
	unsigned uses;
};

static _Thread_local struct fiber fiber_native; /* the thread's own, which stays */
static _Thread_local struct fiber *fiber_here;
static _Thread_local struct fiber fiber_now;  /* a copy: one that begins may lie there */
static _Thread_local struct fiber fiber_dead; /* of a context that has ended */
static _Thread_local struct fiber fiber_spares[FIBER_SPARES];
static _Thread_local unsigned fiber_spare_count;

FIBER_CODE static inline void *fiber_new(uintptr_t *stack_top)
{
	struct fiber *f;

	*stack_top -= (sizeof(*f) + 15) & ~(size_t)15;
	f = (struct fiber *)*stack_top;
	if (fiber_spare_count)
		*f = fiber_spares[--fiber_spare_count];
	else
		*f = (struct fiber){ __tsan_create_fiber(0), 0 };
	f->uses++;
	return f;
}

FIBER_CODE static inline void *fiber_self(void)
{
	if (!fiber_here) {
		fiber_here = &fiber_native;
		fiber_native.handle = __tsan_get_current_fiber();
		fiber_now = fiber_native;
	}
	return fiber_here;
}

/* Flags 0: a switch synchronizes: the old context happens before the new one, as on a hart. */
FIBER_CODE static inline void fiber_leave(void *to, bool for_good)
{
	struct fiber *self = fiber_self();

	if (for_good && self != &fiber_native)
		fiber_dead = fiber_now;
	fiber_here = to;
	fiber_now = *fiber_here;
	__tsan_switch_to_fiber(fiber_now.handle, 0);
}

FIBER_CODE static inline void fiber_arrive(void)
{
	if (!fiber_dead.handle)
		return;
	if (fiber_dead.uses < FIBER_USES && fiber_spare_count < FIBER_SPARES)
		fiber_spares[fiber_spare_count++] = fiber_dead;
	else
		__tsan_destroy_fiber(fiber_dead.handle);
	fiber_dead.handle = NULL;
}

#elif defined(__SANITIZE_ADDRESS__)

#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

struct fiber {
	const void *bottom;
	size_t bytes;
	void *fake; /* frames that were moved to the heap, with detect_stack_use_after_return=1 */
};

static _Thread_local struct fiber fiber_native; /* the thread's own stack */
static _Thread_local struct fiber *fiber_here;
static _Thread_local struct fiber *fiber_before;

/*
 * No stack is smaller. The bottom only helps to describe addresses; the top must be exact.
 */
#define FIBER_BYTES (32u << 10)

FIBER_CODE static inline void *fiber_new(uintptr_t *stack_top)
{
	struct fiber *f;

	*stack_top -= (sizeof(*f) + 15) & ~(size_t)15;
	f = (struct fiber *)*stack_top;
	f->bottom = (const void *)(*stack_top - FIBER_BYTES);
	/* What ran there before may have been left in the middle. */
	__asan_unpoison_memory_region(f->bottom, FIBER_BYTES - sizeof(*f));
	f->bytes = FIBER_BYTES;
	f->fake = NULL;
	return f;
}

FIBER_CODE static inline void *fiber_self(void)
{
	if (!fiber_here)
		fiber_here = &fiber_native;
	return fiber_here;
}

FIBER_CODE static inline void fiber_leave(void *to, bool for_good)
{
	struct fiber *f = to;

	fiber_before = fiber_self();
	fiber_here = f;
	__sanitizer_start_switch_fiber(for_good ? NULL : &fiber_before->fake, f->bottom, f->bytes);
}

FIBER_CODE static inline void fiber_arrive(void)
{
	const void *bottom;
	size_t bytes;

	__sanitizer_finish_switch_fiber(fiber_here->fake, &bottom, &bytes);
	if (fiber_before == &fiber_native) {
		fiber_native.bottom = bottom;
		fiber_native.bytes = bytes;
	}
}

#else

static inline void *fiber_new(uintptr_t *stack_top)
{
	(void)stack_top;
	return NULL;
}

static inline void *fiber_self(void)
{
	return NULL;
}

static inline void fiber_leave(void *to, bool for_good)
{
	(void)to;
	(void)for_good;
}

static inline void fiber_arrive(void)
{
}

#endif
#endif
