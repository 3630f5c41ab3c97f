/*
 * bcm2836.h - the local peripherals of the BCM2836 and BCM2837: interrupts of four cores, and four
 * mailboxes for each.
 *
 * A mailbox is a word: a write to one of its addresses sets bits, a write to its second address
 * clears bits, and while it is not 0 it may interrupt its core. Mailbox 0 is the doorbell. Mailbox
 * 1 says which cores have put messages where (bcm2836_mailbox.c); 2 is the alarm (hal/alarm.h),
 * which comes as FIQ, as the physical timer does; 3 is free.
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
#define HAL_BCM2835_IRQ_BYTES 0x1000

/*
 * Let the doorbell and the timer of every core through, and nothing else.
 * @param gpu  the interrupt controller of the BCM2835, behind which the devices are; core 0 has
 *             its interrupts unless the firmware says otherwise. hal_irq_listen()'s numbers are
 *             its GPU interrupts 0 to 63. Source: Broadcom "BCM2835 ARM Peripherals", 7.
 * Context: hart 0, before further harts start. The functions of hal/irq.h and hal_ipi_doorbell(),
 * hal_ipi_ring(), hal_ipi_clear() (hal/ipi.h) are here too.
 */
void hal_bcm2836_init(uintptr_t base, uintptr_t gpu);

/* The words that set and clear bits of a core's mailbox; the latter reads it. */
volatile uint32_t *hal_bcm2836_set(unsigned core, unsigned mailbox);
volatile uint32_t *hal_bcm2836_clear(unsigned core, unsigned mailbox);

#endif
