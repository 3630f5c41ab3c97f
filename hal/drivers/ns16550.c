/*
 * ns16550.c - the 16550 UART: out by polling, in by its interrupt.
 * Source: TI TL16C550C data sheet, chapter 8.
 */
#include <hal/console.h>
#include <hal/irq.h>

#include "uart.h"

#define RBR 0 /* receive buffer */
#define THR 0 /* transmit holding */
#define IER 1
#define FCR 2
#define LCR 3
#define LSR 5
#define LCR_8N1 0x03
#define IER_ERBI 0x01         /* input, 14 bytes or after a pause */
#define FCR_ENABLE_AT_14 0xc1 /* FIFOs */
#define LSR_DR 0x01
#define LSR_THRE 0x20

#ifndef HAL_UART_STRIDE /* bytes from a register to the next; a board's flags have another */
#define HAL_UART_STRIDE 1
#endif

static uintptr_t uart;

static volatile uint8_t *reg(unsigned n)
{
	return (volatile uint8_t *)(uart + n * HAL_UART_STRIDE);
}

void hal_uart_init(uintptr_t base, unsigned irq)
{
	uart = base;
	hal_console_line = irq;
	*reg(IER) = 0;
	*reg(LCR) = LCR_8N1;
	*reg(FCR) = FCR_ENABLE_AT_14;
}

void hal_console_write(const char *s, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		while (!(*reg(LSR) & LSR_THRE))
			;
		*reg(THR) = (uint8_t)s[i];
	}
}

size_t hal_console_read(char *s, size_t bytes)
{
	size_t n = 0;

	while (n < bytes && *reg(LSR) & LSR_DR)
		s[n++] = (char)*reg(RBR);
	return n;
}

void hal_console_listen(bool on)
{
	*reg(IER) = on ? IER_ERBI : 0;
	hal_irq_listen(hal_console_line, on);
}
