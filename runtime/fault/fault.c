/*
 * fault.c - traps, panics and failed assertions: what each of them ends.
 *
 * A fault in a coroutine ends that coroutine (recover.c). One outside of coroutines (in the
 * executor, a handler, or here) stops the hart; on hart 0 it ends the run, as does one in main()'s
 * coroutine or before all harts are up.
 */
#include <hal/alarm.h>
#include <hal/context.h>
#include <hal/host.h>
#include <hal/monitors.h>
#include <hal/trap.h>

#include "../core/hook.h"
#include "alarm.h"
#include "fault.h"

const char *(*co_alarm_handler)(const struct hal_trap *t);

/* A trap is being handled. */
static _Thread_local bool trapping;

/* End the hart or the run, with the report in the buffer. */
_Noreturn static void stop(void)
{
	if (co_executor.hart && !co_machine.booting && co_fault_ends_hart)
		co_fault_ends_hart();
	co_report_exit(); /* main() is on hart 0 */
}

static struct co *victim(bool *silent)
{
	return co_fault_victim ? co_fault_victim(silent) : NULL;
}

/*
 * A fault while a fault was being reported, most likely because of a wild pointer to a name. Drop
 * the report and end the coroutine.
 */
static struct co *again(const struct hal_trap *trap)
{
	struct co *c = victim(NULL);
	struct co_text t = co_report_open();
	uintptr_t address;

	co_text_add(&t, "\nfault in the fault handler: no report can be had\n  hart %u  pc 0x%lx",
		    co_executor.hart, (unsigned long)hal_trap_pc(trap));
	if (hal_trap_address(trap, &address))
		co_text_add(&t, "  address 0x%lx", (unsigned long)address);
	co_text_add(&t, "\n");
	if (!c)
		stop();
	co_atomic_store(&c->name, 0, CO_RELAXED);
	return c;
}

/*
 * If a stack without a guard page has overflown, end the run, for others' memory is damaged: at
 * once in a trap, and after all output in a panic, of co_stack_check().
 */
static void end_overflown(const struct hal_trap *trap)
{
	size_t bytes = co_executor.self ? co_stack_overflown(co_executor.hart, &co_executor.current)
					: 0;
	struct co_text t;

	if (!bytes)
		return;
	t = co_report_open();
	if (trap) {
		co_describe_trap(&t, trap, "stack overflow");
		co_text_add(&t, "  stack overflow");
	} else {
		co_text_add(&t, "\nstack overflow on ");
		co_text_who(&t, co_executor.hart, co_executor.current);
	}
	co_text_overflow(&t, bytes);
	if (trap)
		co_report_die();
	co_report_exit();
}

/* Returns the victim. t->buf stays NULL if there is no report of it. */
static struct co *describe_fault(const struct hal_trap *trap, const char *why, struct co_text *t)
{
	bool silent = false;
	struct co *c = victim(&silent);

	if (silent)
		return c;
	co_debug_stop(why ? why : "fault");
	*t = co_report_open();
	co_describe_trap(t, trap, why);
	if (!c)
		stop();
	return c;
}

/* `why`: the finding of an alarm's handler; NULL: the trap is a fault. */
static NOINLINE void end_faulty(struct hal_trap *trap, const char *why)
{
	struct co_fault cause = { .pc = hal_trap_pc(trap) };
	struct co_text t = { 0 };
	struct co *c;
	void (*fn)(void) = NULL;
	uintptr_t sp;

	if (hal_host_trapped(trap))
		return;
	if (BOARD_MONITORS)
		hal_monitors_leave();
	if (!trapping) {
		trapping = true;
		end_overflown(trap);
		c = describe_fault(trap, why, &t);
	} else {
		c = again(trap);
	}
	cause.what = why ? "it kept its hart for longer than it may" : hal_trap_cause(trap);
	if (!why)
		(void)hal_trap_address(trap, &cause.address);
	sp = co_fault_ends(c, &cause, &t, hal_trap_sp(trap), &fn);
	hal_trap_leave(trap, sp, fn);
	trapping = false;
}

/* The way to a line's handler: short. */
void co_trap(struct hal_trap *trap)
{
	const char *why = NULL;

	if (hal_trap_is_alarm(trap)) {
		hal_alarm_clear(trap);
		/* None: a stray one, from before it was in use. */
		why = co_alarm_handler ? co_alarm_handler(trap) : NULL;
		if (!why)
			return;
	}
	end_faulty(trap, why);
}

/* Does not return. */
static void panic(const char *format, va_list args, void *frame, const char *what)
{
	const struct co_fault cause = { .what = what };
	bool silent = false;
	struct co *c;
	struct co_text t = { 0 };
	void (*fn)(void) = NULL;
	uintptr_t sp;

	if (!trapping)
		end_overflown(NULL);
	c = trapping ? NULL : victim(&silent);
	if (!silent) {
		co_debug_stop(what);
		t = co_report_open();
		co_describe_panic(&t, format, args, frame);
		if (!c)
			stop();
	}
	sp = co_fault_ends(c, &cause, &t, (uintptr_t)frame, &fn);
	hal_context_begin(sp, fn);
}

CO_PANIC_HOOK = panic;
