/*
 * layout.h - how a scratchpad window is divided; the numbers come from the board's memory.h.
 *
 *   public    control block of the hart, area (its coroutines' control blocks, fault report),
 *             variables of other folders (hart_var.h), heap, storage of mailboxes, room for the
 *             caches of loops; where there are ranks, a rank's static data, if it fits
 *   private   thread-locals (the executor among them), then stacks, each above an unmapped page:
 *             executor, traps, CO_SPM_STACKS coroutines
 *   the top of a rank's stack, which all harts have mapped at the stack's own addresses
 *
 * Boot settles where the public part ends and how many stacks there are, alike for all harts, and,
 * for each group, how much of the public part's end is for mailboxes and caches
 * (--spm=, co_spm_divide()). The board's numbers are the usual ones.
 *
 * A tight window keeps the memory that harts wait on and use most often: the control block, the
 * variables that are no buffers, the heap; only the thread-locals are private. The area, the
 * buffers and the hart's own stacks are in its main-memory part (machine.h), its coroutines' stacks
 * are cut from main memory.
 */
#ifndef COHART_LAYOUT_H
#define COHART_LAYOUT_H

#include <hal/asm.h>
#include <hal/cpu.h>

#define CO_SPM_ROOMY (BOARD_SPM_BYTES >= 0x20000)

/*
 * Control blocks of a hart, in its shared area. Others come in slabs (slab.h), as many in all as
 * --coroutines= allows.
 */
#define CO_PER_HART 64
#define CO_PER_HART_USUAL 4096
#define CO_PER_HART_MAX 16777216
#define CO_WAIT_NODES 64
#define CO_REPORT_BYTES 2048

#define CO_GUARD_BYTES HAL_PAGE_BYTES
#define CO_TLS_BYTES (CO_SPM_ROOMY ? 8192 : BOARD_SPM_BYTES - BOARD_SPM_PUBLIC_BYTES)
#define CO_EXECUTOR_STACK_BYTES 8192
#define CO_TRAP_STACK_BYTES 8192
#define CO_STACK_SPM_BYTES (8192 * HAL_STACK_SCALE)

/* A hart's own stacks, from the guard page under the first. */
#define CO_EXECUTOR_STACK CO_GUARD_BYTES
#define CO_TRAP_STACK (CO_EXECUTOR_STACK + CO_EXECUTOR_STACK_BYTES + CO_GUARD_BYTES)
#define CO_HART_STACKS_BYTES (CO_TRAP_STACK + CO_TRAP_STACK_BYTES)

/* Offsets in the window, once it is divided. */
#define CO_SPM_HEAP_END (co_machine.spm_public - co_machine.rank_data) /* of its parts, too */
#define CO_SPM_CACHES_BYTES(h) ((size_t)CO_SPM_HEAP_END - (h)->caches_at)
#define CO_SPM_TLS (co_machine.spm_public)
/* Bytes that every hart may use: the public part, and thread-locals if the image shares them. */
#define CO_SPM_SHARED_BYTES (co_machine.spm_public + (size_t)__thread_locals_shared * CO_TLS_BYTES)
extern char __thread_locals_shared[]; /* linker/: 1 or 0; cohart/hart.h */
#define CO_SPM_STACKS0 (CO_SPM_TLS + CO_TLS_BYTES)
#define CO_SPM_STACK0 (co_machine.spm_stack0)
#define CO_SPM_STACK_STRIDE (CO_STACK_SPM_BYTES + CO_GUARD_BYTES)
#define CO_SPM_STACKS ((int)co_machine.spm_stacks) /* 1 to CO_WORD_BITS; 0 in a tight window */

/* Private bytes besides coroutines' stacks, and how many of these fit behind `public` bytes. */
#define CO_PRIVATE_BYTES (CO_TLS_BYTES + CO_HART_STACKS_BYTES + CO_GUARD_BYTES)
#define CO_SPM_ROOM(public) \
	((long)(BOARD_SPM_BYTES) - (long)(public) - CO_PRIVATE_BYTES + CO_GUARD_BYTES)
#define CO_SPM_FIT(public) ((int)(CO_SPM_ROOM(public) / (CO_SPM_STACK_STRIDE)))

#ifndef __ASSEMBLER__
_Static_assert(!CO_SPM_ROOMY || CO_SPM_FIT(BOARD_SPM_PUBLIC_BYTES) > 0,
	       "BOARD_SPM_BYTES has no room for what each hart needs");
_Static_assert(BOARD_SPM_BYTES % HAL_PAGE_BYTES == 0 &&
		       BOARD_SPM_PUBLIC_BYTES % HAL_PAGE_BYTES == 0,
	       "windows and their public parts are whole pages");
_Static_assert(CO_TLS_BYTES >= 4096,
	       "BOARD_SPM_PUBLIC_BYTES leaves a hart less than 4 KiB for its thread-locals");
#endif

/*
 * Of a rank's stack and static data, as much as this goes to its hart's window, if that keeps as
 * many coroutines' stacks.
 */
#define CO_RANK_STACK_NEAR 32768
#define CO_RANK_DATA_NEAR 32768
#define CO_RANK_STACKS_LEAST 4

/*
 * Main-memory stacks with guard pages: an eighth of the memory, which is divided at boot; for each
 * hart at least CO_MAIN_STACKS_LEAST of class CO_STACK_MAIN.
 */
#define CO_STACKS_SHARE 8
#define CO_MAIN_STACKS_LEAST (CO_SPM_ROOMY ? 2 : 12)
#define CO_BIG_STACKS 8

#endif
