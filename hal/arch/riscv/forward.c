/*
 * forward.c - harts of a board whose timer and doorbells are a CLINT's (BOARD_SHIM_FORWARDS): in
 * S-mode above the shim that forwards them, or in M-mode where there is nothing else.
 */
#include <stdbool.h>

#include <hal/board.h>
#include <hal/guard.h>
#include <hal/ipi.h>
#include <hal/irq.h>
#include <hal/time.h>
#include <hal_arch/here.h>
#include <hal_arch/pmp.h>
#include <hal_arch/satp.h>
#include <hal_arch/start.h>

#ifdef BOARD_SHIM_FORWARDS

/* In mie and sie. */
#define STI 0x20u
#define MSI 0x08u
#define MTI 0x80u

_Thread_local struct hal_here hal_here;

extern const bool hal_machine_hart[BOARD_MAX_HARTS]; /* by hwid; boot/riscv/start.S */

void hal_map_activate(uintptr_t root)
{
	if (hal_here.msip)
		hal_pmp_activate();
	else
		hal_map_tables(root);
}

uintptr_t hal_ipi_doorbell(unsigned hart)
{
	return BOARD_CLINT_BASE + hal_board.hwid[hart] * sizeof(uint32_t);
}

void hal_irq_init_hart(unsigned hart)
{
	uintptr_t hwid = hal_board.hwid[hart];

	hal_here.hwid = (unsigned)hwid;
	hal_here.mtimecmp = (uint64_t *)(BOARD_CLINT_BASE + HAL_CLINT_MTIMECMP) + hwid;
	hal_here.msip = hal_machine_hart[hwid] ? (uint32_t *)hal_ipi_doorbell(hart) : NULL;
	hal_time_wake_never();
	if (hal_here.msip)
		__asm__ volatile("csrw mie, %0" ::"r"(MSI | MTI));
	else
		__asm__ volatile("csrw sie, %0" ::"r"(HAL_SSI | STI));
}

int hal_board_start_hart(unsigned hart, const struct hal_boot *rec)
{
	hal_start_give(hart, rec);
	hal_ipi_send(hart);
	return 0;
}

#endif
