/*
 * trap.c - hal/trap.h: faults in words.
 *
 * Source: Arm ARM (DDI 0487) D13.2.37 (ESR_EL1).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hal/alarm.h>
#include <hal/semihost.h>
#include <hal/trap.h>
#include <hal_arch/abort.h>
#include <hal_arch/sysreg.h>
#include <hal_arch/trap.h>

struct hal_trap {
	uint64_t x[31];
	uint64_t sp;
	uint64_t pc;
	uint64_t spsr;
	uint64_t esr;
	uint64_t far;
	uint64_t kind;
	uint64_t tp;
	uint64_t fpcr, fpsr;
	uint64_t q[64];
};

_Static_assert(offsetof(struct hal_trap, sp) == HAL_TRAP_SP, "boot/aarch64/vectors.S saves it");
_Static_assert(offsetof(struct hal_trap, kind) == HAL_TRAP_KIND, "boot/aarch64/vectors.S saves it");
_Static_assert(offsetof(struct hal_trap, tp) == HAL_TRAP_TP, "boot/aarch64/vectors.S saves it");
_Static_assert(sizeof(struct hal_trap) == HAL_TRAP_BYTES, "boot/aarch64/vectors.S saves it");

#define SPSR_EL1T_MASKED 0x384u /* but for FIQ: hal/alarm.h */

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
	return t->x[29];
}

uintptr_t hal_trap_ra(const struct hal_trap *t)
{
	return t->x[30];
}

const char *hal_trap_register(const struct hal_trap *t, unsigned i, uintptr_t *value)
{
	static const char name[][5] = { "x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",
					"x7",  "x8",  "x9",  "x10", "x11", "x12", "x13",
					"x14", "x15", "x16", "x17", "x18", "x19", "x20",
					"x21", "x22", "x23", "x24", "x25", "x26", "x27",
					"x28", "x29", "x30", "sp",  "pc",  "spsr" };

	if (i >= sizeof(name) / sizeof(*name))
		return NULL;
	*value = *(&t->x[0] + i); /* sp, pc and spsr follow x30 */
	return name[i];
}

void hal_trap_leave(struct hal_trap *t, uintptr_t stack_top, void (*fn)(void))
{
	t->pc = (uintptr_t)fn;
	t->sp = stack_top;
	t->x[29] = t->x[30] = 0;
	t->tp = hal_sysreg_read(TP);
	t->spsr = SPSR_EL1T_MASKED;
}

extern const char hal_semihost_call[]; /* semihost.S: the instruction */

bool hal_semihost_trapped(struct hal_trap *t)
{
	if (t->pc != (uintptr_t)hal_semihost_call)
		return false;
	t->pc += 4;
	return true;
}

/* ESR_EL1: class, and for aborts what went wrong. */
enum ec {
	UNKNOWN = 0x00,
	FP_OFF = 0x07,
	ILLEGAL_STATE = 0x0e,
	SVC = 0x15,
	HVC = 0x16,
	SMC = 0x17,
	SYSREG = 0x18,
	FETCH_LOWER = 0x20,
	FETCH = 0x21,
	PC_ALIGNMENT = 0x22,
	DATA_LOWER = 0x24,
	DATA = 0x25,
	SP_ALIGNMENT = 0x26,
	BRK = 0x3c,
};

static enum ec ec_of(const struct hal_trap *t)
{
	return t->esr >> 26 & 0x3f;
}

static const char *abort_cause(const struct hal_trap *t)
{
	bool fetch = ec_of(t) == FETCH || ec_of(t) == FETCH_LOWER;

	return hal_abort_cause(t->esr >> 2 & 15, fetch              ? HAL_ABORT_JUMP
						 : t->esr & 1u << 6 ? HAL_ABORT_STORE
								    : HAL_ABORT_LOAD);
}

const char *hal_trap_cause(const struct hal_trap *t)
{
	static const char *const asynchronous[] = { "", "IRQ, though masked", "FIQ, though masked",
						    "system error, though masked" };

	if (t->kind)
		return asynchronous[t->kind & 3];
	switch (ec_of(t)) {
	case UNKNOWN:
		return "illegal instruction";
	case FP_OFF:
		return "floating point that is switched off";
	case ILLEGAL_STATE:
		return "illegal execution state";
	case SVC:
	case HVC:
	case SMC:
		return "system call that nobody takes";
	case SYSREG:
		return "system register that is out of reach";
	case FETCH:
	case FETCH_LOWER:
	case DATA:
	case DATA_LOWER:
		return abort_cause(t);
	case PC_ALIGNMENT:
		return "jump to a misaligned address";
	case SP_ALIGNMENT:
		return "misaligned stack pointer";
	case BRK:
		return "breakpoint";
	}
	return "exception of an unknown class";
}

bool hal_trap_address(const struct hal_trap *t, uintptr_t *addr)
{
	const unsigned not_valid = 1u << 10;
	bool has = false;

	if (t->kind)
		return false;
	switch (ec_of(t)) {
	case FETCH:
	case FETCH_LOWER:
	case DATA:
	case DATA_LOWER:
		has = (t->esr >> 2 & 15) != HAL_ABORT_EXTERNAL || !(t->esr & not_valid);
		break;
	case PC_ALIGNMENT:
		has = true;
		break;
	default:
		break;
	}
	if (has)
		*addr = t->far;
	return has;
}
