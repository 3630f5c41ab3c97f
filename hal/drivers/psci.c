/*
 * psci.c - PSCI by hvc. psci.h has the interface.
 */
#include <errno.h>

#include <hal_arch/sysreg.h>

#include "psci.h"

#define CPU_ON 0xc4000003

/* The firmware may change x0 to x17. */
static int64_t call(uint64_t function, uint64_t a, uint64_t b, uint64_t c)
{
	register uint64_t x0 __asm__("x0") = function;
	register uint64_t x1 __asm__("x1") = a;
	register uint64_t x2 __asm__("x2") = b;
	register uint64_t x3 __asm__("x3") = c;

	__asm__ volatile("hvc #0"
			 : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3)
			 :
			 : "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14",
			   "x15", "x16", "x17", "memory");
	return (int64_t)x0;
}

int hal_psci_cpu_on(uintptr_t affinity, void (*entry)(const struct hal_boot *),
		    const struct hal_boot *rec)
{
	hal_dsb();
	switch (call(CPU_ON, affinity, (uintptr_t)entry, (uintptr_t)rec)) {
	case 0:
		return 0;
	case -1:
		return -ENOSYS;
	case -2: /* no such hart */
	case -9: /* bad entry */
		return -EINVAL;
	case -3:
		return -EACCES;
	case -4:
	case -5: /* it is on its way */
		return -EALREADY;
	}
	return -EIO;
}
