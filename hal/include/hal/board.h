/*
 * board.h - the description of a board: its memory, its harts, its devices.
 * hal/boards/<board>/board.c.
 */
#ifndef HAL_BOARD_H
#define HAL_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hal/asm.h>

struct hal_region {
	uintptr_t base;
	size_t bytes;
};

struct hal_board {
	const char *name;
	struct hal_region ram;            /* all of it, the image included */
	unsigned harts;                   /* present, 1..BOARD_MAX_HARTS */
	const struct hal_region *devices; /* to map, up to an entry of 0 bytes */
	bool is_process;                  /* a program: it has memory beyond `ram` */
	uintptr_t *hwid;                  /* mhartid or MPIDR affinity of hart 0..harts-1 */
	uintptr_t free;                   /* RAM behind the image is nobody's from here on */
	const char *words;                /* of the device tree, without a host; else NULL */
	/* Without a host: end the run by that device or call; returns if it cannot. NULL: halt. */
	void (*end)(uintptr_t by, int code);
	uintptr_t end_by;
};

/* Filled by hal_board_probe(), constant afterwards, but for `free`: hal_probe_take(). */
extern struct hal_board hal_board;

/*
 * Fill hal_board; the console works when it returns.
 * @param hwid  of the hart that booted; it becomes hart 0
 * @param dtb   address of the device tree as the loader gave it, 0 if it gave none
 * Context: hart 0, first thing in C, on the coarse map.
 */
void hal_board_probe(uintptr_t hwid, uintptr_t dtb);

/*
 * Let a hart that waits since reset run co_boot_hart(rec), with the stacks and the thread pointer
 * that `rec` names.
 * @param rec  in memory that every hart may read; kept until the hart is up
 * @return 0, or a negative errno number when the firmware refuses.
 * Context: hart 0. Order: what hart 0 wrote before is visible to the started hart.
 */
int hal_board_start_hart(unsigned hart, const struct hal_boot *rec);

/*
 * Leave the boot stack: take up the stacks and the thread pointer that `rec` names and run
 * co_boot_hart(rec), as every other hart does. boot/<arch>/start.S.
 * Context: hart 0, once.
 */
_Noreturn void hal_boot_enter(const struct hal_boot *rec);

/* The runtime's ends, called by boot/<arch> (runtime/core/boot/boot.c). */
_Noreturn void co_boot(uintptr_t hwid, uintptr_t dtb);
_Noreturn void co_boot_hart(const struct hal_boot *rec);

#endif
