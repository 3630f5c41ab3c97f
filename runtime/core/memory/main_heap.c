/* main_heap.c - see main_heap.h. */
#include <string.h>

#include <cohart/debug.h>

#include "../core.h"
#include "../hook.h"
#include "main_heap.h"
#include "slab.h"

#define LARGE(units) ((uint32_t)(units) << 8) /* of a run's first unit; no place of a class */

_Static_assert(CO_MAIN_PLACE(CO_MAIN_CLASSES) < 256, "a class fits in a byte");
_Static_assert(CO_REGION_BYTES == CO_MAIN_STEP, "what is cut is whole regions");

_Thread_local struct co_main_mine co_main_mine;

/*
 * Blocks of 16 * n bytes, `blocks` of them in a span. `inverse`: n's, to divide numbers below 256
 * by n. `room`: the most blocks in a stock, 4 KiB of them, but 2 to 64.
 */
#define CLASS(n, blocks)                                                  \
	{                                                                 \
		16 * (n), 32768 / (n) + 1, (n) * (blocks) / 32, (blocks), \
			(uint8_t)((n) < 4 ? 64 : 256 / (n))               \
	}

static const struct class
{
	uint16_t bytes, inverse;
	uint8_t units, blocks, room;
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
		co_runs_say(&co_units.runs, 0, 0);
		co_atomic_store(&co_units.runs.unit[0].free, 0, CO_RELAXED);
		for (size_t n = 0, class = 1; n < sizeof(kept_of->place); n++) {
			class += 16 * n == classes[class].bytes;
			kept_of->place[n] = (uint8_t)CO_MAIN_PLACE(class);
		}
	} else {
		memcpy(kept_of[hart].place, kept_of->place, sizeof(kept_of->place));
	}
	co_main_mine = (struct co_main_mine){ &kept_of[hart], co_units.base,
					      (uintptr_t)co_units.count << CO_UNIT_SHIFT,
					      co_units.runs.unit };
}

CO_HOOKS_OF(heap) = { .hart_boot = start };

/* Of a span's units: the class, by its place, and how many units the span began before. */
static uint32_t what_of(size_t class, unsigned units)
{
	return (uint32_t)(CO_MAIN_PLACE(class) | units << 8);
}

static size_t class_of(uint32_t what)
{
	return (what & 0xff) / CO_MAIN_PLACE(1);
}

/* The unit where p lies. */
static size_t unit_of(const void *p)
{
	return ((uintptr_t)p - co_main_mine.base) >> CO_UNIT_SHIFT;
}

static uint32_t what_at(size_t unit)
{
	return co_runs_what(&co_units.runs, unit);
}

/* Write the records of a span's units, each `step` more than the last one. */
static inline void say(size_t span, unsigned n, uint32_t what, uint32_t step)
{
	struct co_unit *u = &co_units.runs.unit[span], *end = u + n;

	for (; u != end; u++, what += step)
		co_atomic_store(&u->what, what, CO_RELAXED);
}

static uint32_t all_of(const struct class *c)
{
	return ~(uint32_t)0 >> (32 - c->blocks);
}

/* The span that this hart took from last. */
static size_t last_of(size_t class)
{
	/* relaxed: this hart alone writes it. */
	return co_atomic_load(&co_main_mine.kept->span[class], CO_RELAXED);
}

/* All blocks of a span are free, and the caller's: it becomes units. */
static void retire(size_t span, size_t class)
{
	(void)co_tree_take(&co_units.set[class - 1], span);
	say(span, classes[class].units, 0, 0);
	co_units_give(span, classes[class].units);
}

/*
 * Give blocks of a span back. The caller has some of its blocks: until they are given, it stays a
 * span of its class. If all blocks are free then, it becomes units, provided that the caller gets
 * all of them. `what`: of its first unit.
 */
static void give_blocks(size_t span, uint32_t blocks, uint32_t what)
{
	struct co_a32 *free = &co_units.runs.unit[span].free;
	uint32_t before, all, now = what;
	size_t class;

	do {
		what = now;
		class = class_of(what);
		all = all_of(&classes[class]);
		before = co_span_give(free, blocks);
		if ((before | blocks) != all) {
			/* The hart itself will look at the span that it takes from. */
			if (!before && span != last_of(class))
				co_tree_add(&co_units.set[class - 1], span);
			return;
		}
		blocks = co_span_take_all(free);
		if (!blocks)
			return;
		now = what_at(span);
	} while (blocks != all || now != what);
	retire(span, class);
}

/* `what`: of the unit where b begins. */
static void give_block(const void *b, uint32_t what)
{
	size_t at = (uintptr_t)b - co_main_mine.base;
	size_t span = (at >> CO_UNIT_SHIFT) - (what >> 8);

	at = (at - (span << CO_UNIT_SHIFT)) / CO_MAIN_ALIGN;
	give_blocks(span, (uint32_t)1 << ((uint32_t)at * classes[class_of(what)].inverse >> 15),
		    what & 0xff);
}

static void *address_of(size_t span, size_t class, uint32_t block)
{
	return (void *)(co_unit_address(span) +
			co_bit_number(block) * (size_t)classes[class].bytes);
}

/* A block that was taken of a span of `class`, from which the next blocks will be taken. */
static void *start_with(size_t span, size_t class, uint32_t block)
{
	/* relaxed: this hart alone writes it. */
	co_atomic_store(&co_main_mine.kept->span[class], (uint32_t)span, CO_RELAXED);
	return address_of(span, class, block);
}

/* Make units a span. Returns its first block. */
static void *make_span(size_t class, size_t span)
{
	const struct class *c = &classes[class];

	say(span, c->units, what_of(class, 0), 1 << 8);
	co_span_begin(&co_units.runs.unit[span].free, all_of(c) & ~1u);
	return start_with(span, class, 1);
}

/*
 * A block of another span that has some, after a look at `spans` that were named at most; NULL:
 * none. The units of a span that was named may have got another use meanwhile: the hart that has a
 * block can read its class, which stays until that block is given back.
 */
static NOINLINE void *change_span(size_t class, unsigned spans)
{
	uint32_t block;
	int span;

	while (spans-- && (span = co_tree_pop(&co_units.set[class - 1])) >= 0) {
		block = co_span_take(&co_units.runs.unit[span].free);
		if (block && what_at((size_t)span) == what_of(class, 0))
			return start_with((size_t)span, class, block);
		if (block)
			give_blocks((size_t)span, block, what_at((size_t)span));
	}
	return NULL;
}

/* A block of another span, or of a new one. NULL: there is no memory. */
static inline void *alloc_of(size_t class, unsigned spans)
{
	void *p = NULL;
	size_t span;

	if (!co_tree_looks_empty(&co_units.set[class - 1]))
		p = change_span(class, spans);
	if (p)
		return p;
	span = co_units_take(&co_main_mine.kept->fresh, classes[class].units);
	return span == CO_NO_UNIT ? NULL : make_span(class, span);
}

/* A block of the span that this hart took from last, or NULL. */
static inline void *take_last(size_t class)
{
	size_t span = last_of(class);
	uint32_t block = co_span_take(&co_units.runs.unit[span].free);

	if (block && what_at(span) == what_of(class, 0))
		return address_of(span, class, block);
	if (block)
		give_blocks(span, block, what_at(span));
	return NULL;
}

#define TURNS 8       /* that a call which finds no memory looks */
#define SMALL_TURNS 3 /* after which it looks again in any case, for a small block */

/* Harts between the begin of co_main_gather() and the end of their search. */
static struct co_a32 gathering;

void co_main_gather(void)
{
	for (unsigned hart = 0; hart < co_machine.harts; hart++)
		co_units_gather(&kept_of[hart].fresh);
	for (unsigned i = 0; i < co_machine.harts * CO_MAIN_CLASSES; i++) {
		struct co_main_kept *k = &kept_of[i / CO_MAIN_CLASSES];
		size_t class = i % CO_MAIN_CLASSES + 1;
		size_t span = co_atomic_load(&k->span[class], CO_RELAXED);
		struct co_stock_block *b = co_stock_take_all(&k->stock[class]), *next;
		uint32_t blocks = co_span_take_all(&co_units.runs.unit[span].free);

		for (; b; b = next) {
			next = co_plain_load(&b->next);
			give_block(b, what_at(unit_of(b)));
		}
		if (blocks)
			give_blocks(span, blocks, what_at(span));
	}
}

static size_t units_for(size_t bytes)
{
	return (bytes + CO_UNIT_BYTES - 1) >> CO_UNIT_SHIFT;
}

static size_t class_for(size_t bytes)
{
	return co_main_mine.kept->place[(bytes - 1) / CO_MAIN_ALIGN] / CO_MAIN_PLACE(1);
}

/* Keep the first units of a run, and give the remaining ones back. */
static void cut_run(size_t first, size_t n, size_t keep)
{
	co_runs_say(&co_units.runs, first, LARGE(keep));
	if (keep != n)
		co_units_give(first + keep, n - keep);
}

/* Units before the aligned address, and units behind the bytes, are given back. */
static void *align_run(size_t first, size_t n, size_t align, size_t bytes)
{
	size_t skip = (-co_unit_address(first) & (align - 1)) >> CO_UNIT_SHIFT;

	if (skip)
		co_units_give(first, skip);
	cut_run(first + skip, n - skip, align > CO_UNIT_BYTES ? units_for(bytes) : n);
	return (void *)co_unit_address(first + skip);
}

/* Align is CO_UNIT_BYTES or more; a block of a class has less. `held`: NULL, or look at all. */
static void *take_run(size_t align, size_t bytes, bool *held)
{
	size_t n = units_for(bytes) + (align >> CO_UNIT_SHIFT) - 1;
	size_t first = co_units_take(&co_main_mine.kept->fresh, n);

	if (first == CO_NO_UNIT && held)
		first = co_units_search(n, held);
	return first == CO_NO_UNIT ? NULL : align_run(first, n, align, bytes);
}

/* Of that class, after all is gathered. Blocks come back to the hart's own span, too. */
static void *take_small(size_t class, bool *held)
{
	void *p = take_last(class);
	size_t span;

	p = p ? p : alloc_of(class, UINT32_MAX);
	if (p)
		return p;
	span = co_units_search(classes[class].units, held);
	return span == CO_NO_UNIT ? NULL : make_span(class, span);
}

/*
 * All other memory is in stocks and fresh runs of harts, or a hart has it in hand at the moment: as
 * long as one has, the search is repeated, after a time that doubles, for 3 ms in all. No record
 * says that a hart has blocks of a span in hand: for a small block some searches are repeated in
 * any case.
 */
static NOINLINE void *alloc_rarely(size_t align, size_t bytes)
{
	bool small = bytes <= CO_MAIN_SMALL && align == CO_UNIT_BYTES, held = true;
	void *p = NULL;

	for (unsigned turn = 0; turn < TURNS && held && !p; turn++) {
		for (unsigned spins = 0; spins >> 5 < (1u << turn) - 1;)
			co_spin(&spins);
		/* acquire, release: units that a hart has given back before it counts out. */
		held = co_atomic_add(&gathering, 1, CO_ACQ_REL);
		co_main_gather();
		p = small ? take_small(class_for(bytes), &held) : take_run(align, bytes, &held);
		held |= co_atomic_add(&gathering, -1u, CO_ACQ_REL) != 1 ||
			(small && turn < SMALL_TURNS);
	}
	return p;
}

/* Of a class whose last span has none. */
static NOINLINE void *alloc_small(size_t class)
{
	void *p = alloc_of(class, 2);

	return p ? p : alloc_rarely(CO_UNIT_BYTES, classes[class].bytes);
}

/* A call that has been short clears records, for units that other calls have taken. */
static NOINLINE void *pay(void *p)
{
	co_units_pay(&co_main_mine.kept->fresh);
	return p;
}

static void *alloc_run(size_t bytes)
{
	size_t n = units_for(bytes), first;

	if (bytes > co_main_mine.bytes)
		return NULL;
	first = co_units_take(&co_main_mine.kept->fresh, n);
	if (first == CO_NO_UNIT)
		return alloc_rarely(CO_UNIT_BYTES, bytes);
	co_runs_say(&co_units.runs, first, LARGE(n));
	return (void *)co_unit_address(first);
}

void *co_main_alloc_slowly(size_t bytes)
{
	size_t class;
	void *p;

	co_hooks_needed(heap);
	if (bytes - 1 < CO_MAIN_SMALL) {
		class = class_for(bytes);
		p = take_last(class);
		if (p)
			return co_main_mine.kept->fresh.unpaid >= 8 ? pay(p) : p;
		return alloc_small(class);
	}
	return bytes ? alloc_run(bytes) : co_main_alloc(1);
}

void *co_main_alloc_aligned(size_t align, size_t bytes)
{
	void *p;

	bytes = bytes ? bytes : 1;
	align = align > CO_MAIN_ALIGN ? align : CO_MAIN_ALIGN;
	if ((align > bytes ? align : bytes) > co_main_mine.bytes)
		return NULL;
	/* Spans and runs begin with a unit, and each class is a multiple of a smaller `align`. */
	if (align <= CO_UNIT_BYTES)
		return co_main_alloc(co_round_up(bytes, align));
	p = take_run(align, bytes, NULL);
	return p ? p : alloc_rarely(align, bytes);
}

static NOINLINE _Noreturn void no_block(const void *p, const char *who)
{
	co_fail("%s: 0x%lx is no block of libc's heap", who, (unsigned long)(uintptr_t)p);
}

/* Returns `what` of p's unit; ends the coroutine if p is no block. */
static uint32_t what_is(const void *p, const char *who)
{
	uint32_t what = 0;

	if ((uintptr_t)p - co_main_mine.base < co_main_mine.bytes)
		what = what_at(unit_of(p));
	if (!what || co_run_is_free(what) ||
	    (uintptr_t)p % (class_of(what) ? CO_MAIN_ALIGN : CO_UNIT_BYTES))
		no_block(p, who);
	return what;
}

/*
 * To an empty stock. A block of the last span comes below it: a stock that is empty again after the
 * next call would make each free take this way.
 */
static void begin_stock(size_t class, void *p)
{
	struct co_aword *stock = &co_main_mine.kept->stock[class];

	co_stock_begin(stock, p, take_last(class), classes[class].room);
}

void co_main_free_to_span(void *p)
{
	if ((uintptr_t)p % CO_MAIN_ALIGN)
		no_block(p, "free");
	give_block(p, what_at(unit_of(p)));
}

static NOINLINE void free_run(void *p)
{
	uint32_t what = what_is(p, "free");

	co_runs_say(&co_units.runs, unit_of(p), 0);
	co_units_give(unit_of(p), what >> 8);
}

void co_main_free_slowly(void *p)
{
	size_t class = (uintptr_t)p - co_main_mine.base < co_main_mine.bytes
			       ? class_of(what_at(unit_of(p)))
			       : 0;

	if (class && (uintptr_t)p % CO_MAIN_ALIGN == 0)
		begin_stock(class, p);
	else
		free_run(p);
}

size_t co_main_size(const void *p)
{
	uint32_t what = what_is(p, "malloc_usable_size");

	return class_of(what) ? classes[class_of(what)].bytes
			      : (size_t)(what >> 8) << CO_UNIT_SHIFT;
}

bool co_main_resize(void *p, size_t bytes)
{
	uint32_t what = what_is(p, "realloc");
	size_t size = co_main_size(p);
	size_t first = unit_of(p);
	size_t n = what >> 8, want;

	if (class_of(what) || bytes <= CO_MAIN_SMALL || bytes > co_main_mine.bytes)
		return bytes <= size && (bytes > size / 2 || size <= 64);
	want = units_for(bytes);
	if (want < n - n / 8)
		cut_run(first, n, want);
	if (want <= n)
		return true;
	if (!co_units_take_at(&co_main_mine.kept->fresh, first + n, want - n))
		return false;
	co_runs_say(&co_units.runs, first, LARGE(want));
	return true;
}

void co_main_count(size_t *used, size_t *unused)
{
	*used = co_atomic_load(&co_units.cut, CO_RELAXED) << CO_UNIT_SHIFT;
	if (unused)
		*unused = co_units_free() << CO_UNIT_SHIFT;
}
