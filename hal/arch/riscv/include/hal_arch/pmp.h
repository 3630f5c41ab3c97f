/*
 * pmp.h - protection of a hart that has stayed in M-mode, and so has no page tables.
 */
#ifndef HAL_ARCH_PMP_H
#define HAL_ARCH_PMP_H

/*
 * Bind this hart to what few ranges can say of its map: no memory is writable and executable, code
 * and constants are not written, page zero is not there, nor are the guard pages that matter most.
 * What it does not have: other harts' private scratchpads and all other guard pages are open to it.
 * Entries are locked: only a reset changes them.
 * Context: a hart in M-mode, once.
 * Source: RISC-V Privileged ISA, 3.7.
 */
void hal_pmp_activate(void);

#endif
