/*
 * trap.h - what a hart knows when it faults.
 *
 * boot/<arch> saves the registers in a struct hal_trap on the hart's trap stack and calls
 * co_trap(), the runtime's. The struct is the architecture's; these read it.
 */
#ifndef HAL_TRAP_H
#define HAL_TRAP_H

#include <stdbool.h>
#include <stdint.h>

struct hal_trap;

uintptr_t hal_trap_pc(const struct hal_trap *t);
uintptr_t hal_trap_sp(const struct hal_trap *t);
uintptr_t hal_trap_fp(const struct hal_trap *t);
/* The return address register: the caller, when the faulting function has no frame yet. */
uintptr_t hal_trap_ra(const struct hal_trap *t);
/* The cause in words ("store to an address that is not mapped"), never NULL. */
const char *hal_trap_cause(const struct hal_trap *t);
/* True if the cause comes with an address, which then is in *addr. */
bool hal_trap_address(const struct hal_trap *t, uintptr_t *addr);

/* The runtime's end (runtime/core/fault.c). Never returns: nothing can contain a fault yet. */
_Noreturn void co_trap(const struct hal_trap *t);

#endif
