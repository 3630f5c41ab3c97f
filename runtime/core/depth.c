/*
 * depth.c - how deep stacks have been used, for reports. A stack may lie where its own hart alone
 * can read, so that is who looks, and leaves the figure where others can.
 */
#include <hal/time.h>

#include <cohart/watch.h>

#include "lost.h"

#define ANSWER_US 100000
#define LOOK_US 500

void co_depth_note(const struct co *c)
{
	/* relaxed: a figure. */
	co_atomic_store(&co_annex()->depth[c->index], (uint32_t)co_stack_used(c), CO_RELAXED);
}

/* On each hart: all that live here. */
static void measure(struct co_msg *m)
{
	struct co_annex *a = co_container_of(m, struct co_annex, depth_msg);

	for (unsigned i = 0; i < CO_PER_HART; i++) {
		if (co_is_live(&a->co[i]))
			co_depth_note(&a->co[i]);
	}
	/* release: the figures, and the message, which may be sent again; pairs with below. */
	co_atomic_store(&a->depth_asked, 0, CO_RELEASE);
}

static void ask_all(void)
{
	for (unsigned hart = 0; hart < co_machine.harts; hart++) {
		struct co_annex *a = co_annex_at(hart);

		/* acquire: the message is nobody's any more. */
		if (co_hart_lost(hart) || co_atomic_swap(&a->depth_asked, 1, CO_ACQUIRE))
			continue;
		a->depth_msg.run = measure;
		co_post(hart, &a->depth_msg);
	}
}

static bool answered(unsigned hart)
{
	return !co_atomic_load(&co_annex_at(hart)->depth_asked, CO_ACQUIRE);
}

static bool all_have_answered(void)
{
	for (unsigned hart = 0; hart < co_machine.harts; hart++) {
		if (!co_hart_lost(hart) && !answered(hart))
			return false;
	}
	return true;
}

void co_depth_add(struct co_text *t, const struct co *c)
{
	uint32_t used = co_atomic_load(&co_annex_at(c->hart)->depth[c->index], CO_RELAXED);
	size_t bytes;

	co_stack_of(c, &bytes);
	if (used)
		co_text_add(t, "%u of %lu bytes", (unsigned)used, (unsigned long)bytes);
	else
		co_text_add(t, "unknown, of %lu bytes", (unsigned long)bytes);
}

static void print_hart(unsigned hart)
{
	const struct co_annex *a = co_annex_at(hart);

	if (co_hart_lost(hart))
		return;
	if (!answered(hart))
		co_report("  hart %u has not answered: what is known of before", hart);
	for (unsigned i = 0; i < CO_PER_HART; i++) {
		char buf[256];
		struct co_text t = { buf, sizeof(buf), 0 };

		if (!co_is_live(&a->co[i]))
			continue;
		co_text_add(&t, "  '%s' on ", co_name(&a->co[i]));
		co_text_who(&t, hart, NULL);
		co_text_add(&t, ": ");
		co_depth_add(&t, &a->co[i]);
		co_report("%s", buf);
	}
}

void co_watch_stacks(void)
{
	uint64_t deadline = co_after_us(ANSWER_US);

	CO_ASSERT(co_self() && co_executor.hart == 0);
	ask_all();
	do {
		co_yield(); /* this hart has been asked too */
	} while (!all_have_answered() && hal_time_now() < deadline && co_sleep_us(LOOK_US) == 0);
	co_report("cohart: watch: the most that has been used of stacks so far:");
	for (unsigned hart = 0; hart < co_machine.harts; hart++)
		print_hart(hart);
}
