/*
 * first.c - rung 1: one character. The image is entered in co_bringup_first() (boot/<arch>), and
 * runs nothing but the lines of hal_board_probe() that make the console work. What a board calls
 * next is one of the functions of hal/probe.h, and these are here: they print and end the run.
 */
#include <hal/board.h>
#include <hal/console.h>
#include <hal/probe.h>

#include "say.h"

_Noreturn void co_bringup_first(uintptr_t hwid, uintptr_t dtb);

/* The character alone, before anything that is larger. */
_Noreturn static void works(uintptr_t hwid)
{
	hal_console_write("1", 1);
	say("\n  the console of %s works; entered by the hart with hwid 0x%lx\n", hal_board.name,
	    (unsigned long)hwid);
	end(1, 0);
}

void co_bringup_first(uintptr_t hwid, uintptr_t dtb)
{
	hal_board_probe(hwid, dtb);
	works(hwid);
}

void hal_probe_fdt(uintptr_t hwid, const void *dtb)
{
	(void)dtb;
	works(hwid);
}

void hal_probe_fixed(uintptr_t hwid, unsigned harts, uintptr_t ram_base, size_t ram_bytes)
{
	(void)harts;
	(void)ram_base;
	(void)ram_bytes;
	works(hwid);
}

void hal_probe_begin(uintptr_t base)
{
	works(base);
}

void *hal_probe_take(size_t bytes)
{
	works(bytes);
}

/* The boot code, which is linked for its stack, names them. On BOARD=host it is the entry. */
void co_boot(uintptr_t hwid, uintptr_t dtb)
{
	co_bringup_first(hwid, dtb);
}

void co_boot_hart(const struct hal_boot *rec)
{
	works(rec->hart);
}
