/* irq.h - hal/irq.h for a hart that is a thread: it sleeps on the futex of its doorbell. */
#ifndef HAL_ARCH_IRQ_H
#define HAL_ARCH_IRQ_H

void hal_irq_wait(void);

static inline void hal_device_order(void)
{
	__asm__ volatile("mfence" : : : "memory"); /* ThreadSanitizer knows no fences */
}

#endif
