/*
 * pl011.c - the Arm PrimeCell UART: out by polling, in by its interrupt.
 *
 * Source: Arm PrimeCell UART (PL011) Technical Reference Manual (DDI 0183), 3.3.
 */
#include <hal/console.h>
#include <hal/irq.h>

#include "uart.h"

struct pl011 {
	uint32_t DR;
	uint32_t pad0[5];
	uint32_t FR;
	uint32_t pad1[2];
	uint32_t IBRD;
	uint32_t FBRD;
	uint32_t LCR_H;
	uint32_t CR;
	uint32_t IFLS;
	uint32_t IMSC;
};

#define FR_BUSY (1u << 3)
#define FR_RXFE (1u << 4)
#define FR_TXFF (1u << 5)
#define LCR_H_FEN (1u << 4)
#define LCR_H_WLEN_8 (3u << 5)
#define CR_UARTEN (1u << 0)
#define CR_TXE (1u << 8)
#define CR_RXE (1u << 9)
#define IMSC_INPUT (1u << 6 | 1u << 4) /* half a FIFO, or after a pause */

static volatile struct pl011 *console;

void hal_pl011_set_speed(uintptr_t base, uint32_t clock_hz, uint32_t baud)
{
	volatile struct pl011 *uart = (volatile struct pl011 *)base;
	uint32_t divisor = (uint32_t)(((uint64_t)clock_hz * 4 + baud / 2) / baud); /* in 64ths */

	while (uart->FR & FR_BUSY)
		;
	uart->CR = 0;
	uart->IBRD = divisor >> 6;
	uart->FBRD = divisor & 63; /* taken over when LCR_H is written */
}

void hal_uart_init(uintptr_t base, unsigned irq)
{
	volatile struct pl011 *uart = (volatile struct pl011 *)base;

	console = uart;
	hal_console_line = irq;
	while (uart->FR & FR_BUSY)
		;
	uart->CR = 0; /* LCR_H must not change while it is enabled */
	uart->LCR_H = LCR_H_FEN | LCR_H_WLEN_8;
	uart->IMSC = 0;
	uart->CR = CR_UARTEN | CR_TXE | CR_RXE;
}

void hal_console_write(const char *s, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		while (console->FR & FR_TXFF)
			;
		console->DR = (unsigned char)s[i];
	}
}

size_t hal_console_read(char *s, size_t bytes)
{
	size_t n = 0;

	while (n < bytes && !(console->FR & FR_RXFE))
		s[n++] = (char)console->DR;
	return n;
}

void hal_console_listen(bool on)
{
	console->IMSC = on ? IMSC_INPUT : 0;
	hal_irq_listen(hal_console_line, on);
}
