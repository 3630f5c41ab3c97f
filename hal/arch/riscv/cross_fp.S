/*
 * cross_fp.S - down into U-mode and back. (_fp: no hart without an FPU comes here.)
 *
 * U-mode's code is not executable in S-mode, and each mode has tables of its own: the code that
 * changes tables is a page of its own, mapped for S-mode in both.
 *
 * Source: RISC-V Privileged ISA, 4.1.1 (sstatus), 4.1.11 (satp), 4.2.1 (sfence.vma).
 */
#include <hal/asm.h>
#include <hal_arch/user.h>

#define SSTATUS_SPP_SPIE 0x120
/* ra, s0..s11, then fs0..fs11; a multiple of 16. */
#define FRAME_FP ((13 * HAL_WORD + 15) & ~15)
#define FRAME_BYTES (FRAME_FP + 12 * 8)

	.option	norelax
#ifdef BOARD_SHIM_FORWARDS /* its harts with an S-mode have an FPU that kernels use */
	.option	arch, +d
#define FP
#elif defined(__riscv_flen)
#define FP
#endif

	.macro each_kept op, fop
	\op	ra, 0*HAL_WORD(sp)
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11
	\op	s\n, HAL_WORD + HAL_WORD*\n(sp)
#ifdef FP
	\fop	fs\n, FRAME_FP + 8*\n(sp)
#endif
	.endr
	.endm

	/* All but zero and a0. */
	.macro each_x op
	.irp	n, 1,2,3,4,5,6,7,8,9,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	\op	x\n, HAL_TRAP_X(\n)(a0)
	.endr
	.endm

	.macro each_f op
#ifdef FP
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	\op	f\n, HAL_USER_F(\n)(a0)
	.endr
	.irp	n, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	\op	f\n, HAL_USER_F(\n)(a0)
	.endr
#endif
	.endm

	/* Other tables; without numbers for maps all that is known of the old ones is dropped. */
	.macro take_map offset
	HAL_LOAD t0, \offset(a0)
	HAL_LOAD t1, HAL_USER_FENCE(a0)
	csrw	satp, t0
	beqz	t1, 1f
	sfence.vma
1:
	.endm

	.section .text.hal_user_crossing, "ax", %progbits
	.balign	4096
	.globl	hal_user_crossing
hal_user_crossing:

/*
 * void hal_user_cross(struct hal_user *u)
 * In: a0, its page mapped for S-mode in both maps. Out: none, when U-mode has trapped. Clobbers:
 * caller-saved registers.
 */
	.globl	hal_user_cross
	.type	hal_user_cross, %function
hal_user_cross:
	addi	sp, sp, -FRAME_BYTES
	each_kept HAL_STORE, fsd
	HAL_STORE sp, HAL_USER_HOST_SP(a0)
	HAL_STORE gp, HAL_USER_HOST_GP(a0)
	HAL_STORE tp, HAL_USER_HOST_TP(a0)
	csrr	t0, satp
	HAL_STORE t0, HAL_USER_HOST_SATP(a0)
	lla	t0, hal_user_trap_entry
	csrrw	t0, stvec, t0
	HAL_STORE t0, HAL_USER_HOST_VECTOR(a0)
	csrrw	t0, sscratch, a0
	HAL_STORE t0, HAL_USER_HOST_SCRATCH(a0)
	HAL_LOAD t0, HAL_TRAP_PC(a0)
	csrw	sepc, t0
	li	t0, SSTATUS_SPP_SPIE
	csrc	sstatus, t0
#ifdef FP
	HAL_LOAD t0, HAL_TRAP_FCSR(a0)
	fscsr	t0, t0
	HAL_STORE t0, HAL_USER_HOST_FCSR(a0)
#endif
	take_map HAL_USER_SATP
	each_f	fld
	each_x	HAL_LOAD
	HAL_LOAD a0, HAL_TRAP_X(10)(a0)
	sret
	.size	hal_user_cross, . - hal_user_cross

/*
 * hal_user_trap_entry: not callable from C; U-mode's vector.
 * In: sscratch is the struct hal_user. Out: hal_user_cross() returns.
 */
	.balign	4
	.globl	hal_user_trap_entry
	.type	hal_user_trap_entry, %function
hal_user_trap_entry:
	csrrw	a0, sscratch, a0
	each_x	HAL_STORE
	each_f	fsd
	HAL_LOAD t0, HAL_USER_HOST_SCRATCH(a0)
	csrrw	t0, sscratch, t0
	HAL_STORE t0, HAL_TRAP_X(10)(a0)
	HAL_LOAD t0, HAL_USER_HOST_VECTOR(a0)
	csrw	stvec, t0
	csrr	t0, sepc
	HAL_STORE t0, HAL_TRAP_PC(a0)
	csrr	t0, scause
	HAL_STORE t0, HAL_TRAP_CAUSE(a0)
	csrr	t0, stval
	HAL_STORE t0, HAL_TRAP_TVAL(a0)
#ifdef FP
	HAL_LOAD t0, HAL_USER_HOST_FCSR(a0)
	fscsr	t0, t0
	HAL_STORE t0, HAL_TRAP_FCSR(a0)
#endif
	take_map HAL_USER_HOST_SATP
	HAL_LOAD sp, HAL_USER_HOST_SP(a0)
	HAL_LOAD gp, HAL_USER_HOST_GP(a0)
	HAL_LOAD tp, HAL_USER_HOST_TP(a0)
	each_kept HAL_LOAD, fld
	addi	sp, sp, FRAME_BYTES
	ret
	.size	hal_user_trap_entry, . - hal_user_trap_entry
	.balign	4096

/*
 * void hal_user_return(intptr_t result): where the first function of U-mode returns to.
 * In: a0. Does not return.
 */
func hal_user_return
	li	a7, 0			/* HAL_USER_RETURN */
	ecall
	j	hal_user_return
endfunc hal_user_return
