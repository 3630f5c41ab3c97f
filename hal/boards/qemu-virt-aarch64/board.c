/* board.c - QEMU's Arm virt machine: which driver does what, where. */
#include <hal/board.h>
#include <hal/ipi.h>
#include <hal/irq.h>
#include <hal/probe.h>

#include "../../drivers/gicv3.h"
#include "../../drivers/psci.h"
#include "../../drivers/uart.h"

static const struct hal_region devices[] = {
	{ BOARD_UART_BASE, 0x1000 },
	{ BOARD_GICD_BASE, 0x10000 },
	{ BOARD_GICR_BASE, BOARD_GICR_BYTES },
	{ BOARD_GICR2_BASE, 0x4000000 },
	{ 0, 0 },
};
struct hal_board hal_board = {
	.name = BOARD_NAME, .devices = devices, .end = hal_psci_end, .end_by = (uintptr_t)hal_hvc
};

void hal_board_probe(uintptr_t hwid, uintptr_t dtb)
{
	hal_uart_init(BOARD_UART_BASE, BOARD_UART_IRQ);
	hal_probe_fdt(hwid, (const void *)(dtb ? dtb : BOARD_RAM_BASE));
	hal_gicv3_init(BOARD_GICD_BASE, hal_board.hwid);
}

int hal_board_start_hart(unsigned hart, const struct hal_boot *rec)
{
	return hal_psci_cpu_on(hal_hvc, hal_board.hwid[hart], hal_boot_secondary, rec);
}

void hal_irq_init_hart(unsigned hart)
{
	const unsigned first = BOARD_GICR_BYTES / HAL_GICR_BYTES;

	hal_gicv3_init_hart(hart < first ? BOARD_GICR_BASE : BOARD_GICR2_BASE,
			    hart < first ? hart : hart - first);
}

void hal_irq_listen(unsigned id, bool on)
{
	hal_gicv3_listen(BOARD_GICD_BASE, hal_board.hwid[0], id, on);
}

uintptr_t hal_ipi_doorbell(unsigned hart)
{
	return hal_icc_doorbell(hal_board.hwid[hart]);
}
