/* board.c - AMD ZCU102: which driver does what, where. */
#include <hal/board.h>
#include <hal/console.h>
#include <hal/ipi.h>
#include <hal/probe.h>

#include "../../drivers/cadence_uart.h"
#include "../../drivers/gic.h"
#include "../../drivers/psci.h"

static const struct hal_region devices[] = {
	{ BOARD_UART_BASE, 0x1000 },
	{ BOARD_GICD_BASE, 0x1000 },
	{ BOARD_GICC_BASE, 0x2000 },
	{ 0, 0 },
};
struct hal_board hal_board = { BOARD_NAME,
			       { BOARD_RAM_BASE, BOARD_RAM_BYTES },
			       .devices = devices };

void hal_board_probe(uintptr_t hwid, uintptr_t dtb)
{
	(void)dtb;
	hal_cadence_uart_init(BOARD_UART_BASE);
	hal_probe_harts(hwid, BOARD_MAX_HARTS);
	hal_gic_init(BOARD_GICD_BASE, BOARD_GICC_BASE, 0);
}

int hal_board_start_hart(unsigned hart, const struct hal_boot *rec)
{
	return hal_psci_cpu_on(hal_smc, hal_board.hwid[hart], hal_boot_secondary, rec);
}

uintptr_t hal_ipi_bell(unsigned hart)
{
	return hal_gic_bell(hal_board.hwid[hart]);
}

void hal_console_write(const char *s, size_t bytes)
{
	hal_cadence_uart_write(BOARD_UART_BASE, s, bytes);
}
