/* irq.h - hal/irq.h for RISC-V. */
#ifndef HAL_ARCH_IRQ_H
#define HAL_ARCH_IRQ_H

/* wfi ends for what is enabled in sie, though sstatus.SIE masks it (Privileged ISA 3.3.3). */
static inline void hal_irq_wait(void)
{
	__asm__ volatile("wfi" ::: "memory");
}

#endif
