/* board.c - QEMU's RISC-V virt machine without page tables: which driver does what, where. */
#include <hal/board.h>
#include <hal/probe.h>
#include <hal_arch/start.h>

#include "../../drivers/plic.h"
#include "../../drivers/sifive_test.h"
#include "../../drivers/uart.h"

static const struct hal_region devices[] = {
	{ BOARD_UART_BASE, 0x1000 },
	{ BOARD_CLINT_BASE, BOARD_CLINT_BYTES },
	{ BOARD_PLIC_BASE, BOARD_PLIC_BYTES },
	{ 0, 0 },
};
struct hal_board hal_board = { .name = BOARD_NAME,
			       .devices = devices,
			       .end = hal_sifive_test_end_bare,
			       .end_by = BOARD_TEST_BASE };

void hal_board_probe(uintptr_t hwid, uintptr_t dtb)
{
	hal_uart_init(BOARD_UART_BASE, BOARD_UART_IRQ);
	hal_probe_fdt(hwid, (const void *)dtb);
	hal_plic_init(BOARD_PLIC_BASE, hal_board.hwid, 0); /* M-mode's contexts */
	hal_start_prepare();
}
