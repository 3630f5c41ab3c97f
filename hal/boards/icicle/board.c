/* board.c - PolarFire SoC Icicle Kit: which driver does what, where. */
#include <hal/board.h>
#include <hal/dma.h>
#include <hal/probe.h>
#include <hal_arch/start.h>

#include "../../drivers/plic.h"
#include "../../drivers/uart.h"

static const struct hal_region devices[] = {
	{ BOARD_UART_BASE, 0x1000 },
	{ BOARD_CLINT_BASE, BOARD_CLINT_BYTES },
	{ BOARD_PDMA_BASE, 0x4000 },
	{ BOARD_PLIC_BASE, 0x400000 },
	{ 0, 0 },
};
struct hal_board hal_board = { .name = BOARD_NAME, .devices = devices };
const struct hal_dma_engine hal_dma_engine = {
	.base = BOARD_PDMA_BASE,
	.controller = BOARD_PLIC_BASE,
	.irq = 5,
	.reach = { { BOARD_SPM_BASE, BOARD_SPM_BASE + 0x1fffff },
		   { BOARD_RAM_BASE, BOARD_RAM_BASE + BOARD_RAM_BYTES - 1 } },
};

void hal_board_probe(uintptr_t hwid, uintptr_t dtb)
{
	(void)dtb;
	hal_uart_init(BOARD_UART_BASE, BOARD_UART_IRQ);
	hal_probe_fixed(hwid, BOARD_MAX_HARTS, BOARD_RAM_BASE, BOARD_RAM_BYTES);
	hal_plic_init(BOARD_PLIC_BASE, hal_board.hwid, 0); /* M-mode's of hart 0, then S-mode's */
	hal_start_prepare();
}
