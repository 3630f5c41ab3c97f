/*
 * user.c - hal/user.h for RISC-V: U-mode, on a map of number 1. The runtime's have number 0.
 *
 * Source: RISC-V Privileged ISA, 4.1.11 (ASIDs), table 4.2 (causes).
 */
#include <hal/board.h>
#include <hal/user.h>
#include <hal_arch/here.h>

#define ASID ((uintptr_t)1)
#if __riscv_xlen == 64
#define ASID_SHIFT 44
#else
#define ASID_SHIFT 22
#endif
#define CAUSE_CALL 8
#define CAUSE_INTERRUPT ((uintptr_t)1 << (__riscv_xlen - 1))

extern char __text_start[], __text_end[], __rodata_start[], __rodata_end[]; /* linker/image.ld.S */
extern char __global_pointer[] __asm__("__global_pointer$");
extern char hal_user_crossing[]; /* cross_fp.S */
#ifdef HAL_ALARMS
extern uintptr_t hal_alarm_shy; /* boot/riscv/alarm.S */
#endif

void hal_user_cross(struct hal_user *u);
_Noreturn void hal_user_return(intptr_t result);

struct hal_user {
	uintptr_t x[HAL_TRAP_BYTES / HAL_WORD]; /* a struct hal_trap */
	uintptr_t satp;
	uintptr_t fence;
	uintptr_t host[8];
	uint64_t f[32];
};

_Static_assert(offsetof(struct hal_user, satp) == HAL_USER_SATP, "cross_fp.S reads it");
_Static_assert(offsetof(struct hal_user, fence) == HAL_USER_FENCE, "cross_fp.S reads it");
_Static_assert(offsetof(struct hal_user, host) == HAL_USER_HOST_SP, "cross_fp.S reads it");
_Static_assert(offsetof(struct hal_user, f) == HAL_USER_F(0), "cross_fp.S reads it");
_Static_assert(sizeof(struct hal_user) == HAL_USER_BYTES, "cross_fp.S reads it");

static _Thread_local bool numbers; /* maps have them on this hart */

bool hal_user_possible(unsigned hart)
{
#ifdef BOARD_SHIM_FORWARDS
	extern const bool hal_machine_hart[BOARD_MAX_HARTS]; /* by hwid; boot/riscv/start.S */

	return !hal_machine_hart[hal_board.hwid[hart]];
#else
	(void)hart;
	return true;
#endif
}

int hal_user_map(struct hal_map_pool *pool, uintptr_t root)
{
	uintptr_t text = (uintptr_t)__text_start, crossing = (uintptr_t)hal_user_crossing;
	uintptr_t behind = crossing + HAL_PAGE_BYTES, constants = (uintptr_t)__rodata_start;
	int r = hal_map_add(pool, root, text, crossing - text, HAL_MAP_USER_RX);

#ifdef HAL_ALARMS
	hal_alarm_shy = crossing; /* before the first crossing; each call stores one value */
#endif
	if (!r)
		r = hal_map_add(pool, root, crossing, HAL_PAGE_BYTES, HAL_MAP_RX);
	if (!r)
		r = hal_map_add(pool, root, behind, (uintptr_t)__text_end - behind,
				HAL_MAP_USER_RX);
	if (!r)
		r = hal_map_add(pool, root, constants, (uintptr_t)__rodata_end - constants,
				HAL_MAP_USER_R);
	return r;
}

void hal_user_init(struct hal_user *u, uintptr_t root, uintptr_t fn, uintptr_t stack_top,
		   uintptr_t tp, uintptr_t arg)
{
	u->x[0] = fn;
	u->x[1] = (uintptr_t)hal_user_return;
	u->x[2] = stack_top;
	u->x[3] = (uintptr_t)__global_pointer;
	u->x[4] = tp;
	u->x[10] = arg;
	u->satp = (uintptr_t)HAL_SATP_MODE << HAL_SATP_MODE_SHIFT | root >> 12;
}

void hal_user_flush(void)
{
	uintptr_t satp, back;

	/* A hart without ASIDs reads the bits as 0. The map does not change meanwhile. */
	__asm__ volatile("csrr %0, satp" : "=r"(satp));
	__asm__ volatile("csrw satp, %1\n\tcsrr %0, satp\n\tcsrw satp, %2"
			 : "=&r"(back)
			 : "r"(satp | ASID << ASID_SHIFT), "r"(satp)
			 : "memory");
	numbers = back != satp;
	__asm__ volatile("sfence.vma x0, %0" ::"r"(ASID) : "memory");
}

enum hal_user_stop hal_user_run(struct hal_user *u)
{
	uintptr_t cause;

	u->fence = !numbers;
	if (numbers)
		u->satp |= ASID << ASID_SHIFT;
	hal_user_cross(u);
	cause = u->x[HAL_TRAP_CAUSE / HAL_WORD];
	if (cause & CAUSE_INTERRUPT)
		return HAL_USER_INTERRUPT;
	return cause == CAUSE_CALL ? HAL_USER_CALL : HAL_USER_FAULT;
}

uintptr_t hal_user_number(const struct hal_user *u)
{
	return u->x[17];
}

uintptr_t hal_user_argument(const struct hal_user *u, unsigned n)
{
	return u->x[10 + n];
}

void hal_user_answer(struct hal_user *u, uintptr_t result)
{
	u->x[10] = result;
	u->x[0] += 4;
}

struct hal_trap *hal_user_trap(struct hal_user *u)
{
	return (struct hal_trap *)u;
}
