/* memory.h - AMD ZCU102: where things are. Numbers only: assembly reads it too. */
#ifndef BOARD_MEMORY_H
#define BOARD_MEMORY_H

#define BOARD_NAME "zcu102"
#define BOARD_MAX_HARTS 4

#define BOARD_RAM_BASE 0x0
#define BOARD_RAM_BYTES 0x80000000 /* the RAM below 4 GiB; the board has as much above again */
#define BOARD_IMAGE_BASE 0x00200000

/* Each hart's scratchpad window, in the on-chip memory; its public part comes first. */
#define BOARD_SPM_BASE 0xfffc0000
#define BOARD_SPM_BYTES 0x10000
#define BOARD_SPM_PUBLIC_BYTES 0xe000

#define BOARD_UART_BASE 0xff000000 /* Cadence UART 0 */
#define BOARD_UART_IRQ 53
#define BOARD_GICD_BASE 0xf9010000 /* GIC-400 */
#define BOARD_GICC_BASE 0xf9020000
#define BOARD_ZDMA_BASE 0xfd500000 /* the FPD's, 64 KiB a channel */
#define BOARD_ZDMA_IRQ 156

#endif
