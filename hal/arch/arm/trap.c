/*
 * trap.c - hal/trap.h: faults in words.
 *
 * Source: Arm ARM v7-A and v7-R (DDI 0406C) B3.13 (fault status, long-descriptor format).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hal/alarm.h>
#include <hal/semihost.h>
#include <hal/trap.h>
#include <hal_arch/abort.h>
#include <hal_arch/trap.h>

struct hal_trap {
	uint32_t r[13];
	uint32_t sp;
	uint32_t lr;
	uint32_t pc;
	uint32_t spsr;
	uint32_t dfsr;
	uint32_t dfar;
	uint32_t ifsr;
	uint32_t ifar;
	uint32_t kind;
	uint32_t fpscr;
	uint32_t pad;
#ifdef __ARM_FP
	uint64_t d[32];
#endif
};

_Static_assert(offsetof(struct hal_trap, sp) == HAL_TRAP_R(13), "boot/arm/vectors.S saves it");
_Static_assert(offsetof(struct hal_trap, pc) == HAL_TRAP_PC, "boot/arm/vectors.S saves it");
_Static_assert(offsetof(struct hal_trap, spsr) == HAL_TRAP_SPSR, "boot/arm/vectors.S saves it");
_Static_assert(offsetof(struct hal_trap, dfsr) == HAL_TRAP_DFSR, "boot/arm/vectors.S saves it");
_Static_assert(offsetof(struct hal_trap, ifar) == HAL_TRAP_IFAR, "boot/arm/vectors.S saves it");
_Static_assert(offsetof(struct hal_trap, kind) == HAL_TRAP_KIND, "boot/arm/vectors.S saves it");
_Static_assert(offsetof(struct hal_trap, fpscr) == HAL_TRAP_FPSCR, "boot/arm/vectors.S saves it");
_Static_assert(sizeof(struct hal_trap) == HAL_TRAP_BYTES, "boot/arm/vectors.S saves it");

#define SPSR_SYS_MASKED 0x19fu /* but for FIQ: hal/alarm.h */
#define SPSR_T 0x20u

bool hal_trap_is_alarm(const struct hal_trap *t)
{
	return t->kind == HAL_TRAP_FIQ;
}

uintptr_t hal_trap_pc(const struct hal_trap *t)
{
	return t->pc;
}

uintptr_t hal_trap_sp(const struct hal_trap *t)
{
	return t->sp;
}

uintptr_t hal_trap_fp(const struct hal_trap *t)
{
	return t->r[11];
}

uintptr_t hal_trap_ra(const struct hal_trap *t)
{
	return t->lr;
}

const char *hal_trap_register(const struct hal_trap *t, unsigned i, uintptr_t *value)
{
	static const char name[][5] = { "r0", "r1",  "r2",  "r3",  "r4", "r5", "r6", "r7",  "r8",
					"r9", "r10", "r11", "r12", "sp", "lr", "pc", "cpsr" };

	if (i >= sizeof(name) / sizeof(*name))
		return NULL;
	*value = *(&t->r[0] + i); /* sp, lr, pc and spsr follow r12 */
	return name[i];
}

void hal_trap_leave(struct hal_trap *t, uintptr_t stack_top, void (*fn)(void))
{
	t->pc = (uintptr_t)fn & ~1u;
	t->sp = stack_top;
	t->r[11] = t->lr = 0;
	t->spsr = SPSR_SYS_MASKED | ((uintptr_t)fn & 1 ? SPSR_T : 0);
}

extern const char hal_semihost_call[]; /* semihost.S: the instruction */

bool hal_semihost_trapped(struct hal_trap *t)
{
	if (t->pc != (uintptr_t)hal_semihost_call)
		return false;
	t->pc += 4;
	return true;
}

/* DFSR and IFSR, by their long-descriptor layout. */
#define STATUS_BREAKPOINT 0x22u
#define DFSR_WRITE (1u << 11)

static unsigned status_of(const struct hal_trap *t)
{
	return (t->kind == HAL_TRAP_FETCH ? t->ifsr : t->dfsr) & 0x3f;
}

static const char *abort_cause(const struct hal_trap *t)
{
	bool fetch = t->kind == HAL_TRAP_FETCH;
	unsigned status = status_of(t);

	if (fetch && status == STATUS_BREAKPOINT)
		return "breakpoint";
	return hal_abort_cause(status >> 2, fetch                  ? HAL_ABORT_JUMP
					    : t->dfsr & DFSR_WRITE ? HAL_ABORT_STORE
								   : HAL_ABORT_LOAD);
}

const char *hal_trap_cause(const struct hal_trap *t)
{
	switch (t->kind) {
	case HAL_TRAP_UNDEFINED:
		return "illegal instruction";
	case HAL_TRAP_SVC:
		return "system call that nobody takes";
	case HAL_TRAP_FETCH:
	case HAL_TRAP_DATA:
		return abort_cause(t);
	case HAL_TRAP_IRQ:
		return "IRQ, though masked";
	case HAL_TRAP_FIQ:
		return "FIQ, though masked";
	}
	return "exception of an unknown kind";
}

bool hal_trap_address(const struct hal_trap *t, uintptr_t *addr)
{
	bool fetch = t->kind == HAL_TRAP_FETCH;

	if ((!fetch && t->kind != HAL_TRAP_DATA) || (fetch && status_of(t) == STATUS_BREAKPOINT))
		return false;
	*addr = fetch ? t->ifar : t->dfar;
	return true;
}
