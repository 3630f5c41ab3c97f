/*
 * fdt.h - questions to a flattened device tree: its memory, its harts, its command line, its
 * devices.
 *
 * Reads only, keeps nothing, and believes nothing: every offset and length of the blob is checked
 * against the blob, so that a damaged tree ends in an error number.
 *
 * Example
 *	uintptr_t hwid[MAX], base;
 *	size_t bytes;
 *	int harts = hal_fdt_harts(dtb, HAL_FDT_MAX_BYTES, hwid, MAX);
 *	int err = hal_fdt_memory(dtb, HAL_FDT_MAX_BYTES, &base, &bytes);
 *
 * Source: Devicetree Specification v0.4, chapters 3 and 5.
 */
#ifndef HAL_FDT_H
#define HAL_FDT_H

#include <stddef.h>
#include <stdint.h>

#include <hal/device.h>

/* A `limit` for loaders that do not tell the size; QEMU's trees stay under 1 MiB. */
#define HAL_FDT_MAX_BYTES 0x100000

/*
 * The first range of the first usable /memory node, as far as addresses reach (a last byte that has
 * no address after it is left out).
 * @param dtb    the blob, any alignment; NULL counts as none
 * @param limit  bytes readable at dtb; a tree that claims more is refused
 * @return 0; -EINVAL: not a device tree, or a damaged one; -ENOENT: it names no memory.
 * Context: any.
 * Cost: one pass over the blob.
 */
int hal_fdt_memory(const void *dtb, size_t limit, uintptr_t *base, size_t *bytes);

/*
 * The harts under /cpus whose status is okay or absent.
 * @param dtb    the blob, any alignment; NULL counts as none
 * @param limit  bytes readable at dtb; a tree that claims more is refused
 * @param hwid   filled with their `reg`, ascending, the `max` smallest if there are more; undefined
 *               after an error
 * @param max    words in hwid, may be 0
 * @return how many there are, which may be more than max; -EINVAL: not a device tree, a damaged
 * one, or one that names a hart twice.
 * Context: any.
 * Cost: one pass over the blob.
 */
int hal_fdt_harts(const void *dtb, size_t limit, uintptr_t hwid[], unsigned max);

/*
 * The command line that the loader gives: /chosen's bootargs.
 * @param dtb    the blob, any alignment; NULL counts as none
 * @param limit  bytes readable at dtb; a tree that claims more is refused
 * @return a string in the blob; NULL: it is empty or not there, or the tree is damaged before it
 * Context: any.
 * Cost: one pass over the blob.
 */
const char *hal_fdt_words(const void *dtb, size_t limit);

/*
 * A copy without gaps, for the functions below.
 * @param to  that many bytes, 4-byte aligned; NULL: nothing is copied
 * @return how many bytes the copy takes; 0: not a device tree, or a damaged one
 */
size_t hal_fdt_pack(const void *dtb, size_t limit, void *to) __attribute__((weak));

/*
 * hal_device_find() (hal/device.h) in a tree. A device is a node whose status is okay or absent,
 * with `compatible`, below buses that do not translate addresses, HAL_FDT_DEPTH levels deep at
 * most. It has the ranges of its `reg` that can be addressed and are not empty, and the interrupts
 * of its interrupt parent that `interrupts` names: sources of a PLIC (one cell),
 * SPIs and PPIs of a GIC (three). Strings and properties stay in the blob.
 * @return as hal_device_find(); -EINVAL also: not a device tree
 * Cost: one pass over the blob, and one more for a device with interrupts.
 */
int hal_fdt_device(const void *dtb, size_t limit, const char *compatible, unsigned n,
		   struct hal_device *d) __attribute__((weak));
#define HAL_FDT_DEPTH 8

/* hal_device_property() (hal/device.h); `node`: of a device of this blob. */
const void *hal_fdt_property(const void *dtb, size_t limit, const void *node, const char *name,
			     size_t *bytes) __attribute__((weak));

#endif
