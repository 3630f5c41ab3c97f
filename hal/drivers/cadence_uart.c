/*
 * cadence_uart.c - the UART of Zynq chips: out by polling, in by its interrupt.
 *
 * Source: Zynq UltraScale+ Device Technical Reference Manual (UG1085), 21; register reference
 * (UG1087), UART.
 */
#include <hal/console.h>
#include <hal/irq.h>

#include "uart.h"

struct uart {
	uint32_t Control;
	uint32_t Mode;
	uint32_t Intrpt_en;
	uint32_t Intrpt_dis;
	uint32_t Intrpt_mask;
	uint32_t Chnl_int_sts;
	uint32_t pad0[2];
	uint32_t Rcvr_FIFO_trigger_level;
	uint32_t pad1[2];
	uint32_t Channel_sts;
	uint32_t TX_RX_FIFO;
};

#define CONTROL_TXEN (1u << 4)
#define CONTROL_RXEN (1u << 2)
#define MODE_8N1 (4u << 3)
#define INT_RTRIG (1u << 0)
#define STS_REMPTY (1u << 1)
#define STS_TEMPTY (1u << 3)
#define STS_TFUL (1u << 4)
#define STS_TACTIVE (1u << 11)

static volatile struct uart *uart;

void hal_uart_init(uintptr_t base, unsigned irq)
{
	uart = (volatile struct uart *)base;
	hal_console_line = irq;
	/* Wait until the firmware's output is sent, before the mode changes. */
	while ((uart->Channel_sts & (STS_TEMPTY | STS_TACTIVE)) == STS_TACTIVE)
		;
	uart->Mode = MODE_8N1;
	uart->Intrpt_dis = ~0u;
	uart->Rcvr_FIFO_trigger_level = 1;
	uart->Control = CONTROL_TXEN | CONTROL_RXEN;
}

void hal_console_write(const char *s, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		while (uart->Channel_sts & STS_TFUL)
			;
		uart->TX_RX_FIFO = (unsigned char)s[i];
	}
}

size_t hal_console_read(char *s, size_t bytes)
{
	size_t n = 0;

	while (n < bytes && !(uart->Channel_sts & STS_REMPTY))
		s[n++] = (char)uart->TX_RX_FIFO;
	return n;
}

void hal_console_listen(bool on)
{
	uart->Intrpt_dis = INT_RTRIG;
	uart->Chnl_int_sts = INT_RTRIG; /* it stays until it is cleared */
	if (on)
		uart->Intrpt_en = INT_RTRIG;
	hal_irq_listen(hal_console_line, on);
}
