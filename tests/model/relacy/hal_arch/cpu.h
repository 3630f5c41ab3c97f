/* cpu.h - hal/cpu.h for a machine of threads. */
#ifndef HAL_ARCH_CPU_H
#define HAL_ARCH_CPU_H

#define HAL_PAGE_BYTES 4096
#define HAL_TLS_TCB_BYTES 0
#define HAL_IMAGE 0
#define HAL_STACK_SCALE 1

void hal_cpu_relax(void);
_Noreturn void hal_cpu_halt(void);
uint64_t hal_cpu_instret(void);

#endif
