/*
 * psci.h - asking the firmware to let harts go, and to end the run.
 *
 * Source: Arm Power State Coordination Interface (DEN 0022) 1.1, 5.1.4, 5.1.9; SMC
 * Calling Convention (DEN 0028) 2.6.
 */
#ifndef HAL_PSCI_H
#define HAL_PSCI_H

#include <stdint.h>

struct hal_boot;

/*
 * The two ways into the firmware (hal/arch/<arch>/smccc.S): which one it has is the board's to
 * know.
 */
typedef intptr_t hal_smccc_fn(uintptr_t function, uintptr_t a, uintptr_t b, uintptr_t c);
hal_smccc_fn hal_hvc, hal_smc;

/* The entry for it: boot/<arch>/start.S. */
void hal_boot_secondary(const struct hal_boot *rec);

/*
 * Let a hart run.
 * @param call      hal_hvc or hal_smc; an image that was entered at EL2 calls by hal_smc() always
 * @param affinity  of MPIDR_EL1
 * @param entry     where it starts, with MMU and caches off
 * @param rec       its argument, in x0
 * @return 0; -EINVAL: an unknown hart, or a bad entry; -EALREADY: it runs; -EACCES: refused;
 *         -ENOSYS: no PSCI there, or the image was entered at EL3; -EIO: the firmware failed.
 * Context: any. Order: earlier stores are visible to the hart once its caches are on.
 */
int hal_psci_cpu_on(hal_smccc_fn *call, uintptr_t affinity, void (*entry)(const struct hal_boot *),
		    const struct hal_boot *rec);

/*
 * Power off (SYSTEM_OFF), for hal_board.end. Returns where no firmware does it.
 * @param call  hal_hvc or hal_smc, as of hal_psci_cpu_on()
 * Context: any.
 */
void hal_psci_end(uintptr_t call, int code);

#endif
