/* memory.h - virt without page tables: where things are. Numbers only: assembly reads it too. */
#ifndef BOARD_MEMORY_H
#define BOARD_MEMORY_H

#define BOARD_NAME "qemu-virt-rv32-pmp"
#define BOARD_MAX_HARTS 5
#define BOARD_RAM_BASE 0x80000000
#define BOARD_IMAGE_BASE 0x80000000

/* Each hart's scratchpad window, carved out of RAM; its public part comes first. */
#define BOARD_SPM_BYTES 0x40000
#define BOARD_SPM_PUBLIC_BYTES 0x18000

#define BOARD_TEST_BASE 0x00100000 /* ends QEMU */
#define BOARD_UART_BASE 0x10000000 /* ns16550 */
#define BOARD_UART_IRQ 10
#define BOARD_PLIC_BASE 0x0c000000
#define BOARD_PLIC_BYTES 0x600000
#define BOARD_CLINT_BASE 0x02000000 /* time, timers, doorbells */
#define BOARD_CLINT_BYTES 0x10000
#define BOARD_TIME_HZ 10000000
/* No S-mode: timer and doorbells are the CLINT's (hal/arch/riscv/forward.c). */
#define BOARD_SHIM_FORWARDS 1

#endif
