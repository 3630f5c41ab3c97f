/* main_heap.c - see main_heap.h. */
#include <string.h>

#include <cohart/debug.h>

#include "../core.h"
#include "../hook.h"
#include "main_heap.h"
#include "slab.h"

#define REFILL 4        /* blocks that an empty stock gets */
#define LARGE INT32_MIN /* in struct co_unit: with the units of the run */

_Static_assert(CO_MAIN_PLACE(CO_MAIN_CLASSES) < 256, "a class fits in a byte");
_Static_assert(CO_REGION_BYTES == CO_MAIN_STEP, "what is cut is whole regions");

_Thread_local struct co_main_mine co_main_mine;

/*
 * Blocks of 16 * n bytes, `blocks` of them in a span. `inverse`: n's, to divide numbers below 256
 * by n. `room`: the most blocks in a stock, 4 KiB of them, but 2 to 64.
 */
#define CLASS(n, blocks)                                        \
	{                                                       \
		(n), (n) * (blocks) / 32, (blocks),             \
			(uint8_t)((n) < 4         ? 64          \
				  : 256 / (n) < 2 ? 2           \
						  : 256 / (n)), \
			32768 / (n) + 1                         \
	}

static const struct class
{
	uint8_t n, units, blocks, room;
	uint16_t inverse;
} classes[CO_MAIN_CLASSES + 1] = {
	[1] = CLASS(1, 32), CLASS(2, 32),  CLASS(3, 32),  CLASS(4, 32),  CLASS(5, 32),
	CLASS(6, 32),       CLASS(7, 32),  CLASS(8, 32),  CLASS(10, 16), CLASS(12, 16),
	CLASS(14, 16),      CLASS(16, 16), CLASS(20, 8),  CLASS(24, 8),  CLASS(28, 8),
	CLASS(32, 8),       CLASS(40, 4),  CLASS(48, 4),  CLASS(56, 4),  CLASS(64, 4),
	CLASS(80, 2),       CLASS(96, 2),  CLASS(112, 2), CLASS(128, 2),
};

static struct co_main_kept *kept_of; /* of all harts, from hart 0 on */

static void start(unsigned hart)
{
	size_t bytes = co_machine.harts * sizeof(*kept_of);

	if (!hart) {
		co_units_init();
		kept_of = (struct co_main_kept *)co_main_cut(bytes);
		if (!kept_of)
			co_die("no room in main memory for libc's heap");
		memset(kept_of, 0, bytes);
		/* A hart that has no span yet looks there. */
		co_units.unit[0] = (struct co_unit){ 0 };
		for (unsigned n = 0, class = 1; n < sizeof(kept_of->place); n++) {
			class += n == classes[class].n;
			kept_of->place[n] = CO_MAIN_PLACE(class);
		}
	} else {
		memcpy(kept_of[hart].place, kept_of->place, sizeof(kept_of->place));
	}
	co_main_mine = (struct co_main_mine){ &kept_of[hart], co_units.base,
					      (uintptr_t)co_units.count << CO_UNIT_SHIFT,
					      co_units.unit };
}

CO_HOOKS_OF(heap) = { .hart_boot = start };

/* In struct co_unit, a span's: its class, by its place, and how many units it began before. */
static int32_t what_of(unsigned class, unsigned units)
{
	return (int32_t)(CO_MAIN_PLACE(class) | units << 8);
}

static unsigned class_of(int32_t what)
{
	return (unsigned)(what & 0xff) / CO_MAIN_PLACE(1);
}

static uint32_t all_of(unsigned class)
{
	return ~(uint32_t)0 >> (32 - classes[class].blocks);
}

static struct co_unit *unit_at(unsigned unit)
{
	return &co_units.unit[unit];
}

/*
 * Give blocks of a span back. The caller has some of its blocks: until they are given, it stays a
 * span of its class. If all blocks are free then, it becomes units, provided that the caller gets
 * all of them.
 */
static void give_blocks(unsigned span, uint32_t blocks)
{
	struct co_unit *u = unit_at(span);
	unsigned class;
	uint32_t before, all;
	int32_t what;

	do {
		what = u->what;
		class = class_of(what);
		all = all_of(class);
		before = co_span_give(&u->free, blocks);
		if ((before | blocks) != all) {
			if (!before)
				co_tree_add(&co_units.set[class - 1], span);
			return;
		}
		blocks = co_span_take_all(&u->free);
		if (!blocks)
			return;
	} while (blocks != all || u->what != what);
	(void)co_tree_take(&co_units.set[class - 1], span);
	for (unsigned i = 0; i < classes[class].units; i++)
		u[i].what = 0;
	co_units_give(span, classes[class].units);
}

static void give_block(struct co_stock_block *b)
{
	unsigned unit = (unsigned)(((uintptr_t)b - co_units.base) >> CO_UNIT_SHIFT);
	int32_t what = unit_at(unit)->what;
	unsigned span = unit - (unsigned)(what >> 8), class = class_of(what);
	uint32_t at = (uint32_t)((uintptr_t)b - co_unit_address(span)) / 16;

	at = at * classes[class].inverse >> 15;
	give_blocks(span, (uint32_t)1 << at);
}

/*
 * Take blocks of a span of `class`. Its units may have got another use since its number was noted:
 * a hart that has got some of its blocks can read its class, which stays until it gives them back.
 */
static uint32_t take_blocks(unsigned span, unsigned class, unsigned n)
{
	struct co_unit *u = unit_at(span);
	uint32_t got = co_span_take(&u->free, n);

	if (got && u->what != what_of(class, 0)) {
		give_blocks(span, got);
		return 0;
	}
	return got;
}

/* `search`: look at all regions, if the trees name no run that is long enough. */
static unsigned take_units(unsigned *n, bool search)
{
	unsigned first = co_units_take(n);

	return first == CO_NO_UNIT && search ? co_units_search(*n) : first;
}

/* A new span, whose first two blocks are the caller's. */
static uint32_t make_span(unsigned class, unsigned *span, bool search)
{
	const struct class *c = &classes[class];
	struct co_unit *u;

	*span = co_units_take_near(&co_main_mine.kept->near, c->units);
	if (*span == CO_NO_UNIT && search)
		*span = co_units_search(c->units);
	if (*span == CO_NO_UNIT)
		return 0;
	u = unit_at(*span);
	for (unsigned i = 0; i < c->units; i++)
		u[i].what = what_of(class, i);
	(void)co_span_give(&u->free, all_of(class) & ~3u);
	return 3;
}

/* Put all of a span's blocks but one into this hart's stock, which is empty. Returns that block. */
static void *stock_up(unsigned class, unsigned span, uint32_t blocks)
{
	const struct class *c = &classes[class];
	struct co_aword *stock = &co_main_mine.kept->stock[class];
	struct co_stock_block *top = NULL, *b;
	uintptr_t room = c->room;

	for (;; top = b) {
		b = (struct co_stock_block *)(co_unit_address(span) +
					      co_bit_number(blocks & -blocks) * c->n * 16u);
		blocks &= blocks - 1;
		if (!blocks)
			break;
		b->next = top;
		b->room = --room;
	}
	if (top)
		co_stock_put(stock, top, top->next, top->room);
	return b;
}

/* Take blocks of another span that has some. */
static uint32_t take_others(unsigned class, unsigned *span)
{
	struct co_tree *spans = &co_units.set[class - 1];
	uint32_t blocks = 0;
	int first;

	while (!blocks && (first = co_tree_first(spans)) >= 0) {
		*span = (unsigned)first;
		if (co_tree_take(spans, *span))
			blocks = take_blocks(*span, class, 2);
	}
	return blocks;
}

/*
 * Take a block of another span or a new one, from which the next blocks will be taken; and a second
 * block for the stock, since a free to an empty stock takes longer.
 */
static NOINLINE void *change_span(unsigned class, bool search)
{
	unsigned span;
	uint32_t blocks = take_others(class, &span);

	if (!blocks)
		blocks = make_span(class, &span, search);
	if (!blocks)
		return NULL;
	co_atomic_store(&co_main_mine.kept->span[class], span, CO_RELAXED);
	return stock_up(class, span, blocks);
}

/* From the hart's last span. */
static void *refill(unsigned class)
{
	/* relaxed: this hart alone writes it. */
	unsigned span = co_atomic_load(&co_main_mine.kept->span[class], CO_RELAXED);
	uint32_t blocks = take_blocks(span, class, REFILL);

	if (!blocks)
		return NULL;
	co_units_leave(&co_main_mine.kept->near);
	return stock_up(class, span, blocks);
}

void co_main_gather(void)
{
	for (unsigned i = 0; i < co_machine.harts * CO_MAIN_CLASSES; i++) {
		struct co_main_kept *k = &kept_of[i / CO_MAIN_CLASSES];
		unsigned class = i % CO_MAIN_CLASSES + 1;
		unsigned span = co_atomic_load(&k->span[class], CO_RELAXED);
		struct co_stock_block *b = co_stock_take_all(&k->stock[class]), *next;
		uint32_t blocks;

		for (; b; b = next) {
			next = co_plain_load(&b->next);
			give_block(b);
		}
		blocks = take_blocks(span, class, 32);
		if (blocks)
			give_blocks(span, blocks);
	}
}

static unsigned units_for(size_t bytes)
{
	return (unsigned)((bytes + CO_UNIT_BYTES - 1) >> CO_UNIT_SHIFT);
}

static void *take_run(unsigned n, bool search)
{
	unsigned first = take_units(&n, search);

	if (first == CO_NO_UNIT)
		return NULL;
	unit_at(first)->what = (int32_t)(LARGE | n);
	return (void *)co_unit_address(first);
}

static unsigned class_for(size_t bytes)
{
	return co_main_mine.kept->place[(bytes - 1) / CO_MAIN_ALIGN] / CO_MAIN_PLACE(1);
}

static NOINLINE void *alloc_rarely(size_t bytes)
{
	void *p = NULL;

	for (unsigned turn = 0; turn < 3 && !p && bytes <= co_main_mine.bytes; turn++) {
		if (turn == 1)
			co_main_gather();
		p = bytes <= CO_MAIN_SMALL ? change_span(class_for(bytes), turn)
					   : take_run(units_for(bytes), turn);
	}
	return p;
}

void *co_main_alloc_slowly(size_t bytes)
{
	void *p;

	co_hooks_needed(heap);
	if (!bytes)
		return co_main_alloc(1);
	p = bytes <= CO_MAIN_SMALL ? refill(class_for(bytes)) : NULL;
	return p ? p : alloc_rarely(bytes);
}

/* Keep the first units of a run, and give the remaining ones back. */
static void cut_run(unsigned first, unsigned n, unsigned keep)
{
	unit_at(first)->what = (int32_t)(LARGE | keep);
	if (keep != n)
		co_units_give(first + keep, n - keep);
}

/*
 * Take a run for more than a unit's alignment. Its units before the aligned address, and behind the
 * caller's bytes, are given back.
 */
static void *take_run_aligned(size_t align, size_t bytes)
{
	unsigned n = units_for(bytes) + (unsigned)(align >> CO_UNIT_SHIFT) - 1, first, skip;

	for (unsigned turn = 0; turn < 3; turn++) {
		if (turn == 1)
			co_main_gather();
		first = take_units(&n, turn);
		if (first == CO_NO_UNIT)
			continue;
		skip = (unsigned)(-co_unit_address(first) % align >> CO_UNIT_SHIFT);
		if (skip)
			co_units_give(first, skip);
		cut_run(first + skip, n - skip, units_for(bytes));
		return (void *)co_unit_address(first + skip);
	}
	return NULL;
}

void *co_main_alloc_aligned(size_t align, size_t bytes)
{
	bytes = bytes ? bytes : 1;
	if (align > co_main_mine.bytes || bytes > co_main_mine.bytes)
		return NULL;
	if (align > CO_UNIT_BYTES)
		return take_run_aligned(align, bytes);
	/* Spans and runs begin with a unit, and each class is a multiple of `align` here. */
	return co_main_alloc(co_round_up(bytes, align));
}

/* Returns `what` of the record of p's unit; ends the run if p is no block. */
static int32_t what_is(const void *p, const char *who)
{
	int32_t what = 0;

	if ((uintptr_t)p - co_main_mine.base < co_main_mine.bytes)
		what = co_main_unit(p)->what;
	if (!what || (uintptr_t)p % (what < 0 ? CO_UNIT_BYTES : CO_MAIN_ALIGN))
		co_fail("%s: 0x%lx is no block of libc's heap", who, (unsigned long)(uintptr_t)p);
	return what;
}

void co_main_free_slowly(void *p)
{
	int32_t what = what_is(p, "free");
	struct co_stock_block *top;
	struct co_aword *stock;
	unsigned class;

	if (what < 0) {
		co_main_unit(p)->what = 0;
		co_units_give((unsigned)(co_main_unit(p) - co_units.unit),
			      (unsigned)(what & INT32_MAX));
		return;
	}
	class = class_of(what);
	stock = &co_main_mine.kept->stock[class];
	top = co_stock_take_all(stock);
	if (top && !top->room) {
		struct co_stock_block *full = top;

		top = top->next;
		give_block(full);
	}
	co_stock_put(stock, p, top, (top ? top->room : classes[class].room) - 1);
}

size_t co_main_size(const void *p)
{
	int32_t what = what_is(p, "malloc_usable_size");

	return what < 0 ? (size_t)(what & INT32_MAX) << CO_UNIT_SHIFT
			: classes[class_of(what)].n * 16u;
}

bool co_main_resize(void *p, size_t bytes)
{
	int32_t what = what_is(p, "realloc");
	size_t size = co_main_size(p);
	unsigned first = (unsigned)(co_main_unit(p) - co_units.unit);
	unsigned n = (unsigned)(what & INT32_MAX), want;

	if (what > 0 || bytes <= CO_MAIN_SMALL || bytes > co_main_mine.bytes)
		return bytes <= size && (bytes > size / 2 || size <= 64);
	want = units_for(bytes);
	if (want < n - n / 8)
		cut_run(first, n, want);
	if (want <= n)
		return true;
	if (!co_units_take_at(first + n, want - n))
		return false;
	unit_at(first)->what = (int32_t)(LARGE | want);
	return true;
}

void co_main_count(size_t *used, size_t *unused)
{
	*used = (size_t)co_atomic_load(&co_units.cut, CO_RELAXED) << CO_UNIT_SHIFT;
	*unused = (size_t)co_units_free() << CO_UNIT_SHIFT;
}
