/* sifive_test.h - a device that ends QEMU, on its RISC-V virt machine. */
#ifndef HAL_SIFIVE_TEST_H
#define HAL_SIFIVE_TEST_H

#include <stdint.h>

/*
 * End QEMU with that exit code. The device at `base` is in no map, so that no wild store reaches
 * it: the hart leaves its map for good.
 * Context: S-mode, or M-mode.
 */
void hal_sifive_test_end(uintptr_t base, int code);

/* hal_sifive_test_end() of a hart in M-mode alone, which has no page tables to switch off. */
void hal_sifive_test_end_bare(uintptr_t base, int code);

#endif
