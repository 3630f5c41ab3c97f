/*
 * test_map.c - what each hart's map allows is what hal/guard.h promises, page by page: the tables
 * that the hart runs on are walked, all of them.
 *
 * Topologies: 1x(1+2) 2x(1+2)
 */
#include <hal/board.h>
#include <hal/guard.h>

#include "../runtime/core/core.h"
#include "../runtime/core/memory/image.h"
#include "harness/test.h"

#define RW (HAL_MAP_READ | HAL_MAP_WRITE)
#define TABLES 128u /* page tables, to be read, or room for them */

static bool in(uintptr_t p, const void *from, const void *to)
{
	return p >= (uintptr_t)from && p < (uintptr_t)to;
}

static bool is_device(uintptr_t p)
{
	for (const struct hal_region *d = hal_board.devices; d->bytes; d++) {
		if (p - d->base < d->bytes)
			return true;
	}
	return false;
}

/* Of a window: the public part, and of one's own the private one but for guard pages. */
static unsigned window_rights(uintptr_t p)
{
	unsigned hart = (unsigned)co_spm_hart((const void *)p);
	uintptr_t offset = p - (uintptr_t)co_spm_base(hart);
	struct co_stack_place place;

	if (offset < co_machine.spm_public)
		return RW;
	if (hart != co_hart())
		return 0;
	if (offset < CO_SPM_TLS + CO_TLS_BYTES)
		return RW;
	return co_stack_find(p, &place) && !place.guard && p < place.high ? RW : 0;
}

/* What a page of RAM behind the image should allow; page tables come first. */
static unsigned ram_rights(uintptr_t p)
{
	struct co_stack_place place;

	if (p >= co_machine.heap_base && p < co_machine.heap_end)
		return RW;
	if (p >= co_machine.tables && p < co_machine.stacks_base)
		return RW;
	if (p >= co_machine.stacks_base && p < co_machine.stacks_end)
		return co_stack_find(p, &place) && !place.guard ? RW : 0;
	if (!CO_SPM_ROOMY && p - co_machine.main_parts < co_machine.harts * CO_MAIN_PART_BYTES) {
		if ((p - co_machine.main_parts) % (CO_MAIN_PART_BYTES | CO_SPM_ROOMY) <
		    CO_MAIN_PART_STACKS)
			return RW;
		return co_stack_find(p, &place) && !place.guard && p < place.high ? RW : 0;
	}
	return p < co_machine.heap_base ? TABLES : 0;
}

static unsigned promised(uintptr_t p)
{
	if (p < HAL_PAGE_BYTES)
		return 0;
	if (is_device(p))
		return RW;
	if (in(p, __text_start, __text_end))
		return HAL_MAP_READ | HAL_MAP_EXECUTE;
	if (in(p, __rodata_start, __rodata_end))
		return HAL_MAP_READ;
	if (co_image_guard(p))
		return 0;
	if (in(p, __own_start, (void *)co_round_up(hal_board.free, HAL_PAGE_BYTES)))
		return RW;
	if (co_spm_hart((const void *)p) >= 0)
		return window_rights(p);
	return in(p, __image_end, (void *)co_machine.heap_end) ? ram_rights(p) : 0;
}

static bool is_as_promised(uintptr_t page, unsigned rights)
{
	unsigned want = promised(page);

	if (want == TABLES)
		return rights == 0 || rights == HAL_MAP_READ;
	return (rights & ~(unsigned)HAL_MAP_IS_DEVICE) == want;
}

/* Of a stretch that is alike to the map, the first page that is not as promised; 0: none. */
static uintptr_t look_at(uintptr_t from, size_t bytes, unsigned rights)
{
	/* Much, and alike. */
	if (rights == RW && from >= co_machine.heap_base && bytes <= co_machine.heap_end - from)
		return 0;
	for (uintptr_t page = from; page - from < bytes; page += HAL_PAGE_BYTES) {
		if (!is_as_promised(page, rights))
			return page;
	}
	return 0;
}

/* All that is mapped, wherever it is, should be. Returns the first page that should not, or 0. */
static uintptr_t find_surplus(void)
{
	uintptr_t p = 0;

	do {
		size_t bytes;
		unsigned rights = hal_map_rights(co_executor.map, p, &bytes);
		uintptr_t wrong = rights ? look_at(p, bytes, rights) : 0;

		if (wrong)
			return wrong;
		p += bytes;
	} while (p);
	return 0;
}

/* All that should be mapped there is, and what guards is not. */
static uintptr_t find_wrong(uintptr_t from, uintptr_t to)
{
	size_t bytes;

	for (uintptr_t p = from; p < to; p += HAL_PAGE_BYTES) {
		if (!is_as_promised(p, hal_map_rights(co_executor.map, p, &bytes)))
			return p;
	}
	return 0;
}

static uintptr_t look_all_over(void)
{
	uintptr_t wrong = find_surplus();

	if (!wrong)
		wrong = find_wrong((uintptr_t)__text_start, co_machine.heap_base + HAL_PAGE_BYTES);
	if (!wrong)
		wrong = find_wrong(co_machine.spm, co_machine.spm_end);
	for (const struct hal_region *d = hal_board.devices; d->bytes && !wrong; d++)
		wrong = find_wrong(d->base & -(uintptr_t)HAL_PAGE_BYTES, d->base + d->bytes);
	return wrong;
}

static intptr_t look(void *arg)
{
	uintptr_t wrong = look_all_over();
	size_t bytes;

	if (CHECK_EQ(wrong, 0))
		return 1;
	printf("# page 0x%lx: the map allows 0x%x, promised is 0x%x\n", (unsigned long)wrong,
	       hal_map_rights(co_executor.map, wrong, &bytes), promised(wrong));
	return 0;
}

/* Of the test itself: large enough not to be small data, which all share. */
static int is_looked_at[64];

TEST(guard_pages_lie_between_the_programs_data_and_the_runtimes)
{
	uintptr_t below = (uintptr_t)__guard_below;
	uintptr_t above = (uintptr_t)__guard_above;

	if (hal_board.is_process)
		SKIP("a process has no page tables of its own");
	CHECK(co_image_guard(below) && co_image_guard(below + HAL_PAGE_BYTES - 1));
	CHECK(!co_image_guard(below - 1) && !co_image_guard(below + HAL_PAGE_BYTES));
	CHECK(co_image_guard(above) && !co_image_guard(above - 1));
	CHECK(!hal_map_allows(co_executor.map, below, 1, HAL_MAP_READ));
	CHECK(!hal_map_allows(co_executor.map, above, 1, HAL_MAP_READ));
	CHECK(co_range_holds(below, above, (uintptr_t)&co_machine, sizeof(co_machine)));
	CHECK(co_image_plain((uintptr_t)&is_looked_at, sizeof(is_looked_at)));
	CHECK(!co_image_plain((uintptr_t)&co_machine, sizeof(co_machine)));
}

TEST(each_harts_map_is_what_was_promised_page_by_page)
{
	if (hal_board.is_process)
		SKIP("a process has no page tables of its own");
	for (unsigned hart = 0; hart<co_harts(); hart += hart> 8 ? 7 : 1)
		CHECK_EQ(test_join(test_spawn_on(hart, look, NULL)), 1);
}

/* The walk itself. */
TEST(a_range_is_allowed_if_all_of_it_is)
{
	uintptr_t map = co_executor.map;
	uintptr_t bss = (uintptr_t)__program_bss_start;
	uintptr_t constants = (uintptr_t)__rodata_start;

	CHECK(hal_map_allows(map, bss, 8, RW));
	CHECK(hal_map_allows(map, bss, (size_t)(__image_end - __program_bss_start), RW));
	CHECK(hal_map_allows(map, 0, 0, RW));
	CHECK(!hal_map_allows(map, 0, 1, HAL_MAP_READ));
	CHECK(hal_map_allows(map, constants, 8, HAL_MAP_READ));
	CHECK(!hal_map_allows(map, constants, 8, HAL_MAP_WRITE));
	CHECK(!hal_map_allows(map, (uintptr_t)__rodata_end - 1, 2, HAL_MAP_WRITE));
	CHECK(!hal_map_allows(map, bss, UINTPTR_MAX, HAL_MAP_READ));
	CHECK(!hal_map_allows(map, UINTPTR_MAX, 2, HAL_MAP_READ));
	CHECK(!hal_map_allows(map, bss, 8, HAL_MAP_EXECUTE));
	CHECK(!hal_map_allows(map, bss, 8, HAL_MAP_READ << HAL_MAP_USER));
}

/* ---- Rows of ranges, in a map that no hart runs on ---- */

#define PAGE HAL_PAGE_BYTES
#define BLOCK HAL_MAP_BLOCK_BYTES
#define POOL_PAGES 8u

static alignas(HAL_PAGE_BYTES) unsigned char pool[POOL_PAGES * PAGE];

struct row {
	uintptr_t base;
	size_t bytes, stride;
	unsigned n;
};

/* A new map, with tables out of so many pages. The boot, which alone uses its pool, is over. */
static uintptr_t new_map(unsigned pages)
{
	hal_map_init((uintptr_t)pool, pages * PAGE);
	return hal_map_new(NULL);
}

static int add_row(uintptr_t map, struct row r)
{
	return hal_map_add_row(map, r.base, r.bytes, r.stride, r.n, HAL_MAP_RW);
}

/* The first page around the row that is mapped and should not be, or the reverse; 0: none. */
static uintptr_t find_wrong_in_row(uintptr_t map, struct row r)
{
	uintptr_t end = r.base + (r.n + 1) * r.stride;

	for (uintptr_t p = r.base - 2 * PAGE; p < end + 2 * PAGE; p += PAGE) {
		uintptr_t at = p - r.base;
		bool is_in = p >= r.base && at / r.stride < r.n && at % r.stride < r.bytes;
		size_t bytes;

		if (hal_map_rights(map, p, &bytes) != (is_in ? RW : 0u))
			return p;
	}
	return 0;
}

TEST(a_row_of_ranges_is_mapped_without_what_lies_between)
{
	static const struct row rows[] = {
		{ BLOCK, PAGE, 2 * PAGE, 5 },
		{ BLOCK, 3 * PAGE, 4 * PAGE, 1 },
		{ BLOCK, PAGE, 2 * PAGE, 0 },
		/* Over the end of a table: in a gap, in a range, between two without a gap. */
		{ 2 * BLOCK - 6 * PAGE, 2 * PAGE, 3 * PAGE, 4 },
		{ 2 * BLOCK - 4 * PAGE, 2 * PAGE, 3 * PAGE, 4 },
		{ 2 * BLOCK - 4 * PAGE, 2 * PAGE, 2 * PAGE, 4 },
		/* A table between two ranges is not made; blocks, alone and with pages behind. */
		{ BLOCK + PAGE, PAGE, 2 * BLOCK, 3 },
		{ BLOCK, BLOCK, 2 * BLOCK, 3 },
		{ BLOCK, BLOCK + 2 * PAGE, 2 * BLOCK, 2 },
		{ BLOCK, BLOCK + 2 * PAGE, BLOCK + 4 * PAGE, 2 },
		{ BLOCK, BLOCK, BLOCK, 3 },
	};

	if (hal_board.is_process)
		SKIP("a process has no page tables of its own");
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uintptr_t map = new_map(POOL_PAGES);

		REQUIRE(map);
		CHECK_EQ(add_row(map, rows[i]), 0);
		if (!CHECK_EQ(find_wrong_in_row(map, rows[i]), 0))
			printf("# row %u\n", i);
	}
}

TEST(a_row_meets_a_page_that_is_mapped_or_finds_no_table)
{
	const struct row row = { 2 * BLOCK - 4 * PAGE, PAGE, 2 * PAGE, 4 };
	uintptr_t map;

	if (hal_board.is_process)
		SKIP("a process has no page tables of its own");
	map = new_map(POOL_PAGES);
	/* Of its third range: the first page behind the end of a table. */
	CHECK_EQ(hal_map_add(NULL, map, 2 * BLOCK, PAGE, HAL_MAP_R), 0);
	CHECK_EQ(add_row(map, row), -EEXIST);
	/* Of its second range, of those of one table. */
	map = new_map(POOL_PAGES);
	CHECK_EQ(hal_map_add(NULL, map, 2 * BLOCK - 2 * PAGE, PAGE, HAL_MAP_R), 0);
	CHECK_EQ(add_row(map, row), -EEXIST);
	/* A page in a gap is none of its own. */
	map = new_map(POOL_PAGES);
	CHECK_EQ(hal_map_add(NULL, map, 2 * BLOCK - PAGE, PAGE, HAL_MAP_R), 0);
	CHECK_EQ(add_row(map, row), 0);
	/* Room for the path to the first of two tables of pages. */
	map = new_map(HAL_MAP_LEVELS);
	CHECK_EQ(add_row(map, row), -ENOMEM);
}
