/*
 * user.c - hal/user.h for 32-bit Arm: User mode.
 *
 * Source: Arm ARM v7-A and v7-R (DDI 0406C) B1.3.3 (CPSR).
 */
#include <hal/user.h>
#include <hal_arch/sysreg.h>

/*
 * User mode; of the exceptions IRQ and FIQ are not masked: a pending alarm is more urgent than any
 * IRQ, and if it were masked, no IRQ would come either.
 */
#define SPSR_USER_INTERRUPTS 0x110
#define SPSR_T 0x20

void hal_user_cross(struct hal_user *u);
_Noreturn void hal_user_return(intptr_t result);

struct hal_user {
	uint32_t trap[HAL_TRAP_BYTES / 4]; /* a struct hal_trap */
	uint32_t ttbr_low, ttbr_high;
	uint32_t tp;
	uint32_t host[7];
};

_Static_assert(offsetof(struct hal_user, ttbr_low) == HAL_USER_TTBR_LOW, "cross.S reads it");
_Static_assert(offsetof(struct hal_user, tp) == HAL_USER_TP, "cross.S reads it");
_Static_assert(offsetof(struct hal_user, host) == HAL_USER_HOST_TTBR_LOW, "cross.S keeps it");
_Static_assert(sizeof(struct hal_user) == HAL_USER_BYTES, "cross.S keeps the runtime's there");

void hal_user_init(struct hal_user *u, uintptr_t root, uintptr_t fn, uintptr_t stack_top,
		   uintptr_t tp, uintptr_t arg)
{
	u->trap[0] = arg;
	u->trap[13] = stack_top;
	u->trap[14] = (uintptr_t)hal_user_return;
	u->trap[HAL_TRAP_PC / 4] = fn & ~(uintptr_t)1;
	u->trap[HAL_TRAP_SPSR / 4] = SPSR_USER_INTERRUPTS | (fn & 1 ? SPSR_T : 0);
	u->tp = tp;
	u->ttbr_low = root;
	u->ttbr_high = HAL_USER_ASID << 16;
}

/* Is the trapped instruction SVC 0? Debuggers and emulators use further numbers. */
static bool is_svc_0(const struct hal_user *u)
{
	uintptr_t pc = u->trap[HAL_TRAP_PC / 4];

	if (u->trap[HAL_TRAP_SPSR / 4] & SPSR_T)
		return !(*(const uint16_t *)pc & 0xff);
	return !(*(const uint32_t *)pc & 0xffffff);
}

enum hal_user_stop hal_user_run(struct hal_user *u)
{
	hal_user_cross(u);
	switch (u->trap[HAL_TRAP_KIND / 4]) {
	case HAL_TRAP_SVC:
		return is_svc_0(u) ? HAL_USER_CALL : HAL_USER_FAULT;
	case HAL_TRAP_IRQ:
	case HAL_TRAP_FIQ:
		return HAL_USER_INTERRUPT;
	}
	return HAL_USER_FAULT;
}

uintptr_t hal_user_number(const struct hal_user *u)
{
	return u->trap[12];
}

uintptr_t hal_user_argument(const struct hal_user *u, unsigned n)
{
	return u->trap[n];
}

void hal_user_answer(struct hal_user *u, uintptr_t result)
{
	u->trap[0] = result;
	/* vectors.S has said where the call is. */
	u->trap[HAL_TRAP_PC / 4] += u->trap[HAL_TRAP_SPSR / 4] & SPSR_T ? 2 : 4;
}
