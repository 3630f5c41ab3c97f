/* board.c - AMD ZCU102: which driver does what, where. */
#include <hal/board.h>
#include <hal/dma.h>
#include <hal/probe.h>

#include "../../drivers/gic.h"
#include "../../drivers/psci.h"
#include "../../drivers/uart.h"

static const struct hal_region devices[] = {
	{ BOARD_UART_BASE, 0x1000 },
	{ BOARD_GICD_BASE, 0x1000 },
	{ BOARD_GICC_BASE, 0x2000 },
	{ BOARD_ZDMA_BASE, 0x80000 },
	{ 0, 0 },
};
struct hal_board hal_board = {
	.name = BOARD_NAME, .devices = devices, .end = hal_psci_end, .end_by = (uintptr_t)hal_smc
};

const struct hal_dma_engine hal_dma_engine = {
	.base = BOARD_ZDMA_BASE,
	.controller = BOARD_GICD_BASE,
	.irq = BOARD_ZDMA_IRQ,
	.reach = { { BOARD_IMAGE_BASE, BOARD_RAM_BYTES - 1 }, { BOARD_SPM_BASE, 0xffffffff } },
};

void hal_board_probe(uintptr_t hwid, uintptr_t dtb)
{
	(void)dtb;
	hal_uart_init(BOARD_UART_BASE, BOARD_UART_IRQ);
	hal_probe_fixed(hwid, BOARD_MAX_HARTS, BOARD_RAM_BASE, BOARD_RAM_BYTES);
	hal_gic_init(BOARD_GICD_BASE, BOARD_GICC_BASE, 0, hal_board.hwid);
}

int hal_board_start_hart(unsigned hart, const struct hal_boot *rec)
{
	return hal_psci_cpu_on(hal_smc, hal_board.hwid[hart], hal_boot_secondary, rec);
}
