/*
 * ipi.h - doorbells, by which a hart ends another's sleep.
 */
#ifndef HAL_IPI_H
#define HAL_IPI_H

#include <stdint.h>

/*
 * The argument of hal_ipi_ring() for a hart, constant from boot on: for callers that ring often.
 * @param hart  0..n-1, the caller's included
 * Context: any.
 */
uintptr_t hal_ipi_doorbell(unsigned hart);

/*
 * Inline in hal_arch/ipi.h, where ringing takes an instruction or an address alone; else functions
 * of board.c:
 *   void hal_ipi_ring(uintptr_t doorbell)  make the doorbell pending that hal_ipi_doorbell() has
 *                                          named
 *     Context: any. Order: this hart's earlier stores are visible to the rung hart when it wakes
 *     from the ring (release; paired with hal_ipi_clear()).
 *     Cost: one device write.
 *   void hal_ipi_clear(void)           take back this hart's own pending doorbell
 *     Order: acquire: later loads see the stores before the rings that it takes back, so
 *     "sleep, clear, look" loses none. A ring that comes after it ends the next sleep.
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
