/* time.h - hal/time.h for a machine of threads. */
#ifndef HAL_ARCH_TIME_H
#define HAL_ARCH_TIME_H

static inline uint32_t hal_time_hz(void)
{
	return 1000000;
}

uint64_t hal_time_now(void);
void hal_time_wake_at(uint64_t t);
void hal_time_wake_never(void);

#endif
