/*
 * trap.h - the registers of a hart that has trapped, and the place where it goes on.
 *
 * boot/<arch> saves the registers in a struct hal_trap on the hart's trap stack and calls
 * co_trap(), the runtime's. When that returns, the hart goes on with the registers as they are in
 * the struct by then: where it was, or where hal_trap_leave() has said. The struct is the
 * architecture's; these read and change it.
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
/* Is it no fault, but the alarm (alarm.h)? */
bool hal_trap_is_alarm(const struct hal_trap *t);
/* True if the cause comes with an address, which then is in *addr. */
bool hal_trap_address(const struct hal_trap *t, uintptr_t *addr);

/*
 * The registers, for reports.
 * @return the name of register i, its value in *value; NULL: there are no more
 */
const char *hal_trap_register(const struct hal_trap *t, unsigned i, uintptr_t *value);

/*
 * Leave the trapped code for good: when the trap returns, the hart runs fn() on a stack, at its own
 * privilege, with its own thread pointer and interrupts masked. Floating-point registers are as
 * they were.
 * @param stack_top  16-byte aligned end (highest address) of a stack that nobody uses
 * @param fn         never returns
 */
void hal_trap_leave(struct hal_trap *t, uintptr_t stack_top, void (*fn)(void));

/*
 * The runtime's end (runtime/fault/fault.c).
 *
 * A trap in co_trap() calls it again, on the trap stack's end or a part of its own, with the
 * registers of the first trap: the second call may return, but only by hal_trap_leave(). A trap in
 * the second call ends the run.
 * Context: trap stack, interrupts masked; the hart's own thread pointer.
 */
void co_trap(struct hal_trap *t);

/*
 * For boot/<arch>: a trap in the second call of co_trap(). Say where, and end the run.
 * Context: the stack that hart 0 booted on, one hart; a trap here stops the hart.
 */
_Noreturn void hal_fault_again(uintptr_t pc, uintptr_t address, uintptr_t sp);

#endif
