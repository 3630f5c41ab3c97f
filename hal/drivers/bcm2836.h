/*
 * bcm2836.h - the local peripherals of the BCM2836 and BCM2837: interrupts of four cores, and four
 * mailboxes for each.
 *
 * A mailbox is a word: what is written to its one address sets bits, what is written to the other
 * clears them, and while it is not 0 it may interrupt its core. Mailbox 0 is the doorbell. Mailbox
 * 1 says who has put messages where (bcm2836_mailbox.c); 2 is the alarm (hal/alarm.h), which comes
 * as FIQ, as the physical timer does; 3 is free.
 *
 * No interrupt is ever taken: a doorbell or the virtual timer, while it is pending, ends WFI. Hart
 * n is core n.
 *
 * Source: Broadcom "ARM Quad A7 core" (QA7) revision 3.4, 3.2, 4.6, 4.8, 4.10.
 */
#ifndef HAL_BCM2836_H
#define HAL_BCM2836_H

#include <stdint.h>

#define HAL_BCM2836_CORES 4
#define HAL_BCM2836_BYTES 0x1000

/*
 * Let the doorbell and the timer of every core through, and nothing else.
 * Context: hart 0, before the others start. hal_irq_init_hart() (hal/irq.h) and hal_ipi_doorbell(),
 * hal_ipi_ring(), hal_ipi_clear() (hal/ipi.h) are here too.
 */
void hal_bcm2836_init(uintptr_t base);

/* The words that set and clear bits of a core's mailbox; the latter reads it. */
volatile uint32_t *hal_bcm2836_set(unsigned core, unsigned mailbox);
volatile uint32_t *hal_bcm2836_clear(unsigned core, unsigned mailbox);

#endif
