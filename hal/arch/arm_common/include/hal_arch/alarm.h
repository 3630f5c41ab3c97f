/*
 * alarm.h - the architecture's means for hal/alarm.h: FIQ, which has a mask of its own, and the
 * physical timer, which nobody else uses. The interrupt controller raises FIQ.
 *
 * Source: Arm ARM (DDI 0487) D1.13 (masks), D11 (timers); v7-A and v7-R (DDI 0406C) B1.8, B8.
 */
#ifndef HAL_ARCH_ALARM_H
#define HAL_ARCH_ALARM_H

#include <hal_arch/sysreg.h>

/* Its line is a level: this lowers it. */
static inline void hal_timer_never(void)
{
	hal_sysreg_write(CNTP_CTL, 0);
	hal_isb();
}

#endif
