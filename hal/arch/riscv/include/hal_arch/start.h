/* start.h - harts that look for their start record: boot/riscv/start.S. */
#ifndef HAL_ARCH_START_H
#define HAL_ARCH_START_H

#include <hal/board.h>

/* Make room for the start records of all harts. Context: hal_board_probe(), the harts are known. */
void hal_start_prepare(void);

/* Give a hart its record; the caller rings or starts it, by a call whose fence orders the two. */
void hal_start_give(unsigned hart, const struct hal_boot *rec);

/* The record of a hart that runs; where there are alarms. */
struct hal_boot *hal_start_record(unsigned hart);

#endif
