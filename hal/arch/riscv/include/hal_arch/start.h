/* start.h - harts that sleep since reset: boot/riscv/start.S. */
#ifndef HAL_ARCH_START_H
#define HAL_ARCH_START_H

#include <hal/board.h>

/* Make room for the start records of all harts. Context: hal_board_probe(), the harts are known. */
void hal_start_prepare(void);

/* Let a hart go when it is rung next; the caller rings it, whose fence orders the two. */
void hal_start_give(unsigned hart, const struct hal_boot *rec);

#endif
