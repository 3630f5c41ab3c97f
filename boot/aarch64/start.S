/*
 * start.S - from reset to C at EL1, on the coarse map, with caches on and every exception masked.
 *
 * C and coroutines run on SP_EL0, exceptions on SP_EL1, so that a stack overflow finds a stack.
 * Until the MMU is on nothing is read but code, so that no cache need be cleaned for a secondary.
 *
 * Source: Arm ARM (DDI 0487) D1.9 (reset), D5 (translation), D13 (registers); PSCI (DEN 0022) 5.6.
 */
#include <hal/asm.h>
#include <hal_arch/tcr.h>
#include <hal_arch/trap.h>

#define EL2 (2 << 2) /* as CurrentEL has it */
#define EL3 (3 << 2)
#define SPSR_EL1T_MASKED 0x3c4

#define SCR_EL3_NS_HVC_64 0x531     /* EL1 and EL2 are non-secure and 64 bit, hvc is allowed */
#define HCR_EL2_RW 0x80000000       /* EL1 is 64 bit; nothing is trapped, no second translation */
#define CPTR_EL2_RES1 0x33ff        /* no trap of floating point */
#define CNTHCTL_EL2_EL1 3           /* EL1 may use the physical counter and timer */
#define GICD_CTLR_DS (1 << 6)       /* no security: EL1 has all of its registers */
#define GICD_CTLR_RWP 31             /* a write is not seen everywhere yet */
#define GICD_IGROUPR 0x80
#define GICD_IGROUPR_COUNT 32
#define GICC_PMR 4
#define ICC_SRE_ALL 0xf             /* interrupt controller by system registers, from EL1 too */
#define SCTLR_EL1_RES1 0x30d00800   /* MMU and caches off, little-endian */
#define SCTLR_EL1_M_C_SA_SA0_I 0x101d /* MMU, caches, and stack pointers must be aligned */
#define MPIDR_EL1_AFFINITY 0xff00ffffff
#define CPACR_EL1_FP 0x300000

/* hal_arch/pte.h names the attributes: 0 normal write-back, 1 device nGnRnE. */
#define MAIR_EL1_ATTRIBUTES 0x00ff

#define PMEVTYPER_INST_RETIRED 8
#define PMEVTYPER_CPU_CYCLES 0x11   /* for cores that do not count instructions */
#define PMCR_RESET_ENABLE 7         /* E, P, C */

/* 1 GiB leaves, each map's own (nG), used (AF), never for EL0 (UXN): see hal_arch/pte.h. */
#define COARSE_NORMAL 0x0040000000000f01
#define COARSE_DEVICE 0x0060000000000f05
#define COARSE_TABLE 3
#define GIB 0x40000000
#define COARSE_BYTES (8 << (HAL_TCR_COARSE_BITS - 30))
#define BLOCK 0x200000
#ifdef BOARD_RAM_BYTES
#define COARSE_RAM_END (BOARD_RAM_BASE + BOARD_RAM_BYTES)
#else
#define COARSE_RAM_END (256 * GIB)  /* how much there is a device tree says; above are devices */
#endif

/*
 * void _start(uintptr_t dtb)
 * Entry of the hart that boots, at EL3, EL2 or EL1 with the MMU off. At EL3 no firmware holds back
 * the rest: a hart whose affinity is not 0 waits here for ever.
 * In: x0 the device tree's address, or 0. Out: does not return, goes on in co_boot().
 */
	.section .text.boot, "ax", %progbits
	.globl	_start
	.type	_start, %function
_start:
#ifdef BOARD_SPIN_TABLE
	mrs	x1, MPIDR_EL1		/* a loader that knows of no table sends all harts here */
	tst	x1, #0xff
	b.ne	hal_boot_pen
#else
	mrs	x1, CurrentEL		/* at EL3 no firmware holds back harts 1 and on */
	cmp	x1, #EL3
	b.ne	1f
	mrs	x1, MPIDR_EL1
	tst	x1, #0xffffff
	b.eq	1f
0:	wfe
	b	0b
1:
#endif
	mov	x19, x0
	bl	enter_el1
	bl	enter_map
	ldr	x0, =__bss_start
	ldr	x1, =__bss_end
1:	cmp	x0, x1
	b.hs	2f
	stp	xzr, xzr, [x0], #16
	b	1b
2:	ldr	x0, =hal_boot_stack_end
	ldr	x1, =trap_stack_end
	ldr	x2, =__boot_tls
	bl	set_stacks
	mrs	x0, MPIDR_EL1
	ldr	x1, =MPIDR_EL1_AFFINITY
	and	x0, x0, x1
	mov	x1, x19
	mov	x30, xzr		/* ends backtraces, as does x29 */
	b	co_boot
endfunc _start

/*
 * void hal_boot_secondary(const struct hal_boot *rec)
 * Entry of secondary harts, which the firmware's CPU_ON starts.
 * In: x0 rec. Out: does not return, goes on in co_boot_hart(rec).
 */
	.globl	hal_boot_secondary
	.type	hal_boot_secondary, %function
hal_boot_secondary:
	mov	x19, x0
	bl	enter_el1
	bl	enter_map
	mov	x0, x19
	/* fall through */
	.size	hal_boot_secondary, . - hal_boot_secondary

/*
 * void hal_boot_enter(const struct hal_boot *rec)
 * The boot stack is left for the stacks in rec; hart 0 comes here by itself.
 * In: x0 rec. Out: does not return, goes on in co_boot_hart(rec).
 */
	.globl	hal_boot_enter
	.type	hal_boot_enter, %function
hal_boot_enter:
	mov	x19, x0
	ldr	x0, [x19, #HAL_BOOT_SP]
	ldr	x1, [x19, #HAL_BOOT_TRAP_SP]
	ldr	x2, [x19, #HAL_BOOT_TP]
	bl	set_stacks
	mov	x0, x19
	mov	x30, xzr
	b	co_boot_hart
endfunc hal_boot_enter

/*
 * set_stacks: not callable from C.
 * In: x0 stack, x1 trap stack (highest addresses), x2 thread pointer. Out: x29 is 0. Clobbers: x1.
 * TPIDR_EL1 keeps the trap stack's end for a fault in the fault handler: see vectors.S.
 */
set_stacks:
	str	x2, [x1, #-HAL_TRAP_END_BYTES]!
	msr	SPSel, #1
	mov	sp, x1
	msr	SPSel, #0
	mov	sp, x0
	msr	TPIDR_EL1, x1
	msr	TPIDR_EL0, x2
	mov	x29, xzr
	ret

/*
 * enter_el1: not callable from C. Go down to EL1t, exceptions masked, MMU off.
 * In: none. Out: none. Clobbers: x1, x2, x3. At EL3, where no firmware has done so, give the
 * interrupt controller's registers to the non-secure side: one hart alone comes here at EL3.
 */
enter_el1:
	msr	DAIFSet, #15
	mrs	x3, ID_AA64PFR0_EL1
	mrs	x1, CurrentEL
	cmp	x1, #EL2
	b.lo	3f
	adrp	x2, hal_entered_el
	strb	w1, [x2, :lo12:hal_entered_el]
	b.eq	1f
	mov	x1, #SCR_EL3_NS_HVC_64
	msr	SCR_EL3, x1
	msr	CPTR_EL3, xzr
	msr	MDCR_EL3, xzr
	isb
	tst	x3, #0xf << 24		/* a GIC with system registers? */
	b.eq	0f
	mov	x1, #ICC_SRE_ALL
	msr	ICC_SRE_EL3, x1
	isb
#ifdef BOARD_GICD_BASE
	ldr	x1, =BOARD_GICD_BASE
	str	wzr, [x1]		/* no group is on while DS changes */
2:	ldr	w2, [x1]
	tbnz	w2, #GICD_CTLR_RWP, 2b
	mov	w2, #GICD_CTLR_DS
	str	w2, [x1]
2:	ldr	w2, [x1]
	tbnz	w2, #GICD_CTLR_RWP, 2b
#endif
	b	1f
0:
#ifdef BOARD_GICC_BASE
	ldr	x1, =BOARD_GICD_BASE + GICD_IGROUPR
	mov	x2, #-1
	.rept	GICD_IGROUPR_COUNT
	str	w2, [x1], #4
	.endr
	ldr	x1, =BOARD_GICC_BASE
	mov	w2, #0xff		/* EL1 cannot raise one below 0x80 */
	str	w2, [x1, #GICC_PMR]
#endif
1:	tst	x3, #0xf << 8		/* an EL2? */
	b.eq	2f
	mov	x1, #HCR_EL2_RW
	msr	HCR_EL2, x1
	isb
	mov	x1, #CPTR_EL2_RES1
	msr	CPTR_EL2, x1
	msr	HSTR_EL2, xzr
	msr	CNTVOFF_EL2, xzr	/* one clock for all harts */
	mov	x1, #CNTHCTL_EL2_EL1
	msr	CNTHCTL_EL2, x1
	mrs	x1, PMCR_EL0
	ubfx	x1, x1, #11, #5
	msr	MDCR_EL2, x1		/* EL1 has all the event counters */
	mrs	x1, MIDR_EL1
	msr	VPIDR_EL2, x1
	mrs	x1, MPIDR_EL1
	msr	VMPIDR_EL2, x1
	tst	x3, #0xf << 24
	b.eq	2f
	mov	x1, #ICC_SRE_ALL
	msr	ICC_SRE_EL2, x1
2:	ldr	x1, =SCTLR_EL1_RES1
	msr	SCTLR_EL1, x1
	mov	x1, #SPSR_EL1T_MASKED
	mrs	x2, CurrentEL
	cmp	x2, #EL3
	b.eq	1f
	msr	SPSR_EL2, x1
	msr	ELR_EL2, x30
	eret
1:	msr	SPSR_EL3, x1
	msr	ELR_EL3, x30
	eret
3:	msr	SPSel, #0
	ret

/*
 * enter_map: not callable from C. Vectors, floating point, counters, then MMU and caches.
 * In: none. Out: none. Clobbers: x1, x2.
 */
enter_map:
	adrp	x1, hal_vectors
	add	x1, x1, :lo12:hal_vectors
	msr	VBAR_EL1, x1
	msr	TPIDR_EL1, xzr		/* no trap stack yet: see vectors.S */
	mov	x1, #CPACR_EL1_FP
	msr	CPACR_EL1, x1
	isb
	msr	FPCR, xzr		/* the default, as is FPSR: context.S */
	msr	FPSR, xzr
	msr	CNTV_CTL_EL0, xzr
	mrs	x2, PMCEID0_EL0
	mov	x1, #PMEVTYPER_CPU_CYCLES
	tbz	x2, #PMEVTYPER_INST_RETIRED, 1f
	mov	x1, #PMEVTYPER_INST_RETIRED
1:	msr	PMEVTYPER0_EL0, x1
	mov	x1, #1
	msr	PMCNTENSET_EL0, x1
	mov	x1, #PMCR_RESET_ENABLE
	msr	PMCR_EL0, x1
	mov	x1, #MAIR_EL1_ATTRIBUTES
	msr	MAIR_EL1, x1
	ldr	x1, =HAL_TCR_BITS(HAL_TCR_COARSE_BITS)
	msr	TCR_EL1, x1
	adrp	x1, coarse_map
	add	x1, x1, :lo12:coarse_map
	msr	TTBR0_EL1, x1
	ic	iallu
	tlbi	vmalle1
	dsb	nsh
	isb
	ldr	x1, =SCTLR_EL1_RES1 | SCTLR_EL1_M_C_SA_SA0_I
	msr	SCTLR_EL1, x1
	isb
	ret

	.ltorg

/*
 * void hal_boot_pen(void)
 * Entry of harts that a spin table has sent here (hal/drivers/spin_table.h): sleep until this
 * hart's record is there; a doorbell ends the sleep.
 * In: none. Out: does not return, goes on in hal_boot_secondary. Clobbers: x0 to x2.
 */
func hal_boot_pen
	msr	DAIFSet, #15
	mrs	x1, MPIDR_EL1
	and	x1, x1, #0xff
	adrp	x2, hal_boot_record
	add	x2, x2, :lo12:hal_boot_record
	add	x2, x2, x1, lsl #3
1:	ldr	x0, [x2]
	cbnz	x0, hal_boot_secondary
	wfi
	b	1b
endfunc hal_boot_pen

	.section .data.hal_boot_record, "aw", %progbits /* 0 before anybody has cleared .bss */
	.balign	64
	.globl	hal_boot_record
hal_boot_record:			/* const struct hal_boot *[], by affinity 0 */
	.skip	8 * BOARD_MAX_HARTS
	.balign	64		/* its lines are written back */

/*
 * Identity: devices below RAM, RAM, devices above; the GiB that RAM ends in has a table of 2 MiB
 * leaves. Writable and executable, so it must not last.
 */
.macro coarse at, size
	.if \at < BOARD_RAM_BASE || \at >= COARSE_RAM_END
	.quad	COARSE_DEVICE + \at
	.elseif \at + \size <= COARSE_RAM_END
	.quad	COARSE_NORMAL + \at
	.else
	.quad	coarse_blocks + COARSE_TABLE
	.endif
.endm

	.section .rodata.coarse_map, "a", %progbits
	.balign	COARSE_BYTES
coarse_map:
	.set	at, 0
	.rept	COARSE_BYTES / 8
	coarse	at, GIB
	.set	at, at + GIB
	.endr
#if COARSE_RAM_END % GIB
	.balign	4096
coarse_blocks:
	.set	at, COARSE_RAM_END / GIB * GIB
	.rept	512
	coarse	at, BLOCK
	.set	at, at + BLOCK
	.endr
#endif

	.section .bss.boot_stack, "aw", %nobits
	.balign	16
	.skip	HAL_BOOT_STACK_BYTES
	.globl	hal_boot_stack_end
hal_boot_stack_end:
	.skip	HAL_BOOT_STACK_BYTES
trap_stack_end:

/* CurrentEL at the entry; 0: EL1. No firmware answers calls to a level that was the image's. */
	.section .data.hal_entered_el, "aw", %progbits
	.globl	hal_entered_el
hal_entered_el:
	.byte	0
