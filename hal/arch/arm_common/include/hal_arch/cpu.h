/*
 * cpu.h - hal/cpu.h has the contract.
 *
 * Source: Arm ARM (DDI 0487) D8 and v7-A and v7-R (DDI 0406C) C12 (PMU); AAPCS64 6.4.6 (frame
 * records); ELF for the Arm Architecture (IHI 0044) and for the 64-bit one, thread-local storage.
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

/*
 * The ABI reserves 8 bytes, or 16, and the linker rounds them up to the alignment of the
 * thread-local segment, which is a cache line (linker/image.ld.S).
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
 * Event counter 0 counts retired instructions (start.S sets it up), in 32 bits; another, which
 * counts nothing, keeps the upper half, by hand. Exact if called once every 2^32 instructions.
 * Where instructions are not counted (QEMU without -icount) it counts cycles.
 */
static inline uint64_t hal_cpu_instret(void)
{
	hal_isb();

	uint32_t low = hal_sysreg_read(INSTRET);

	if (hal_sysreg_read(PMOVSR) & 1) {
		hal_sysreg_write(PMOVSR, 1);
		hal_sysreg_write(INSTRET_UPPER, hal_sysreg_read(INSTRET_UPPER) + 1);
		hal_isb();
		low = hal_sysreg_read(INSTRET);
	}
	return (uint64_t)hal_sysreg_read(INSTRET_UPPER) << 32 | low;
}

static inline void *hal_cpu_tp(void)
{
	return (void *)hal_sysreg_read(TP);
}

static inline void hal_cpu_set_tp(void *tp)
{
	hal_sysreg_write(TP, (uintptr_t)tp);
}

/* HAL_FRAME_ABOVE is the words of a frame record at and above the frame pointer. */
static inline void hal_frame_next(struct hal_frame *f)
{
	const uintptr_t *record = (const uintptr_t *)f->fp + HAL_FRAME_ABOVE - 2;

	f->fp = record[0];
	f->ra = record[1];
}

static inline uintptr_t hal_call_before(uintptr_t address)
{
	uint32_t w = address % 4 ? 0 : *(const uint32_t *)(address - 4);

	if ((w & HAL_BL_MASK) == HAL_BL || (w & HAL_BLX_MASK) == HAL_BLX)
		return address + HAL_BL_FROM +
		       (uintptr_t)(intptr_t)((int32_t)(w << HAL_BL_SHIFT) >> (HAL_BL_SHIFT - 2));
	return (w & HAL_BLR_MASK) == HAL_BLR;
}

#endif
