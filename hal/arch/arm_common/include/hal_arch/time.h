/*
 * time.h - hal/time.h has the contract: the generic timer, its virtual side.
 *
 * Source: Arm ARM (DDI 0487) D11; v7-A and v7-R (DDI 0406C) B8.
 */
#ifndef HAL_ARCH_TIME_H
#define HAL_ARCH_TIME_H

#include <hal_arch/sysreg.h>

#define HAL_CNTV_CTL_ENABLE 1u

static inline uint32_t hal_time_hz(void)
{
	return (uint32_t)hal_sysreg_read(CNTFRQ);
}

static inline uint64_t hal_time_now(void)
{
	hal_isb(); /* else it may be read early, before a message that carries an earlier time */
	return hal_sysreg_read64(CNTVCT);
}

static inline void hal_time_wake_at(uint64_t t)
{
	hal_sysreg_write64(CNTV_CVAL, t);
	hal_sysreg_write(CNTV_CTL, HAL_CNTV_CTL_ENABLE);
	hal_isb();
}

static inline void hal_time_wake_never(void)
{
	hal_sysreg_write(CNTV_CTL, 0); /* its line is a level: this lowers it */
	hal_isb();
}

#endif
