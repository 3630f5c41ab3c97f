/* compiler.h - extensions of the compiler, and small helpers. */
#ifndef CO_CORE_COMPILER_H
#define CO_CORE_COMPILER_H

#include <stddef.h>
#include <stdint.h>

/* The struct of `type` whose `member` lies at `part`. */
#define co_container_of(part, type, member) ((type *)((uintptr_t)(part)-offsetof(type, member)))

/* INLINE: into every caller. NOINLINE: kept out of callers, off the hot path. */
#define INLINE static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))

/*
 * RACY: a function that reads variables which others may write at that time; ThreadSanitizer
 * ignores it, and `used` keeps the loads in it. UNSANITIZED: a function that also reads whole
 * stacks, which AddressSanitizer objects to.
 */
#define RACY __attribute__((noinline, used, no_sanitize("thread")))
#define UNSANITIZED RACY __attribute__((no_sanitize("address")))

/* Read and write a byte that others may not write now: wild or read-only memory faults here. */
INLINE void co_touch(void *p)
{
	unsigned char *at = p, byte = *at;

	__asm__ volatile("" : "+r"(byte)); /* so that the write is not left out */
	*at = byte;
}

static inline size_t co_least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The next multiple of `unit`. */
static inline size_t co_round_up(size_t n, size_t unit)
{
	return (n + unit - 1) / unit * unit;
}

#endif
