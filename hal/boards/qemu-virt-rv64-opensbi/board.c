/* board.c - QEMU's RISC-V virt machine above OpenSBI: which driver does what, where. */
#include <hal/board.h>
#include <hal/ipi.h>
#include <hal/probe.h>
#include <hal_arch/start.h>

#include "../../drivers/plic.h"
#include "../../drivers/sbi.h"
#include "../../drivers/uart.h"

static const struct hal_region devices[] = {
	{ BOARD_UART_BASE, 0x1000 },
	{ BOARD_PLIC_BASE, BOARD_PLIC_BYTES },
	{ 0, 0 },
};
struct hal_board hal_board = { .name = BOARD_NAME, .devices = devices, .end = hal_sbi_end };

void hal_board_probe(uintptr_t hwid, uintptr_t dtb)
{
	hal_uart_init(BOARD_UART_BASE, BOARD_UART_IRQ);
	hal_probe_fdt(hwid, (const void *)dtb);
	hal_probe_begin(BOARD_RAM_BASE);                   /* RAM below it is the firmware's */
	hal_plic_init(BOARD_PLIC_BASE, hal_board.hwid, 1); /* S-mode's contexts */
	hal_start_prepare();
}

/*
 * The hart looks for its record, and gets no address from the firmware: OpenSBI before 1.2 lets a
 * hart that leaves reset late go to the entry of hart 0, with the second argument of hart 0.
 */
int hal_board_start_hart(unsigned hart, const struct hal_boot *rec)
{
	extern const char _start[]; /* boot/riscv/start.S */

	hal_start_give(hart, rec);
	return hal_sbi_start(hal_board.hwid[hart], (uintptr_t)_start);
}

uintptr_t hal_ipi_doorbell(unsigned hart)
{
	return hal_board.hwid[hart];
}
