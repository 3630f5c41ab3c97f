/*
 * device.h - find a device of the board: where its registers are, and its interrupt lines.
 *
 * Example: set the alarm of a clock, and wait for it
 *	struct co_device_info rtc;
 *	struct co_irq irq;                  // cohart/irq.h
 *	if (co_device_find("google,goldfish-rtc", 0, &rtc))
 *		return 1;                   // this board has none
 *	volatile uint32_t *reg = rtc.range[0].registers;
 *	int r = co_irq_open(rtc.line[0], co_hart(), &irq);
 *
 * The device tree names the devices; on boards with a fixed memory map a table of the board does.
 * Registers are mapped from boot on, on all harts, strongly ordered and without a cache;
 * not for confined code. Images without co_device_find() map no device but the runtime's own.
 */
#ifndef COHART_DEVICE_H
#define COHART_DEVICE_H

#include <cohart/detail/base.h>

CO_BEGIN_C
#define CO_DEVICE_RANGES 4
#define CO_DEVICE_LINES 8

struct co_device_info {
	const char *compatible; /* its most specific name; valid for the whole run */
	struct {
		void *registers; /* to be accessed as volatile */
		size_t bytes;
	} range[CO_DEVICE_RANGES];
	unsigned ranges;                /* the tree's first of them */
	unsigned line[CO_DEVICE_LINES]; /* interrupts, for co_irq_open() */
	unsigned lines;
	const void *node; /* the runtime's */
};

/*
 * Find the n-th device, from 0, in the order of the tree or table.
 * @param compatible  one of the device's names, as the tree writes them; NULL: any device
 * @param d           filled in (not NULL, asserted)
 * @return 0; -ENOENT: there are fewer; -EINVAL: the tree is damaged. After an error *d is as it
 *         was.
 * Context: any, after boot. Cost: a pass over the tree, some 10,000 instructions.
 * Limits: nodes that are 8 deep at most, below buses that do not translate addresses; interrupts
 * that a PLIC or a GIC gets by the property `interrupts`.
 * Source: Devicetree Specification v0.4.
 */
CO_MUST_CHECK int co_device_find(const char *compatible, unsigned n, struct co_device_info *d);

/*
 * The value of a property of a device, as the tree has it: cells are big-endian.
 * @param bytes  how many there are (not NULL, asserted)
 * @return the value, for the whole run; NULL: it has no property of that name, or is a
 *         table's
 * Context, Cost: as co_device_find().
 */
const void *co_device_property(const struct co_device_info *d, const char *name, size_t *bytes);
/*
 * Order the caller's accesses to memory and to registers: its earlier ones are done before its
 * later ones, as harts, devices and their own transfers see them. A driver calls it between the
 * writes of a request and the register that starts the device, and between the register that says
 * that it is done and the reads of its results.
 *
 * A device's own transfers use addresses as harts do, and see memory as harts do, on the boards
 * that docs/porting.md lists: there is nothing to clean or to invalidate. In an image of ranks the
 * memory is malloc()'s or co_spm_alloc()'s, or static data by its address of co_process_public():
 * never a rank's own address of static data, nor its stack.
 * Context: any.
 */
void co_device_order(void);
CO_END_C
#endif
