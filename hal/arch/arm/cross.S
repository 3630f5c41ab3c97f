/*
 * cross.S - down to User mode and back. Code is executable with and without privilege, so the
 * crossing is ordinary code. TPIDRPRW is the struct hal_user meanwhile.
 *
 * Source: Arm ARM v7-A and v7-R (DDI 0406C) B1.8, B9.3.5 (ldm of User mode's registers).
 */
#include <hal/asm.h>
#include <hal_arch/user.h>

#define MODE_SVC 0x13
#define MODE_SYS 0x1f

	.syntax	unified

/*
 * void hal_user_cross(struct hal_user *u)
 * In: r0, mapped for privileged modes in both maps. Out: none, when User mode has trapped.
 * Clobbers: caller-saved registers.
 */
func hal_user_cross
	push	{r3-r11, lr}
#ifdef __ARM_FP
	vpush	{d8-d15}
#endif
	mrs	r3, CPSR
	cpsid	f			/* no alarm (hal/alarm.h) while TPIDRPRW is *u */
	str	r3, [r0, #HAL_USER_HOST_CPSR]
	str	sp, [r0, #HAL_USER_HOST_SP]
	mrc	p15, 0, r1, c13, c0, 3	/* TPIDRURO */
	mrc	p15, 0, r2, c13, c0, 4	/* TPIDRPRW */
	mrrc	p15, 0, r4, r5, c2	/* TTBR0 */
	str	r1, [r0, #HAL_USER_HOST_TP]
	str	r2, [r0, #HAL_USER_HOST_TRAP]
	str	r4, [r0, #HAL_USER_HOST_TTBR_LOW]
	str	r5, [r0, #HAL_USER_HOST_TTBR_HIGH]
	mcr	p15, 0, r0, c13, c0, 4
	mov	r1, #0
	mcr	p15, 0, r1, c13, c0, 2	/* TPIDRURW: hide the value that vectors.S has put there */
	ldr	r1, [r0, #HAL_USER_TP]
	mcr	p15, 0, r1, c13, c0, 3
	cps	#MODE_SVC		/* its lr and SPSR lead on; sp and lr are User mode's too */
	ldr	r4, [r0, #HAL_USER_TTBR_LOW]
	ldr	r5, [r0, #HAL_USER_TTBR_HIGH]
	mcrr	p15, 0, r4, r5, c2
	isb
	hal_trap_load_fp
	ldr	r1, [r0, #HAL_TRAP_SPSR]
	msr	SPSR_cxsf, r1
	ldr	lr, [r0, #HAL_TRAP_PC]
	clrex
	ldm	r0, {r0-r14}^
	nop
	movs	pc, lr
endfunc hal_user_cross

/*
 * hal_user_trap_entry: not callable from C; vectors.S jumps here on an exception from User mode.
 * In: the mode of the exception: lr the pc, sp the kind; r0 is in TPIDRURW. Out: hal_user_cross()
 * returns.
 */
func hal_user_trap_entry
	mrc	p15, 0, r0, c13, c0, 4
	hal_trap_save
	hal_trap_save_fp
#ifdef __ARM_FP
	mov	r1, #0
	vmsr	FPSCR, r1
#endif
	ldr	r4, [r0, #HAL_USER_HOST_TTBR_LOW]
	ldr	r5, [r0, #HAL_USER_HOST_TTBR_HIGH]
	mcrr	p15, 0, r4, r5, c2
	isb
	cps	#MODE_SYS
	ldr	sp, [r0, #HAL_USER_HOST_SP]
	ldr	r1, [r0, #HAL_USER_HOST_TP]
	mcr	p15, 0, r1, c13, c0, 3
	ldr	r1, [r0, #HAL_USER_HOST_TRAP]
	mcr	p15, 0, r1, c13, c0, 4
	ldr	r1, [r0, #HAL_USER_HOST_CPSR]
	msr	CPSR_c, r1
#ifdef __ARM_FP
	vpop	{d8-d15}
#endif
	pop	{r3-r11, pc}
endfunc hal_user_trap_entry

/*
 * void hal_user_return(intptr_t result): where the first function of User mode returns to.
 * In: r0. Does not return.
 */
func hal_user_return
	mov	r12, #0			/* HAL_USER_RETURN */
	svc	#0
	b	hal_user_return
endfunc hal_user_return
