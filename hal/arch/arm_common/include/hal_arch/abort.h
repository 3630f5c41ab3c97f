/*
 * abort.h - a memory access that failed, in words.
 *
 * Source: Arm ARM (DDI 0487) D13.2.37 (ESR_EL1); v7-A and v7-R (DDI 0406C) B3.13 (long-descriptor
 * format).
 */
#ifndef HAL_ARCH_ABORT_H
#define HAL_ARCH_ABORT_H

enum hal_abort { HAL_ABORT_LOAD, HAL_ABORT_STORE, HAL_ABORT_JUMP };

/* The upper four bits of its status code: the lowest two are the level. */
#define HAL_ABORT_EXTERNAL 4u

static inline const char *hal_abort_cause(unsigned status, enum hal_abort how)
{
	static const char *const text[][3] = {
		[0] = { "load from an address too large", "store to an address too large",
			"jump to an address too large" },
		[1] = { "load from an address that is not mapped",
			"store to an address that is not mapped",
			"jump to an address that is not mapped" },
		[3] = { "load from an address that must not be read",
			"store to an address that is read-only",
			"jump to an address that holds no code" },
		[HAL_ABORT_EXTERNAL] = { "load from an address where nothing answers",
					 "store to an address where nothing answers",
					 "jump to an address where nothing answers" },
		[8] = { "load from a misaligned address", "store to a misaligned address",
			"jump to a misaligned address" },
	};

	if (status < sizeof(text) / sizeof(*text) && text[status][how])
		return text[status][how];
	return "memory access that failed";
}

#endif
