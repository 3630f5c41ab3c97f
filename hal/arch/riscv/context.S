/*
 * context.S - hal/context.h for RISC-V.
 *
 * A suspended context is ra, s0-s11 and, where the ABI has a callee preserve them, fs0-fs11, in the
 * words below its stack pointer, which stays where the caller had it: that saves two instructions,
 * and nothing else writes there, since interrupts are masked and traps have a stack of their own.
 * tp and gp are the hart's and stay. fcsr is the hart's too: rounding modes are not per coroutine.
 */
#include <hal/asm.h>

	.macro each_saved op, fop
	\op	ra, -8(sp)
	\op	s0, -16(sp)
	\op	s1, -24(sp)
	\op	s2, -32(sp)
	\op	s3, -40(sp)
	\op	s4, -48(sp)
	\op	s5, -56(sp)
	\op	s6, -64(sp)
	\op	s7, -72(sp)
	\op	s8, -80(sp)
	\op	s9, -88(sp)
	\op	s10, -96(sp)
	\op	s11, -104(sp)
#ifdef __riscv_float_abi_double
	\fop	fs0, -112(sp)
	\fop	fs1, -120(sp)
	\fop	fs2, -128(sp)
	\fop	fs3, -136(sp)
	\fop	fs4, -144(sp)
	\fop	fs5, -152(sp)
	\fop	fs6, -160(sp)
	\fop	fs7, -168(sp)
	\fop	fs8, -176(sp)
	\fop	fs9, -184(sp)
	\fop	fs10, -192(sp)
	\fop	fs11, -200(sp)
#endif
	.endm

/*
 * void hal_context_switch(struct hal_context *from, const struct hal_context *to)
 * In: a0, a1. Clobbers: what a call may, and everything else is to's when it returns there.
 */
func hal_context_switch
	each_saved sd, fsd
	sd	sp, 0(a0)
	ld	sp, 0(a1)
	each_saved ld, fld
	ret
endfunc hal_context_switch

/*
 * void hal_context_jump(const struct hal_context *to)
 * In: a0. Does not return; the present context is lost.
 */
func hal_context_jump
	ld	sp, 0(a0)
	each_saved ld, fld
	ret
endfunc hal_context_jump

/*
 * void hal_context_init(struct hal_context *c, uintptr_t stack_top, void (*entry)(void))
 * In: a0, a1, a2. Clobbers: a1, t0. FP registers start as what the stack holds, as after a call.
 */
func hal_context_init
	la	t0, first_step
	sd	t0, -8(a1)
	sd	zero, -16(a1)
	sd	a2, -24(a1)
	sd	a1, 0(a0)
	ret
endfunc hal_context_init

/* Where a new context begins: s0 and ra are 0, the end of every backtrace, s1 is its entry. */
first_step:
	li	ra, 0
	jr	s1
