/*
 * cadence_uart.h - the UART of Zynq chips: hal/console.h's functions are here.
 *
 * Source: Zynq UltraScale+ Device Technical Reference Manual (UG1085), 21; register reference
 * (UG1087), UART.
 */
#ifndef HAL_CADENCE_UART_H
#define HAL_CADENCE_UART_H

#include <stdint.h>

/*
 * 8 bits, no parity, at the speed that the firmware has set.
 * @param irq  its interrupt, for hal_irq_listen()
 * Context: hart 0.
 */
void hal_cadence_uart_init(uintptr_t base, unsigned irq);

#endif
