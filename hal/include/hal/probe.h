/*
 * probe.h - fill hal_board from a device tree, or with constants of the board.
 */
#ifndef HAL_PROBE_H
#define HAL_PROBE_H

#include <stddef.h>
#include <stdint.h>

/* Most bytes behind hal_board.hwid[] that are taken before hal_host_command_line() has returned. */
#define HAL_PROBE_LINE 0x10000

/*
 * Set hal_board.ram, .harts and .hwid. A tree that is missing, damaged, lacks the hart that runs,
 * or names more harts than the image is made for ends the run with one line on the console.
 * @param hwid  of the hart that runs; it becomes hart 0
 * Context: hal_board_probe(), with the console working.
 */
void hal_probe_fdt(uintptr_t hwid, const void *dtb);

/*
 * Let hal_board.ram begin at `base`, and leave the part below to firmware. A bank that does not
 * reach there ends the run with one line on the console.
 * Context: after hal_probe_fdt().
 */
void hal_probe_begin(uintptr_t base);

/*
 * Set hal_board.ram, .harts and .hwid for a board with fixed RAM, whose harts have hwids from 0 on.
 * @param hwid  of the hart that runs; it becomes hart 0
 * Context: hal_board_probe(), with the console working.
 */
void hal_probe_fixed(uintptr_t hwid, unsigned harts, uintptr_t ram_base, size_t ram_bytes);

/*
 * Take memory behind the image, for as long as the run lasts, for tables with an entry for each
 * hart.
 * @return zeroed, aligned to 8 bytes
 * Context: hart 0, from the end of one of the above until RAM is carved.
 */
void *hal_probe_take(size_t bytes);

#endif
