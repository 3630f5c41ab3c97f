/* user.h - hal/user.h on the host: a program has no level below its own. */
#ifndef HAL_ARCH_USER_H
#define HAL_ARCH_USER_H

#include <errno.h>
#include <stdint.h>

#define HAL_USER_BYTES 16

static inline uintptr_t hal_user_call(uintptr_t number, uintptr_t a, uintptr_t b, uintptr_t c,
				      uintptr_t d)
{
	(void)number;
	(void)a;
	(void)b;
	(void)c;
	(void)d;
	return (uintptr_t)-ENOTSUP;
}

#endif
