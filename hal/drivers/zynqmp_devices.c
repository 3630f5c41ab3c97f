/*
 * zynqmp_devices.c - devices of a Zynq UltraScale+ for programs (hal/device.h): some of the many.
 *
 * Source: AMD UG1085, tables 10-1 (addresses) and 13-1 (interrupts).
 */
#include <hal/device.h>

const struct hal_device hal_board_devices[] = {
	HAL_DEVICE("cdns,uart-r1p12", 0xff000000, 0x1000, 53),
	HAL_DEVICE("cdns,uart-r1p12", 0xff010000, 0x1000, 54),
	HAL_DEVICE("xlnx,zynqmp-rtc", 0xffa60000, 0x1000, 58),
	{ 0 },
};
