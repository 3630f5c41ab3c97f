/*
 * context.S - hal/context.h for RISC-V.
 *
 * A suspended context is 26 words below its stack pointer: ra, s0-s11, fs0-fs11. tp and gp are the
 * hart's and stay. fcsr is the hart's too: rounding modes are not per coroutine.
 */
#include <hal/asm.h>

#ifdef __riscv_flen
#define FRAME (26 * 8)
#else
#define FRAME (14 * 8)
#endif

	.macro each_saved op, fop
	\op	ra, 0(sp)
	\op	s0, 8(sp)
	\op	s1, 16(sp)
	\op	s2, 24(sp)
	\op	s3, 32(sp)
	\op	s4, 40(sp)
	\op	s5, 48(sp)
	\op	s6, 56(sp)
	\op	s7, 64(sp)
	\op	s8, 72(sp)
	\op	s9, 80(sp)
	\op	s10, 88(sp)
	\op	s11, 96(sp)
#ifdef __riscv_flen
	\fop	fs0, 104(sp)
	\fop	fs1, 112(sp)
	\fop	fs2, 120(sp)
	\fop	fs3, 128(sp)
	\fop	fs4, 136(sp)
	\fop	fs5, 144(sp)
	\fop	fs6, 152(sp)
	\fop	fs7, 160(sp)
	\fop	fs8, 168(sp)
	\fop	fs9, 176(sp)
	\fop	fs10, 184(sp)
	\fop	fs11, 192(sp)
#endif
	.endm

/*
 * void hal_context_switch(struct hal_context *from, const struct hal_context *to)
 * In: a0, a1. Clobbers: what a call may, and everything else is to's when it returns there.
 */
func hal_context_switch
	addi	sp, sp, -FRAME
	each_saved sd, fsd
	sd	sp, 0(a0)
	ld	sp, 0(a1)
	each_saved ld, fld
	addi	sp, sp, FRAME
	ret
endfunc hal_context_switch

/*
 * void hal_context_jump(const struct hal_context *to)
 * In: a0. Does not return; the present context is lost.
 */
func hal_context_jump
	ld	sp, 0(a0)
	each_saved ld, fld
	addi	sp, sp, FRAME
	ret
endfunc hal_context_jump

/*
 * void hal_context_init(struct hal_context *c, uintptr_t stack_top, void (*entry)(void))
 * In: a0, a1, a2. Clobbers: a1, t0. FP registers start as what the stack holds, as after a call.
 */
func hal_context_init
	addi	a1, a1, -FRAME
	la	t0, first_step
	sd	t0, 0(a1)
	sd	zero, 8(a1)
	sd	a2, 16(a1)
	sd	a1, 0(a0)
	ret
endfunc hal_context_init

/* Where a new context begins: s0 and ra are 0, the end of every backtrace, s1 is its entry. */
first_step:
	li	ra, 0
	jr	s1
