/*
 * frame.h - the registers that AAPCS64 (6.1.1, 6.1.2) makes a callee preserve, as a frame at the
 * stack pointer, for assembly. x29 and x30 are lowest, so that stp and ldp move sp by the way.
 */
#ifndef HAL_ARCH_FRAME_H
#define HAL_ARCH_FRAME_H

#define HAL_FRAME_X29 0
#define HAL_FRAME_X19 16
#define HAL_FRAME_D8 96
#define HAL_FRAME_BYTES 160

/* clang-format off */

/* Two at a time, all but x29 and x30, which op stores or loads. */
.macro hal_frame_each op
	\op	x19, x20, [sp, #HAL_FRAME_X19]
	\op	x21, x22, [sp, #HAL_FRAME_X19 + 16]
	\op	x23, x24, [sp, #HAL_FRAME_X19 + 32]
	\op	x25, x26, [sp, #HAL_FRAME_X19 + 48]
	\op	x27, x28, [sp, #HAL_FRAME_X19 + 64]
	\op	d8, d9, [sp, #HAL_FRAME_D8]
	\op	d10, d11, [sp, #HAL_FRAME_D8 + 16]
	\op	d12, d13, [sp, #HAL_FRAME_D8 + 32]
	\op	d14, d15, [sp, #HAL_FRAME_D8 + 48]
.endm

/* For debuggers: what hal_frame_each has stored at sp, which was HAL_FRAME_BYTES higher. */
.macro hal_frame_cfi
	.cfi_def_cfa_offset HAL_FRAME_BYTES
	.cfi_offset x29, HAL_FRAME_X29 - HAL_FRAME_BYTES
	.cfi_offset x30, HAL_FRAME_X29 + 8 - HAL_FRAME_BYTES
	.irp	n, 19,20,21,22,23,24,25,26,27,28
	.cfi_offset x\n, HAL_FRAME_X19 + 8 * (\n - 19) - HAL_FRAME_BYTES
	.endr
	.irp	n, 8,9,10,11,12,13,14,15
	.cfi_offset d\n, HAL_FRAME_D8 + 8 * (\n - 8) - HAL_FRAME_BYTES
	.endr
.endm

/* clang-format on */

#endif
