/* board.c - QEMU's Arm virt machine, 32 bit: which driver does what, where. */
#include <hal/board.h>
#include <hal/probe.h>

#include "../../drivers/gic.h"
#include "../../drivers/psci.h"
#include "../../drivers/uart.h"

static const struct hal_region devices[] = {
	{ BOARD_UART_BASE, 0x1000 },
	{ BOARD_GICD_BASE, 0x20000 },
	{ BOARD_GICR_BASE, BOARD_GICR_BYTES },
	{ 0, 0 },
};
struct hal_board hal_board = {
	.name = BOARD_NAME, .devices = devices, .end = hal_psci_end, .end_by = (uintptr_t)hal_hvc
};

void hal_board_probe(uintptr_t hwid, uintptr_t dtb)
{
	hal_uart_init(BOARD_UART_BASE, BOARD_UART_IRQ);
	hal_probe_fdt(hwid, (const void *)(dtb ? dtb : BOARD_RAM_BASE));
	hal_gic_init(BOARD_GICD_BASE, BOARD_GICC_BASE, BOARD_GICR_BASE, hal_board.hwid);
}

int hal_board_start_hart(unsigned hart, const struct hal_boot *rec)
{
	return hal_psci_cpu_on(hal_hvc, hal_board.hwid[hart], hal_boot_secondary, rec);
}
