/* memory.h - Raspberry Pi 3 model B: where things are. Numbers only: assembly reads it too. */
#ifndef BOARD_MEMORY_H
#define BOARD_MEMORY_H

#define BOARD_NAME "raspi3b"
#define BOARD_MAX_HARTS 4

#define BOARD_RAM_BASE 0x0
#define BOARD_RAM_BYTES 0x3b400000 /* of 1 GiB; the GPU has the rest (gpu_mem=76) */
#define BOARD_IMAGE_BASE 0x80000
#define BOARD_SPIN_TABLE 0xd8 /* where the firmware's other harts wait, a word for each */

/* Each hart's scratchpad window, carved out of RAM: together half the L2 cache. */
#define BOARD_SPM_BYTES 0x10000
#define BOARD_SPM_PUBLIC_BYTES 0xe000

#define BOARD_GPIO_BASE 0x3f200000
#define BOARD_UART_BASE 0x3f201000 /* pl011 */
#define BOARD_UART_IRQ 57
#define BOARD_UART_HZ 48000000        /* init_uart_clock in config.txt */
#define BOARD_GPU_IRQ_BASE 0x3f00b000 /* bcm2835 */
#define BOARD_LOCAL_BASE 0x40000000   /* bcm2836 */

#endif
