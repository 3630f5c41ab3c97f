/*
 * sbi.c - harts and the end of the machine, by calls of the firmware below S-mode. Doorbells and
 * timers are in hal/arch/riscv.
 *
 * Source: RISC-V Supervisor Binary Interface 1.0, chapters 9 (harts), 10 (reset).
 */
#include <errno.h>

#include <hal_arch/sbi.h>

#include "sbi.h"

#define HART_START 0
#define SHUTDOWN 0
#define SYSTEM_FAILURE 1

int hal_sbi_start(uintptr_t hwid, uintptr_t entry)
{
	return hal_sbi(HAL_SBI_HSM, HART_START, hwid, entry, 0) ? -EIO : 0;
}

void hal_sbi_end(uintptr_t by, int code)
{
	(void)by;
	(void)hal_sbi(HAL_SBI_SRST, 0, SHUTDOWN, code ? SYSTEM_FAILURE : 0, 0);
}
