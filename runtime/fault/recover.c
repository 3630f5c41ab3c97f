/*
 * recover.c - the end of a coroutine by a fault, while all other coroutines go on.
 *
 * The trap returns into clean_up(), still in the faulted coroutine, which releases the objects that
 * it holds by the calls that it would have made itself. A second fault, in clean_up(), ends it at
 * once, and the objects that it still holds stay held. An image whose only coroutine is main()'s,
 * whose fault ends the run, does not have this file.
 */
#include <hal/context.h>
#include <hal/time.h>

#include "../core/boot/process.h"
#include "../core/hook.h"
#include "../core/memory/place.h"
#include "../core/memory/slab.h"
#include "../core/sched/cleanup.h"
#include "fault.h"
#include "give_up.h"

/* And the watch. */
co_brings(co_watch_for_budget);

/* Stack for clean_up(). Above it are frames that other coroutines may still use. */
#define CLEAN_UP_BYTES (4096u * HAL_STACK_SCALE)
#define CLEAR_BYTES (512u * HAL_STACK_SCALE) /* distance between the two */
#define ROOM_BYTES (CLEAN_UP_BYTES + CLEAR_BYTES)
#define ORPHANS_US 1000000

/* The stack that clean_up() runs on if not on the coroutine's own; top is 0 otherwise. */
static _Thread_local struct co_stack_spare spare;

/* The fault that clean_up() runs for; clean_up() copies it at once. */
static _Thread_local struct co_fault cause;

/* A batch, and where a result or a record in it goes. */
struct target {
	const struct co_batch *batch;
	uintptr_t result;
};

/* c's, read while c's block may be about to start another coroutine. */
RACY static struct target target_of(const struct co *c)
{
	return (struct target){ c->batch, (uintptr_t)c->batch_result };
}

/* Does it lie on c's stack, of `bytes` from `low` on, or use memory of c's? */
static bool belongs(struct target t, const struct co *c, uintptr_t low, size_t bytes)
{
	/* relaxed: c's hart wrote it, for the batches that matter. */
	return t.batch && ((uintptr_t)t.batch - low < bytes || t.result - low < bytes ||
			   co_atomic_load(&t.batch->uses, CO_RELAXED) == (uintptr_t)c);
}

/* Number of coroutines whose batch, or the batch of their loop, belongs to c. */
static unsigned orphans(const struct co *c)
{
	size_t bytes;
	uintptr_t low = co_stack_of(c, &bytes);
	unsigned n = 0;

	for (const struct co *child = NULL; (child = co_block_next_of_all(child));) {
		struct target t = target_of(child);
		/*
		 * acquire: what an ended coroutine wrote to c's memory; pairs with co_leave_batch()
		 * and co_leave_idle().
		 */
		bool is_live = co_refs_live(co_atomic_load(&child->refs, CO_ACQUIRE));

		n += is_live && belongs(t, c, low, bytes);
	}
	/* After the control blocks: an end that has left its block shows here, or is complete. */
	for (unsigned hart = 0; hart < co_machine.harts; hart++) {
		const struct co_hart *h = co_hart_at(hart);
		/* acquire: pairs with co_ending_none(). */
		uintptr_t batch = co_atomic_load(&h->ending_batch, CO_ACQUIRE);
		uintptr_t record = co_atomic_load(&h->ending_record, CO_RELAXED);

		n += belongs((struct target){ (const struct co_batch *)batch, record }, c, low,
			     bytes);
	}
	return n;
}

/* Is it in memory that goes with c, whose stack is [low, low + bytes)? */
static bool goes_with(const struct co *c, uintptr_t object, uintptr_t low, size_t bytes)
{
	return object - low < bytes || co_spm_owns(c, object);
}

/*
 * Number of coroutines that wait in memory of c's: when they leave a queue there, they write to it.
 * Read while their waits may end, as in target_of().
 */
RACY static unsigned waiters(const struct co *c)
{
	size_t bytes;
	uintptr_t low = co_stack_of(c, &bytes);
	unsigned n = 0;

	for (const struct co *w = NULL; (w = co_block_next_of_all(w));) {
		/* relaxed: for waits in c's memory, c wrote it. */
		uintptr_t object = co_atomic_load(&w->waits_for, CO_RELAXED);

		n += w != c && co_sleeps(w) && goes_with(c, object, low, bytes);
	}
	for (unsigned hart = 0; hart < co_machine.harts; hart++) {
		const struct co_node *node = co_area_at(hart)->node;

		for (unsigned i = 0; i < CO_WAIT_NODES; i++)
			n += goes_with(c, (uintptr_t)node[i].waiter.queue, low, bytes);
	}
	return n;
}

/*
 * Coroutines of batches count down on c's stack and store their results there, waiters leave queues
 * there: keep the stack, and c's memory of its hart's heap, until they have ended.
 */
static void await_orphans(struct co *c)
{
	struct co_patience patience = co_patience_begin(ORPHANS_US);
	unsigned n;

	while ((n = orphans(c) + waiters(c)) && co_patience_lasts(&patience))
		co_sleep_shielded(c, "those that use its stack", CO_LOOK_US);
	if (!n)
		return;
	co_report(
		"cohart: %u coroutines go on that belong to batches of '%s', which a fault has ended, "
		"or wait in its memory: its stack and scratchpad memory are not used again",
		n, co_name(c));
	co_stack_keep(c);
}

/* For c's joiner: in its record, or in fields that nothing needs from here on. */
static void leave_cause(struct co *c, const struct co_fault *why)
{
	if (c->batch) {
		if (c->flags & CO_FLAG_CHILD)
			co_child_of(c)->fault = *why;
		return;
	}
	c->arg = (void *)(uintptr_t)why->what;
	c->result = (intptr_t)why->address;
	c->fn = (co_fn *)why->pc;
}

/* Release the objects of the faulted coroutine and end it: runs in place of its function. */
_Noreturn static void clean_up(void)
{
	struct co *c = co_executor.current;
	struct co_stack_spare mine = spare;
	struct co_fault why = cause;

	spare.top = 0;
	co_wait_forget(c);
	co_report_send();
	if (co_process_faulted)
		co_process_faulted(c);
	co_cleanup_fault(c);
	co_await_transfers(c);
	await_orphans(c);
	if (!(c->flags & CO_FLAG_KEPT))
		co_spm_release(c);
	if (mine.top) {
		co_at_end(c); /* before the old stack goes, which it may use */
		co_stack_replace(c, &mine);
	}
	leave_cause(c, &why);
	co_end(0);
}

/* The spare stack of a coroutine of the runtime that cleans up there: of hart 0, one at a time. */
static struct co_stack_spare of_service;
/* The coroutine of the runtime that begins anew, by a function. */
static const struct co *service;
static void (*service_begin)(void);

void co_fault_restarts(const struct co *c, void (*begin)(void))
{
	service = c;
	service_begin = begin;
}

/*
 * A coroutine of the runtime has cleaned up, or faulted meanwhile: it begins anew at the top of its
 * stack, or of the spare one, which is its own from then on.
 */
_Noreturn static void begin_anew(void)
{
	struct co *c = co_executor.current;

	co_wait_forget(c);
	if (of_service.top)
		co_stack_replace(c, &of_service);
	of_service.top = 0;
	c->flags &= (uint16_t)~CO_FLAG_FAULTED;
	hal_context_begin(c->stack_top, service_begin);
}

/* clean_up() of a service, on unused stack below the service's frames, where cleanups may lie. */
_Noreturn static void clean_up_service(void)
{
	struct co *c = co_executor.current;

	of_service = spare;
	spare.top = 0;
	co_wait_forget(c);
	co_cleanup_fault(c);
	begin_anew();
}

/*
 * May an entry of c's end list, or an object that ends with c, lie in [low, low + bytes)? Called in
 * a trap: the list may be damaged.
 */
static bool has_cleanups_in(const struct co *c, uintptr_t low, size_t bytes)
{
	const struct co_cleanup *t = co_cleanup_at(c->cleanups);

	for (unsigned n = 0; co_lost_usable(t, sizeof(*t)) && n < CO_CLEANUPS_MOST; n++) {
		if ((uintptr_t)t - low < bytes || t->run == co_local_run)
			return true;
		t = co_cleanup_at(t->next);
	}
	return false;
}

/*
 * The stack pointer for clean_up(), after a fault of c at sp: below the frames in use. After a
 * stack overflow there is no room there: then over the newest frames, or on a spare stack if
 * cleanups or their objects may lie in these, or the stack is small. 0: there is no room at all.
 */
static uintptr_t clean_up_sp(struct co *c, uintptr_t sp)
{
	size_t bytes;
	uintptr_t low = co_stack_of(c, &bytes);
	uintptr_t at = low + CLEAN_UP_BYTES;
	bool small = bytes <= ROOM_BYTES;

	if (sp <= low + bytes && sp >= low + ROOM_BYTES) {
		at = sp - CLEAR_BYTES;
	} else if (small || has_cleanups_in(c, low, ROOM_BYTES)) {
		if (co_stack_spare(c, &spare) == 0)
			return spare.top;
		co_report(
			"cohart: '%s' has no room on its stack to clean up, and no other is free: "
			"what it holds stays held",
			co_name(c));
		co_stack_keep(c);
		c->cleanups = 0;
		return 0;
	}
	return at & ~(uintptr_t)15;
}

/* Count a fault. True: it is to be reported. */
static bool count_fault(void)
{
	struct co_hart *h = co_executor.self;
	uint32_t reports = co_atomic_load(&h->reports, CO_RELAXED);

	/* relaxed, all: this hart alone writes them; others read them for reports. */
	co_atomic_store(&h->faults, co_atomic_load(&h->faults, CO_RELAXED) + 1, CO_RELAXED);
	if (reports >= CO_FAULT_REPORTS)
		return false;
	co_atomic_store(&h->reports, reports + 1, CO_RELAXED);
	return true;
}

struct co *co_fault_victim(bool *silent)
{
	struct co *c = co_executor.current;

	if (!co_executor.self || co_machine.booting || !c || c->flags & CO_FLAG_MAIN)
		return NULL;
	if (co_is_service(c) && c != service)
		return NULL;
	if (silent)
		*silent = !count_fault();
	return c;
}

/* Where c continues: in clean_up(), or, if it was there already, at its end. */
static uintptr_t next_stack(struct co *c, uintptr_t sp, void (**fn)(void))
{
	if (co_is_service(c) && c->flags & CO_FLAG_FAULTED) {
		c->cleanups = 0; /* whatever it is by now */
		*fn = begin_anew;
		return co_executor.stack_top;
	}
	if (co_is_service(c)) {
		c->flags |= CO_FLAG_FAULTED;
		*fn = clean_up_service;
		return clean_up_sp(c, sp) ?: c->stack_top;
	}
	if (!(c->flags & CO_FLAG_FAULTED)) {
		c->flags |= CO_FLAG_FAULTED;
		*fn = clean_up;
		sp = clean_up_sp(c, sp);
		if (sp)
			return sp;
	} else if (c->cleanups || orphans(c) || waiters(c) ||
		   co_atomic_load(&c->transfers, CO_ACQUIRE)) {
		co_stack_keep(c); /* no end is awaited */
		c->cleanups = 0;
	}
	leave_cause(c, &cause);
	*fn = co_end_at_once;
	return co_executor.stack_top;
}

/* The size of a small stack of that hart that has overflown, and who had it, if known; or 0. */
static size_t find_overflown(unsigned hart, struct co **who)
{
	struct co *c = NULL;

	for (unsigned n = 0; n < CO_PER_HART_USUAL && (c = co_block_next(hart, c)); n++) {
		bool damaged = !co_block_in_place(hart, c);
		size_t bytes;

		*who = c;
		bytes = co_stack_overflown(hart, who);
		/* An intact block may not have begun. */
		if (bytes && (!*who || !(c->flags & CO_FLAG_UNPAINTED)))
			return bytes;
		if (damaged)
			break;
	}
	return 0;
}

void co_fault_if_overflown(unsigned hart)
{
	struct co *c;
	size_t bytes = find_overflown(hart, &c);
	struct co_text t;

	if (!bytes)
		return;
	t = co_report_open();
	co_text_add(&t, "\nstack overflow on ");
	co_text_who(&t, hart, c);
	co_text_overflow(&t, bytes);
	co_report_die();
}

/* Send the report, unless clean_up() will. */
static void report_now(const struct co *c, struct co_text *t)
{
	if (c->flags & CO_FLAG_FAULTED)
		co_text_add(t, "  it was cleaning up: what it still holds stays held\n");
	if (co_is_service(c))
		co_text_add(t, "  it begins anew\n");
	else if (!(c->flags & CO_FLAG_FAULTED))
		return;
	co_report_post();
}

uintptr_t co_fault_ends(struct co *c, const struct co_fault *why, struct co_text *report,
			uintptr_t sp, void (**fn)(void))
{
	if (report->buf)
		report_now(c, report);
	cause = *why;
	co_trace_note(CO_TRACE_FAULT, why->pc);
	return next_stack(c, sp, fn);
}

void co_fault_ends_hart(void)
{
	co_report_last();
}

/* At the end of the run, if main() has returned: not if a report ends it. */
static void sum_up(void)
{
	static bool done;
	unsigned faults = 0, reports = 0, live = 0;

	if (done || !co_machine.is_over)
		return;
	done = true;
	for (const struct co *c = NULL; (c = co_block_next_of_all(c));)
		live += co_is_live(c) && !co_hart_lost(c->hart);
	for (unsigned hart = 0; hart < co_machine.harts; hart++) {
		/* relaxed, both: for a report. */
		faults += co_atomic_load(&co_hart_at(hart)->faults, CO_RELAXED);
		reports += co_atomic_load(&co_hart_at(hart)->reports, CO_RELAXED);
	}
	if (faults > reports || co_harts_lost() || live)
		co_hooks_call(report, NULL);
	if (faults > reports)
		co_report("cohart: faults have ended %u coroutines, %u of them without a report",
			  faults, faults - reports);
	if (co_harts_lost())
		co_report("cohart: lost harts: %u", co_harts_lost());
	if (!live)
		return;
	co_report("cohart: main has returned, %u coroutines did not end when asked to:", live);
	co_list_live();
}

CO_HOOKS = { .run_ends = sum_up };
