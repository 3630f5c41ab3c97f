/*
 * pmp.h - protection of a hart that has stayed in M-mode, and so has no page tables.
 */
#ifndef HAL_ARCH_PMP_H
#define HAL_ARCH_PMP_H

#include <stdint.h>

/*
 * Bind this hart to what few ranges can say of the map `root`: nothing writable is executable, code
 * and constants are not written, page zero and what lies behind RAM is not there, and as many guard
 * pages as there are entries left. Entries are locked: only a reset changes them.
 * Context: a hart in M-mode, once, on its own stack.
 * Source: RISC-V Privileged ISA, 3.7.
 */
void hal_pmp_activate(uintptr_t root);

#endif
