/*
 * user.c - hal/user.h for AArch64: EL0.
 *
 * Source: Arm ARM (DDI 0487) D13.2.37 (ESR_EL1), C5.2.18 (SPSR_EL1).
 */
#include <hal/user.h>
#include <hal_arch/sysreg.h>

/*
 * EL0; neither IRQ nor FIQ is masked: the controller signals one of the pending interrupts, so that
 * an alarm (hal/alarm.h) which stays masked would keep the end of a slice away.
 */
#define SPSR_EL0_INTERRUPTS 0x300
#define ESR_CLASS(esr) ((esr) >> 26 & 0x3f)
#define CLASS_SVC 0x15
#define KIND_SYNCHRONOUS 0
#define KIND_SYSTEM_ERROR 3

void hal_user_cross(struct hal_user *u);
_Noreturn void hal_user_return(intptr_t result);

struct hal_user {
	uint64_t trap[HAL_TRAP_BYTES / 8]; /* a struct hal_trap */
	uint64_t ttbr;
	uint64_t host[5];
};

_Static_assert(offsetof(struct hal_user, ttbr) == HAL_TRAP_BYTES + HAL_USER_TTBR,
	       "cross.S reads it");
_Static_assert(sizeof(struct hal_user) == HAL_USER_BYTES, "cross.S keeps the runtime's there");

void hal_user_init(struct hal_user *u, uintptr_t root, uintptr_t fn, uintptr_t stack_top,
		   uintptr_t tp, uintptr_t arg)
{
	u->trap[0] = arg;
	u->trap[30] = (uintptr_t)hal_user_return;
	u->trap[HAL_TRAP_SP / 8] = stack_top;
	u->trap[HAL_TRAP_PC / 8] = fn;
	u->trap[HAL_TRAP_SPSR / 8] = SPSR_EL0_INTERRUPTS;
	u->trap[HAL_TRAP_TP / 8] = tp;
	u->ttbr = root | (uint64_t)HAL_USER_ASID << 48;
}

enum hal_user_stop hal_user_run(struct hal_user *u)
{
	hal_user_cross(u);
	if (u->trap[HAL_TRAP_KIND / 8] == KIND_SYNCHRONOUS)
		return ESR_CLASS(u->trap[HAL_TRAP_ESR / 8]) == CLASS_SVC ? HAL_USER_CALL
									 : HAL_USER_FAULT;
	return u->trap[HAL_TRAP_KIND / 8] == KIND_SYSTEM_ERROR ? HAL_USER_FAULT
							       : HAL_USER_INTERRUPT;
}

uintptr_t hal_user_number(const struct hal_user *u)
{
	return u->trap[8];
}

uintptr_t hal_user_argument(const struct hal_user *u, unsigned n)
{
	return u->trap[n];
}

void hal_user_answer(struct hal_user *u, uintptr_t result)
{
	u->trap[0] = result; /* the pc is behind the call */
}
