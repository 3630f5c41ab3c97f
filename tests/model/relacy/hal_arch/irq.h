/* irq.h - hal/irq.h for a machine of threads. */
#ifndef HAL_ARCH_IRQ_H
#define HAL_ARCH_IRQ_H

void hal_irq_wait(void);

#endif
