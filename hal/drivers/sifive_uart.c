/*
 * sifive_uart.c - SiFive's UART: out by polling, in by its interrupt.
 * Source: SiFive FU540-C000 manual, chapter 13.
 */
#include <hal/console.h>
#include <hal/irq.h>

#include "uart.h"

#define TXDATA 0x00
#define RXDATA 0x04
#define TXCTRL 0x08
#define RXCTRL 0x0c
#define IE 0x10
#define TXDATA_FULL 0x80000000u
#define RXDATA_EMPTY 0x80000000u
#define TXCTRL_TXEN 1u
#define RXCTRL_RXEN 1u
#define IE_RXWM 2u

static uintptr_t uart;

static volatile uint32_t *reg(unsigned n)
{
	return (volatile uint32_t *)(uart + n);
}

void hal_uart_init(uintptr_t base, unsigned irq)
{
	uart = base;
	hal_console_line = irq;
	*reg(IE) = 0;
	*reg(TXCTRL) = TXCTRL_TXEN; /* one stop bit */
	*reg(RXCTRL) = RXCTRL_RXEN; /* an interrupt from the first byte on */
}

void hal_console_write(const char *s, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		while (*reg(TXDATA) & TXDATA_FULL)
			;
		*reg(TXDATA) = (uint8_t)s[i];
	}
}

size_t hal_console_read(char *s, size_t bytes)
{
	size_t n = 0;
	uint32_t data;

	while (n < bytes && !((data = *reg(RXDATA)) & RXDATA_EMPTY))
		s[n++] = (char)data;
	return n;
}

void hal_console_listen(bool on)
{
	*reg(IE) = on ? IE_RXWM : 0;
	hal_irq_listen(hal_console_line, on);
}
