/* irq.h - hal/irq.h for RISC-V. */
#ifndef HAL_ARCH_IRQ_H
#define HAL_ARCH_IRQ_H

#include <hal_arch/here.h>

/* wfi ends for interrupts enabled in sie, though sstatus.SIE masks them (Privileged ISA 3.3.3). */
static inline void hal_irq_wait(void)
{
	__asm__ volatile("wfi" ::: "memory");
}

static inline void hal_device_order(void)
{
	__asm__ volatile("fence iorw, iorw" ::: "memory");
}

/* Let external interrupts (drivers/plic.h) end this hart's hal_irq_wait() too. */
static inline void hal_irq_external(void)
{
#ifdef BOARD_SHIM_FORWARDS
	if (hal_here.msip) {
		__asm__ volatile("csrs mie, %0" ::"r"(1 << 11)); /* MEIE */
		return;
	}
#endif
	__asm__ volatile("csrs sie, %0" ::"r"(1 << 9)); /* SEIE */
}

#endif
