/* describe.c - the description of a fault: cause, place, owner of the memory, backtrace. */
#include <hal/trap.h>

#include "../core/hook.h"
#include "../core/memory/image.h"
#include "../core/memory/place.h"
#include "fault.h"

#define FRAMES 24

/* Two words, a frame record: the caller's frame pointer and the address to return to. */
#define RECORD(fp) ((const uintptr_t *)(fp) + (HAL_FRAME_ABOVE)-2)

/* The first words from there on that look like a frame record. */
UNSANITIZED static uintptr_t find_record(const uintptr_t *word, uintptr_t high)
{
	for (; (uintptr_t)(word + 2) <= high; word++) {
		if (word[0] > (uintptr_t)word && word[0] <= high &&
		    word[0] % sizeof(uintptr_t) == 0 && co_image_call(word[1]))
			return (uintptr_t)(word + 2 - (HAL_FRAME_ABOVE));
	}
	return 0;
}

/*
 * The stack that *at lies in, if this hart may read it; *at becomes the first word there: after an
 * overflow that is not in the guard page.
 */
static bool find_stack(uintptr_t *at, struct co_stack_place *p)
{
	if (!co_stack_find(*at, p))
		return false;
	*at = co_round_up(*at, sizeof(uintptr_t));
	if (*at < p->low)
		*at = p->low;
	return co_readable((const void *)p->low, p->high - p->low) == p->high - p->low;
}

/*
 * Follow the frame records from fp on, as long as they stay inside sp's stack, or fp's, if sp is
 * damaged. Where they pass the program's call by that led to the runtime's functions without
 * records, or do not get there, it is found without them.
 */
static unsigned backtrace(uintptr_t *to, unsigned n, uintptr_t sp, uintptr_t fp)
{
	struct hal_frame f = { .fp = fp };
	const uintptr_t *call = NULL;
	struct co_stack_place p;
	unsigned given = n;
	bool found = false;

	if (!co_machine.spm)
		return n;
	if (!find_stack(&sp, &p)) {
		sp = fp;
		if (!find_stack(&sp, &p))
			return n;
	}
	for (unsigned i = 0; i < n; i++)
		found |= co_image_program(to[i]);
	if (!found)
		call = co_program_call(co_executor.current, sp, fp, p.high);
	while (n < FRAMES - 1) {
		uintptr_t at = f.fp;
		bool ends = !at || at < p.low + 2 * sizeof(uintptr_t) ||
			    at > p.high - sizeof(uintptr_t) * (HAL_FRAME_ABOVE) ||
			    at % sizeof(uintptr_t);

		if (!ends) {
			hal_frame_next(&f);
			ends = !co_image_code(f.ra);
		}
		if (call && (ends || RECORD(at) >= call)) {
			to[n++] = *call;
			f.fp = find_record(call + 1, p.high);
			call = NULL;
		} else if (!ends) {
			if (n != given || !n || to[n - 1] != f.ra)
				to[n++] = f.ra;
			if (co_image_program(f.ra))
				call = NULL;
			if (f.fp <= at)
				f.fp = 0;
		} else if (n == given && fp) { /* it is another register of a function without */
			fp = 0;
			f.fp = find_record((const uintptr_t *)sp, p.high);
		} else {
			break;
		}
	}
	return n;
}

/* The return addresses, from pc[calls] on, less one: so they lie in the calls. */
static void add_backtrace(struct co_text *t, const uintptr_t *pc, unsigned n, unsigned calls)
{
	co_text_add(t, "  backtrace: make lines BOARD=%s IMAGE=%s ADDRS='", co_board(), co_image);
	for (unsigned i = 0; i < n; i++)
		co_text_add(t, "%s0x%lx", i ? " " : "", (unsigned long)(pc[i] - (i >= calls)));
	co_text_add(t, "'\n");
}

/* Not there where nothing is noted. */
extern __typeof__(co_trace_add) co_trace_add __attribute__((weak));

/* Append the stack's depth and the last events. */
static void add_history(struct co_text *t)
{
	const struct co *c = co_executor.current;

	if (!co_executor.self)
		return;
	if (c && !co_stack_beside.high) {
		co_depth_note(c);
		co_text_add(t, "  stack: ");
		co_depth_add(t, c);
		co_text_add(t, " used at most\n");
	}
	if (co_trace_add)
		co_trace_add(t);
}

void co_text_who(struct co_text *t, unsigned hart, const struct co *c)
{
	if (hart < co_machine.harts)
		co_text_add(t, "hart %u (%s)", hart, co_role_name(co_hart_role(hart)));
	else
		co_text_add(t, "hart %u (booting)", hart);
	if (c)
		co_text_add(t, ", coroutine '%s'", co_name(c));
}

void co_text_overflow(struct co_text *t, size_t bytes)
{
	co_text_add(t,
		    ": it has used more than the %lu bytes of its class, %s, and the canary below "
		    "them is overwritten: give it a larger class\n",
		    (unsigned long)bytes,
		    bytes == 1024 * HAL_STACK_SCALE ? "CO_STACK_1K" : "CO_STACK_2K");
}

void co_describe_trap(struct co_text *t, const struct hal_trap *trap, const char *why)
{
	uintptr_t pc[FRAMES] = { hal_trap_pc(trap), hal_trap_ra(trap) };
	unsigned n = co_image_code(pc[1]) ? 2 : 1;
	uintptr_t address, value;
	const char *name;

	co_text_add(t, "\nfault on ");
	co_text_who(t, co_executor.hart, co_executor.current);
	co_text_add(t, ": %s\n  pc 0x%lx", why ? why : hal_trap_cause(trap), (unsigned long)pc[0]);
	if (!why && hal_trap_address(trap, &address)) {
		co_text_add(t, "  address 0x%lx", (unsigned long)address);
		co_text_place(t, address);
	}
	for (unsigned i = 0; (name = hal_trap_register(trap, i, &value)); i++)
		co_text_add(t, "%s%s %lx", i % 8 ? "  " : "\n  ", name, (unsigned long)value);
	co_text_add(t, "\n");
	n = backtrace(pc, n, hal_trap_sp(trap), hal_trap_fp(trap));
	add_backtrace(t, pc, n, 1);
	add_history(t);
}

void co_describe_panic(struct co_text *t, const char *format, va_list args, void *frame)
{
	uintptr_t pc[FRAMES] = { 0 };

	co_text_add(t, "\npanic on ");
	co_text_who(t, co_executor.hart, co_executor.current);
	co_text_add(t, ": ");
	co_text_addv(t, format, args);
	co_text_add(t, "\n");
	add_backtrace(t, pc, backtrace(pc, 0, (uintptr_t)frame, (uintptr_t)frame), 0);
	add_history(t);
}
