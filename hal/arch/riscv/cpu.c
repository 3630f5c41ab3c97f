/*
 * cpu.c - what RISC-V cannot say in one inline instruction: traps in words, the map, the cache.
 */
#include <hal/board.h>
#include <hal/cache.h>
#include <hal/console.h>
#include <hal/cpu.h>
#include <hal/guard.h>
#include <hal/ipi.h>
#include <hal/irq.h>
#include <hal/host.h>
#include <hal/semihost.h>
#include <hal/time.h>
#include <hal/trap.h>
#include <hal_arch/satp.h>
#include <hal_arch/trap.h>
#include <hal_arch/word.h>

struct hal_trap {
	uintptr_t x[32]; /* x[0] is pc */
	uintptr_t cause;
	uintptr_t tval;
	uintptr_t status;
	uintptr_t fcsr;
};

_Static_assert(sizeof(struct hal_trap) <= HAL_TRAP_BYTES, "boot/riscv/trap.S saves it");
_Static_assert(offsetof(struct hal_trap, tval) == HAL_TRAP_TVAL, "boot/riscv/trap.S saves it");
_Static_assert(offsetof(struct hal_trap, status) == HAL_TRAP_STATUS, "boot/riscv/trap.S saves it");

/* In sstatus and mstatus: interrupts that come on when the trap returns; to where it does. */
#define STATUS_PIE ((uintptr_t)0xa0)
#define STATUS_PP ((uintptr_t)0x1900)

/* Source: RISC-V Privileged ISA, table 4.2. */
static const char *const cause_text[] = {
	[0] = "jump to a misaligned address",
	[1] = "instruction fetch from where there is no memory, or none to execute",
	[2] = "illegal instruction",
	[3] = "breakpoint",
	[4] = "load from a misaligned address",
	[5] = "load from where there is no memory, or none to read",
	[6] = "store to a misaligned address",
	[7] = "store to where there is no memory, or none to write",
	[8] = "environment call from U-mode",
	[9] = "environment call from S-mode",
	[12] = "instruction fetch from an address that is not executable",
	[13] = "load from an address that is not mapped",
	[15] = "store to an address that is not mapped, or read-only",
};

bool hal_trap_is_alarm(const struct hal_trap *t)
{
	return t->cause == ((uintptr_t)INTPTR_MIN | HAL_TRAP_ALARM);
}

uintptr_t hal_trap_pc(const struct hal_trap *t)
{
	return t->x[0];
}

uintptr_t hal_trap_ra(const struct hal_trap *t)
{
	return t->x[1];
}

uintptr_t hal_trap_sp(const struct hal_trap *t)
{
	return t->x[2];
}

uintptr_t hal_trap_fp(const struct hal_trap *t)
{
	return t->x[8];
}

const char *hal_trap_register(const struct hal_trap *t, unsigned i, uintptr_t *value)
{
	static const char name[][4] = { "pc", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
					"s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
					"a6", "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
					"s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6" };

	if (i >= sizeof(name) / sizeof(*name))
		return NULL;
	*value = t->x[i];
	return name[i];
}

void hal_trap_leave(struct hal_trap *t, uintptr_t stack_top, void (*fn)(void))
{
	t->x[0] = (uintptr_t)fn;
	t->x[1] = 0;
	t->x[2] = stack_top;
	__asm__("mv %0, gp" : "=r"(t->x[3]));
	__asm__("mv %0, tp" : "=r"(t->x[4]));
	t->x[8] = 0;
	t->status = (t->status | STATUS_PP) & ~STATUS_PIE;
}

const char *hal_trap_cause(const struct hal_trap *t)
{
	const char *text = NULL;

	if (t->cause < sizeof(cause_text) / sizeof(*cause_text))
		text = cause_text[t->cause];
	return text ? text : "interrupt or cause that this architecture does not define";
}

bool hal_trap_address(const struct hal_trap *t, uintptr_t *addr)
{
	bool has = t->cause != 2 && t->cause != 3 && t->cause < 16 && cause_text[t->cause];

	if (has)
		*addr = t->tval;
	return has;
}

#ifndef BOARD_SHIM_FORWARDS /* forward.c has them then */

#define STI 0x20u /* supervisor timer interrupt */

void hal_map_activate(uintptr_t root)
{
	hal_map_tables(root);
}

void hal_irq_init_hart(unsigned hart)
{
	(void)hart;
	hal_time_wake_never();
	__asm__ volatile("csrw sie, %0" ::"r"(HAL_SSI | STI));
}

#endif

extern const char hal_semihost_call[]; /* semihost.S: the instruction */

bool hal_semihost_trapped(struct hal_trap *t)
{
	if (t->x[0] != (uintptr_t)hal_semihost_call)
		return false;
	t->x[0] += 4;
	return true;
}

/* RISC-V harts snoop each other from reset on; nothing to write back. */
void hal_cache_clean(const void *p, size_t bytes)
{
	(void)p;
	(void)bytes;
}

/* A fault in the M-mode shim (boot/riscv/start.S): no map, no thread pointer; say it and stop. */
_Noreturn void hal_machine_trap(uintptr_t cause, uintptr_t pc, uintptr_t tval);

_Noreturn void hal_machine_trap(uintptr_t cause, uintptr_t pc, uintptr_t tval)
{
	hal_console_write_hex("\nfault in the machine-mode shim: mcause 0x", cause);
	hal_console_write_hex(" mepc 0x", pc);
	hal_console_write_hex(" mtval 0x", tval);
	hal_console_write("\n", 1);
	hal_host_exit(1);
}
