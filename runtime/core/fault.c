/*
 * fault.c - traps, panics and failed assertions: what each of them ends.
 *
 * A coroutine's fault ends that coroutine. Its hart leaves what it was doing for co_last_words(),
 * as the same coroutine, on its own stack: so what it held is let go of by the same calls that it
 * would have made. A fault in there ends it at once, whatever it still holds.
 *
 * A fault of nobody's, in the executor, a handler or in here, stops its hart; on hart 0, without
 * which nothing goes on, it ends the run. So does one in main()'s coroutine, or before all harts
 * are up.
 */
#include <hal/context.h>

#include "fault.h"
#include "hook.h"

/* A trap is being handled. */
static _Thread_local bool trapping;

/* How one of the runtime's own coroutines begins anew; NULL: it cannot. */
static void (*restart_of(struct co *c))(void)
{
	void (*fn)(void) = NULL;

	for (const struct co_hooks *h = __hooks_start; h < __hooks_end && !fn; h++)
		fn = h->restart ? h->restart(c) : NULL;
	return fn;
}

/* Whom a fault now is the end of; NULL: not a coroutine, but the hart or the run. */
static struct co *victim(void)
{
	struct co *c = co_executor.current;

	if (!co_executor.self || co_machine.booting || !c || c->quirks & CO_QUIRK_MAIN)
		return NULL;
	if (co_is_service(c) && !restart_of(c))
		return NULL;
	return c;
}

/* A report is in the buffer, and nothing can be contained. */
_Noreturn static void stop(void)
{
	if (!co_executor.self || co_machine.booting || co_executor.hart == 0)
		co_report_exit(); /* main() is on hart 0 */
	co_report_last();
}

/* Count it. True: there is room for its report. */
static bool count(void)
{
	struct co_hart *h = co_executor.self;
	uint32_t reports = co_atomic_load(&h->reports, CO_RELAXED);

	/* relaxed, all: its own hart's; others look for figures. */
	co_atomic_store(&h->faults, co_atomic_load(&h->faults, CO_RELAXED) + 1, CO_RELAXED);
	if (reports >= CO_FAULT_REPORTS)
		return false;
	co_atomic_store(&h->reports, reports + 1, CO_RELAXED);
	return true;
}

/* It goes on with its last words; or, if these are what has failed, not at all. */
static uintptr_t next_stack(struct co *c, uintptr_t sp, void (**fn)(void))
{
	if (co_is_service(c)) {
		*fn = restart_of(c);
		return c->stack_top;
	}
	if (c->quirks & CO_QUIRK_FAULTED) {
		*fn = co_end_at_once;
		return co_executor.stack_top;
	}
	c->quirks |= CO_QUIRK_FAULTED;
	*fn = co_last_words;
	return co_last_words_sp(c, sp);
}

/* Who says it if it is not the coroutine's last words. */
static void report_now(const struct co *c, struct co_text *t)
{
	if (co_is_service(c))
		co_text_add(t, "  it begins anew\n");
	else if (c->quirks & CO_QUIRK_FAULTED)
		co_text_add(t, "  these were its last words: what it still holds stays held\n");
	else
		return;
	co_report_post();
}

/*
 * The report has faulted itself: a name that is nowhere, most likely. It is done without; but who
 * has faulted at first is ended as if nothing had happened.
 */
static struct co *again(void)
{
	static const char text[] = "\nfault in the fault handler: no report can be had\n";
	struct co *c = victim();
	struct co_text t = co_report_open();

	co_text_add(&t, "%s", text);
	if (!c)
		stop();
	co_atomic_store(&c->named, 0, CO_RELAXED);
	return c;
}

static struct co *describe(const struct hal_trap *trap, const char *why)
{
	struct co *c = victim();
	struct co_text t;

	if (c && !count())
		return c;
	t = co_report_open();
	co_describe_trap(&t, trap, why);
	if (!c)
		stop();
	report_now(c, &t);
	return c;
}

void co_trap(struct hal_trap *trap)
{
	const char *why = NULL;
	struct co *c;
	void (*fn)(void);
	uintptr_t sp;

	if (hal_trap_is_alarm(trap)) {
		why = co_alarm(trap);
		if (!why)
			return;
	}
	if (!trapping) {
		trapping = true;
		c = describe(trap, why);
	} else {
		c = again();
	}
	co_trace_note(CO_TRACE_FAULT, hal_trap_pc(trap));
	sp = next_stack(c, hal_trap_sp(trap), &fn);
	hal_trap_leave(trap, sp, fn);
	trapping = false;
}

_Noreturn static void panic(const char *format, va_list args, void *frame)
{
	struct co *c = trapping ? NULL : victim();
	struct co_text t;
	void (*fn)(void);
	uintptr_t sp;

	if (!c || count()) {
		t = co_report_open();
		co_describe_panic(&t, format, args, frame);
		if (!c)
			stop();
		report_now(c, &t);
	}
	co_trace_note(CO_TRACE_FAULT, 0);
	sp = next_stack(c, (uintptr_t)frame, &fn);
	hal_context_begin(sp, fn);
}

void co_panic(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	panic(format, args, __builtin_frame_address(0));
}

void co_assert_failed(const char *what, const char *file, int line)
{
	co_panic("%s:%d: assertion failed: %s", file, line, what);
}
