/*
 * pfsoc_devices.c - devices of a PolarFire SoC for programs (hal/device.h): its UARTs.
 *
 * Source: PolarFire SoC MSS Technical Reference Manual, memory map and PLIC interrupts, as QEMU's
 * microchip-icicle-kit has them.
 */
#include <hal/device.h>

const struct hal_device hal_board_devices[] = {
	HAL_DEVICE("ns16550a", 0x20000000, 0x1000, 90),
	HAL_DEVICE("ns16550a", 0x20100000, 0x1000, 91),
	HAL_DEVICE("ns16550a", 0x20102000, 0x1000, 92),
	HAL_DEVICE("ns16550a", 0x20104000, 0x1000, 93),
	HAL_DEVICE("ns16550a", 0x20106000, 0x1000, 94),
	{ 0 },
};
