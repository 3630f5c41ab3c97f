/* wreck.S - wreck(sp, fp, at): load from `at` with that stack pointer and frame pointer. */
	.text
	.globl	wreck
	.type	wreck, %function
wreck:
#if defined(__riscv)
	mv	sp, a0
	mv	s0, a1
	lw	a0, 0(a2)
	ebreak
#elif defined(__aarch64__)
	mov	sp, x0
	mov	x29, x1
	ldr	w0, [x2]
	brk	#0
#else
	.arm
	mov	sp, r0
	mov	r11, r1
	ldr	r0, [r2]
	udf	#0
#endif
	.size	wreck, . - wreck
	.section .note.GNU-stack, "", %progbits
