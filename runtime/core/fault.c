/*
 * fault.c - the last words of a hart: traps, panics, failed assertions.
 *
 * A compute hart does no I/O: it leaves its report in its public scratchpad and sends it to hart 0,
 * which prints it and ends the run. If hart 0 does not answer in time, the hart prints by itself.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <hal/console.h>
#include <hal/semihost.h>
#include <hal/time.h>
#include <hal/trap.h>

#include "core.h"

#define FRAMES 24
#define ANSWER_US 200000

enum report { NONE, SENT, TAKEN };

extern char __text_start[], __text_end[], __rodata_start[], __rodata_end[]; /* linker/image.ld.S */
extern char __data_start[], __image_end[];

static bool in_text(uintptr_t address)
{
	return address >= (uintptr_t)__text_start && address < (uintptr_t)__text_end;
}

/* What an address is, as far as boot laid it out. */
static void add_place(struct co_text *t, uintptr_t address)
{
	struct co_stack_place p;
	int hart = co_spm_hart((const void *)address);

	if (address < HAL_PAGE_BYTES) {
		co_text_add(t, " (page zero: a null pointer)");
	} else if (co_machine.spm && co_stack_find(address, &p)) {
		co_text_add(t, " (%s %s stack %u", p.guard ? "guard page under" : "inside", p.name,
			    p.slot);
		co_text_add(t, p.hart < 0 ? ")" : " of hart %d)", p.hart);
	} else if (co_machine.spm && hart >= 0) {
		bool shared = co_spm_shared((const void *)address, 1);

		co_text_add(t, " (%s SPM of hart %d)", shared ? "public" : "private", hart);
	} else if (in_text(address)) {
		co_text_add(t, " (the image's code)");
	} else if (address >= (uintptr_t)__rodata_start && address < (uintptr_t)__rodata_end) {
		co_text_add(t, " (the image's constants)");
	} else if (address >= (uintptr_t)__data_start && address < (uintptr_t)__image_end) {
		co_text_add(t, " (the image's data)");
	}
}

/* Follow the frame records from fp on, as long as they stay inside sp's stack. */
static unsigned backtrace(uintptr_t *to, unsigned n, uintptr_t sp, uintptr_t fp)
{
	struct hal_frame f = { .fp = fp };
	struct co_stack_place p;

	if (!co_machine.spm || !co_stack_find(sp, &p))
		return n;
	while (n < FRAMES && f.fp >= p.low + 2 * sizeof(uintptr_t) &&
	       f.fp <= p.high - sizeof(uintptr_t) * (HAL_FRAME_ABOVE) &&
	       f.fp % sizeof(uintptr_t) == 0) {
		uintptr_t fp_before = f.fp;

		hal_frame_next(&f);
		if (!in_text(f.ra))
			break;
		to[n++] = f.ra;
		if (f.fp <= fp_before)
			break;
	}
	return n;
}

static void add_backtrace(struct co_text *t, const uintptr_t *pc, unsigned n)
{
	co_text_add(t, "  backtrace:");
	for (unsigned i = 0; i < n; i++)
		co_text_add(t, " 0x%lx", (unsigned long)pc[i]);
	co_text_add(t, "\n  to see lines: make lines BOARD=%s IMAGE=%s ADDRS='", co_board(),
		    co_image);
	for (unsigned i = 0; i < n; i++)
		co_text_add(t, "%s0x%lx", i ? " " : "", (unsigned long)pc[i]);
	co_text_add(t, "'\n");
}

/* The report's memory: public scratchpad once there is one. */
static struct co_text text(void)
{
	static char early[CO_REPORT_BYTES];
	return (struct co_text){ co_executor.self ? co_annex()->report : early, CO_REPORT_BYTES,
				 0 };
}

_Noreturn static void print_and_exit(const char *report)
{
	hal_console_write(report, strlen(report));
	hal_semihost_exit(1);
}

/* On hart 0. */
static void print_report(struct co_msg *m)
{
	struct co_hart *h = (struct co_hart *)((uintptr_t)m - offsetof(struct co_hart, report_msg));
	const char *report = co_annex_of(h, (unsigned)h->boot.hart)->report;

	/* relaxed: the hart that waits for it only stops waiting. */
	co_atomic_store(&h->report_state, TAKEN, CO_RELAXED);
	co_io_catch_up(); /* what it has printed before */
	hal_console_write(report, strlen(report));
	co_io_finish(); /* after: it may not survive what has happened */
	hal_semihost_exit(1);
}

_Noreturn static void deliver(const char *report)
{
	struct co_hart *h = co_executor.self;
	uint64_t deadline = co_after_us(ANSWER_US);
	unsigned spins = 0;

	if (!h)
		print_and_exit(report);
	if (co_executor.hart == 0) {
		co_io_finish();
		print_and_exit(report);
	}
	h->report_msg.run = print_report;
	co_atomic_store(&h->report_state, SENT, CO_RELAXED);
	co_post(0, &h->report_msg);
	while (hal_time_now() < deadline) {
		if (co_atomic_load(&h->report_state, CO_RELAXED) == TAKEN)
			hal_cpu_halt();
		co_spin(&spins);
	}
	print_and_exit(report);
}

void co_trap(struct hal_trap *trap)
{
	uintptr_t pc[FRAMES] = { hal_trap_pc(trap), hal_trap_ra(trap) };
	unsigned n = in_text(pc[1]) ? 2 : 1;
	struct co_text t = text();
	const char *why = NULL;
	uintptr_t address;

	if (hal_trap_is_alarm(trap)) {
		why = co_alarm(trap);
		if (!why)
			return;
	}
	co_text_add(&t, "\nfault on ");
	co_text_who(&t, co_executor.hart, co_executor.current);
	co_text_add(&t, ": %s\n  pc 0x%lx", why ? why : hal_trap_cause(trap), (unsigned long)pc[0]);
	if (!why && hal_trap_address(trap, &address)) {
		co_text_add(&t, "  address 0x%lx", (unsigned long)address);
		add_place(&t, address);
	}
	co_text_add(&t, "  sp 0x%lx  ra 0x%lx\n", (unsigned long)hal_trap_sp(trap),
		    (unsigned long)pc[1]);
	n = backtrace(pc, n, hal_trap_sp(trap), hal_trap_fp(trap));
	add_backtrace(&t, pc, n);
	deliver(t.buf);
}

_Noreturn static void panic(const char *format, va_list args, void *frame)
{
	uintptr_t pc[FRAMES];
	struct co_text t = text();

	co_text_add(&t, "\npanic on ");
	co_text_who(&t, co_executor.hart, co_executor.current);
	co_text_add(&t, ": ");
	{
		char what[256];

		vsnprintf(what, sizeof(what), format, args);
		co_text_add(&t, "%s\n", what);
	}
	add_backtrace(&t, pc, backtrace(pc, 0, (uintptr_t)frame, (uintptr_t)frame));
	deliver(t.buf);
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
