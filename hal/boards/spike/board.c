/* board.c - Spike, the RISC-V simulator, and its like: which driver does what, where. */
#include <hal/board.h>
#include <hal/probe.h>
#include <hal_arch/start.h>

#include "../../drivers/fdt.h"
#include "../../drivers/htif.h"
#include "../../drivers/plic.h"
#include "../../drivers/sifive_test.h"
#include "../../drivers/uart.h"

static const struct hal_region devices[] = {
	{ BOARD_UART_BASE, 0x1000 },
	{ BOARD_CLINT_BASE, BOARD_CLINT_BYTES },
	{ BOARD_PLIC_BASE, BOARD_PLIC_BYTES },
	{ 0, 0 },
};
struct hal_board hal_board = { .name = BOARD_NAME, .devices = devices, .end = hal_htif_end };

void hal_board_probe(uintptr_t hwid, uintptr_t dtb)
{
	const void *tree = (const void *)dtb;
	struct hal_device d;

	hal_uart_init(BOARD_UART_BASE, 0);
	hal_probe_fdt(hwid, tree);
	if (!hal_fdt_device(tree, HAL_FDT_MAX_BYTES, "ns16550a", 0, &d) && d.lines)
		hal_uart_init(BOARD_UART_BASE, d.line[0]);
	/* QEMU and RVVM have a device that ends them. */
	if (!hal_fdt_device(tree, HAL_FDT_MAX_BYTES, "sifive,test0", 0, &d) && d.ranges) {
		hal_board.end = hal_sifive_test_end;
		hal_board.end_by = d.range[0].base;
	}
	hal_plic_init(BOARD_PLIC_BASE, hal_board.hwid, 1); /* S-mode's contexts */
	hal_start_prepare();
}
