/*
 * time.h - one clock for all harts, one wake-up timer for each.
 */
#ifndef HAL_TIME_H
#define HAL_TIME_H

#include <stdint.h>

/*
 * Inline, hal_arch/time.h:
 *   uint32_t hal_time_hz(void)             ticks a second of hal_time_now(), constant
 *   uint64_t hal_time_now(void)            ticks since power-on, of one clock for all harts
 *   void     hal_time_wake_at(uint64_t t)  end this hart's sleep once hal_time_now() >= t
 *   void     hal_time_wake_never(void)     forget that
 */
#include <hal_arch/time.h>

#endif
