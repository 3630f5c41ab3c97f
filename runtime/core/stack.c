/*
 * stack.c - stacks of coroutines: slots of a few sizes, laid out at boot, each above a guard page.
 *
 * SPM slots belong to their hart; their free bits are in the window's public part, so that a
 * spawner on another hart can take one, but only the hart itself accesses the stack. Main-memory
 * slots are for all harts. Slots are taken by an atomic and, and freed by an atomic or: neither is
 * retried but for want of slots. A slot is painted when it is first used, so its depth is that of
 * all its users.
 */
#include <errno.h>
#include <string.h>

#include "core.h"
#include "image.h"

#define PAINT 0xc0057ac4c0057ac4u

struct pool {
	const char *name;
	uintptr_t base; /* of the first guard page */
	size_t bytes;   /* of a stack, without its guard page */
	unsigned slots, words;
	struct co_aword *free;    /* a bit for each, */
	struct co_aword *painted; /* and another one */
};

static struct pool main_pool = { .name = "main-memory",
				 .bytes = CO_STACK_MAIN_BYTES * HAL_STACK_SCALE };
static struct pool big_pool = { .name = "big", .bytes = CO_STACK_BIG_BYTES * HAL_STACK_SCALE };

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

static void pool_size(struct pool *p, unsigned slots)
{
	p->slots = slots;
	p->words = (slots + CO_WORD_BITS - 1) / CO_WORD_BITS;
}

unsigned co_main_stacks(void)
{
	return CO_MAIN_STACKS(co_machine.harts, co_more());
}

size_t co_stack_bytes_of_all(size_t *bits)
{
	pool_size(&main_pool, co_main_stacks());
	pool_size(&big_pool, CO_BIG_STACKS);
	*bits = 2 * sizeof(struct co_aword) * (main_pool.words + big_pool.words);
	return main_pool.slots * pool_stride(&main_pool) + big_pool.slots * pool_stride(&big_pool);
}

/* Returns what follows the pool's bits. */
static struct co_aword *pool_carve(struct pool *p, uintptr_t base, struct co_aword *bits)
{
	p->base = base;
	p->free = bits;
	p->painted = bits + p->words;
	memset(bits, 0, 2 * p->words * sizeof(*bits));
	for (unsigned i = 0; i < p->slots; i++)
		p->free[i / CO_WORD_BITS].v |= (uintptr_t)1 << i % CO_WORD_BITS;
	return p->painted + p->words;
}

void co_stack_carve(uintptr_t base, void *bits)
{
	bits = pool_carve(&main_pool, base, bits);
	pool_carve(&big_pool, base + main_pool.slots * pool_stride(&main_pool), bits);
}

static void pool_map(const struct pool *p, uintptr_t map)
{
	for (unsigned i = 0; i < p->slots; i++)
		co_map_add(map, pool_low(p, i), p->bytes, HAL_MAP_RW);
}

void co_stack_map(uintptr_t shared)
{
	pool_map(&main_pool, shared);
	pool_map(&big_pool, shared);
}

/* Guard pages under stacks of that hart, main()'s first, which is the first big stack. */
unsigned co_stack_guards(unsigned hart, uintptr_t *page, unsigned max)
{
	uintptr_t stacks = co_hart_stacks(hart);
	uintptr_t spm = (uintptr_t)co_hart_at(hart) + CO_SPM_STACK0;
	const uintptr_t first[] = { big_pool.base + CO_GUARD_BYTES, stacks + CO_EXECUTOR_STACK, spm,
				    stacks + CO_TRAP_STACK };
	unsigned n = 0;

	for (unsigned i = 0; i < sizeof(first) / sizeof(*first) && n < max; i++)
		page[n++] = first[i] - CO_GUARD_BYTES;
	for (int i = 1; i < CO_SPM_STACKS && n < max; i++)
		page[n++] = spm + (unsigned)i * CO_SPM_STACK_STRIDE - CO_GUARD_BYTES;
	return n;
}

static int pool_take(struct pool *p, unsigned hart)
{
	return co_bits_take(p->free, p->words, hart % p->words);
}

static struct pool *pool_of(enum co_stack class)
{
	return class == CO_STACK_MAIN ? &main_pool : &big_pool;
}

/* Lowest address of c's scratchpad stack. */
static inline uintptr_t spm_stack(const struct co *c)
{
	return (uintptr_t)co_hart_at(c->hart) + CO_SPM_STACK0 + c->stack_slot * CO_SPM_STACK_STRIDE;
}

static inline void use_spm_stack(struct co *c, unsigned slot)
{
	c->stack_class = CO_STACK_SPM;
	c->stack_slot = slot;
	c->stack_top = spm_stack(c) + CO_STACK_SPM_BYTES;
}

void co_stack_own(struct co *c)
{
	use_spm_stack(c, c->index);
	c->flags &= ~CO_FLAG_STACK;
}

void co_stack_lend(struct co *c, unsigned slot)
{
	use_spm_stack(c, slot);
	c->flags |= CO_FLAG_STACK;
}

static void use_pool_stack(struct co *c, enum co_stack class, const struct pool *p, unsigned slot)
{
	c->stack_class = (uint8_t) class;
	c->stack_slot = slot;
	c->stack_top = p->base + (slot + 1) * pool_stride(p);
	c->flags |= CO_FLAG_STACK;
}

int co_stack_take(enum co_stack class, struct co *c)
{
	struct pool *p = pool_of(class);
	int slot = co_inject(CO_INJECT_MEMORY) ? -EAGAIN : pool_take(p, c->hart);

	if (slot < 0)
		return slot;
	use_pool_stack(c, class, p, (unsigned)slot);
	return 0;
}

int co_stack_spare(const struct co *c, struct co_stack_spare *spare)
{
	int slot = pool_take(&main_pool, c->hart);

	if (slot < 0)
		return slot;
	spare->slot = (unsigned)slot;
	spare->top = pool_low(&main_pool, spare->slot) + main_pool.bytes;
	return 0;
}

void co_stack_replace(struct co *c, const struct co_stack_spare *spare)
{
	if (!(c->flags & CO_FLAG_KEPT))
		co_stack_give(c);
	c->flags &= (uint8_t)~CO_FLAG_KEPT;
	use_pool_stack(c, CO_STACK_MAIN, &main_pool, spare->slot);
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

void co_stack_give(struct co *c)
{
	if (c->stack_class == CO_STACK_SPM)
		co_bits_give(&co_hart_at(c->hart)->free_stacks, c->stack_slot);
	else
		co_bits_give(pool_of(c->stack_class)->free, c->stack_slot);
}

uintptr_t co_stack_of(const struct co *c, size_t *bytes)
{
	const struct pool *p = pool_of(c->stack_class);

	if (c->stack_class == CO_STACK_SPM) {
		*bytes = CO_STACK_SPM_BYTES;
		return spm_stack(c);
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
	} else {
		word = &pool_of(c->stack_class)->painted[c->stack_slot / CO_WORD_BITS];
		/* relaxed, both: as in is_painted(). */
		if (co_atomic_load(word, CO_RELAXED) & bit)
			return;
		co_atomic_or(word, bit, CO_RELAXED);
	}
	paint(c);
}

size_t co_stack_bytes(void)
{
	size_t bytes;

	CO_ASSERT(co_self());
	co_stack_of(co_self(), &bytes);
	return bytes;
}

size_t co_stack_used(const struct co *c)
{
	size_t bytes;
	size_t i = 0;
	const uint64_t *word = (const uint64_t *)co_stack_of(c, &bytes);

	if (!is_painted(c))
		return 0;
	while (i < bytes / sizeof(*word) && word[i] == PAINT)
		i++;
	return bytes - i * sizeof(*word);
}

size_t co_stack_high_water(void)
{
	CO_ASSERT(co_self());
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
	place->hart = -1;
	return find_in_row(address, p->base, p->slots, p->bytes, place);
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

	if (find_beside(address, place))
		return true;
	place->hart = co_hart_owning((const void *)address);
	if (place->hart < 0)
		return find_in_pool(address, &main_pool, place) ||
		       find_in_pool(address, &big_pool, place);
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
