/* uart.h - a board's UART: its driver defines this function and the functions of hal/console.h. */
#ifndef HAL_UART_H
#define HAL_UART_H

#include <stdint.h>

/*
 * On, both ways: 8 bits, no parity, FIFOs, at the speed that the firmware, the loader or the
 * emulator has set.
 * @param irq  its interrupt, for hal_irq_listen()
 * Context: hart 0.
 */
void hal_uart_init(uintptr_t base, unsigned irq);

/* pl011.c: set the speed, where nobody has; before that. @param clock_hz  of UARTCLK */
void hal_pl011_set_speed(uintptr_t base, uint32_t clock_hz, uint32_t baud);

#endif
