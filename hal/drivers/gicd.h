/*
 * gicd.h - lines of devices (hal/irq.h) by the distributor of a GICv2 or a GICv3, whose registers
 * for them are alike, except for the way to a hart.
 *
 * A line is in group 1 and is not acknowledged, but masked by its enable bit; an urgent line is in
 * group 0. The distributor knows it as a level, so that it is pending as long as its device raises
 * it.
 *
 * Source: Arm GIC Architecture Specification v2 (IHI 0048) 4.3; v3 and v4 (IHI 0069) 12.9.
 */
#ifndef HAL_GICD_H
#define HAL_GICD_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Put all lines into group 1.
 * Context: hart 0, before further harts start.
 */
void hal_gicd_init(uintptr_t gicd);

/*
 * Ready a line. The caller then chooses its hart, and unmasks it.
 * @param urgent  of group 0, which comes as FIQ, as the alarm does
 * @return 0, -EINVAL, -EBUSY as hal_line_open(); -ENOTSUP: groups are the firmware's
 * Context: as hal_line_open().
 */
int hal_gicd_ready(uintptr_t gicd, unsigned id, bool urgent);
/*
 * An interrupt of group 0 has been acknowledged: mask it, if it is a line. Returns whether it is;
 * the caller calls hal_line_came() (hal/irq.h), and then ends it.
 */
bool hal_gicd_take_urgent(uintptr_t gicd, unsigned id);
/* hal_line_close(), hal_line_unmask(), hal_line_priority() of a board. */
void hal_gicd_mask(uintptr_t gicd, unsigned id);
void hal_gicd_unmask(uintptr_t gicd, unsigned id);
bool hal_gicd_busy(uintptr_t gicd, unsigned id);
int hal_gicd_priority(uintptr_t gicd, unsigned id, unsigned priority);
/* hal_line_take() by the pending bit. Not for QEMU's GICv3, whose bit does not show a level. */
bool hal_gicd_take(uintptr_t gicd, unsigned id);

#endif
