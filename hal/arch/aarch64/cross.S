/*
 * cross.S - down to EL0 and back. Code is executable at EL1 and EL0 alike, so the crossing is code
 * like any other; SP_EL1 is the struct hal_user meanwhile.
 *
 * Source: Arm ARM (DDI 0487) D1.10 (exceptions), D5.10 (ASIDs).
 */
#include <hal/asm.h>
#include <hal_arch/frame.h>
#include <hal_arch/user.h>

/*
 * void hal_user_cross(struct hal_user *u)
 * In: x0, mapped for EL1 in both maps. Out: none, when EL0 has trapped. Clobbers: caller-saved
 * registers.
 */
func hal_user_cross
	mrs	x9, FPCR
	mrs	x10, FPSR
	stp	x9, x10, [sp, #-16]!	/* the caller's rounding mode and flags, for its return */
	stp	x29, x30, [sp, #-HAL_FRAME_BYTES]!
	hal_frame_each stp
	mrs	x11, DAIF
	msr	DAIFSet, #1		/* no alarm (hal/alarm.h) while stacks change */
	mov	x9, sp
	msr	SPSel, #1
	mov	x10, sp
	mov	sp, x0
	add	x0, x0, #HAL_TRAP_BYTES
	stp	x9, x10, [x0, #HAL_USER_HOST_SP]
	mrs	x9, TPIDR_EL0
	stp	x9, x11, [x0, #HAL_USER_HOST_TP]
	mrs	x9, TTBR0_EL1
	str	x9, [x0, #HAL_USER_HOST_TTBR]
	ldr	x9, [x0, #HAL_USER_TTBR]
	msr	TTBR0_EL1, x9
	isb
	hal_trap_load
	ldp	x0, x1, [sp, #HAL_TRAP_X(0)]
	eret
endfunc hal_user_cross

/*
 * hal_user_trap_entry: not callable from C; vectors.S jumps here on an exception from EL0.
 * In: x0 its kind; x0, x1 are saved; SP_EL1 is the struct hal_user. Out: hal_user_cross() returns.
 */
func hal_user_trap_entry
	str	x0, [sp, #HAL_TRAP_KIND]
	mrs	x0, SP_EL0
	hal_trap_save
	mrs	x2, TPIDR_EL0
	str	x2, [sp, #HAL_TRAP_TP]
	add	x0, sp, #HAL_TRAP_BYTES
	ldr	x2, [x0, #HAL_USER_HOST_TTBR]
	msr	TTBR0_EL1, x2
	isb
	ldp	x2, x4, [x0, #HAL_USER_HOST_TP]
	msr	TPIDR_EL0, x2
	ldp	x2, x3, [x0, #HAL_USER_HOST_SP]
	mov	sp, x3
	msr	SPSel, #0
	mov	sp, x2
	msr	DAIF, x4
	hal_frame_each ldp
	ldp	x29, x30, [sp], #HAL_FRAME_BYTES
	ldp	x9, x10, [sp], #16
	msr	FPCR, x9
	msr	FPSR, x10
	ret
endfunc hal_user_trap_entry

/*
 * void hal_user_return(intptr_t result): where the first function of EL0 returns to.
 * In: x0. Does not return.
 */
func hal_user_return
	mov	x8, xzr			/* HAL_USER_RETURN */
	svc	#0
	b	hal_user_return
endfunc hal_user_return
