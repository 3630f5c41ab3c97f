/*
 * ipi.h - doorbells: the one way a hart ends another's sleep.
 */
#ifndef HAL_IPI_H
#define HAL_IPI_H

#include <stdint.h>

/*
 * What hal_ipi_ring() needs to know of a hart, constant from boot on: for callers that ring often.
 * @param hart  0..n-1, this one included
 * Context: any.
 */
uintptr_t hal_ipi_doorbell(unsigned hart);

/*
 * Inline in hal_arch/ipi.h, where ringing takes an instruction or an address alone; else functions
 * of board.c:
 *   void hal_ipi_ring(uintptr_t doorbell)  make the doorbell pending that hal_ipi_doorbell() has
 *                                          named
 *     Context: any. Order: what this hart wrote before is visible to the other when it wakes from
 *     the ring (release; paired with hal_ipi_clear()).
 *     Cost: one device write.
 *   void hal_ipi_clear(void)           take back this hart's own pending doorbell
 *     Order: acquire: looks at memory after it see what was written before the rings that it takes
 *     back, so "sleep, clear, look" loses none. A ring that comes after it ends the next sleep.
 */
#if __has_include(<hal_arch/ipi.h>)
#include <hal_arch/ipi.h>
#else
void hal_ipi_ring(uintptr_t doorbell);
void hal_ipi_clear(void);
#endif

/* Make the doorbell of `hart` pending. Context, Order, Cost: as hal_ipi_ring(). */
static inline void hal_ipi_send(unsigned hart)
{
	hal_ipi_ring(hal_ipi_doorbell(hart));
}

#endif
