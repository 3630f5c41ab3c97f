/*
 * spin_table.c - harts out of the firmware's loop. spin_table.h has the interface.
 *
 * Harts read with their caches off, so words for them are written back to memory.
 */
#include <hal/cache.h>
#include <hal_arch/sysreg.h>

#include "spin_table.h"

/* boot/<arch>/start.S */
extern const struct hal_boot *hal_boot_record[];
void hal_boot_pen(void);

void hal_spin_table_release(uintptr_t table, unsigned harts)
{
	volatile uint64_t *entry = (volatile uint64_t *)table;

	for (unsigned i = 1; i < harts; i++)
		entry[i] = (uintptr_t)hal_boot_pen;
	hal_cache_clean((const void *)table, harts * sizeof(*entry));
	hal_sev();
}

void hal_spin_table_start(uintptr_t hwid, const struct hal_boot *rec)
{
	hal_boot_record[hwid] = rec;
	hal_cache_clean(&hal_boot_record[hwid], sizeof(*hal_boot_record));
}
