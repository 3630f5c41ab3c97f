/*
 * asm.h - what assembly and C share: numbers of the board, offsets of structs, function macros.
 */
#ifndef HAL_ASM_H
#define HAL_ASM_H

#include <memory.h> /* the board's: found first on the include path */

/* Where scratchpads are a memory of their own: the first window. 0: they are carved out of RAM. */
#ifndef BOARD_SPM_BASE
#define BOARD_SPM_BASE 0
#endif

/* struct hal_boot: the start record of a secondary hart. */
#define HAL_BOOT_SP 0
#define HAL_BOOT_TRAP_SP (1 * __SIZEOF_POINTER__)
#define HAL_BOOT_TP (2 * __SIZEOF_POINTER__)
#define HAL_BOOT_HART (3 * __SIZEOF_POINTER__)
#define HAL_BOOT_SCRATCH (4 * __SIZEOF_POINTER__)
#define HAL_BOOT_LINES (6 * __SIZEOF_POINTER__)
#define HAL_BOOT_BYTES (7 * __SIZEOF_POINTER__)

/* Bytes of the stack that hart 0 boots on, in the image; its trap stack until it has its own. */
#define HAL_BOOT_STACK_BYTES 8192

#ifdef __ASSEMBLER__
/* clang-format off */

/* func name: a global function in a section of its own; endfunc name: its size. */
.macro func name
	.section .text.\name, "ax", %progbits
	.balign 4
	.globl \name
	.type \name, %function
\name:
.endm

.macro endfunc name
	.size \name, . - \name
.endm

/* clang-format on */
#else

#include <stddef.h>
#include <stdint.h>

struct hal_boot {
	uintptr_t sp;         /* executor's stack, highest address */
	uintptr_t trap_sp;    /* trap stack, highest address */
	uintptr_t tp;         /* thread pointer */
	uintptr_t hart;       /* 0..n-1 */
	uintptr_t scratch[2]; /* boot/'s own */
	volatile uint8_t
		lines[sizeof(uintptr_t)]; /* of urgent lines, on RISC-V: boot/riscv/alarm.S */
};

_Static_assert(offsetof(struct hal_boot, sp) == HAL_BOOT_SP, "boot/ reads it");
_Static_assert(offsetof(struct hal_boot, trap_sp) == HAL_BOOT_TRAP_SP, "boot/ reads it");
_Static_assert(offsetof(struct hal_boot, tp) == HAL_BOOT_TP, "boot/ reads it");
_Static_assert(offsetof(struct hal_boot, hart) == HAL_BOOT_HART, "boot/ reads it");
_Static_assert(offsetof(struct hal_boot, scratch) == HAL_BOOT_SCRATCH, "boot/ uses it");
_Static_assert(offsetof(struct hal_boot, lines) == HAL_BOOT_LINES, "boot/ uses it");
_Static_assert(sizeof(struct hal_boot) == HAL_BOOT_BYTES, "boot/ has one");

#endif
#endif
