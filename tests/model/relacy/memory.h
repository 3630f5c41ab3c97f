/* memory.h - a machine of threads: the numbers that the runtime's headers ask of a board. */
#ifndef BOARD_MEMORY_H
#define BOARD_MEMORY_H

#define BOARD_NAME "model"
#define BOARD_MAX_HARTS 8
#define BOARD_SPM_BYTES 0x40000
#define BOARD_SPM_PUBLIC_BYTES 0x18000

#endif
