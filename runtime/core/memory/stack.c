/*
 * stack.c - stacks of coroutines: slots of a few sizes, laid out at boot, each above a guard page.
 *
 * SPM slots belong to control blocks of their hart, and are taken and freed with them; only the
 * hart itself accesses the stack. So do small stacks, which are in slabs, beside their blocks.
 * Main-memory slots are for all harts; where the slots of a class are used up, a larger slot does.
 * They are taken by an atomic and, and freed by an atomic or: neither is retried but for want of
 * slots. A slot is painted when it is first used, so its depth is that of all its users, and until
 * then costs nothing but its address.
 */
#include <errno.h>
#include <string.h>

#include <hal/context.h>

#include "../core.h"
#include "../hook.h"
#include "image.h"
#include "slab.h"

#define PAINT 0xc0057ac4c0057ac4u

struct pool {
	const char *name, *larger; /* struct co_stack_place */
	size_t bytes;              /* of a stack, without its guard page */
	uint8_t class;             /* enum co_stack */
	unsigned share;            /* of the memory for stacks with guard pages, in eighths */
	uintptr_t base;            /* of the first guard page */
	unsigned slots, words, open_words;
	struct co_aword *free;    /* a bit for each slot */
	struct co_aword *painted; /* a bit for each slot */
	struct co_aword *open;    /* a bit for each word of free[] */
};

/* In this order a larger one does for a smaller. */
static struct pool pools[] = {
	{ "main-memory", NULL, CO_STACK_MAIN_BYTES *HAL_STACK_SCALE, CO_STACK_MAIN, .share = 6 },
	{ "8 KiB", NULL, 8192 * HAL_STACK_SCALE, CO_STACK_8K, .share = 1 },
	{ "4 KiB", NULL, 4096 * HAL_STACK_SCALE, CO_STACK_4K, .share = 1 },
	{ "big", NULL, CO_STACK_BIG_BYTES *HAL_STACK_SCALE, CO_STACK_BIG, .share = 0 },
	{ .name = "rank's",
	  .larger = "--stack=KIB",
	  .bytes = CO_STACK_BIG_BYTES * HAL_STACK_SCALE,
	  .class = CO_STACK_RANK },
};
#define POOLS (sizeof(pools) / sizeof(*pools))
static struct pool *const main_pool = &pools[0];
static struct pool *const big_pool = &pools[POOLS - 2];
static struct pool *const rank_pool = &pools[POOLS - 1]; /* a rank's slot has its number */

/* Painted slots of this hart's window. */
static _Thread_local uintptr_t spm_painted;

_Thread_local struct co_stack_place co_stack_beside;

static uintptr_t pool_stride(const struct pool *p)
{
	return p->bytes + CO_GUARD_BYTES;
}

/* Lowest address of a stack. */
static uintptr_t pool_low(const struct pool *p, unsigned slot)
{
	return p->base + slot * pool_stride(p) + CO_GUARD_BYTES;
}

/* As many as the memory has room for; no more than there can be coroutines. */
static void pool_size(struct pool *p, size_t room)
{
	size_t most = (size_t)co_machine.harts * co_machine.per_hart;
	size_t slots = co_least(most, room / 8 * p->share / pool_stride(p));

	if (p == main_pool && slots < co_machine.harts * CO_MAIN_STACKS_LEAST)
		slots = co_machine.harts * CO_MAIN_STACKS_LEAST;
	if (p == big_pool)
		slots = CO_BIG_STACKS;
	if (p == rank_pool)
		slots = co_machine.ranks;
	p->slots = (unsigned)slots;
	p->words = (p->slots + CO_WORD_BITS - 1) / CO_WORD_BITS;
	p->open_words = p->words / CO_WORD_BITS + 1;
}

size_t co_stack_of_rank(void)
{
	if (co_options.stack_kib)
		rank_pool->bytes = co_round_up((size_t)co_options.stack_kib << 10, HAL_PAGE_BYTES);
	return rank_pool->bytes;
}

size_t co_stack_bytes_of_all(size_t room, size_t *bits)
{
	size_t words = 0, bytes = 0;

	(void)co_stack_of_rank();
	for (struct pool *p = pools; p < pools + POOLS; p++) {
		pool_size(p, room / CO_STACKS_SHARE);
		words += 2 * p->words + p->open_words;
		bytes += p->slots * pool_stride(p);
	}
	*bits = words * sizeof(struct co_aword);
	return bytes;
}

/* Returns the address behind the pool's bits. */
static struct co_aword *pool_carve(struct pool *p, uintptr_t base, struct co_aword *bits)
{
	p->base = base;
	p->free = bits;
	p->painted = p->free + p->words;
	p->open = p->painted + p->words;
	memset(bits, 0, (2 * p->words + p->open_words) * sizeof(*bits));
	for (unsigned i = 0; i < p->slots; i++)
		p->free[i / CO_WORD_BITS].v |= (uintptr_t)1 << i % CO_WORD_BITS;
	for (unsigned i = 0; i < p->words; i++)
		p->open[i / CO_WORD_BITS].v |= (uintptr_t)1 << i % CO_WORD_BITS;
	return p->open + p->open_words;
}

void co_stack_carve(uintptr_t base, void *bits)
{
	for (struct pool *p = pools; p < pools + POOLS; p++) {
		bits = pool_carve(p, base, bits);
		base += p->slots * pool_stride(p);
	}
}

static void pool_map(const struct pool *p, uintptr_t map)
{
	co_map_stacks(map, pool_low(p, 0), p->bytes, pool_stride(p), p->slots);
}

/*
 * Map the top of each rank's stack to the end of its hart's window, and the rest to main memory,
 * whose last bytes are not used then. All harts see the stack at one address.
 */
static void map_rank_stacks(uintptr_t shared)
{
	size_t near = co_machine.rank_stack, far = rank_pool->bytes - near;

	for (unsigned rank = 0; rank < rank_pool->slots; rank++) {
		uintptr_t top = pool_low(rank_pool, rank) + far;
		uintptr_t memory =
			(uintptr_t)co_hart_at(co_machine.rank_hart[rank]) + BOARD_SPM_BYTES - near;

		co_map_add(shared, top - far, far, HAL_MAP_RW);
		if (hal_map_own(shared, 0, top, near, memory))
			co_die("rank %u: its stack cannot be mapped", rank);
		co_mark_pages(top, memory, near);
	}
}

void co_stack_map(uintptr_t shared)
{
	for (const struct pool *p = pools; p < rank_pool; p++)
		pool_map(p, shared);
	map_rank_stacks(shared);
}

bool co_stack_is_mapped(uintptr_t p, size_t bytes)
{
	uintptr_t end = rank_pool->base + rank_pool->slots * pool_stride(rank_pool);

	return co_machine.rank_stack && p < end && p + bytes > rank_pool->base;
}

/* Guard pages under stacks of a hart; main()'s first, which is under the first big stack. */
unsigned co_stack_guards(unsigned hart, uintptr_t *page, unsigned max)
{
	uintptr_t stacks = co_hart_stacks(hart);
	uintptr_t spm = (uintptr_t)co_hart_at(hart) + CO_SPM_STACK0;
	const uintptr_t first[] = { big_pool->base + CO_GUARD_BYTES, stacks + CO_EXECUTOR_STACK,
				    spm, stacks + CO_TRAP_STACK };
	unsigned n = 0;

	for (unsigned i = 0; i < sizeof(first) / sizeof(*first) && n < max; i++)
		page[n++] = first[i] - CO_GUARD_BYTES;
	for (int i = 1; i < CO_SPM_STACKS && n < max; i++)
		page[n++] = spm + (unsigned)i * CO_SPM_STACK_STRIDE - CO_GUARD_BYTES;
	return n;
}

static NOINLINE int take_elsewhere(struct pool *p, unsigned start)
{
	return co_bits_take_open(p->open, p->open_words, p->free, start);
}

static int pool_take(struct pool *p, unsigned hart)
{
	unsigned start = p->words ? hart % p->words : 0;
	int slot = p->words ? co_bits_take(&p->free[start], 1, 0) : -EAGAIN;

	return slot < 0 ? take_elsewhere(p, start) : slot + (int)(start * CO_WORD_BITS);
}

/* The slot of the hart's rank. */
static int take_rank_slot(unsigned hart)
{
	unsigned rank = co_rank_of(hart);
	unsigned bit = rank % CO_WORD_BITS;

	if (rank >= rank_pool->slots ||
	    co_bits_take_of(&rank_pool->free[rank / CO_WORD_BITS], (uintptr_t)1 << bit) < 0)
		return -EAGAIN;
	return (int)rank;
}

static struct pool *pool_of(enum co_stack class)
{
	return class == CO_STACK_RANK   ? rank_pool
	       : class == CO_STACK_BIG  ? big_pool
	       : class <= CO_STACK_MAIN ? main_pool
	       : class == CO_STACK_8K   ? &pools[1]
					: &pools[2];
}

unsigned co_stacks(enum co_stack class)
{
	return pool_of(class)->slots;
}

size_t co_stack_bytes_in(enum co_stack class)
{
	return pool_of(class)->bytes;
}

/* Lowest address of c's scratchpad stack. */
static uintptr_t spm_stack(const struct co *c)
{
	return (uintptr_t)co_hart_at(c->hart) + CO_SPM_STACK0 + c->index * CO_SPM_STACK_STRIDE;
}

void co_stack_own(struct co *c)
{
	bool small = c->flags & CO_FLAG_SMALL;

	c->stack_class = small ? co_slab_class(c) : CO_STACK_SPM;
	c->stack_slot = c->index;
	c->stack_top = small ? co_slab_stack(c) : spm_stack(c) + CO_STACK_SPM_BYTES;
	c->flags &= (uint16_t)~CO_FLAG_STACK;
}

static void use_pool_stack(struct co *c, const struct pool *p, unsigned slot)
{
	c->stack_class = p->class;
	c->stack_slot = slot;
	c->stack_top = p->base + (slot + 1) * pool_stride(p);
	c->flags |= CO_FLAG_STACK;
}

int co_stack_take(enum co_stack class, struct co *c)
{
	struct pool *p = pool_of(class);
	int slot = co_inject(CO_INJECT_MEMORY) ? -EAGAIN
		   : p == rank_pool            ? take_rank_slot(c->hart)
					       : pool_take(p, c->hart);

	/* The next pool has larger ones. */
	while (slot < 0 && p < big_pool && p != main_pool)
		slot = pool_take(--p, c->hart);
	if (slot < 0)
		return -ENOBUFS;
	use_pool_stack(c, p, (unsigned)slot);
	return 0;
}

int co_stack_spare(const struct co *c, struct co_stack_spare *spare)
{
	int slot = pool_take(main_pool, c->hart);

	if (slot < 0)
		return -ENOBUFS;
	spare->slot = (unsigned)slot;
	spare->top = pool_low(main_pool, spare->slot) + main_pool->bytes;
	return 0;
}

void co_stack_replace(struct co *c, const struct co_stack_spare *spare)
{
	if (!(c->flags & CO_FLAG_KEPT))
		co_stack_give(c);
	c->flags &= (uint16_t)~CO_FLAG_KEPT;
	use_pool_stack(c, main_pool, spare->slot);
}

unsigned co_stacks_free(enum co_stack class)
{
	const struct pool *p = pool_of(class);
	unsigned n = 0;

	for (unsigned i = 0; i < p->words; i++)
		/* relaxed: for reports. */
		n += co_bits_count(co_atomic_load(&p->free[i], CO_RELAXED));
	return n;
}

static void pool_give(struct pool *p, unsigned slot)
{
	co_bits_give_open(p->open, p->free, slot);
}

void co_stack_give(struct co *c)
{
	if (c->flags & CO_FLAG_STACK)
		pool_give(pool_of(c->stack_class), c->stack_slot);
}

static bool is_small(const struct co *c)
{
	return c->stack_class == CO_STACK_1K || c->stack_class == CO_STACK_2K;
}

/* Bytes of c's stack, which is small. */
static size_t small_bytes(const struct co *c)
{
	return (c->stack_class == CO_STACK_1K ? 1024 : 2048) * HAL_STACK_SCALE;
}

uintptr_t co_stack_of(const struct co *c, size_t *bytes)
{
	const struct pool *p = pool_of(c->stack_class);

	if (c->stack_class == CO_STACK_SPM) {
		*bytes = CO_STACK_SPM_BYTES;
		return spm_stack(c);
	}
	if (is_small(c)) {
		*bytes = small_bytes(c);
		return c->stack_top - *bytes;
	}
	*bytes = p->bytes;
	return pool_low(p, c->stack_slot);
}

static void paint(const struct co *c)
{
	size_t bytes;
	uint64_t *word = (uint64_t *)co_stack_of(c, &bytes);

	for (size_t i = 0; i < bytes / sizeof(*word); i++)
		word[i] = PAINT;
}

/* Is c's slot painted? */
static bool is_painted(const struct co *c)
{
	unsigned slot = c->stack_slot;

	if (c->stack_class == CO_STACK_SPM)
		return spm_painted >> slot % CO_WORD_BITS & 1;
	if (is_small(c))
		return !(c->flags & CO_FLAG_UNPAINTED);
	/* relaxed: the slot's free bit has published it. */
	return co_atomic_load(&pool_of(c->stack_class)->painted[slot / CO_WORD_BITS], CO_RELAXED) >>
		       slot % CO_WORD_BITS &
	       1;
}

void co_stack_paint(struct co *c)
{
	uintptr_t bit = (uintptr_t)1 << c->stack_slot % CO_WORD_BITS;
	struct co_aword *word;

	if (c->stack_class == CO_STACK_SPM) {
		if (spm_painted & bit)
			return;
		spm_painted |= bit;
	} else if (!is_small(c)) {
		word = &pool_of(c->stack_class)->painted[c->stack_slot / CO_WORD_BITS];
		/* relaxed, both: as in is_painted(). */
		if (co_atomic_load(word, CO_RELAXED) & bit)
			return;
		co_atomic_or(word, bit, CO_RELAXED);
	}
	paint(c);
}

/* How much of a small stack is its canary. */
#define CANARY_WORDS 2

static bool is_overwritten(uintptr_t low)
{
	const uint64_t *word = (const uint64_t *)low;

	for (unsigned i = 0; i < CANARY_WORDS; i++) {
		if (word[i] != PAINT)
			return true;
	}
	return false;
}

RACY size_t co_stack_overflown(unsigned hart, struct co **c)
{
	size_t bytes = 0;
	uintptr_t low = co_slab_beside(hart, *c, &bytes);

	if (!low || !is_overwritten(low))
		return 0;
	if ((*c)->stack_top != low + bytes)
		*c = NULL;
	return bytes;
}

/* Whose stack has overflown. */
static _Thread_local struct co *overflown;

/* On the executor's stack. */
static void report_overflow(void)
{
	co_executor.current = overflown;
	co_fail("a stack has overflown"); /* reports it otherwise: fault.c */
}

void co_stack_check(struct co *c)
{
	if (!is_small(c) || c->flags & CO_FLAG_UNPAINTED ||
	    !is_overwritten(c->stack_top - small_bytes(c)))
		return;
	overflown = c;
	hal_context_begin(co_executor.stack_top, report_overflow);
}

size_t co_stack_bytes(void)
{
	size_t bytes;

	CO_ASSERT_COROUTINE(co_self());
	co_stack_of(co_self(), &bytes);
	return bytes;
}

size_t co_stack_used(const struct co *c)
{
	size_t bytes;
	size_t i = 0;
	const uint64_t *word = (const uint64_t *)co_stack_of(c, &bytes);

	if (co_readable(word, bytes) < bytes || !is_painted(c)) /* damaged, or not begun */
		return 0;
	while (i < bytes / sizeof(*word) && word[i] == PAINT)
		i++;
	return bytes - i * sizeof(*word);
}

size_t co_stack_high_water(void)
{
	CO_ASSERT_COROUTINE(co_self());
	return co_stack_used(co_self());
}

/* Find an address in a row of slots, each after its guard page. */
static bool find_in_row(uintptr_t address, uintptr_t base, unsigned slots, size_t bytes,
			struct co_stack_place *place)
{
	uintptr_t stride = bytes + CO_GUARD_BYTES;
	uintptr_t offset = address - base;

	if (offset >= slots * stride)
		return false;
	place->slot = (unsigned)(offset / stride);
	place->guard = offset % stride < CO_GUARD_BYTES;
	place->low = base + place->slot * stride + CO_GUARD_BYTES;
	place->high = place->low + bytes;
	return true;
}

static bool find_in_pool(uintptr_t address, const struct pool *p, struct co_stack_place *place)
{
	place->name = p->name;
	place->larger = p->larger;
	place->hart = -1;
	return find_in_row(address, p->base, p->slots, p->bytes, place);
}

static bool find_in_main(uintptr_t address, struct co_stack_place *place)
{
	for (const struct pool *p = pools; p < pools + POOLS; p++) {
		if (find_in_pool(address, p, place))
			return true;
	}
	return co_slab_find(address, place);
}

static bool find_beside(uintptr_t address, struct co_stack_place *place)
{
	uintptr_t guard = co_stack_beside.low - CO_GUARD_BYTES;

	if (address - guard >= co_stack_beside.high - guard || !co_stack_beside.high)
		return false;
	*place = co_stack_beside;
	place->guard = address < place->low;
	return true;
}

bool co_stack_find(uintptr_t address, struct co_stack_place *place)
{
	uintptr_t stacks;

	place->larger = NULL;
	if (find_beside(address, place))
		return true;
	place->hart = co_hart_owning((const void *)address);
	if (place->hart < 0)
		return find_in_main(address, place);
	stacks = co_hart_stacks((unsigned)place->hart) - CO_GUARD_BYTES;
	place->name = "executor";
	if (find_in_row(address, stacks + CO_EXECUTOR_STACK, 1, CO_EXECUTOR_STACK_BYTES, place))
		return true;
	place->name = "trap";
	if (find_in_row(address, stacks + CO_TRAP_STACK, 1, CO_TRAP_STACK_BYTES, place))
		return true;
	place->name = "SPM";
	return find_in_row(address,
			   (uintptr_t)co_hart_at((unsigned)place->hart) + CO_SPM_STACK0 -
				   CO_GUARD_BYTES,
			   CO_SPM_STACKS, CO_STACK_SPM_BYTES, place);
}
