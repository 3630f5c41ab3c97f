/*
 * ipi.h - doorbells: the one way a hart ends another's sleep.
 */
#ifndef HAL_IPI_H
#define HAL_IPI_H

/*
 * Make the doorbell of `hart` pending.
 * @param hart  0..n-1, this one included
 * Context: any. Order: what this hart wrote before is visible to `hart` when it wakes from the ring
 * (release; paired with the sleeper's look at its inbox after hal_ipi_clear()).
 * Cost: one device write.
 */
void hal_ipi_send(unsigned hart);

/*
 * Take back this hart's own pending doorbell.
 * Order: looks at memory after it are not moved before it, so "clear, look, sleep" loses no ring.
 */
void hal_ipi_clear(void);

#endif
