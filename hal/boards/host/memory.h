/* memory.h - this PC as a board: a program, a thread a hart. Numbers only; the linker reads it. */
#ifndef BOARD_MEMORY_H
#define BOARD_MEMORY_H

#define BOARD_NAME "host"
#define BOARD_MAX_HARTS 512
/* RAM is the end of the image's zeroed data: pages that nobody touches cost nothing. */
#define BOARD_RAM_BYTES 0x60000000

/* Each hart's scratchpad window; the public part comes first. Stacks are larger than a board's. */
#define BOARD_SPM_BYTES 0x180000
#define BOARD_SPM_PUBLIC_BYTES 0x18000

#endif
