/*
 * context.S - hal/context.h for RISC-V.
 *
 * A suspended context is ra, s0-s11 and, where the ABI has a callee preserve them, fs0-fs11, in the
 * words below its stack pointer, which stays where the caller had it: that saves two instructions,
 * and nothing else writes there, since interrupts are masked and traps have a stack of their own.
 * tp and gp are the hart's and stay. fcsr is the hart's too: rounding modes are not per coroutine.
 */
#include <hal/asm.h>
#include <hal_arch/word.h>

/* Bytes below the stack pointer of the first floating-point register: after 13 words, aligned. */
#define FP_AT ((13 * HAL_WORD + 15) & ~7)

	.macro each_saved op, fop
	\op	ra, -1*HAL_WORD(sp)
	\op	s0, -2*HAL_WORD(sp)
	\op	s1, -3*HAL_WORD(sp)
	\op	s2, -4*HAL_WORD(sp)
	\op	s3, -5*HAL_WORD(sp)
	\op	s4, -6*HAL_WORD(sp)
	\op	s5, -7*HAL_WORD(sp)
	\op	s6, -8*HAL_WORD(sp)
	\op	s7, -9*HAL_WORD(sp)
	\op	s8, -10*HAL_WORD(sp)
	\op	s9, -11*HAL_WORD(sp)
	\op	s10, -12*HAL_WORD(sp)
	\op	s11, -13*HAL_WORD(sp)
#ifdef __riscv_float_abi_double
	\fop	fs0, -FP_AT - 0(sp)
	\fop	fs1, -FP_AT - 8(sp)
	\fop	fs2, -FP_AT - 16(sp)
	\fop	fs3, -FP_AT - 24(sp)
	\fop	fs4, -FP_AT - 32(sp)
	\fop	fs5, -FP_AT - 40(sp)
	\fop	fs6, -FP_AT - 48(sp)
	\fop	fs7, -FP_AT - 56(sp)
	\fop	fs8, -FP_AT - 64(sp)
	\fop	fs9, -FP_AT - 72(sp)
	\fop	fs10, -FP_AT - 80(sp)
	\fop	fs11, -FP_AT - 88(sp)
#endif
	.endm

/*
 * int hal_context_switch(int result, struct hal_context *from, const struct hal_context *to)
 * In: a0, a1, a2. Out: a0, there. Clobbers: what a call may, and everything else is to's when it
 * returns there.
 */
func hal_context_switch
	each_saved HAL_STORE, fsd
	HAL_STORE sp, 0(a1)
	HAL_LOAD sp, 0(a2)
	each_saved HAL_LOAD, fld
	ret
endfunc hal_context_switch

/*
 * void hal_context_jump(int result, const struct hal_context *to)
 * In: a0, a1. Out: a0, there. Does not return; the present context is lost.
 */
func hal_context_jump
	HAL_LOAD sp, 0(a1)
	each_saved HAL_LOAD, fld
	ret
endfunc hal_context_jump

/*
 * void hal_context_init(struct hal_context *c, uintptr_t stack_top, void (*entry)(void))
 * In: a0, a1, a2. Clobbers: a1, t0. FP registers start as what the stack holds, as after a call.
 */
func hal_context_init
	la	t0, first_step
	HAL_STORE t0, -1*HAL_WORD(a1)
	HAL_STORE zero, -2*HAL_WORD(a1)
	HAL_STORE a2, -3*HAL_WORD(a1)
	HAL_STORE a1, 0(a0)
	ret
endfunc hal_context_init

/* Where a new context begins: s0 and ra are 0, the end of every backtrace, s1 is its entry. */
first_step:
	li	ra, 0
	jr	s1

/*
 * _Noreturn void hal_context_begin(uintptr_t stack_top, void (*entry)(void))
 * In: a0, a1. Does not return; the present context is lost.
 */
func hal_context_begin
	mv	sp, a0
	li	s0, 0
	li	ra, 0
	jr	a1
endfunc hal_context_begin
