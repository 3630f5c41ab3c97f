/*
 * here.h - a hart's own addresses and mode on a board whose timer and doorbells are the CLINT's
 * alone (BOARD_SHIM_FORWARDS). Assembly reads it too.
 */
#ifndef HAL_ARCH_HERE_H
#define HAL_ARCH_HERE_H

#include <hal/asm.h>

/*
 * Where M-mode is Cohart's and its timers are no clock, they are alarms (boot/riscv/alarm.S).
 * Firmware (BOARD_SBI) keeps them.
 */
#if !defined BOARD_SHIM_FORWARDS && !defined BOARD_SBI
#define HAL_ALARMS 1
#endif

/* Bytes of struct hal_boot.lines: 1 if lines wait for the next alarm; if one is being claimed. */
#define HAL_LINES_WAIT 0
#define HAL_LINES_CLAIM 1
#define HAL_ALARM_SOON 20 /* ticks until an alarm that found its hart in a trap comes again */

/* The registers of a CLINT. Source: SiFive FU540-C000 manual, chapter 9. */
#define HAL_CLINT_MTIMECMP 0x4000
#define HAL_CLINT_MTIME 0xbff8

/* Offsets of a hart's two words for the shim (boot/riscv/shim.S). */
#define HAL_SHIM_SAVED 0
#define HAL_SHIM_DOORBELL 8
#define HAL_SHIM_SHIFT 4

/* The only call that the shim answers. */
#define HAL_SHIM_REARM 0x5b1 /* in a7 */

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

struct hal_here {
	volatile uint32_t *msip; /* its doorbell, if it runs in M-mode; NULL in S-mode */
	volatile uint64_t *mtimecmp;
	unsigned hwid;
};

extern _Thread_local struct hal_here hal_here;

_Static_assert(offsetof(struct hal_here, msip) == 0, "boot/riscv/start.S writes it");

#endif
#endif
