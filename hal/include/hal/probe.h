/*
 * probe.h - filling hal_board: from a device tree, or with what is known.
 */
#ifndef HAL_PROBE_H
#define HAL_PROBE_H

#include <stdint.h>

/*
 * Set hal_board.ram, .harts and .hwid. A tree that is missing, damaged, lacks the hart that runs,
 * or names more harts than the image is made for ends the run with one line on the console.
 * @param hwid  of the hart that runs; it becomes hart 0
 * Context: hal_board_probe(), with the console working.
 */
void hal_probe_fdt(uintptr_t hwid, const void *dtb);

/*
 * Set hal_board.harts and .hwid for a board whose harts are always there and numbered from 0.
 * @param hwid  of the hart that runs; it becomes hart 0
 * Context: hal_board_probe(), with the console working.
 */
void hal_probe_harts(uintptr_t hwid, unsigned harts);

#endif
