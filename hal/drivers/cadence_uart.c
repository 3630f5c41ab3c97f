/*
 * cadence_uart.c - bytes out of a Cadence UART, by polling. cadence_uart.h has the interface.
 */
#include "cadence_uart.h"

struct uart {
	uint32_t Control;
	uint32_t Mode;
	uint32_t pad0[9];
	uint32_t Channel_sts;
	uint32_t TX_RX_FIFO;
};

#define CONTROL_TXEN (1u << 4)
#define CONTROL_RXDIS (1u << 3)
#define MODE_8N1 (4u << 3)
#define STS_TEMPTY (1u << 3)
#define STS_TFUL (1u << 4)
#define STS_TACTIVE (1u << 11)

void hal_cadence_uart_init(uintptr_t base)
{
	volatile struct uart *uart = (volatile struct uart *)base;

	/* What the firmware has said is out before the mode changes. */
	while ((uart->Channel_sts & (STS_TEMPTY | STS_TACTIVE)) == STS_TACTIVE)
		;
	uart->Mode = MODE_8N1;
	uart->Control = CONTROL_TXEN | CONTROL_RXDIS;
}

void hal_cadence_uart_write(uintptr_t base, const char *s, size_t bytes)
{
	volatile struct uart *uart = (volatile struct uart *)base;

	for (size_t i = 0; i < bytes; i++) {
		while (uart->Channel_sts & STS_TFUL)
			;
		uart->TX_RX_FIFO = (unsigned char)s[i];
	}
}
