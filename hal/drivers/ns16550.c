/* ns16550.c - the 16550 UART, by polling. */
#include "ns16550.h"

#define THR 0 /* transmit holding */
#define IER 1
#define FCR 2
#define LCR 3
#define LSR 5
#define LCR_8N1 0x03
#define FCR_ENABLE 0x01
#define LSR_THRE 0x20

static volatile uint8_t *reg(uintptr_t base, unsigned n)
{
	return (volatile uint8_t *)(base + n);
}

void hal_ns16550_init(uintptr_t base)
{
	*reg(base, IER) = 0;
	*reg(base, LCR) = LCR_8N1;
	*reg(base, FCR) = FCR_ENABLE;
}

void hal_ns16550_write(uintptr_t base, const char *s, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		while (!(*reg(base, LSR) & LSR_THRE))
			;
		*reg(base, THR) = (uint8_t)s[i];
	}
}
