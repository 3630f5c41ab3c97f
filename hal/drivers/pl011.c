/*
 * pl011.c - bytes out of a PL011, by polling. pl011.h has the interface.
 */
#include "pl011.h"

struct pl011 {
	uint32_t DR;
	uint32_t pad0[5];
	uint32_t FR;
	uint32_t pad1[2];
	uint32_t IBRD;
	uint32_t FBRD;
	uint32_t LCR_H;
	uint32_t CR;
};

#define FR_BUSY (1u << 3)
#define FR_TXFF (1u << 5)
#define LCR_H_FEN (1u << 4)
#define LCR_H_WLEN_8 (3u << 5)
#define CR_UARTEN (1u << 0)
#define CR_TXE (1u << 8)

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

void hal_pl011_init(uintptr_t base)
{
	volatile struct pl011 *uart = (volatile struct pl011 *)base;

	while (uart->FR & FR_BUSY)
		;
	uart->CR = 0; /* LCR_H must not change while it is enabled */
	uart->LCR_H = LCR_H_FEN | LCR_H_WLEN_8;
	uart->CR = CR_UARTEN | CR_TXE;
}

void hal_pl011_write(uintptr_t base, const char *s, size_t bytes)
{
	volatile struct pl011 *uart = (volatile struct pl011 *)base;

	for (size_t i = 0; i < bytes; i++) {
		while (uart->FR & FR_TXFF)
			;
		uart->DR = (unsigned char)s[i];
	}
}
