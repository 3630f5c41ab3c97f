/*
 * guard.h - who may touch which memory.
 *
 * A map is a tree of page tables, identity-mapped, built at boot and never changed on a hot path,
 * so protection costs no instruction in a switch. Memory that is not added stays unmapped: page
 * zero, guard pages under stacks, other harts' private scratchpads. One `shared` map holds all
 * memory that every hart may see; each hart then runs on a view of its own: the shared tree, with
 * private pages added.
 *
 * Example
 *	hal_map_init(pool, pool_bytes);
 *	uintptr_t shared = hal_map_new(NULL);
 *	hal_map_add(NULL, shared, text, text_bytes, HAL_MAP_RX);
 *	uintptr_t mine = hal_map_view(shared, window, window_bytes);
 *	hal_map_add(NULL, mine, stack, stack_bytes, HAL_MAP_RW);
 *	hal_map_activate(mine);
 */
#ifndef HAL_GUARD_H
#define HAL_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hal/cpu.h>

enum hal_map_prot {
	HAL_MAP_R,      /* read-only data */
	HAL_MAP_RX,     /* code */
	HAL_MAP_RW,     /* normal cacheable memory */
	HAL_MAP_DEVICE, /* device registers: read, write, never execute, strongly ordered */
	/* Rights of code that runs without privilege (hal/user.h), and of it alone. */
	HAL_MAP_USER_R,
	HAL_MAP_USER_RX,
	HAL_MAP_USER_RW,
};

/*
 * Give the memory that tables are made of: page-aligned, page-rounded; need not be zeroed.
 * Context: hart 0, before any other hart runs.
 */
void hal_map_init(uintptr_t pool, size_t bytes);

/*
 * Memory that the tables of one map are made of, beside the boot's: page-aligned, page-rounded,
 * its owner's, which gets it back by forgetting the map.
 */
struct hal_map_pool {
	uintptr_t next, end;
};

/*
 * An empty map. Returns its root, 0 when the pool is used up.
 * @param pool  NULL: the boot's
 * Context: any hart; the boot's pool is shared and handed out with one atomic add.
 */
uintptr_t hal_map_new(struct hal_map_pool *pool);

/*
 * Map [base, base + bytes) onto itself, page-rounded outwards, with the largest leaves that fit.
 * @param pool  what new tables are made of; NULL: the boot's
 * @return 0, -ENOMEM when the pool is used up (part of the range may be mapped), -EEXIST when a
 *         page there is mapped already.
 */
int hal_map_add(struct hal_map_pool *pool, uintptr_t root, uintptr_t base, size_t bytes,
		enum hal_map_prot prot);

/*
 * hal_map_add() with the boot's pool for n ranges, each `stride` behind its predecessor; memory
 * between them is not mapped.
 * @param base, bytes, stride  whole pages
 */
int hal_map_add_row(uintptr_t root, uintptr_t base, size_t bytes, size_t stride, unsigned n,
		    enum hal_map_prot prot);

/*
 * A new map that sees all that `root` maps. Additions within [base, base + bytes) are private:
 * `root` and further views do not see them. Copies the few tables on the way there, shares the
 * rest.
 * @param base, bytes  within one block of HAL_MAP_BLOCK_BYTES
 * @return its root; 0 when the pool is used up, or the range does not lie in one block.
 */
uintptr_t hal_map_view(uintptr_t root, uintptr_t base, size_t bytes);

/*
 * Pages out of the pool: for a view, for `bytes` of its own, and for a map that guards `bytes` page
 * by page, with the ends of its larger ranges.
 */
#define HAL_MAP_VIEW_PAGES HAL_MAP_LEVELS
#define HAL_MAP_OWN_PAGES(bytes) (2 * HAL_MAP_LEVELS + (bytes) / HAL_MAP_BLOCK_BYTES)
#define HAL_MAP_PAGES(bytes) (32 + (bytes) / HAL_MAP_BLOCK_BYTES)

/*
 * Have this view alone see memory at addresses that `shared` does not map: [memory, memory + bytes)
 * at [base, base + bytes). Of all addresses these are the only ones that mean another thing on each
 * hart. Called with a shared map, it maps memory to another address for all harts.
 * @param shared  the map that it is a view of; 0: `view` is a shared map, whose views see it, too
 * @param base, bytes, memory  whole pages
 * @return 0, -ENOMEM when the pool is used up, -EEXIST when a page there is mapped. After an error
 *         part of the range may be.
 */
int hal_map_own(uintptr_t view, uintptr_t shared, uintptr_t base, size_t bytes, uintptr_t memory);

/* Rights to an address, of the runtime and of code without privilege. */
enum hal_map_right {
	HAL_MAP_READ = 1,
	HAL_MAP_WRITE = 2,
	HAL_MAP_EXECUTE = 4,
	HAL_MAP_USER = 3, /* shift rights by that much: the rights without privilege */
	HAL_MAP_IS_DEVICE = 64,
};

/*
 * The rights that a map gives at an address, a set of enum hal_map_right; 0: nothing is mapped
 * there.
 * @param bytes  gets the number of bytes from there on that this entry maps; 0: to the very end of
 *               addresses
 * Context: any; a map that others change meanwhile may be read half.
 */
unsigned hal_map_rights(uintptr_t root, uintptr_t address, size_t *bytes);

/*
 * Does a map allow all of `rights` on all of [base, base + bytes)? A range that wraps is not
 * allowed, an empty one is.
 * Cost: a walk a page, or a larger leaf.
 */
bool hal_map_allows(uintptr_t root, uintptr_t base, size_t bytes, unsigned rights);

/*
 * Run this hart on that map from now on. A hart without page tables applies the map as far as its
 * hardware can (hal_arch/pmp.h).
 */
void hal_map_activate(uintptr_t root);

/*
 * The runtime's end (runtime/core/memory/stack.c), for a hart without page tables: its guard pages,
 * the most important first.
 * @return how many there are in `page`, `max` at most
 */
unsigned co_stack_guards(unsigned hart, uintptr_t *page, unsigned max);

#endif
