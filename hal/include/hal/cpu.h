/*
 * cpu.h - operations of a hart on itself.
 *
 * The functions here are inline and live in hal/arch/<arch>/include/hal_arch/cpu.h; this page says
 * what each must do. Every architecture provides all of them.
 *
 *   void     hal_cpu_relax(void)         a hint inside a bounded spin; never sleeps
 *   void     hal_cpu_halt(void)          stop this hart for good, interrupts masked (noreturn), but
 *                                        for the alarm (alarm.h) if it does not handle a trap
 *   uint64_t hal_cpu_instret(void)       retired instructions (under -icount: of all harts
 *                                        together)
 *   void    *hal_cpu_tp(void)            the thread pointer
 *   void     hal_cpu_set_tp(void *tp)    _Thread_local variables are found from here on
 *   void     hal_frame_next(struct hal_frame *f)
 *            walk one frame record up: f->fp moves to the caller's frame, f->ra is the address the
 *            current one returns to. The caller checks that f->fp lies inside a stack before each
 *            step: the walk reads memory there.
 *   uintptr_t hal_call_before(uintptr_t address)
 *            the target of the call that ends at that address of the image's code; 1: the call is
 *            one through a register; 0: it is no call
 *   HAL_FRAME_ABOVE                      words of a frame record that lie at the frame pointer and
 *                                       above: 2, 1 or 0; the rest lies below
 *   HAL_TLS_TCB_BYTES                    bytes between the thread pointer and the first
 *                                        _Thread_local variable, as the ABI wants them
 *   HAL_LOW_ADDRESS(symbol)              the address of a symbol below 2 GiB, wherever the code is
 *   HAL_IMAGE                            1: linker/image.ld.S links the program; 0: a PC's linker
 *   HAL_STACK_SCALE                      how many times the stack of a board a coroutine needs
 *                                        here:
 *                                        1, but on the host
 *   HAL_PAGE_BYTES                       the smallest unit the memory map can guard
 *   HAL_MAP_LEVELS                       page tables on the way to a page, the root among them
 *   HAL_MAP_BLOCK_BYTES                  bytes that one table of pages spans
 */
#ifndef HAL_CPU_H
#define HAL_CPU_H

#include <stdint.h>

struct hal_frame {
	uintptr_t fp; /* frame pointer of the frame being looked at */
	uintptr_t ra; /* return address found in it */
};

#include <hal_arch/cpu.h>

#ifndef HAL_IMAGE
#define HAL_IMAGE 1
#endif
#ifndef HAL_LOW_ADDRESS
#define HAL_LOW_ADDRESS(symbol) ((uintptr_t) & (symbol))
#endif

#endif
