/*
 * device.h - the devices of a board, for programs: registers and interrupt lines.
 *
 * The device tree has them, or a table of the board where the memory map is fixed. An image that
 * calls hal_device_find() keeps the tree, and maps all devices at boot, for all harts: page tables
 * do not change afterwards. Other images have none of hal/device.c, and map the devices of
 * hal_board alone.
 */
#ifndef HAL_DEVICE_H
#define HAL_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#define HAL_DEVICE_RANGES 4
#define HAL_DEVICE_LINES 8

struct hal_device {
	const char *compatible; /* the most specific name */
	struct {
		uintptr_t base;
		size_t bytes;
	} range[HAL_DEVICE_RANGES];
	unsigned ranges;
	unsigned line[HAL_DEVICE_LINES]; /* numbers of the interrupt controller */
	unsigned lines;
	const void *node; /* its properties; NULL: of a board's table */
};

/*
 * The n-th device, from 0, that is compatible with `compatible`; NULL: with anything.
 * @return 0; -ENOENT: there are fewer; -EINVAL: the tree is damaged. *d is changed by 0 alone.
 * Context: any, after boot. Cost: one or two passes over the tree.
 */
int hal_device_find(const char *compatible, unsigned n, struct hal_device *d);

/*
 * The value of a property of a device, as it is in the tree: cells are big-endian.
 * @param node  the device's, not NULL
 * @return NULL: it has no property of that name
 */
const void *hal_device_property(const void *node, const char *name, size_t *bytes);

/* An entry of a board's table, with one range and one line. */
#define HAL_DEVICE(name, at, size, irq)                     \
	{                                                   \
		name, { { at, size } }, 1, { irq }, 1, NULL \
	}
/* A board's table, up to an entry without a name; a board with a device tree has no table. */
extern const struct hal_device hal_board_devices[] __attribute__((weak));

/*
 * For boot, which calls them if the image has them. Keep a copy of the tree behind the
 * image. Context: as hal_probe_take().
 */
void hal_device_keep(const void *dtb) __attribute__((weak));
/*
 * Map the registers of all devices that are not mapped yet, HAL_DEVICE_MAP_PAGES page tables at
 * most; devices that find no room stay unmapped. Context: hart 0, while it builds the shared map.
 */
void hal_device_map(uintptr_t root) __attribute__((weak));
#define HAL_DEVICE_MAP_PAGES 64

#endif
