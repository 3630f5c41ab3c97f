/* board.c - Raspberry Pi 3 model B: which driver does what, where. */
#include <hal/board.h>
#include <hal/ipi.h>
#include <hal/probe.h>

#include "../../drivers/bcm2835_gpio.h"
#include "../../drivers/bcm2836.h"
#include "../../drivers/spin_table.h"
#include "../../drivers/uart.h"

static const struct hal_region devices[] = {
	{ BOARD_UART_BASE, 0x1000 },
	{ BOARD_GPU_IRQ_BASE, HAL_BCM2835_IRQ_BYTES },
	{ BOARD_LOCAL_BASE, HAL_BCM2836_BYTES },
	{ 0, 0 },
};
struct hal_board hal_board = { .name = BOARD_NAME, .devices = devices };

void hal_board_probe(uintptr_t hwid, uintptr_t dtb)
{
	(void)dtb;
	hal_bcm2835_gpio_function(BOARD_GPIO_BASE, 14, HAL_BCM2835_ALT0);
	hal_bcm2835_gpio_function(BOARD_GPIO_BASE, 15, HAL_BCM2835_ALT0);
	hal_pl011_set_speed(BOARD_UART_BASE, BOARD_UART_HZ, 115200);
	hal_uart_init(BOARD_UART_BASE, BOARD_UART_IRQ);
	hal_probe_fixed(hwid, BOARD_MAX_HARTS, BOARD_RAM_BASE, BOARD_RAM_BYTES);
	hal_bcm2836_init(BOARD_LOCAL_BASE, BOARD_GPU_IRQ_BASE);
	hal_spin_table_release(BOARD_SPIN_TABLE, BOARD_MAX_HARTS);
}

int hal_board_start_hart(unsigned hart, const struct hal_boot *rec)
{
	hal_spin_table_start(hart, rec);
	hal_ipi_send(hart);
	return 0;
}
