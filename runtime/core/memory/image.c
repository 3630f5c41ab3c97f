/* image.c - the image is mapped part by part: guard pages, which lie between, are not. */
#include <errno.h>

#include <cohart/guarded.h>
#include <hal/board.h>

#include "../report.h"
#include "image.h"

extern const struct co_guarded __guarded_start[], __guarded_end[]; /* linker/image.ld.S */

_Static_assert(CO_PAGE_BYTES == HAL_PAGE_BYTES, "guard pages are pages");

bool co_image_guarded(uintptr_t p, size_t bytes)
{
	for (const struct co_guarded *g = __guarded_start; g < __guarded_end; g++) {
		if (co_range_holds(g->base, g->base + g->bytes, p, bytes))
			return true;
	}
	return false;
}

bool co_image_guard(uintptr_t p)
{
	if (hal_board.is_process) /* it has none */
		return false;
	return co_range_holds((uintptr_t)__guard_below, (uintptr_t)__guard_below + HAL_PAGE_BYTES,
			      p, 1) ||
	       (co_range_holds((uintptr_t)__guard_above, (uintptr_t)__program_bss_start, p, 1) &&
		!co_image_guarded(p, 1));
}

static void check(int r)
{
	if (r)
		co_die("the memory map could not be built: error %d", -r);
}

void co_map_add(uintptr_t root, uintptr_t base, uintptr_t bytes, enum hal_map_prot prot)
{
	check(root ? hal_map_add(NULL, root, base, bytes, prot) : -ENOMEM);
}

void co_map_stacks(uintptr_t root, uintptr_t low, size_t bytes, size_t stride, unsigned n)
{
	check(hal_map_add_row(root, low, bytes, stride, n, HAL_MAP_RW));
}

static void map(uintptr_t root, const char *base, const char *end, enum hal_map_prot prot)
{
	if (end > base)
		co_map_add(root, (uintptr_t)base, (uintptr_t)(end - base), prot);
}

void co_image_map(uintptr_t root)
{
	map(root, __text_start, __text_end, HAL_MAP_RX);
	map(root, __rodata_start, __rodata_end, HAL_MAP_R);
	map(root, __data_start, __guard_below, HAL_MAP_RW);
	map(root, __guard_below + HAL_PAGE_BYTES, __guard_above, HAL_MAP_RW);
	map(root, __program_bss_start, __private_start, HAL_MAP_RW);
	for (const struct co_guarded *g = __guarded_start; g < __guarded_end; g++)
		co_map_add(root, g->base, g->bytes, HAL_MAP_RW);
}

/* Both ends of a part may lie in a block that is mapped page by page. */
unsigned co_image_map_pages(void)
{
	return 2 * (3 + (unsigned)(__guarded_end - __guarded_start));
}
