/* trap.c - a fault in a rung below the runtime: say where, and end the run. */
#include <hal/board.h>
#include <hal/trap.h>

#include "say.h"

/* By rung. */
static const char *const next[] = {
	[1] = "the lines of hal_board_probe() up to the console",
	[2] = "RAM ends before that: the device tree's memory, BOARD_RAM_BASE, BOARD_RAM_BYTES; or a "
	      "device's address in memory.h",
	[3] = "hal_board_start_hart(): the call of firmware, the address of the doorbell that starts "
	      "harts",
	[4] = "hal_irq_init_hart(): the interrupt controller's addresses; the timer's registers, which "
	      "firmware has to allow",
	[5] = "hal_ipi_ring(), hal_ipi_clear(): the doorbells' addresses",
};

void co_trap(struct hal_trap *t)
{
	uintptr_t address;

	say("\n  FAULT: %s", hal_trap_cause(t));
	if (hal_trap_address(t, &address))
		say(", address 0x%lx", (unsigned long)address);
	say("\n  backtrace: make lines BOARD=%s IMAGE=bringup/%lu ADDRS='0x%lx 0x%lx'\n",
	    hal_board.name, (unsigned long)RUNG, (unsigned long)hal_trap_pc(t),
	    (unsigned long)hal_trap_ra(t));
	say("  check next: %s\n", next[climbing]);
	end(climbing, 1);
}
