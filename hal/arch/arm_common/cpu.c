/*
 * cpu.c - functions that are not worth inlining: maps and caches.
 *
 * Source: Arm ARM (DDI 0487) D5.10 (TLB maintenance), D4.4 (caches); v7-A and v7-R (DDI 0406C)
 * B3.10, B2.2.
 */
#include <stddef.h>
#include <stdint.h>

#include <hal/alarm.h>
#include <hal/cache.h>
#include <hal/cpu.h>
#include <hal/guard.h>
#include <hal/time.h>
#include <hal_arch/alarm.h>
#include <hal_arch/sysreg.h>
#include <hal_arch/tcr.h>

#define SCTLR_WXN (1u << 19)
#define TTBR_ASID(n) ((uint64_t)(n) << 48)

/*
 * Two maps may cover an address with leaves of different sizes, and the TLB must never hold both
 * for one number: a map gets the number that its predecessor does not have.
 */
void hal_map_activate(uintptr_t root)
{
	uint64_t asid = (hal_sysreg_read64(TTBR0) ^ TTBR_ASID(1)) & TTBR_ASID(1);

	hal_dsb_stores(); /* the tables are written before they are walked */
	hal_sysreg_write64(TTBR0, root | asid);
	hal_isb();
	hal_tcr_widen();
	/* The coarse map is writable and executable; the real ones cannot be by mistake. */
	hal_sysreg_write(SCTLR, hal_sysreg_read(SCTLR) | SCTLR_WXN);
	hal_isb();
	hal_tlb_forget_all();
	hal_dsb();
	hal_isb();
}

/* The smallest of any data cache. */
static size_t cache_line(void)
{
	return 4u << (hal_sysreg_read(CTR) >> 16 & 15); /* DminLine, in words */
}

static inline void for_each_line(const void *p, size_t bytes, void (*operation)(uintptr_t line))
{
	size_t line = cache_line();
	uintptr_t end = (uintptr_t)p + bytes;

	for (uintptr_t a = (uintptr_t)p & -line; a < end; a += line)
		operation(a);
	hal_dsb();
}

void hal_cache_clean(const void *p, size_t bytes)
{
	for_each_line(p, bytes, hal_cache_clean_line);
}

void hal_cache_flush(const void *p, size_t bytes)
{
	for_each_line(p, bytes, hal_cache_flush_line);
}

void hal_alarm_at(uint64_t ticks)
{
	hal_sysreg_write64(CNTP_CVAL, ticks);
	hal_sysreg_write(CNTP_CTL, 1);
	hal_isb();
}
