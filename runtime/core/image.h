/*
 * image.h - the parts of the image: how each is mapped, and whose it is.
 *
 *   code        the runtime's, then the program's
 *   constants
 *   own         pages that each hart has its own of: most images have none
 *   data        the program's initialized data
 *   ~~~~        a guard page: it is not mapped
 *   runtime's   its data and the C library's, and of all what is small (.sdata, .sbss); the
 *               thread-locals' first values
 *   ~~~~
 *   guarded     objects of cohart/sandbox.h, each with a guard page behind it
 *   bss         the program's other data
 */
#ifndef COHART_IMAGE_H
#define COHART_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hal/cpu.h>
#include <hal/guard.h>

extern char __text_start[], __text_end[], __rodata_start[], __rodata_end[]; /* linker/image.ld.S */
extern char __own_start[], __own_end[];
extern char __program_start[], __program_end[]; /* of the code, what is the program's own */
extern char __data_start[], __guard_below[], __guard_above[];
extern char __program_bss_start[], __image_end[];

static inline bool co_range_holds(uintptr_t base, uintptr_t end, uintptr_t p, size_t bytes)
{
	return p >= base && p <= end && bytes <= end - p;
}

/* Is it in the program's own code? */
static inline bool co_image_program(uintptr_t pc)
{
	return pc >= (uintptr_t)__program_start && pc < (uintptr_t)__program_end;
}

/* Is it all in the program's static data, guarded ones not counted? Context: any. */
static inline bool co_image_plain(uintptr_t p, size_t bytes)
{
	return co_range_holds((uintptr_t)__program_bss_start, (uintptr_t)__image_end, p, bytes) ||
	       co_range_holds((uintptr_t)__data_start, (uintptr_t)__guard_below, p, bytes);
}

/* Is it all in one guarded object? Context: any. Cost: a look at each of them. */
bool co_image_guarded(uintptr_t p, size_t bytes);

/* Is it a guard page? Context: any; by a fault handler, too. */
bool co_image_guard(uintptr_t p);

/* hal_map_add(), or the end of the boot; root 0: there was no memory for it. */
void co_map_add(uintptr_t root, uintptr_t base, uintptr_t bytes, enum hal_map_prot prot);

/* Map the image. Context: hart 0, at boot. */
void co_image_map(uintptr_t root);

/* Page tables that this takes at most, beside what HAL_MAP_PAGES() counts. */
unsigned co_image_map_pages(void);

#endif
