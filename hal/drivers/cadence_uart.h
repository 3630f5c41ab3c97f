/*
 * cadence_uart.h - the UART of Zynq chips, transmit side.
 *
 * Source: Zynq UltraScale+ Device Technical Reference Manual (UG1085), 21; register reference
 * (UG1087), UART.
 */
#ifndef HAL_CADENCE_UART_H
#define HAL_CADENCE_UART_H

#include <stddef.h>
#include <stdint.h>

/* 8 bits, no parity, at the speed that the firmware has set. Context: hart 0. */
void hal_cadence_uart_init(uintptr_t base);

/* Send bytes; returns when the last is in the FIFO. Context: one hart at a time. */
void hal_cadence_uart_write(uintptr_t base, const char *s, size_t bytes);

#endif
