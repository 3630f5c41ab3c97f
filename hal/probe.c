/*
 * probe.c - fill hal_board from a device tree, or with constants of the board.
 */
#include <stdbool.h>
#include <string.h>

#include <hal/board.h>
#include <hal/console.h>
#include <hal/device.h>
#include <hal/probe.h>
#include <hal/host.h>

#include "drivers/fdt.h"

_Noreturn static void refuse(const char *why)
{
	hal_console_write("cohart: ", 8);
	hal_console_write(why, strlen(why));
	hal_console_write("\n", 1);
	hal_host_exit(1);
}

extern char __image_end[]; /* linker/ */

void *hal_probe_take(size_t bytes)
{
	uintptr_t p = (hal_board.free + 7) & ~(uintptr_t)7;

	hal_board.free = p + bytes;
	return memset((void *)p, 0, bytes);
}

/* The hart that booted is hart 0. */
static bool boot_hart_first(uintptr_t hwid)
{
	for (unsigned i = 0; i < hal_board.harts; i++) {
		if (hal_board.hwid[i] != hwid)
			continue;
		hal_board.hwid[i] = hal_board.hwid[0];
		hal_board.hwid[0] = hwid;
		return true;
	}
	return false;
}

void hal_probe_fdt(uintptr_t hwid, const void *dtb)
{
	uintptr_t tree = (uintptr_t)dtb;
	uintptr_t at = (uintptr_t)__image_end;
	int harts;

	/* The tree may lie right behind the image, and its words are read later. */
	if (tree < at + BOARD_MAX_HARTS * sizeof(*hal_board.hwid) + HAL_PROBE_LINE &&
	    tree + HAL_FDT_MAX_BYTES > at)
		at = tree + HAL_FDT_MAX_BYTES;
	hal_board.free = at;
	hal_board.hwid = (uintptr_t *)at;
	harts = hal_fdt_harts(dtb, HAL_FDT_MAX_BYTES, hal_board.hwid, BOARD_MAX_HARTS);
	if (harts <= 0 ||
	    hal_fdt_memory(dtb, HAL_FDT_MAX_BYTES, &hal_board.ram.base, &hal_board.ram.bytes))
		refuse("the device tree is missing, damaged, or names no hart or no memory");
	if (harts > BOARD_MAX_HARTS)
		refuse("the machine has more harts than this board's BOARD_MAX_HARTS");
	hal_board.harts = (unsigned)harts;
	if (!hal_host_answers())
		hal_board.words = hal_fdt_words(dtb, HAL_FDT_MAX_BYTES);
	hal_board.free += hal_board.harts * sizeof(*hal_board.hwid);
	if (hal_device_keep)
		hal_device_keep(dtb);
	if (!boot_hart_first(hwid))
		refuse("the device tree does not name the hart that booted");
}

void hal_probe_begin(uintptr_t base)
{
	size_t below = base - hal_board.ram.base;

	if (base < hal_board.ram.base || below >= hal_board.ram.bytes)
		refuse("the device tree's memory is not where BOARD_RAM_BASE says");
	hal_board.ram = (struct hal_region){ base, hal_board.ram.bytes - below };
}

void hal_probe_fixed(uintptr_t hwid, unsigned harts, uintptr_t ram_base, size_t ram_bytes)
{
	hal_board.ram = (struct hal_region){ ram_base, ram_bytes };
	hal_board.harts = harts;
	hal_board.free = (uintptr_t)__image_end;
	hal_board.hwid = hal_probe_take(harts * sizeof(*hal_board.hwid));
	for (unsigned i = 0; i < harts; i++)
		hal_board.hwid[i] = i;
	if (!boot_hart_first(hwid))
		refuse("the hart that booted is none of this board's");
}
