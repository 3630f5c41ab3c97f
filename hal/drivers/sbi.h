/* sbi.h - what firmware below S-mode does for a board at boot and at the end: sbi.c. */
#ifndef HAL_SBI_H
#define HAL_SBI_H

#include <stdint.h>

/*
 * Let a hart that the firmware keeps begin in S-mode.
 * @param entry  where; a0 is then its hart id
 * @return 0; -EIO: the firmware refuses
 * Context: hart 0. Order: earlier writes of hart 0 are visible to the hart.
 */
int hal_sbi_start(uintptr_t hwid, uintptr_t entry);

/* hal_board.end: turn the machine off. `by` is not used. Returns if the firmware cannot. */
void hal_sbi_end(uintptr_t by, int code);

#endif
