/*
 * device.c - the devices of a board: of the device tree that is kept, or of the board's table.
 * hal/device.h has the interface.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <hal/board.h>
#include <hal/device.h>
#include <hal/guard.h>
#include <hal/probe.h>

#include "drivers/fdt.h"

static const void *tree; /* the copy */

void hal_device_keep(const void *dtb)
{
	size_t bytes = hal_fdt_pack(dtb, HAL_FDT_MAX_BYTES, NULL);
	uintptr_t from = (uintptr_t)dtb;
	void *copy;

	if (!bytes)
		return;
	/* Behind the tree, where the copy would lie on it. */
	if (hal_board.free < from + HAL_FDT_MAX_BYTES && hal_board.free + bytes + 8 > from)
		hal_board.free = from + HAL_FDT_MAX_BYTES;
	copy = hal_probe_take(bytes);
	(void)hal_fdt_pack(dtb, HAL_FDT_MAX_BYTES, copy);
	tree = copy;
}

static int find_in_table(const char *compatible, unsigned n, struct hal_device *d)
{
	for (const struct hal_device *b = hal_board_devices; b && b->compatible; b++) {
		if ((!compatible || strcmp(b->compatible, compatible) == 0) && !n--) {
			*d = *b;
			return 0;
		}
	}
	return -ENOENT;
}

int hal_device_find(const char *compatible, unsigned n, struct hal_device *d)
{
	return tree ? hal_fdt_device(tree, HAL_FDT_MAX_BYTES, compatible, n, d)
		    : find_in_table(compatible, n, d);
}

const void *hal_device_property(const void *node, const char *name, size_t *bytes)
{
	return hal_fdt_property(tree, HAL_FDT_MAX_BYTES, node, name, bytes);
}

static bool overlap(uintptr_t base, uintptr_t end, uintptr_t at, size_t bytes)
{
	return bytes && at < end && base < at + bytes;
}

/*
 * Map the parts of a range that nothing is mapped in; devices may share a page. Not in memory,
 * whose unmapped pages are guards, and not page zero.
 */
static void map_range(uintptr_t root, uintptr_t at, size_t bytes)
{
	const uintptr_t page = HAL_PAGE_BYTES;
	uintptr_t end = (at + bytes + page - 1) & -page;

	at &= -page;
	if (!at || overlap(at, end, hal_board.ram.base, hal_board.ram.bytes) ||
	    (BOARD_SPM_BASE &&
	     overlap(at, end, BOARD_SPM_BASE, (size_t)BOARD_MAX_HARTS * BOARD_SPM_BYTES)))
		return;
	while (at < end) {
		size_t span;
		unsigned rights = hal_map_rights(root, at, &span);

		if (!rights && span == 0 - at)
			return; /* out of the map's reach */
		if (span > end - at || !span)
			span = end - at;
		if (!rights && hal_map_add(NULL, root, at, span, HAL_MAP_DEVICE))
			return;
		at += span;
	}
}

void hal_device_map(uintptr_t root)
{
	struct hal_device d;

	for (unsigned n = 0; hal_device_find(NULL, n, &d) == 0; n++) {
		for (unsigned i = 0; i < d.ranges; i++)
			map_range(root, d.range[i].base, d.range[i].bytes);
	}
}
