/*
 * psci.c - asking the firmware to let harts go. psci.h has the interface.
 */
#include <errno.h>
#include <stddef.h>

#include <hal_arch/sysreg.h>

#include "psci.h"

#define SYSTEM_OFF 0x84000008u
#define CPU_ON (sizeof(uintptr_t) == 8 ? 0xc4000003u : 0x84000003u)

/* Where harts entered, as CurrentEL has it, if above EL1: boot/<arch>/start.S. */
extern const volatile unsigned char hal_entered_el;
#define EL2 (2 << 2)
#define EL3 (3 << 2)

/* A call to a level that the image has left would end in vectors that nobody has set. */
static hal_smccc_fn *way(hal_smccc_fn *call)
{
	return hal_entered_el == EL3 ? NULL : hal_entered_el == EL2 ? hal_smc : call;
}

void hal_psci_end(uintptr_t call, int code)
{
	hal_smccc_fn *firmware = way((hal_smccc_fn *)call);

	(void)code;
	if (firmware)
		firmware(SYSTEM_OFF, 0, 0, 0);
}

int hal_psci_cpu_on(hal_smccc_fn *call, uintptr_t affinity, void (*entry)(const struct hal_boot *),
		    const struct hal_boot *rec)
{
	call = way(call);
	if (!call)
		return -ENOSYS;
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
