/*
 * alarm.h - what the architecture has for hal/alarm.h: FIQ, which is masked by itself, and the
 * physical timer, which nobody else uses. What raises FIQ is the interrupt controller's.
 *
 * Source: Arm ARM (DDI 0487) D1.13 (masks), D11 (timers).
 */
#ifndef HAL_ARCH_ALARM_H
#define HAL_ARCH_ALARM_H

#include <stdint.h>

#include <hal_arch/sysreg.h>

static inline void hal_fiq_unmask(void)
{
	__asm__ volatile("msr DAIFClr, #1" ::: "memory");
}

static inline void hal_timer_at(uint64_t ticks)
{
	hal_sysreg_write(cntp_cval_el0, ticks);
	hal_sysreg_write(cntp_ctl_el0, 1);
	hal_isb();
}

/* Its line is a level: this lowers it. */
static inline void hal_timer_never(void)
{
	hal_sysreg_write(cntp_ctl_el0, 0);
	hal_isb();
}

#endif
