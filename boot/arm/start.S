/*
 * start.S - from reset to C in system mode, on the coarse map, with caches on and every exception
 * masked.
 *
 * C and coroutines run in system mode; exceptions come in modes with registers of their own, so
 * that a stack overflow does no harm there (vectors.S). Until the MMU is on nothing is read but
 * code, so that no cache need be cleaned for a secondary.
 *
 * Source: Arm ARM v7-A and v7-R (DDI 0406C) B1 (modes), B3.6 (long descriptors), B4 (registers);
 * Cortex-A15 TRM (DDI 0438) 4.3; PSCI (DEN 0022) 5.6.
 */
#include <hal/asm.h>

#define MODE_BITS 0x1f
#define MODE_HYP 0x1a
#define ENTERED_EL2 (2 << 2) /* as AArch64's CurrentEL has it */
#define MODE_SYS 0x1f
#define CPSR_SYS_MASKED 0x1df     /* A, I and F masked, ARM state */

#define ID_PFR1_GIC (0xf << 28)   /* interrupt controller by system registers */
#define ICC_SRE_ALL 0xf           /* and from the modes below */
#define HCPTR_RES1 0x33ff         /* no trap of floating point */
#define CNTHCTL_PL1 3             /* the modes below have the physical counter and timer */
#define SCTLR_RES1 0x00c50078     /* MMU and caches off, little-endian, vectors where VBAR says */
#define SCTLR_M_C_Z_I 0x1805
#define ACTLR_SMP (1 << 6)        /* coherence among harts; before the caches are on */
#define MPIDR_AFFINITY 0xffffff
#define CPACR_FP (0xf << 20)
#define FPEXC_EN (1 << 30)

/* hal_arch/pte.h names the attributes: 0 normal write-back, 1 strongly ordered. */
#define MAIR0_ATTRIBUTES 0x00ff
/* Long descriptors, 32 bit in, 40 bit out, walks cacheable and inner shareable; TTBR1 unused. */
#define TTBCR_EAE (1 << 31)
#define TTBCR_WALKS 0x3500
#define TTBCR_EPD1 (1 << 23)
#define TTBCR_MAP (TTBCR_EAE | TTBCR_WALKS | TTBCR_EPD1)

#define PMEVTYPER_INST_RETIRED 8
#define PMEVTYPER_CPU_CYCLES 0x11 /* for cores that do not count instructions */
#define PMCR_RESET_ENABLE 7       /* E, P, C */

/* 1 GiB leaves, each map's own (nG), used (AF): see hal_arch/pte.h. */
#define COARSE_NORMAL 0x0000000000000f01
#define COARSE_DEVICE 0x0060000000000f05
#define GIB 0x40000000

	.syntax	unified
	.arch_extension virt

/*
 * void _start(uintptr_t zero, uintptr_t machine, uintptr_t dtb)
 * Entry of the hart that boots, in Hyp or Supervisor mode with the MMU off.
 * In: r2 the device tree's address, or 0. Out: does not return, goes on in co_boot().
 */
	.section .text.boot, "ax", %progbits
	.globl	_start
	.type	_start, %function
_start:
	mov	r10, r2
	bl	enter_sys
	bl	enter_map
	ldr	r0, =__bss_start
	ldr	r1, =__bss_end
	mov	r2, #0
	mov	r3, #0
1:	cmp	r0, r1
	strdlo	r2, r3, [r0], #8
	blo	1b
	ldr	r0, =hal_boot_stack_end
	ldr	r1, =trap_stack_end
	ldr	r2, =__boot_tls
	bl	set_stacks
	mrc	p15, 0, r0, c0, c0, 5	/* MPIDR */
	ldr	r1, =MPIDR_AFFINITY
	and	r0, r0, r1
	mov	r1, r10
	mov	lr, #0			/* ends backtraces, as does fp */
	b	co_boot
endfunc _start

/*
 * void hal_boot_secondary(const struct hal_boot *rec)
 * Entry of secondary harts, which the firmware's CPU_ON starts.
 * In: r0 rec. Out: does not return, goes on in co_boot_hart(rec).
 */
	.globl	hal_boot_secondary
	.type	hal_boot_secondary, %function
hal_boot_secondary:
	mov	r10, r0
	bl	enter_sys
	bl	enter_map
	mov	r0, r10
	/* fall through */
	.size	hal_boot_secondary, . - hal_boot_secondary

/*
 * void hal_boot_enter(const struct hal_boot *rec)
 * The boot stack is left for the stacks in rec; hart 0 comes here by itself.
 * In: r0 rec. Out: does not return, goes on in co_boot_hart(rec).
 */
	.globl	hal_boot_enter
	.type	hal_boot_enter, %function
hal_boot_enter:
	mov	r10, r0
	ldr	r0, [r10, #HAL_BOOT_SP]
	ldr	r1, [r10, #HAL_BOOT_TRAP_SP]
	ldr	r2, [r10, #HAL_BOOT_TP]
	bl	set_stacks
	mov	r0, r10
	mov	lr, #0
	b	co_boot_hart
endfunc hal_boot_enter

/*
 * set_stacks: not callable from C.
 * In: r0 stack, r1 trap stack (highest addresses), r2 thread pointer. Out: fp is 0. Clobbers: none.
 * TPIDRPRW keeps the trap stack's end: see vectors.S. The thread pointer is in TPIDRURO, where
 * compilers look for it.
 */
set_stacks:
	mov	sp, r0
	mcr	p15, 0, r1, c13, c0, 4	/* TPIDRPRW */
	mcr	p15, 0, r2, c13, c0, 3	/* TPIDRURO */
	mov	fp, #0
	bx	lr

/*
 * enter_sys: not callable from C. Go down to system mode, exceptions masked, MMU off.
 * In: none. Out: none. Clobbers: r1, r2, r3.
 */
enter_sys:
	mov	r3, lr			/* it is each mode's own */
	mrs	r1, cpsr
	and	r1, r1, #MODE_BITS
	cmp	r1, #MODE_HYP
	bne	2f
	ldr	r2, =hal_entered_el
	mov	r1, #ENTERED_EL2
	strb	r1, [r2]
	mov	r1, #0
	mcr	p15, 4, r1, c1, c1, 0	/* HCR: nothing is trapped, no second translation */
	mcr	p15, 4, r1, c1, c1, 3	/* HSTR */
	mcrr	p15, 4, r1, r1, c14	/* CNTVOFF: one clock for all harts */
	ldr	r1, =HCPTR_RES1
	mcr	p15, 4, r1, c1, c1, 2	/* HCPTR */
	mov	r1, #CNTHCTL_PL1
	mcr	p15, 4, r1, c14, c1, 0	/* CNTHCTL */
	mrc	p15, 0, r1, c9, c12, 0	/* PMCR */
	ubfx	r1, r1, #11, #5
	mcr	p15, 4, r1, c1, c1, 1	/* HDCR: the modes below have all the event counters */
	mrc	p15, 0, r1, c0, c0, 0	/* MIDR */
	mcr	p15, 4, r1, c0, c0, 0	/* VPIDR */
	mrc	p15, 0, r1, c0, c0, 5	/* MPIDR */
	mcr	p15, 4, r1, c0, c0, 5	/* VMPIDR */
	mrc	p15, 0, r1, c0, c1, 1	/* ID_PFR1 */
	tst	r1, #ID_PFR1_GIC
	beq	1f
	mov	r1, #ICC_SRE_ALL
	mcr	p15, 4, r1, c12, c9, 5	/* ICC_HSRE */
	isb
1:	ldr	r1, =SCTLR_RES1
	mcr	p15, 0, r1, c1, c0, 0	/* SCTLR */
	ldr	r1, =CPSR_SYS_MASKED
	msr	SPSR_cxsf, r1
	msr	ELR_hyp, r3
	eret
2:	ldr	r1, =SCTLR_RES1
	mcr	p15, 0, r1, c1, c0, 0
	isb
	cpsid	aif, #MODE_SYS
	bx	r3

/*
 * enter_map: not callable from C. Vectors, floating point, counters, then MMU and caches.
 * In: none. Out: none. Clobbers: r1, r2.
 */
enter_map:
	ldr	r1, =hal_vectors
	mcr	p15, 0, r1, c12, c0, 0	/* VBAR */
	mov	r1, #0
	mcr	p15, 0, r1, c13, c0, 4	/* TPIDRPRW: no trap stack yet, see vectors.S */
	mrc	p15, 0, r1, c1, c0, 1	/* ACTLR */
	orr	r1, r1, #ACTLR_SMP
	mcr	p15, 0, r1, c1, c0, 1
#ifdef __ARM_FP
	mov	r1, #CPACR_FP
	mcr	p15, 0, r1, c1, c0, 2	/* CPACR */
	isb
	mov	r1, #FPEXC_EN
	vmsr	fpexc, r1
	mov	r1, #0
	vmsr	fpscr, r1		/* the default */
#endif
	mov	r1, #0
	mcr	p15, 0, r1, c14, c3, 1	/* CNTV_CTL */
	/* Counter 0 counts; the cycle counter stands, its bits are used: see hal_cpu_instret(). */
	mcr	p15, 0, r1, c9, c12, 5	/* PMSELR */
	mov	r1, #PMEVTYPER_INST_RETIRED
	mcr	p15, 0, r1, c9, c13, 1	/* PMXEVTYPER */
	mov	r1, #1
	mcr	p15, 0, r1, c9, c12, 1	/* PMCNTENSET */
	mov	r1, #PMCR_RESET_ENABLE
	mcr	p15, 0, r1, c9, c12, 0	/* PMCR */
	isb
	mrc	p15, 0, r1, c9, c13, 2	/* PMXEVCNTR: does it? Not every core can tell otherwise */
	cmp	r1, #0
	moveq	r1, #PMEVTYPER_CPU_CYCLES
	mcreq	p15, 0, r1, c9, c13, 1
	mov	r1, #MAIR0_ATTRIBUTES
	mcr	p15, 0, r1, c10, c2, 0	/* MAIR0 */
	ldr	r1, =TTBCR_MAP
	mcr	p15, 0, r1, c2, c0, 2	/* TTBCR */
	isb
	ldr	r1, =coarse_map
	mov	r2, #0
	mcrr	p15, 0, r1, r2, c2	/* TTBR0 */
	mcr	p15, 0, r2, c7, c5, 0	/* ICIALLU */
	mcr	p15, 0, r2, c7, c5, 6	/* BPIALL */
	mcr	p15, 0, r2, c8, c7, 0	/* TLBIALL */
	dsb
	isb
	ldr	r1, =SCTLR_RES1 | SCTLR_M_C_Z_I
	mcr	p15, 0, r1, c1, c0, 0	/* SCTLR */
	isb
	bx	lr

	.ltorg

/* Identity: devices below RAM, RAM. Writable and executable, so it must not last. */
	.section .rodata.coarse_map, "a", %progbits
	.balign	32
coarse_map:
	.set	gib, 0
	.rept	4
	.if	gib * GIB < BOARD_RAM_BASE
	.quad	COARSE_DEVICE + gib * GIB
	.else
	.quad	COARSE_NORMAL + gib * GIB
	.endif
	.set	gib, gib + 1
	.endr

	.section .bss.boot_stack, "aw", %nobits
	.balign	16
	.skip	HAL_BOOT_STACK_BYTES
	.globl	hal_boot_stack_end
hal_boot_stack_end:
	.skip	HAL_BOOT_STACK_BYTES
trap_stack_end:

/* ENTERED_EL2, or 0. No firmware answers calls to a level that was the image's. */
	.section .data.hal_entered_el, "aw", %progbits
	.globl	hal_entered_el
hal_entered_el:
	.byte	0
