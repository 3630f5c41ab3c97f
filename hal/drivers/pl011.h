/*
 * pl011.h - the Arm PrimeCell UART: hal/console.h's functions are here.
 *
 * Source: Arm PrimeCell UART (PL011) Technical Reference Manual (DDI 0183), 3.3.
 */
#ifndef HAL_PL011_H
#define HAL_PL011_H

#include <stdint.h>

/*
 * 8 bits, no parity, FIFO on, at the speed that the firmware has set.
 * @param irq  its interrupt, for hal_irq_listen()
 * Context: hart 0.
 */
void hal_pl011_init(uintptr_t base, unsigned irq);

/* Set the speed, where no firmware has; before hal_pl011_init(). @param clock_hz  of UARTCLK */
void hal_pl011_set_speed(uintptr_t base, uint32_t clock_hz, uint32_t baud);

#endif
