/*
 * map.c - page tables: a tree whose every table is a page of entries. The architecture defines the
 * number of levels and the span of a table of pages (hal/cpu.h), and the format of an entry
 * (hal_arch/pte.h). Addresses wrap: a map may reach up to the very end of them.
 */
#include <errno.h>
#include <string.h>

#include <cohart/atomic.h>
#include <hal/asm.h>
#include <hal/cpu.h>
#include <hal/guard.h>
#include <hal_arch/pte.h>

#define ENTRIES (HAL_MAP_BLOCK_BYTES / HAL_PAGE_BYTES)
#define TOP_LEVEL (HAL_MAP_LEVELS - 1)

_Static_assert(ENTRIES * sizeof(hal_pte) == HAL_PAGE_BYTES, "a table is a page");
/* What hal_map_view() wants of them; found here, it is said before anything runs. */
_Static_assert(HAL_MAP_BLOCK_BYTES % BOARD_SPM_BYTES == 0 && BOARD_SPM_BASE % BOARD_SPM_BYTES == 0,
	       "memory.h: BOARD_SPM_BYTES divides 2 MiB, BOARD_SPM_BASE is a multiple of it");

static struct co_aword pool_next;
static uintptr_t pool_end;

static uintptr_t level_bytes(unsigned level)
{
	return (uintptr_t)HAL_PAGE_BYTES << ((unsigned)__builtin_ctz(ENTRIES) * level);
}

static unsigned index_of(uintptr_t address, unsigned level)
{
	return address / level_bytes(level) % ENTRIES;
}

void hal_map_init(uintptr_t pool, size_t bytes)
{
	co_atomic_store(&pool_next, pool, CO_RELAXED);
	pool_end = pool + bytes;
}

static uintptr_t take_page(struct hal_map_pool *pool)
{
	uintptr_t page;

	if (pool) {
		page = pool->next;
		if (pool->end - page < HAL_PAGE_BYTES)
			return 0;
		pool->next += HAL_PAGE_BYTES;
		return page;
	}
	/* relaxed: the page itself is nobody else's; tables are published by hal_pte_publish(). */
	page = co_atomic_add(&pool_next, HAL_PAGE_BYTES, CO_RELAXED);
	return page + HAL_PAGE_BYTES <= pool_end ? page : 0;
}

uintptr_t hal_map_new(struct hal_map_pool *pool)
{
	uintptr_t root = take_page(pool);

	if (root)
		memset((void *)root, 0, HAL_PAGE_BYTES);
	return root;
}

/* The table that an entry points to; made if the entry is empty, 0 if that cannot be. */
static uintptr_t table_below(struct hal_map_pool *pool, hal_pte *entry, unsigned level)
{
	uintptr_t table;

	if (hal_pte_valid(*entry))
		return hal_pte_is_table(*entry, level) ? hal_pte_address(*entry) : 0;
	table = hal_map_new(pool);
	if (table) {
		hal_pte_publish();
		*entry = hal_pte_table(table);
	}
	return table;
}

/*
 * Map [at, at + bytes), whole pages, onto the memory `offset` further on; and n - 1 more ranges,
 * each `gap` behind its predecessor. Ranges in one table of pages share a walk.
 */
static int add(struct hal_map_pool *pool, uintptr_t root, uintptr_t at, uintptr_t bytes,
	       uintptr_t offset, enum hal_map_prot prot, uintptr_t gap, unsigned n)
{
	uintptr_t end = at + bytes;

	while (bytes && n) {
		unsigned level = TOP_LEVEL;
		hal_pte *table = (hal_pte *)root;
		hal_pte *entry = &table[index_of(at, level)];
		hal_pte leaf, more;
		uintptr_t step;

		while (level && ((at | offset) % level_bytes(level) ||
				 end - at < level_bytes(level) || hal_pte_valid(*entry))) {
			uintptr_t below = table_below(pool, entry, level);

			if (!below)
				return hal_pte_valid(*entry) ? -EEXIST : -ENOMEM;
			table = (hal_pte *)below;
			level--;
			entry = &table[index_of(at, level)];
		}
		if (hal_pte_valid(*entry))
			return -EEXIST;
		/* As far as this table goes: entries that differ by the address alone. */
		step = level_bytes(level);
		leaf = hal_pte_leaf(at + offset, level, prot);
		more = hal_pte_leaf(at + offset + step, level, prot) - leaf;
		do {
			*entry++ = leaf;
			leaf += more;
			at += step;
			if (at == end && --n) {
				at += gap;
				end = at + bytes;
				entry += gap / HAL_PAGE_BYTES;
				leaf += gap / HAL_PAGE_BYTES * more;
				if (level) /* the next one may want other leaves */
					break;
			}
		} while (n && entry < &table[ENTRIES] && end - at >= step &&
			 !hal_pte_valid(*entry));
	}
	hal_pte_publish();
	return 0;
}

int hal_map_add(struct hal_map_pool *pool, uintptr_t root, uintptr_t base, size_t bytes,
		enum hal_map_prot prot)
{
	uintptr_t at = base & ~(uintptr_t)(HAL_PAGE_BYTES - 1);
	uintptr_t end = (base + bytes + HAL_PAGE_BYTES - 1) & ~(uintptr_t)(HAL_PAGE_BYTES - 1);

	return add(pool, root, at, end - at, 0, prot, 0, 1);
}

int hal_map_add_row(uintptr_t root, uintptr_t base, size_t bytes, size_t stride, unsigned n,
		    enum hal_map_prot prot)
{
	return add(NULL, root, base, bytes, 0, prot, stride - bytes, n);
}

unsigned hal_map_rights(uintptr_t root, uintptr_t address, size_t *bytes)
{
	unsigned level = TOP_LEVEL;
	hal_pte entry;

	if (!hal_pte_in_reach(address)) {
		*bytes = 0 - address;
		return 0;
	}
	entry = ((const hal_pte *)root)[index_of(address, level)];
	while (hal_pte_valid(entry) && hal_pte_is_table(entry, level)) {
		level--;
		entry = ((const hal_pte *)hal_pte_address(entry))[index_of(address, level)];
	}
	*bytes = level_bytes(level) - address % level_bytes(level);
	return hal_pte_valid(entry) ? hal_pte_rights(entry) : 0;
}

/* The table that an entry of a map points to; 0: none, or a leaf. */
static uintptr_t table_of(uintptr_t table, uintptr_t address, unsigned level)
{
	hal_pte entry = table ? ((const hal_pte *)table)[index_of(address, level)] : 0;

	return hal_pte_valid(entry) && hal_pte_is_table(entry, level) ? hal_pte_address(entry) : 0;
}

/*
 * Give a view of `shared` tables of its own all the way to an address: copies of the tables that it
 * still shares. Returns false when the pool is used up.
 */
static bool own_path(uintptr_t view, uintptr_t shared, uintptr_t address)
{
	uintptr_t table = view;

	for (unsigned level = TOP_LEVEL; level; level--) {
		hal_pte *entry = (hal_pte *)table + index_of(address, level);
		uintptr_t theirs = table_of(shared, address, level);

		table = table_of(table, address, level);
		if (!table)
			break;
		if (table == theirs) {
			table = take_page(NULL);
			if (!table)
				return false;
			memcpy((void *)table, (void *)theirs, HAL_PAGE_BYTES);
			*entry = hal_pte_table(table);
		}
		shared = theirs;
	}
	hal_pte_publish();
	return true;
}

uintptr_t hal_map_view(uintptr_t root, uintptr_t base, size_t bytes)
{
	uintptr_t copy = take_page(NULL);

	/* All addresses in one block have one path of tables. */
	if (!copy || base / level_bytes(1) != (base + bytes - 1) / level_bytes(1))
		return 0;
	memcpy((void *)copy, (void *)root, HAL_PAGE_BYTES);
	return own_path(copy, root, base) ? copy : 0;
}

int hal_map_own(uintptr_t view, uintptr_t shared, uintptr_t base, size_t bytes, uintptr_t memory)
{
	uintptr_t end = base + bytes;

	for (uintptr_t at = base; at < end; at = (at | (level_bytes(1) - 1)) + 1) {
		if (!own_path(view, shared, at))
			return -ENOMEM;
	}
	return add(NULL, view, base, bytes, memory - base, HAL_MAP_RW, 0, 1);
}
