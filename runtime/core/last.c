/*
 * last.c - what a coroutine does that a fault has ended: it lets go of all it held, by the calls
 * that let go of such things, and ends.
 */
#include <hal/time.h>

#include "cleanup.h"
#include "fault.h"
#include "hook.h"
#include "stack.h"

/* Of stack that last words take. Above that are frames that others may still refer to. */
#define LAST_BYTES (4096u * HAL_STACK_SCALE)
#define CLEAR_BYTES (512u * HAL_STACK_SCALE) /* between the two */
#define LOOK_US 50
#define ORPHANS_US 1000000

uintptr_t co_last_words_sp(const struct co *c, uintptr_t sp)
{
	size_t bytes;
	uintptr_t low = co_stack_of(c, &bytes);
	uintptr_t at = low + LAST_BYTES;

	/* An overflow has no room left: the latest frames make some. */
	if (sp <= low + bytes && sp >= at + CLEAR_BYTES)
		at = sp - CLEAR_BYTES;
	return at & ~(uintptr_t)15;
}

/* A moment, whether it is cancelled or not. */
static void sleep_a_moment(struct co *c, const void *object, const char *kind)
{
	co_wait_prepare(NULL, object, kind);
	(void)co_wait_sleep(c, co_after_us(LOOK_US));
}

/* Those that it has begun move its memory. */
static void await_transfers(struct co *c)
{
	/* acquire: pairs with the mover's count; what they wrote is there. */
	while (co_atomic_load(&c->transfers, CO_ACQUIRE))
		sleep_a_moment(c, c, "its transfers");
}

/*
 * Coroutines whose batch, or that of a loop they are members of, lies on c's stack. One that is
 * about to count down is none of them, by two instructions.
 */
static unsigned orphans(const struct co *c)
{
	size_t bytes;
	uintptr_t low = co_stack_of(c, &bytes);
	unsigned n = 0;

	for (unsigned i = 0; i < co_machine.harts * CO_PER_HART; i++) {
		const struct co_annex *a = co_annex_at(i / CO_PER_HART);
		const struct co *child = &a->co[i % CO_PER_HART];

		n += co_is_live(child) && (uintptr_t)child->batch - low < bytes;
	}
	return n;
}

/*
 * They count down there, and store what comes of them: the stack stays until they have. Only stacks
 * in main memory can have such things.
 */
static void await_orphans(struct co *c)
{
	uint64_t deadline = co_after_us(ORPHANS_US);
	unsigned n;

	if (c->stack_class == CO_STACK_SPM)
		return;
	while ((n = orphans(c)) && hal_time_now() < deadline)
		sleep_a_moment(c, c, "the coroutines of its batches");
	if (!n)
		return;
	co_report(
		"cohart: %u coroutines go on that belong to batches on the stack of '%s', which a fault "
		"has ended: that stack is not used again",
		n, co_name(c));
	c->quirks |= CO_QUIRK_KEPT;
}

void co_last_words(void)
{
	struct co *c = co_executor.current;

	co_wait_forget(c);
	co_report_send();
	co_hooks_call(co_faulted, c);
	co_cleanup_fault(c);
	await_transfers(c);
	await_orphans(c);
	co_spm_release(c);
	co_end(0);
}
