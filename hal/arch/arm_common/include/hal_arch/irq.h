/*
 * irq.h - hal/irq.h has the contract.
 */
#ifndef HAL_ARCH_IRQ_H
#define HAL_ARCH_IRQ_H

#include <hal_arch/sysreg.h>

static inline void hal_irq_wait(void)
{
	hal_dsb(); /* stores reach all harts before this hart goes to sleep */
	__asm__ volatile("wfi" ::: "memory");
}

static inline void hal_device_order(void)
{
	hal_dsb();
}

#endif
