/*
 * depth.c - how deep stacks are, and where coroutines wait. Each hart measures its own coroutines
 * when asked, since others may not read their stacks.
 */
#include <cohart/debug.h>
#include <hal/time.h>

#include "../core/lost.h"
#include "../core/memory/place.h"
#include "../core/memory/slab.h"
#include "fault.h"

#define DEPTH_US 100000 /* longest wait for stack depths */
#define DEPTHS 64       /* coroutines of a hart that are listed with their depths */

void co_depth_note(const struct co *c)
{
	/* relaxed: for reports. */
	co_atomic_store(&co_seen_of(c)->depth, (uint32_t)co_stack_used(c), CO_RELAXED);
}

void co_depth_add(struct co_text *t, const struct co *c)
{
	uint32_t used = co_atomic_load(&co_seen_of(c)->depth, CO_RELAXED);
	size_t bytes;

	co_stack_of(c, &bytes);
	if (used)
		co_text_add(t, "%u of %lu bytes", (unsigned)used, (unsigned long)bytes);
	else
		co_text_add(t, "unknown, of %lu bytes", (unsigned long)bytes);
}

/* Where c, of this hart, waits: the program's call that has led to that. */
static void note_place(const struct co *c)
{
	uintptr_t here = co_aside_from() ?: (uintptr_t)__builtin_frame_address(0);
	const uintptr_t *call = NULL;
	size_t bytes;
	uintptr_t low = co_stack_of(c, &bytes);
	uintptr_t sp = here - low < bytes ? here : c->context.sp; /* it sleeps in place */

	if (co_sleeps(c) && sp - low < bytes)
		call = co_program_call(c, sp, sp == here ? here : 0, low + bytes);
	co_atomic_store(&co_seen_of(c)->place, call ? *call : 0, CO_RELAXED);
}

/* Measure the stacks of this hart's coroutines, and look where they wait. */
static void measure(void)
{
	for (struct co *c = NULL; (c = co_block_next(co_executor.hart, c));) {
		if (!co_is_live(c))
			continue;
		co_stack_check(c);
		co_depth_note(c);
		note_place(c);
	}
}

/* Runs on each hart. */
static void measure_when_asked(struct co_msg *m)
{
	measure();
	co_notice_taken(co_container_of(m, struct co_notice, msg)); /* with the figures */
}

static void ask_depth(unsigned hart)
{
	if (!co_hart_lost(hart))
		co_notify(hart, &co_area_at(hart)->depths, measure_when_asked);
}

static bool depth_is_known(unsigned hart)
{
	/* acquire: the figures. */
	return co_hart_lost(hart) ||
	       !co_atomic_load(&co_area_at(hart)->depths.under_way, CO_ACQUIRE);
}

void co_note_places(void)
{
	struct co_patience patience = co_patience_begin(DEPTH_US);
	unsigned spins = 0;

	for (unsigned hart = 1; hart < co_machine.harts; hart++)
		ask_depth(hart);
	measure();
	for (unsigned hart = 1; hart < co_machine.harts; hart++) {
		while (!depth_is_known(hart) && co_patience_lasts(&patience))
			co_spin(&spins);
	}
}

static void print_depths(unsigned hart)
{
	unsigned n = 0;

	if (!depth_is_known(hart))
		co_report("  hart %u has not answered: what is known of before", hart);
	for (const struct co *c = NULL; (c = co_block_next(hart, c)) && !co_hart_lost(hart);) {
		char depth[64];
		struct co_text t = { depth, sizeof(depth), 0 };

		if (!co_is_live(c) || n++ >= DEPTHS)
			continue;
		co_depth_add(&t, c);
		co_report("  '%s' on " HART ": %s", co_name(c), HART_OF(hart), depth);
	}
	if (n > DEPTHS)
		co_report("  and %u more on hart %u", n - DEPTHS, hart);
}

void co_watch_stacks(void)
{
	CO_ASSERT_THAT(co_self() && co_executor.hart == 0,
		       "co_watch_stacks() is called by a coroutine on hart 0");
	co_note_places();
	co_report("cohart: watch: the most that has been used of stacks so far:");
	for (unsigned hart = 0; hart < co_machine.harts; hart++)
		print_depths(hart);
}
