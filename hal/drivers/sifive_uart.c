/* sifive_uart.c - SiFive's UART, by polling. */
#include "sifive_uart.h"

#define TXDATA 0x00
#define TXCTRL 0x08
#define IE 0x10
#define TXDATA_FULL 0x80000000u
#define TXCTRL_TXEN 1u

static volatile uint32_t *reg(uintptr_t base, unsigned n)
{
	return (volatile uint32_t *)(base + n);
}

void hal_sifive_uart_init(uintptr_t base)
{
	*reg(base, IE) = 0;
	*reg(base, TXCTRL) = TXCTRL_TXEN; /* one stop bit */
}

void hal_sifive_uart_write(uintptr_t base, const char *s, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		while (*reg(base, TXDATA) & TXDATA_FULL)
			;
		*reg(base, TXDATA) = (uint8_t)s[i];
	}
}
