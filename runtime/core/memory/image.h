/*
 * image.h - the parts of the image, and how each is mapped.
 *
 *   code        the runtime's, then the program's
 *   constants
 *   own         pages of which each hart has its own copy: most images have none
 *   data        the program's initialized data
 *   ~~~~        a guard page: it is not mapped
 *   runtime's   data of the runtime and the C library, all small data (.sdata, .sbss); the
 *               thread-locals' first values
 *   ~~~~
 *   guarded     objects of cohart/guarded.h, each with a guard page behind it
 *   bss         the program's other data
 *   private     of ranks, instead of both kinds of the program's data: cohart/process.h. Mapped by
 *               each rank's hart alone, to a copy
 *   tables      with an entry for each hart; copies of variables (local.c), and the command line:
 *               hal_probe_take()
 */
#ifndef COHART_IMAGE_H
#define COHART_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <hal/cpu.h>
#include <hal/guard.h>
#include <hal/mark.h>

extern char __text_start[], __text_end[], __rodata_start[], __rodata_end[]; /* linker/image.ld.S */
extern char __own_start[], __own_end[];
extern char __private_start[], __private_bss_start[], __private_end[];
#define CO_PRIVATE_DATA_BYTES ((size_t)(__private_end - __private_start))
extern char __per_node_start[], __per_node_end[]; /* cohart/local.h */
extern char __per_hart_start[], __per_hart_end[];
extern char __program_start[], __program_end[]; /* the program's own code */
extern char __data_start[], __guard_below[], __guard_above[];
extern char __program_bss_start[], __image_end[];

extern char __tls_start[], __tls_init_bytes[], __tls_bytes[];
#define CO_TLS_ALIGN 64 /* of thread-locals; linker/image.ld.S */
#define CO_TLS_HEAD ((HAL_TLS_TCB_BYTES + CO_TLS_ALIGN - 1) / CO_TLS_ALIGN * CO_TLS_ALIGN)

/* Write the first values of thread-locals behind tp, the thread pointer. */
static inline void co_tls_init(void *tp)
{
	size_t init = (size_t)__tls_init_bytes;
	char *tls = (char *)tp + CO_TLS_HEAD;

	memcpy(tls, __tls_start, init);
	memset(tls + init, 0, (size_t)__tls_bytes - init);
}

/* Make more thread-locals, below `top`. Returns the thread pointer. */
static inline uintptr_t co_tls_make(uintptr_t top)
{
	uintptr_t tp = (top - CO_TLS_HEAD - (uintptr_t)__tls_bytes) & -(uintptr_t)CO_TLS_ALIGN;

	memset((void *)tp, 0, CO_TLS_HEAD);
	co_tls_init((void *)tp);
	return tp;
}

static inline bool co_range_holds(uintptr_t base, uintptr_t end, uintptr_t p, size_t bytes)
{
	return p >= base && p <= end && bytes <= end - p;
}

static inline bool co_image_code(uintptr_t address)
{
	return address >= (uintptr_t)__text_start && address < (uintptr_t)__text_end;
}

/*
 * Does an address follow a call, as a return address does? Returns the function called; 1: the
 * function is unknown; 0: no. Context: any; nothing outside of the image's code is read.
 */
static inline uintptr_t co_image_call(uintptr_t address)
{
	return co_image_code(address - 8) && co_image_code(address - 1) ? hal_call_before(address)
									: 0;
}

/* Is pc in the program's own code? */
static inline bool co_image_program(uintptr_t pc)
{
	return pc >= (uintptr_t)__program_start && pc < (uintptr_t)__program_end;
}

/* Is [p, p + bytes) in the program's static data, without guarded objects? Context: any. */
static inline bool co_image_plain(uintptr_t p, size_t bytes)
{
	return co_range_holds((uintptr_t)__program_bss_start, (uintptr_t)__private_start, p,
			      bytes) ||
	       co_range_holds((uintptr_t)__data_start, (uintptr_t)__guard_below, p, bytes);
}

/* Is this an image of ranks? Known before there are any: other images have no guard page there. */
static inline bool co_has_ranks(void)
{
	return &__image_end[0] > &__private_end[0];
}

/* Tell a locality plug-in that the pages at `address` are mapped to the memory at `memory`. */
static inline void co_mark_pages(uintptr_t address, uintptr_t memory, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += HAL_PAGE_BYTES) {
		hal_mark_at(HAL_MARK_PAGE, (const void *)(address + at));
		hal_mark_at(HAL_MARK_PAGE_AT, (const void *)(memory + at));
	}
}

/* Is [p, p + bytes) in one guarded object? Context: any. Cost: a look at each guarded object. */
bool co_image_guarded(uintptr_t p, size_t bytes);

/* Is p in a guard page? Context: any, traps included. */
bool co_image_guard(uintptr_t p);

/* hal_map_add(); a failure ends the run. root 0: there was no memory for the map. */
void co_map_add(uintptr_t root, uintptr_t base, uintptr_t bytes, enum hal_map_prot prot);

/* co_map_add() for n stacks of `bytes`, each `stride` bytes above its predecessor. */
void co_map_stacks(uintptr_t root, uintptr_t low, size_t bytes, size_t stride, unsigned n);

/* Map the image. Context: hart 0, at boot. */
void co_image_map(uintptr_t root);

/* The most page tables that co_image_map() and the tables take, besides HAL_MAP_PAGES(). */
unsigned co_image_map_pages(void);

/* local.c: make the copies of variables. Context: hart 0, before memory is carved. */
void co_local_make(void);
/*
 * Map the pages that each hart has for itself; the most page tables that takes.
 * @return as hal_map_own()
 */
int co_local_map(uintptr_t view, uintptr_t shared, unsigned hart);
size_t co_local_map_pages(void);

#endif
