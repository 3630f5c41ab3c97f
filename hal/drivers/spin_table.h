/*
 * spin_table.h - harts that the firmware keeps in a loop, until an address in a table sends them
 * somewhere.
 *
 * They are all sent at once, to a place of the image (boot/<arch>/start.S) where each sleeps until
 * its record is there and its doorbell rings: nobody is left in the firmware's loop, and the table
 * need not be mapped afterwards.
 *
 * Source: Devicetree Specification v0.4, 3.8.1 (enable-method "spin-table").
 */
#ifndef HAL_SPIN_TABLE_H
#define HAL_SPIN_TABLE_H

#include <stdint.h>

struct hal_boot;

/*
 * Send harts 1..harts-1 from the firmware's loop to the image's.
 * @param table  where the word of hart 0 would be
 * Context: hart 0, on the coarse map.
 */
void hal_spin_table_release(uintptr_t table, unsigned harts);

/*
 * Let one of them start when its doorbell rings next; the caller rings it.
 * @param hwid  affinity 0 of its MPIDR
 * Context: hart 0. Order: earlier stores are visible to the hart once its caches are on.
 */
void hal_spin_table_start(uintptr_t hwid, const struct hal_boot *rec);

#endif
