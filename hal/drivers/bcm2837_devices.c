/*
 * bcm2837_devices.c - devices of a BCM2837 for programs (hal/device.h): some of the many.
 *
 * Source: Broadcom "BCM2835 ARM Peripherals", 6, 7.5, 12.1, 13.4.
 */
#include <hal/device.h>

const struct hal_device hal_board_devices[] = {
	HAL_DEVICE("brcm,bcm2835-gpio", 0x3f200000, 0x1000, 49),
	HAL_DEVICE("arm,pl011", 0x3f201000, 0x1000, 57),
	/* By its comparator 1: 0 and 2 are the GPU's. */
	HAL_DEVICE("brcm,bcm2835-system-timer", 0x3f003000, 0x1000, 1),
	{ 0 },
};
