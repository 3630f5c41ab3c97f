/*
 * image.c - the image is mapped part by part, so that what lies between the parts, the walls, is
 * not.
 */
#include <cohart/guarded.h>
#include <hal/guard.h>

#include "image.h"

extern const struct co_guarded __guarded_start[], __guarded_end[]; /* linker/image.ld.S */

_Static_assert(CO_PAGE_BYTES == HAL_PAGE_BYTES, "walls are pages");

bool co_image_guarded(uintptr_t p, size_t bytes)
{
	for (const struct co_guarded *g = __guarded_start; g < __guarded_end; g++) {
		if (co_range_holds(g->base, g->base + g->bytes, p, bytes))
			return true;
	}
	return false;
}

bool co_image_wall(uintptr_t p)
{
	return co_range_holds((uintptr_t)__wall_below, (uintptr_t)__wall_below + HAL_PAGE_BYTES, p,
			      1) ||
	       (co_range_holds((uintptr_t)__wall_above, (uintptr_t)__program_bss_start, p, 1) &&
		!co_image_guarded(p, 1));
}

static int map(uintptr_t root, uintptr_t base, uintptr_t end, enum hal_map_prot prot)
{
	return end > base ? hal_map_add(root, base, end - base, prot) : 0;
}

int co_image_map(uintptr_t root)
{
	const struct {
		uintptr_t base, end;
		enum hal_map_prot prot;
	} part[] = {
		{ (uintptr_t)__text_start, (uintptr_t)__text_end, HAL_MAP_RX },
		{ (uintptr_t)__rodata_start, (uintptr_t)__rodata_end, HAL_MAP_R },
		{ (uintptr_t)__data_start, (uintptr_t)__wall_below, HAL_MAP_RW },
		{ (uintptr_t)__wall_below + HAL_PAGE_BYTES, (uintptr_t)__wall_above, HAL_MAP_RW },
		{ (uintptr_t)__program_bss_start, (uintptr_t)__image_end, HAL_MAP_RW },
	};
	int r = 0;

	for (unsigned i = 0; i < sizeof(part) / sizeof(part[0]) && !r; i++)
		r = map(root, part[i].base, part[i].end, part[i].prot);
	for (const struct co_guarded *g = __guarded_start; g < __guarded_end && !r; g++)
		r = map(root, g->base, g->base + g->bytes, HAL_MAP_RW);
	return r;
}

/* Both ends of a part may lie in a block that is mapped page by page. */
unsigned co_image_map_pages(void)
{
	return 2 * (2 + (unsigned)(__guarded_end - __guarded_start));
}
