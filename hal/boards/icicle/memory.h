/* memory.h - PolarFire SoC Icicle Kit: where things are. Numbers only: assembly reads it too. */
#ifndef BOARD_MEMORY_H
#define BOARD_MEMORY_H

#define BOARD_NAME "icicle"
#define BOARD_MAX_HARTS 5
#define BOARD_RAM_BASE 0x80000000
#define BOARD_RAM_BYTES 0x40000000 /* of 2 GiB; the rest is above 4 GiB */
#define BOARD_IMAGE_BASE 0x80000000
#define BOARD_SPM_BASE 0x08000000 /* windows, in the L2 cache's memory; public parts first */
#define BOARD_SPM_BYTES 0x40000
#define BOARD_SPM_PUBLIC_BYTES 0x18000
#define BOARD_UART_BASE 0x20000000 /* MMUART0: a 16550, a register in each word */
#define BOARD_UART_IRQ 90
#define BOARD_CLINT_BASE 0x02000000 /* time, timers, doorbells */
#define BOARD_CLINT_BYTES 0x10000
#define BOARD_PLIC_BASE 0x0c000000
#define BOARD_PDMA_BASE 0x03000000
#define BOARD_TIME_HZ 1000000
#define BOARD_SHIM_FORWARDS 1 /* no Sstc, no doorbells for S-mode: boot/riscv/shim.S */

#endif
