/* satp.h - taking up page tables. */
#ifndef HAL_ARCH_SATP_H
#define HAL_ARCH_SATP_H

#include <stdint.h>

#include <hal_arch/word.h>

static inline void hal_map_tables(uintptr_t root)
{
	uintptr_t satp = (uintptr_t)HAL_SATP_MODE << HAL_SATP_MODE_SHIFT | root >> 12;

	__asm__ volatile("csrw satp, %0" ::"r"(satp) : "memory");
	__asm__ volatile("sfence.vma" ::: "memory");
}

#endif
