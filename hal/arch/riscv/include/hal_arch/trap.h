/* trap.h - the registers that boot/riscv/trap.S saves: x1..x31, then four CSRs. */
#ifndef HAL_ARCH_TRAP_H
#define HAL_ARCH_TRAP_H

#define HAL_TRAP_X(n) (__SIZEOF_POINTER__ * (n)) /* slot 0 is pc */
#define HAL_TRAP_PC 0
#define HAL_TRAP_CAUSE (32 * __SIZEOF_POINTER__)
#define HAL_TRAP_TVAL (33 * __SIZEOF_POINTER__)
#define HAL_TRAP_BYTES (36 * __SIZEOF_POINTER__) /* a multiple of 16 */

#endif
