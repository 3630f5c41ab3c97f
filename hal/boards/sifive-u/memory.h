/* memory.h - HiFive Unleashed (FU540): where things are. Numbers only: assembly reads it too. */
#ifndef BOARD_MEMORY_H
#define BOARD_MEMORY_H

#define BOARD_NAME "sifive-u"
#define BOARD_MAX_HARTS 5

#define BOARD_RAM_BASE 0x80000000
#define BOARD_RAM_BYTES 0x200000000 /* the board's, where no device tree says otherwise */
#define BOARD_IMAGE_BASE 0x80000000
/* Each hart's scratchpad window, in the L2 cache's memory; its public part comes first. */
#define BOARD_SPM_BASE 0x08000000
#define BOARD_SPM_BYTES 0x40000
#define BOARD_SPM_PUBLIC_BYTES 0x18000

#define BOARD_UART_BASE 0x10010000 /* SiFive's UART 0 */
#define BOARD_UART_IRQ 4
#define BOARD_CLINT_BASE 0x02000000 /* time, timers, doorbells */
#define BOARD_CLINT_BYTES 0x10000
#define BOARD_PLIC_BASE 0x0c000000
#define BOARD_PDMA_BASE 0x03000000
#define BOARD_TIME_HZ 1000000
/* No Sstc, no doorbells for S-mode: M-mode forwards the CLINT's (boot/riscv/shim.S). */
#define BOARD_SHIM_FORWARDS 1

#endif
