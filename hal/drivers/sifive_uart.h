/*
 * sifive_uart.h - SiFive's UART: hal/console.h's functions are here.
 * Source: SiFive FU540-C000 manual, chapter 13.
 */
#ifndef HAL_SIFIVE_UART_H
#define HAL_SIFIVE_UART_H

#include <stdint.h>

/*
 * On, both ways; the divisor is what the loader or the emulator left.
 * @param irq  its interrupt, for hal_irq_listen()
 */
void hal_sifive_uart_init(uintptr_t base, unsigned irq);

#endif
