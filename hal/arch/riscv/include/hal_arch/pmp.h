/*
 * pmp.h - protection of a hart that has stayed in M-mode, and so has no page tables.
 */
#ifndef HAL_ARCH_PMP_H
#define HAL_ARCH_PMP_H

/*
 * Bind this hart to its map as far as a few ranges can: no memory is writable and executable, code
 * and constants are read-only, page zero and the most important guard pages are inaccessible. Other
 * harts' private scratchpads and all further guard pages stay open to it. Entries are locked: only
 * a reset changes them.
 * Context: a hart in M-mode, once.
 * Source: RISC-V Privileged ISA, 3.7.
 */
void hal_pmp_activate(void);

#endif
