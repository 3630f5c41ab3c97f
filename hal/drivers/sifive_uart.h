/*
 * sifive_uart.h - SiFive's UART, by polling. Source: SiFive FU540-C000 manual, chapter 13.
 */
#ifndef HAL_SIFIVE_UART_H
#define HAL_SIFIVE_UART_H

#include <stddef.h>
#include <stdint.h>

/* Sending on; the divisor is what the loader or the emulator left. */
void hal_sifive_uart_init(uintptr_t base);

/* Send bytes, waiting for room. Context: one hart at a time, or lines mix. */
void hal_sifive_uart_write(uintptr_t base, const char *s, size_t bytes);

#endif
