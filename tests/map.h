/* map.h - for tests: which harts have page tables. */
#ifndef TESTS_MAP_H
#define TESTS_MAP_H

#include <hal/board.h>

#include "harness/test.h"

/* Has that hart M-mode alone, as test_hart0_has_no_map() asks of hart 0? */
static inline bool has_no_map(unsigned hart)
{
	extern const bool hal_machine_hart[] __attribute__((weak)); /* boot/riscv/start.S */

	return hal_machine_hart && hal_machine_hart[hal_board.hwid[hart]];
}

#endif
