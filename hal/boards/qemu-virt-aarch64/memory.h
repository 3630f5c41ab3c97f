/* memory.h - QEMU's Arm virt machine: where things are. Numbers only: assembly reads it too. */
#ifndef BOARD_MEMORY_H
#define BOARD_MEMORY_H

#define BOARD_NAME "qemu-virt-aarch64"
#define BOARD_MAX_HARTS 512
#define BOARD_RAM_BASE 0x40000000 /* QEMU leaves the device tree here */
#define BOARD_IMAGE_BASE 0x40200000

/* Each hart's scratchpad window, carved out of RAM; its public part comes first. */
#define BOARD_SPM_BYTES 0x40000
#define BOARD_SPM_PUBLIC_BYTES 0x18000

#define BOARD_UART_BASE 0x09000000 /* pl011 */
#define BOARD_UART_IRQ 33
#define BOARD_GICD_BASE 0x08000000
#define BOARD_GICR_BASE 0x080a0000 /* redistributors of harts 0..122, 128 KiB each */
#define BOARD_GICR_BYTES 0xf60000
#define BOARD_GICR2_BASE 0x4000000000 /* of all further harts */

#endif
