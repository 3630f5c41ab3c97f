/*
 * trap.h - the registers that boot/riscv/trap.S saves: x1..x31, then CSRs, then the caller-saved
 * floating-point registers.
 */
#ifndef HAL_ARCH_TRAP_H
#define HAL_ARCH_TRAP_H

#define HAL_TRAP_X(n) (__SIZEOF_POINTER__ * (n)) /* slot 0 is pc */
#define HAL_TRAP_PC 0
#define HAL_TRAP_CAUSE (32 * __SIZEOF_POINTER__)
#define HAL_TRAP_TVAL (33 * __SIZEOF_POINTER__)
#define HAL_TRAP_STATUS (34 * __SIZEOF_POINTER__)
#define HAL_TRAP_FCSR (35 * __SIZEOF_POINTER__)
#define HAL_TRAP_F(i) (36 * __SIZEOF_POINTER__ + 8 * (i)) /* ft0-ft7, fa0-fa7, ft8-ft11 */
#ifdef __riscv_float_abi_double
#define HAL_TRAP_BYTES HAL_TRAP_F(20)
#else
#define HAL_TRAP_BYTES HAL_TRAP_F(0)
#endif

/* What scause says of an alarm (boot/riscv/alarm.S): an interrupt of the platform's own. */
#define HAL_TRAP_ALARM 24 /* and the highest bit */

/*
 * The trap stack ends with a part for a fault in the handler. At each part's end are: its hart's
 * thread pointer, which no faulting code can have changed; the value of sscratch while the trap is
 * handled (the end of the last part, or 0 in it); and its value afterwards.
 */
#define HAL_TRAP_END_TP 0
#define HAL_TRAP_END_NEXT __SIZEOF_POINTER__
#define HAL_TRAP_END_FIRST (2 * __SIZEOF_POINTER__)
#define HAL_TRAP_END_BYTES 32
#define HAL_TRAP_LAST_BYTES 2048

#endif
