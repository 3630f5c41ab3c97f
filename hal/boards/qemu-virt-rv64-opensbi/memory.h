/* memory.h - QEMU's RISC-V virt machine above OpenSBI. Numbers only: assembly reads it too. */
#ifndef BOARD_MEMORY_H
#define BOARD_MEMORY_H

#define BOARD_NAME "qemu-virt-rv64-opensbi"
#define BOARD_MAX_HARTS 128 /* OpenSBI's */
#define BOARD_SBI 1         /* the image is entered in S-mode */

#define BOARD_RAM_BASE 0x80200000
#define BOARD_FIRMWARE_BYTES 0x200000 /* of RAM below that: OpenSBI's */
#define BOARD_IMAGE_BASE 0x80200000

/* Each hart's scratchpad window, carved out of RAM; its public part comes first. */
#define BOARD_SPM_BYTES 0x40000
#define BOARD_SPM_PUBLIC_BYTES 0x18000

#define BOARD_UART_BASE 0x10000000 /* ns16550 */
#define BOARD_UART_IRQ 10
#define BOARD_PLIC_BASE 0x0c000000
#define BOARD_PLIC_BYTES 0x600000
#define BOARD_TIME_HZ 10000000

#endif
