/*
 * fault.c - traps, panics and failed assertions: what each of them ends.
 *
 * A coroutine's fault ends that coroutine. Its hart leaves what it was doing for clean_up(), as the
 * same coroutine: what it held is let go of by the same calls that it would have made. A fault in
 * there ends it at once, whatever it still holds.
 *
 * A fault of nobody's, in the executor, a handler or in here, stops its hart; on hart 0, without
 * which nothing goes on, it ends the run. So does one in main()'s coroutine, or before all harts
 * are up.
 */
#include <hal/context.h>
#include <hal/time.h>
#include <hal/trap.h>

#include "cleanup.h"
#include "core.h"
#include "hook.h"

/* Of stack that clean_up() takes. Above that are frames that others may still refer to. */
#define CLEAN_UP_BYTES (4096u * HAL_STACK_SCALE)
#define CLEAR_BYTES (512u * HAL_STACK_SCALE) /* between the two */
#define LOOK_US 50
#define ORPHANS_US 1000000

/* A trap is being handled. */
static _Thread_local bool trapping;

/* Where clean_up() runs instead of on the coroutine's own stack; its top is 0 if it does not. */
static _Thread_local struct co_stack_spare spare;

#define CLEANUPS_AT_MOST 10000 /* that a look at a damaged list goes through */

/* Transfers that it has begun move its memory. */
static void await_transfers(struct co *c)
{
	/* acquire: pairs with the mover's count; what they wrote is there. */
	while (co_atomic_load(&c->transfers, CO_ACQUIRE))
		co_sleep_shielded(c, "its transfers", LOOK_US);
}

/*
 * c's, which another is just starting, maybe. (`used` keeps the load in here, where ThreadSanitizer
 * is not notified of it.)
 */
__attribute__((noinline, used, no_sanitize("thread"))) static const struct co_batch *
batch_of(const struct co *c)
{
	return c->batch;
}

/*
 * Coroutines whose batch, or that of a loop they are members of, lies on c's stack, or uses memory
 * of c's. One that is about to count down is none of them, by two instructions.
 */
static unsigned orphans(const struct co *c)
{
	size_t bytes;
	uintptr_t low = co_stack_of(c, &bytes);
	unsigned n = 0;

	for (unsigned i = 0; i < co_machine.harts * CO_PER_HART; i++) {
		const struct co_area *a = co_area_at(i / CO_PER_HART);
		const struct co *child = &a->co[i % CO_PER_HART];
		const struct co_batch *b = batch_of(child);
		/*
		 * acquire, both: what one that has ended wrote to c's memory; pairs with
		 * co_block_give_pair(), co_block_free() and worker() in data/member.c.
		 */
		bool is_live = co_atomic_load(&child->state, CO_ACQUIRE) == CO_LIVE &&
			       !co_atomic_load(&child->service, CO_ACQUIRE);

		/* relaxed: c's own, for the batches that matter. */
		n += b && is_live &&
		     ((uintptr_t)b - low < bytes ||
		      co_atomic_load(&b->uses, CO_RELAXED) == (uintptr_t)c);
	}
	return n;
}

/*
 * They count down there, and store what comes of them: the stack stays until they have, and so does
 * what c has of its hart's heap.
 */
static void await_orphans(struct co *c)
{
	uint64_t deadline = co_after_us(ORPHANS_US);
	unsigned n;

	while ((n = orphans(c)) && hal_time_now() < deadline)
		co_sleep_shielded(c, "the coroutines of its batches", LOOK_US);
	if (!n)
		return;
	co_report(
		"cohart: %u coroutines go on that belong to batches of '%s', which a fault has ended: "
		"its stack and scratchpad memory are not used again",
		n, co_name(c));
	c->flags |= CO_FLAG_KEPT;
}

/* What a coroutine does that a fault has ended. */
_Noreturn static void clean_up(void)
{
	struct co *c = co_executor.current;
	struct co_stack_spare mine = spare;

	spare.top = 0;
	co_wait_forget(c);
	co_report_send();
	co_hooks_call(co_faulted, c);
	co_cleanup_fault(c);
	await_transfers(c);
	await_orphans(c);
	if (!(c->flags & CO_FLAG_KEPT))
		co_spm_release(c);
	if (mine.top) {
		co_at_end(c); /* what it looks at may be on the old one */
		co_stack_replace(c, &mine);
	}
	co_end(0);
}

/* Is a cleanup of c in [low, low + bytes)? As far as its list is sound: this is in a trap. */
static bool has_cleanups_in(const struct co *c, uintptr_t low, size_t bytes)
{
	const struct co_cleanup *t = c->cleanups;

	for (unsigned n = 0; t && co_spm_shared(t, sizeof(*t)) && n < CLEANUPS_AT_MOST; n++) {
		if ((uintptr_t)t - low < bytes)
			return true;
		t = t->next;
	}
	return false;
}

/*
 * Where clean_up() begins, for a fault that left c at sp: below what still counts. An overflow
 * leaves no room there: then over the latest frames, or, if cleanups lie in these, on a spare
 * stack.
 */
static uintptr_t clean_up_sp(struct co *c, uintptr_t sp)
{
	size_t bytes;
	uintptr_t low = co_stack_of(c, &bytes);
	uintptr_t at = low + CLEAN_UP_BYTES;

	if (sp <= low + bytes && sp >= at + CLEAR_BYTES) {
		at = sp - CLEAR_BYTES;
	} else if (has_cleanups_in(c, low, CLEAN_UP_BYTES + CLEAR_BYTES)) {
		if (co_stack_spare(c, &spare) == 0)
			return spare.top;
		co_report(
			"cohart: '%s' has overflown its stack and no other is free: what it holds "
			"stays held",
			co_name(c));
		c->cleanups = NULL;
	}
	return at & ~(uintptr_t)15;
}

/* How one of the runtime's own coroutines begins anew; NULL: it cannot. */
static void (*restart_of(struct co *c))(void)
{
	void (*fn)(void) = NULL;

	for (const struct co_hooks *h = __hooks_start; h < __hooks_end && !fn; h++)
		fn = h->restart ? h->restart(c) : NULL;
	return fn;
}

/* What a fault now is the end of; NULL: not a coroutine, but the hart or the run. */
static struct co *victim(void)
{
	struct co *c = co_executor.current;

	if (!co_executor.self || co_machine.booting || !c || c->flags & CO_FLAG_MAIN)
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

/* It goes on with clean_up(); or, if that is what has failed, not at all. */
static uintptr_t next_stack(struct co *c, uintptr_t sp, void (**fn)(void))
{
	if (co_is_service(c)) {
		*fn = restart_of(c);
		return c->stack_top;
	}
	if (c->flags & CO_FLAG_FAULTED) {
		*fn = co_end_at_once;
		return co_executor.stack_top;
	}
	c->flags |= CO_FLAG_FAULTED;
	*fn = clean_up;
	return clean_up_sp(c, sp);
}

/* The report goes out here if clean_up() does not send it. */
static void report_now(const struct co *c, struct co_text *t)
{
	if (co_is_service(c))
		co_text_add(t, "  it begins anew\n");
	else if (c->flags & CO_FLAG_FAULTED)
		co_text_add(t, "  it was cleaning up: what it still holds stays held\n");
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
	co_atomic_store(&c->name, 0, CO_RELAXED);
	return c;
}

static struct co *describe_fault(const struct hal_trap *trap, const char *why)
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
		c = describe_fault(trap, why);
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
