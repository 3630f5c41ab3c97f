/* board.c - this PC as a board: as many harts and as much RAM as the command line says. */
#include <stdlib.h>
#include <string.h>

#include <hal/board.h>
#include <hal/console.h>
#include <hal/probe.h>
#include <hal/host.h>

#include "../../arch/host/host.h"

#define HARTS 5
#define MAX_MIB (BOARD_RAM_BYTES >> 20)

extern char __image_end[]; /* linker/host.ld.S: RAM follows */

static const struct hal_region devices[] = { { 0, 0 } };
struct hal_board hal_board = { .name = BOARD_NAME, .devices = devices, .is_process = true };

/* A number from 1 to max that the launcher gives by `--name=`, or `without`. */
static unsigned long number(const char *name, unsigned long without, unsigned long max)
{
	const char *text = hal_host_take_word(name);
	char *end = NULL;
	unsigned long n = text ? strtoul(text, &end, 10) : without;

	if (n >= 1 && n <= max && !(end && *end))
		return n;
	hal_console_write("cohart: the host has no ", 24);
	hal_console_write(name, strlen(name));
	hal_console_write(text, strlen(text));
	hal_console_write("\n", 1);
	hal_host_exit(1);
}

void hal_board_probe(uintptr_t hwid, uintptr_t dtb)
{
	unsigned long harts, mib;

	(void)hwid; /* boot/host: these are main()'s argc and argv */
	hal_host_words = (char **)dtb;
	harts = number("--machine-harts=", HARTS, BOARD_MAX_HARTS); /* the first word, if any */
	mib = number("--machine-mem=", MAX_MIB, MAX_MIB);
	hal_probe_fixed(0, (unsigned)harts, (uintptr_t)__image_end, mib << 20);
}

int hal_board_start_hart(unsigned hart, const struct hal_boot *rec)
{
	(void)hart;
	return hal_host_start_thread(rec);
}
