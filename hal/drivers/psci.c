/*
 * psci.c - asking the firmware to let harts go. psci.h has the interface.
 */
#include <errno.h>

#include <hal_arch/sysreg.h>

#include "psci.h"

#define CPU_ON (sizeof(uintptr_t) == 8 ? 0xc4000003u : 0x84000003u)

/* boot/aarch64/start.S; not there on 32-bit Arm. */
extern const volatile unsigned char hal_entered_el3 __attribute__((weak));

int hal_psci_cpu_on(hal_smccc_fn *call, uintptr_t affinity, void (*entry)(const struct hal_boot *),
		    const struct hal_boot *rec)
{
	if (call == hal_smc && &hal_entered_el3 && hal_entered_el3)
		return -ENOSYS; /* the call would end in vectors that nobody has set */
	hal_dsb();
	switch ((int32_t)call(CPU_ON, affinity, (uintptr_t)entry, (uintptr_t)rec)) {
	case 0:
		return 0;
	case -1:
		return -ENOSYS;
	case -2: /* an unknown hart */
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
