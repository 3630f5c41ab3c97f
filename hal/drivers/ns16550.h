/* ns16550.h - the 16550 UART, by polling. Source: TI TL16C550C data sheet, chapter 8. */
#ifndef HAL_NS16550_H
#define HAL_NS16550_H

#include <stddef.h>
#include <stdint.h>

/* 8N1, FIFOs on; the divisor is what the firmware or the emulator left. */
void hal_ns16550_init(uintptr_t base);

/* Send bytes, waiting for room. Context: one hart at a time, or lines mix. */
void hal_ns16550_write(uintptr_t base, const char *s, size_t bytes);

#endif
