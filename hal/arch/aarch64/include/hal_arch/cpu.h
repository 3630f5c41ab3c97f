/*
 * cpu.h - hal/cpu.h has the contract.
 *
 * Source: Arm ARM (DDI 0487) D8 (PMU); AAPCS64 6.4.6 (frame records); ELF for the Arm 64-bit
 * Architecture 10 (thread-local storage).
 */
#ifndef HAL_ARCH_CPU_H
#define HAL_ARCH_CPU_H

#include <hal/ipi.h>
#include <hal_arch/irq.h>
#include <hal_arch/time.h>

#define HAL_PAGE_BYTES 4096u
#define HAL_MAP_LEVELS 3
#define HAL_MAP_BLOCK_BYTES (2u << 20)
#define HAL_STACK_SCALE 1
#define HAL_FRAME_ABOVE 2

/*
 * The ABI reserves 16 bytes, and the linker rounds them up to the alignment of the thread-local
 * segment, which is a cache line (linker/image.ld.S).
 */
#define HAL_TLS_TCB_BYTES 64u

static inline void hal_cpu_relax(void)
{
	__asm__ volatile("yield" ::: "memory");
}

/* A doorbell left pending would end every wait at once and keep a halted hart busy. */
static inline _Noreturn void hal_cpu_halt(void)
{
	hal_time_wake_never();
	for (;;) {
		hal_ipi_clear();
		hal_irq_wait();
	}
}

/*
 * Event counter 0 counts retired instructions (start.S sets it up), in 32 bits; counter 1 counts
 * nothing and keeps the upper half, by hand. Exact if this is called once every 2^32 instructions.
 * Where instructions are not counted (QEMU without -icount) it counts cycles.
 */
static inline uint64_t hal_cpu_instret(void)
{
	hal_isb();

	uint64_t low = hal_sysreg_read(pmevcntr0_el0);

	if (hal_sysreg_read(pmovsclr_el0) & 1) {
		hal_sysreg_write(pmovsclr_el0, 1);
		hal_sysreg_write(pmevcntr1_el0, hal_sysreg_read(pmevcntr1_el0) + 1);
		hal_isb();
		low = hal_sysreg_read(pmevcntr0_el0);
	}
	return hal_sysreg_read(pmevcntr1_el0) << 32 | (uint32_t)low;
}

static inline void *hal_cpu_tp(void)
{
	return (void *)hal_sysreg_read(tpidr_el0);
}

static inline void hal_cpu_set_tp(void *tp)
{
	hal_sysreg_write(tpidr_el0, (uintptr_t)tp);
}

/* A frame record is two words: the caller's frame pointer, the return address. */
static inline void hal_frame_next(struct hal_frame *f)
{
	const uintptr_t *record = (const uintptr_t *)f->fp;

	f->fp = record[0];
	f->ra = record[1];
}

#endif
