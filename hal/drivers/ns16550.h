/*
 * ns16550.h - the 16550 UART: hal/console.h's functions are here.
 * Source: TI TL16C550C data sheet, chapter 8.
 */
#ifndef HAL_NS16550_H
#define HAL_NS16550_H

#include <stdint.h>

/*
 * 8N1, FIFOs on; the divisor is what the firmware or the emulator left.
 * @param irq  its interrupt, for hal_irq_listen()
 */
void hal_ns16550_init(uintptr_t base, unsigned irq);

#endif
