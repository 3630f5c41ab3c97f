/* device.c - the board's devices, for programs. */
#include <cohart/debug.h>
#include <cohart/device.h>
#include <hal/device.h>
#include <hal/irq.h>

_Static_assert(CO_DEVICE_RANGES == HAL_DEVICE_RANGES && CO_DEVICE_LINES == HAL_DEVICE_LINES &&
		       sizeof(struct co_device_info) == sizeof(struct hal_device),
	       "a program sees a device as the board describes it");

int co_device_find(const char *compatible, unsigned n, struct co_device_info *d)
{
	struct hal_device found;
	int r;

	CO_ASSERT_THAT(d, "co_device_find() is given where the device goes");
	r = hal_device_find(compatible, n, &found);
	if (r)
		return r;
	*d = (struct co_device_info){ .compatible = found.compatible,
				      .ranges = found.ranges,
				      .lines = found.lines,
				      .node = found.node };
	for (unsigned i = 0; i < found.ranges; i++) {
		d->range[i].registers = (void *)found.range[i].base;
		d->range[i].bytes = found.range[i].bytes;
	}
	for (unsigned i = 0; i < found.lines; i++)
		d->line[i] = found.line[i];
	return 0;
}

const void *co_device_property(const struct co_device_info *d, const char *name, size_t *bytes)
{
	CO_ASSERT_THAT(d && name && bytes,
		       "co_device_property() is given a device, a name, and where the size goes");
	return d->node ? hal_device_property(d->node, name, bytes) : NULL;
}

void co_device_order(void)
{
	hal_device_order();
}
