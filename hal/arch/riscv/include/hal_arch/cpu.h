/* cpu.h - hal/cpu.h for RISC-V. */
#ifndef HAL_ARCH_CPU_H
#define HAL_ARCH_CPU_H

#include <hal_arch/here.h>
#include <hal_arch/word.h>

#define HAL_PAGE_BYTES 4096
#if __riscv_xlen == 64 /* Sv39 */
#define HAL_MAP_LEVELS 3
#define HAL_MAP_BLOCK_BYTES (2u << 20)
#else /* Sv32 */
#define HAL_MAP_LEVELS 2
#define HAL_MAP_BLOCK_BYTES (4u << 20)
#endif
#define HAL_STACK_SCALE 1
#define HAL_TLS_TCB_BYTES 0 /* tp points at the first variable (psABI, "Thread Local Storage") */

/* Code of -mcmodel=medany reaches 2 GiB from the pc: not always to there. */
#define HAL_LOW_ADDRESS(symbol)                                     \
	({                                                          \
		uintptr_t low_;                                     \
		__asm__("lui %0, %%hi(%1)\n\taddi %0, %0, %%lo(%1)" \
			: "=r"(low_)                                \
			: "i"(&(symbol)));                          \
		low_;                                               \
	})

static inline void hal_cpu_relax(void)
{
	__asm__ volatile(".insn i 0x0f, 0, x0, x0, 0x010" ::: "memory"); /* pause (Zihintpause) */
}

_Noreturn static inline void hal_cpu_halt(void)
{
	/* A ring that is pending would end every wait at once. */
#ifdef BOARD_SHIM_FORWARDS
	if (hal_here.msip)
		__asm__ volatile("csrw mie, zero");
	else
#endif
		__asm__ volatile("csrw sie, zero");
	for (;;)
		__asm__ volatile("wfi");
}

static inline uint64_t hal_cpu_instret(void)
{
	uint64_t n;

	HAL_READ_COUNTER("instret", n);
	return n;
}

static inline void *hal_cpu_tp(void)
{
	void *tp;

	__asm__ volatile("mv %0, tp" : "=r"(tp));
	return tp;
}

static inline void hal_cpu_set_tp(void *tp)
{
	__asm__ volatile("mv tp, %0" ::"r"(tp) : "memory");
}

/* A frame record lies below the frame pointer: return address, then the caller's frame pointer. */
#define HAL_FRAME_ABOVE 0
static inline void hal_frame_next(struct hal_frame *f)
{
	const uintptr_t *record = (const uintptr_t *)f->fp;

	f->ra = record[-1];
	f->fp = record[-2];
}

static inline uintptr_t hal_call_before(uintptr_t address)
{
	const uint16_t *p = (const uint16_t *)(address & ~(uintptr_t)1);
	uint32_t w = (uint32_t)p[-1] << 16 | p[-2];

	if ((w & 0xfff) == 0x0ef) /* jal ra */
		return address - 4 - ((uintptr_t)(w >> 31) << 20) + (w & 0xff000) +
		       (w >> 9 & 0x800) + (w >> 20 & 0x7fe);
	/* jalr ra; c.jalr, and c.jal where that is no c.addiw. */
	return (w & 0x7fff) == 0x0e7 || ((p[-1] & 0xf07f) == 0x9002 && p[-1] != 0x9002) ||
	       (__riscv_xlen == 32 && (p[-1] & 0xe003) == 0x2001);
}

#endif
