/*
 * map.c - hal/guard.h where all harts are threads of one address space.
 *
 * There is one map. Memory that is never added to it stays inaccessible, so guard pages guard; but
 * every hart can reach another hart's private scratchpad: only boards check that. The image keeps
 * the rights that the loader gave it, which are the rights asked for.
 */
#include <errno.h>
#include <sys/mman.h>

#include <hal/board.h>
#include <hal/cpu.h>
#include <hal/guard.h>

#define ROOT 1

extern char __text_start[], __text_end[], __rodata_end[]; /* linker/host.ld.S */

/* Pages of RAM that were added. */
static bool added[BOARD_RAM_BYTES / HAL_PAGE_BYTES];

void hal_map_init(uintptr_t pool, size_t bytes)
{
	size_t rest = hal_board.ram.base + hal_board.ram.bytes - pool;

	(void)bytes; /* the host keeps its own tables */
	/* If it fails nothing is guarded, and all else works. */
	(void)mprotect((void *)pool, rest, PROT_NONE);
}

uintptr_t hal_map_new(struct hal_map_pool *pool)
{
	(void)pool;
	return ROOT;
}

int hal_map_add(struct hal_map_pool *pool, uintptr_t root, uintptr_t base, size_t bytes,
		enum hal_map_prot prot)
{
	uintptr_t from = base & ~(uintptr_t)(HAL_PAGE_BYTES - 1);

	(void)pool;
	(void)root;
	if (prot != HAL_MAP_RW || base - hal_board.ram.base >= hal_board.ram.bytes)
		return 0;
	for (uintptr_t page = from; page < base + bytes; page += HAL_PAGE_BYTES)
		added[(page - hal_board.ram.base) / HAL_PAGE_BYTES] = true;
	return mprotect((void *)from, base + bytes - from, PROT_READ | PROT_WRITE) ? -errno : 0;
}

int hal_map_add_row(uintptr_t root, uintptr_t base, size_t bytes, size_t stride, unsigned n,
		    enum hal_map_prot prot)
{
	int r = 0;

	for (unsigned i = 0; i < n && !r; i++)
		r = hal_map_add(NULL, root, base + i * stride, bytes, prot);
	return r;
}

uintptr_t hal_map_view(uintptr_t root, uintptr_t base, size_t bytes)
{
	(void)base;
	(void)bytes;
	return root;
}

/* Harts that are threads have thread-locals, and one address space. */
int hal_map_own(uintptr_t view, uintptr_t shared, uintptr_t base, size_t bytes, uintptr_t memory)
{
	(void)view;
	(void)shared;
	(void)base;
	(void)memory;
	return bytes ? -EEXIST : 0;
}

void hal_map_activate(uintptr_t root)
{
	(void)root;
}

static unsigned ram_rights(uintptr_t offset, size_t *bytes)
{
	*bytes = HAL_PAGE_BYTES - offset % HAL_PAGE_BYTES;
	return added[offset / HAL_PAGE_BYTES] ? HAL_MAP_READ | HAL_MAP_WRITE : 0;
}

/* Of other memory that much is known: the image is as it was loaded, and nothing lies below it. */
unsigned hal_map_rights(uintptr_t root, uintptr_t address, size_t *bytes)
{
	const struct {
		uintptr_t end;
		unsigned rights;
	} part[] = {
		{ (uintptr_t)__text_start, 0 },
		{ (uintptr_t)__text_end, HAL_MAP_READ | HAL_MAP_EXECUTE },
		{ (uintptr_t)__rodata_end, HAL_MAP_READ },
		{ 0, HAL_MAP_READ | HAL_MAP_WRITE },
	};
	unsigned i = 0;

	(void)root;
	if (address - hal_board.ram.base < hal_board.ram.bytes)
		return ram_rights(address - hal_board.ram.base, bytes);
	while (part[i].end && address >= part[i].end)
		i++;
	*bytes = part[i].end - address;
	return part[i].rights;
}
