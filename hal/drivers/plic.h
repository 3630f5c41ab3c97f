/*
 * plic.h - RISC-V's platform-level interrupt controller, as far as ending a hart's sleep and urgent
 * lines need it.
 *
 * While a source that a context listens to is pending, WFI does not wait (hal_irq_external()).
 * Urgent lines alone are taken: by M-mode (boot/riscv/alarm.S), where that is Cohart's.
 *
 * Source: RISC-V PLIC specification 1.0.0, chapters 3 to 9.
 */
#ifndef HAL_PLIC_H
#define HAL_PLIC_H

#include <stdint.h>

/*
 * hal_irq_listen() and lines (hal/irq.h) are here.
 * @param hwid  of each hart, kept; a hart's context is twice its hwid, plus `mode`
 * Context: hart 0, before further harts start.
 */
void hal_plic_init(uintptr_t base, const uintptr_t *hwid, unsigned mode);

/*
 * Let a source of the runtime's through to a context: a hart in one of its modes, numbered by the
 * chip's manual. From then on no program opens it as a line.
 * Context: the hart that the context is of.
 */
void hal_plic_listen(uintptr_t base, unsigned context, unsigned source);

/*
 * Claim and complete a source of the runtime's if it is pending, and no other. Its device has taken
 * back its own signal before: an interrupt whose signal is still up comes again.
 * Context: as hal_plic_listen().
 */
void hal_plic_settle(uintptr_t base, unsigned context, unsigned source);

#endif
