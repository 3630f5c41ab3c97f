/*
 * htif.h - the host-target interface of Spike, as far as the end of a run needs it.
 * Source: riscv-isa-sim, fesvr/htif.cc and fesvr/device.cc.
 */
#ifndef HAL_HTIF_H
#define HAL_HTIF_H

#include <stdint.h>

/*
 * hal_board.end: the simulator exits with that code as soon as it looks at the image's word
 * `tohost`. `by` is not used. Returns at once; the simulator looks every few thousand instructions.
 * Context: any.
 */
void hal_htif_end(uintptr_t by, int code);

#endif
