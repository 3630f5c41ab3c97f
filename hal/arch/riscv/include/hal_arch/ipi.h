/*
 * ipi.h - hal/ipi.h for RISC-V: a doorbell is the address of a word in an (A)CLINT, 1 rings it; or,
 * above firmware, the hart id that it is to ring.
 *
 * Source: SiFive E31 manual, chapter 9; RISC-V ACLINT specification 1.0, chapters 2 and 4.
 */
#ifndef HAL_ARCH_IPI_H
#define HAL_ARCH_IPI_H

#include <stdint.h>

#include <hal_arch/here.h>
#include <hal_arch/sbi.h>

#define HAL_SSI 0x02u /* in sie, sip: the supervisor's software interrupt */

static inline void hal_ipi_ring(uintptr_t doorbell)
{
#ifdef BOARD_SBI
	(void)hal_sbi(HAL_SBI_IPI, 0, 1, doorbell, 0); /* send_ipi(mask, of harts from there on) */
#else
	/*
	 * fence w, o: stores to memory are visible before the ring is (pairs with the woken hart's
	 * look at its inbox).
	 */
	__asm__ volatile("fence w, o" ::: "memory");
	*(volatile uint32_t *)doorbell = 1;
#endif
}

static inline void hal_ipi_clear(void)
{
#ifdef BOARD_SHIM_FORWARDS
	if (hal_here.msip)
		*hal_here.msip = 0;
	else
#endif
		__asm__ volatile("csrc sip, %0" ::"rK"(HAL_SSI) : "memory");
	/* Cleared before memory is looked at; to a fence, a CSR is a device. */
	__asm__ volatile("fence io, rw" ::: "memory");
}

#endif
