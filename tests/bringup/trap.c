/* trap.c - a fault in a rung below the runtime: say where, and end the run. */
#include <hal/board.h>
#include <hal/trap.h>

#include "say.h"

void co_trap(struct hal_trap *t)
{
	uintptr_t address;

	say("\n  FAULT: %s", hal_trap_cause(t));
	if (hal_trap_address(t, &address))
		say(", address 0x%lx", (unsigned long)address);
	say("\n  backtrace: make lines BOARD=%s IMAGE=bringup/%lu ADDRS='0x%lx 0x%lx'\n",
	    hal_board.name, (unsigned long)RUNG, (unsigned long)hal_trap_pc(t),
	    (unsigned long)hal_trap_ra(t));
	say("  check next: a device's address is wrong in memory.h, or the device is off\n");
	end(RUNG, 1);
}
