/*
 * layout.h - how a scratchpad window is divided; the numbers come from the board's memory.h.
 *
 *   public    control block of the hart, its coroutines' control blocks, bounce buffer, heap
 *   private   thread-locals (the executor among them), then stacks, each above an unmapped page:
 *             executor, traps, CO_SPM_STACKS coroutines
 *
 * A window too small for coroutine stacks has none: they are cut from main memory then.
 */
#ifndef COHART_LAYOUT_H
#define COHART_LAYOUT_H

#include <hal/asm.h>
#include <hal/cpu.h>

/* Coroutines that can live on a hart at a time. */
#define CO_PER_HART 64
#define CO_WAIT_NODES 64 /* as many as a 64-bit word has bits */
#define CO_SEATS 4       /* scopes of the machine's barriers: enum co_barrier_scope */
#define CO_REPORT_BYTES 2048
#define CO_BOUNCE_BYTES 4096

#define CO_GUARD_BYTES HAL_PAGE_BYTES
#define CO_TLS_BYTES 8192
#define CO_EXECUTOR_STACK_BYTES 8192
#define CO_TRAP_STACK_BYTES 8192
#define CO_STACK_SPM_BYTES (8192 * HAL_STACK_SCALE)

/* Offsets in the window. */
#define CO_SPM_TLS BOARD_SPM_PUBLIC_BYTES
#define CO_SPM_EXECUTOR (CO_SPM_TLS + CO_TLS_BYTES + CO_GUARD_BYTES)
#define CO_SPM_TRAP (CO_SPM_EXECUTOR + CO_EXECUTOR_STACK_BYTES + CO_GUARD_BYTES)
#define CO_SPM_STACK0 (CO_SPM_TRAP + CO_TRAP_STACK_BYTES + CO_GUARD_BYTES)
#define CO_SPM_STACK_STRIDE (CO_STACK_SPM_BYTES + CO_GUARD_BYTES)

/* As many as fit and as a word has bits; none in a small window. */
#define CO_SPM_ROOM ((long)(BOARD_SPM_BYTES) - (long)(CO_SPM_STACK0) + CO_GUARD_BYTES)
#define CO_SPM_FIT ((int)(CO_SPM_ROOM / (CO_SPM_STACK_STRIDE)))
#define CO_SPM_STACKS (CO_SPM_FIT < CO_WORD_BITS ? CO_SPM_FIT : CO_WORD_BITS)

#ifndef __ASSEMBLER__
_Static_assert(CO_SPM_ROOM >= 0, "BOARD_SPM_BYTES has no room for what each hart needs");
#endif

/* Main-memory slots: a share for each hart, and some for whoever needs more. */
#define CO_MAIN_STACKS(harts) (2 * (harts) + 126)
#define CO_BIG_STACKS 8

#endif
