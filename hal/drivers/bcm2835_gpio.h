/*
 * bcm2835_gpio.h - select the function of a pin of the BCM2835 to BCM2837.
 * Source: Broadcom BCM2835 ARM Peripherals, 6.1 (GPFSELn).
 */
#ifndef HAL_BCM2835_GPIO_H
#define HAL_BCM2835_GPIO_H

#include <stdint.h>

enum hal_bcm2835_gpio { HAL_BCM2835_IN = 0, HAL_BCM2835_OUT = 1, HAL_BCM2835_ALT0 = 4 };

/* Context: one hart at a time. */
static inline void hal_bcm2835_gpio_function(uintptr_t base, unsigned pin, enum hal_bcm2835_gpio fn)
{
	volatile uint32_t *select = (volatile uint32_t *)base + pin / 10;
	unsigned shift = pin % 10 * 3;

	*select = (*select & ~(7u << shift)) | (uint32_t)fn << shift;
}

#endif
