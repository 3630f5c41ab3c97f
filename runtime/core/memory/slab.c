/* slab.c - see slab.h. */
#include <string.h>

#include "../lost.h"
#include "block.h"
#include "slab.h"

#define IN_SLAB CO_WORD_BITS
#define SEEN_AT (IN_SLAB * sizeof(struct co))
#define STACKS_AT co_round_up(SEEN_AT + IN_SLAB * sizeof(struct co_seen), CO_LINE)
#define KIND_BITS ((uintptr_t)CO_LINE - 1) /* of a slab's address, in its table */

static struct co_waitq lock; /* of the number of slabs of each hart */

/* Main memory that nobody has had yet: where it begins and ends, and how many lines it has. */
static struct co_aword fresh_low, fresh_high, fresh_lines;

static size_t stack_bytes(enum co_slab_kind kind)
{
	return kind * 1024ul * HAL_STACK_SCALE;
}

static size_t slab_bytes(enum co_slab_kind kind)
{
	return STACKS_AT + IN_SLAB * stack_bytes(kind);
}

static enum co_slab_kind kind_for(enum co_stack class)
{
	return class == CO_STACK_1K ? CO_SLAB_1K : class == CO_STACK_2K ? CO_SLAB_2K : CO_SLAB_BARE;
}

/* An entry of a table: address and kind; 0: the slab is not there yet. */
static uintptr_t slab_at(unsigned hart, unsigned slab)
{
	/* acquire: its blocks; pairs with grow(). */
	return co_atomic_load(&co_slabs_of(hart)[slab], CO_ACQUIRE);
}

static unsigned slabs(unsigned hart)
{
	/* seq_cst: pairs with grow(). */
	return co_atomic_load(&co_hart_at(hart)->slabs, CO_SEQ_CST);
}

void co_slabs_init(unsigned hart)
{
	memset(co_slabs_of(hart), 0,
	       (size_t)((char *)co_slabs_timers(hart) - (char *)co_slabs_of(hart)));
}

/* Its slab's entry in the table; NULL: it is in none. */
static struct co_aword *entry_of(const struct co *c)
{
	return c->index < CO_PER_HART ? NULL
				      : co_slabs_of(c->hart) + (c->index - CO_PER_HART) / IN_SLAB;
}

static uintptr_t slab_of(const struct co *c)
{
	return (uintptr_t)(c - c->index % IN_SLAB);
}

static enum co_slab_kind kind_of(const struct co *c)
{
	/* relaxed: it was there before c. */
	return (enum co_slab_kind)(co_atomic_load(entry_of(c), CO_RELAXED) & KIND_BITS);
}

uint8_t co_slab_class(const struct co *c)
{
	return kind_of(c) == CO_SLAB_1K ? CO_STACK_1K : CO_STACK_2K;
}

uintptr_t co_slab_stack(const struct co *c)
{
	return slab_of(c) + STACKS_AT + (c->index % IN_SLAB + 1) * stack_bytes(kind_of(c));
}

void co_main_carve(uintptr_t low, uintptr_t high)
{
	low = co_round_up(low, CO_MAIN_STEP);
	high &= ~KIND_BITS;
	/* relaxed, all of these words: nobody has written the memory that they hand out. */
	co_atomic_store(&fresh_low, low, CO_RELAXED);
	co_atomic_store(&fresh_high, high, CO_RELAXED);
	co_atomic_store(&fresh_lines, high > low ? (high - low) / CO_LINE : 0, CO_RELAXED);
}

size_t co_main_room(void)
{
	intptr_t lines = (intptr_t)co_atomic_load(&fresh_lines, CO_RELAXED);

	return lines > 0 ? (size_t)lines * CO_LINE : 0; /* less, while somebody asks for too much */
}

/* Claim bytes of the memory that is left, at either end. False: it has fewer. */
static bool claim(size_t bytes)
{
	intptr_t lines = (intptr_t)((bytes + CO_LINE - 1) / CO_LINE);

	if ((intptr_t)co_atomic_add(&fresh_lines, (uintptr_t)-lines, CO_RELAXED) >= lines)
		return true;
	co_atomic_add(&fresh_lines, (uintptr_t)lines, CO_RELAXED);
	return false;
}

uintptr_t co_main_cut(size_t bytes)
{
	bytes = co_round_up(bytes, CO_MAIN_STEP);
	return claim(bytes) ? co_atomic_add(&fresh_low, bytes, CO_RELAXED) : 0;
}

uintptr_t co_main_low(void)
{
	return co_atomic_load(&fresh_low, CO_RELAXED);
}

/* Cut a slab and give it a number. Returns its address, or 0. */
static uintptr_t cut_slab(unsigned hart, enum co_slab_kind kind, unsigned *number)
{
	struct co_hart *h = co_hart_at(hart);
	size_t bytes = slab_bytes(kind);
	struct co_waiter *first = co_waitq_lock(&lock);
	uintptr_t base = 0;

	*number = co_atomic_load(&h->slabs, CO_RELAXED);
	if (*number < co_slabs_most() && claim(bytes)) {
		base = co_atomic_add(&fresh_high, -bytes, CO_RELAXED) - bytes;
		co_atomic_store(&h->slabs, *number + 1, CO_SEQ_CST);
	}
	co_waitq_unlock(&lock, first);
	return base;
}

uintptr_t co_slabs_lowest(void)
{
	return co_atomic_load(&fresh_high, CO_RELAXED);
}

bool co_slabs_room(void)
{
	return co_main_room() >= slab_bytes(CO_SLAB_2K);
}

bool co_slabs_full(unsigned hart)
{
	return slabs(hart) >= co_slabs_most();
}

/*
 * Make a slab, and take its first block; NULL: the hart is lost, has all its slabs, or memory is
 * used up.
 */
static NOINLINE struct co *grow(unsigned hart, enum co_slab_kind kind)
{
	struct co_aword *open = co_slabs_open(hart, kind);
	unsigned slab;
	uintptr_t base = co_hart_lost(hart) ? 0 : cut_slab(hart, kind, &slab);
	struct co *c = (struct co *)base;

	if (!base)
		return NULL;
	memset((void *)(base + SEEN_AT), 0, IN_SLAB * sizeof(struct co_seen));
	/* release: the blocks; pairs with slab_at(). */
	for (unsigned i = 0; i < IN_SLAB; i++)
		co_block_init(&c[i], hart, CO_PER_HART + slab * IN_SLAB + i);
	co_atomic_store(&co_slabs_of(hart)[slab], base | kind, CO_RELEASE);
	for (unsigned i = 0; kind && i < IN_SLAB; i++) {
		c[i].flags |= CO_FLAG_SMALL;
		co_stack_own(&c[i]);
	}
	/*
	 * seq_cst, both: releases the blocks to co_bits_take_open(); and if the hart is lost, this
	 * sees it, or co_slabs_close() comes after it.
	 */
	co_atomic_or(&co_slabs_free(hart)[slab], ~(uintptr_t)1, CO_SEQ_CST);
	if (co_hart_lost(hart))
		co_atomic_store(&co_slabs_free(hart)[slab], 0, CO_SEQ_CST);
	/* release: as in co_bits_give_open(). */
	co_atomic_or(&open[slab / CO_WORD_BITS], (uintptr_t)1 << slab % CO_WORD_BITS, CO_RELEASE);
	return c;
}

/* Block i of a slab with that entry in the table. */
INLINE struct co *block_in(const struct co_aword *entry, unsigned i)
{
	/* relaxed: the block's free bit, or a cancel of its coroutine, has published it. */
	return (struct co *)(co_atomic_load(entry, CO_RELAXED) & ~KIND_BITS) + i;
}

/* Block i of a hart's slabs. */
INLINE struct co *block_of_slabs(unsigned hart, unsigned i)
{
	return block_in(co_slabs_of(hart) + i / IN_SLAB, i % IN_SLAB);
}

struct co *co_block_of(unsigned hart, unsigned index)
{
	return index < CO_PER_HART ? &co_area_at(hart)->co[index]
				   : block_of_slabs(hart, index - CO_PER_HART);
}

/* The newest slabs have no free block of that kind. */
static NOINLINE struct co *take_elsewhere(unsigned hart, enum co_slab_kind kind)
{
	unsigned words = slabs(hart) / CO_WORD_BITS + 1;
	int i = co_bits_take_open(co_slabs_open(hart, kind), words, co_slabs_free(hart), 0);

	return i < 0 ? grow(hart, kind) : block_of_slabs(hart, (unsigned)i);
}

struct co *co_slab_take(unsigned hart, enum co_stack class)
{
	enum co_slab_kind kind = kind_for(class);
	/* relaxed, both: guesses, as in co_bits_take_open(). */
	unsigned n = co_atomic_load(&co_hart_at(hart)->slabs, CO_RELAXED);
	unsigned word = (n - (n > 0)) / CO_WORD_BITS, slab;
	uintptr_t open = co_atomic_load(co_slabs_open(hart, kind) + word, CO_RELAXED);
	const struct co_aword *entry;
	int i;

	if (!open)
		return take_elsewhere(hart, kind);
	slab = word * CO_WORD_BITS + co_bit_number(open & -open);
	entry = co_slabs_of(hart) + slab;
	i = co_bits_take_of(co_slabs_free(hart) + slab, ~(uintptr_t)0);
	return i < 0 ? take_elsewhere(hart, kind) : block_in(entry, (unsigned)i);
}

void co_slab_give(struct co *c)
{
	co_bits_give_open(co_slabs_open(c->hart, kind_of(c)), co_slabs_free(c->hart),
			  c->index - CO_PER_HART);
}

void co_slabs_close(unsigned hart)
{
	/* seq_cst: pairs with grow(). */
	for (unsigned i = 0, n = slabs(hart); i < n; i++)
		co_atomic_store(&co_slabs_free(hart)[i], 0, CO_SEQ_CST);
}

/* Has a block of the hart's CO_PER_HART ever been taken? */
static bool is_made(unsigned hart, unsigned index)
{
	const struct co_hart *h = co_hart_at(hart);

	/* acquire: the contents of the new block; pairs with make_block(), block.c. */
	return co_atomic_load(&h->made[index / CO_WORD_BITS], CO_ACQUIRE) >> index % CO_WORD_BITS &
	       1;
}

bool co_block_in_place(unsigned hart, const struct co *c)
{
	unsigned i = c->index;

	return hart < co_machine.harts && c->hart == hart &&
	       (i < CO_PER_HART || (i - CO_PER_HART) / IN_SLAB < slabs(hart)) &&
	       c == co_block_of(hart, i);
}

struct co *co_block_next(unsigned hart, const struct co *c)
{
	unsigned i = c ? c->index + 1 : 0;

	for (; i < CO_PER_HART; i++) {
		if (is_made(hart, i))
			return &co_area_at(hart)->co[i];
	}
	if (i % IN_SLAB)
		return (struct co *)(c + 1);
	for (unsigned s = (i - CO_PER_HART) / IN_SLAB, n = slabs(hart); s < n; s++) {
		uintptr_t slab = slab_at(hart, s);

		if (slab)
			return (struct co *)(slab & ~KIND_BITS);
	}
	return NULL;
}

struct co *co_block_next_of_all(const struct co *c)
{
	unsigned hart = c ? c->hart : 0;
	struct co *next;

	if (c && !co_block_in_place(hart, c))
		return NULL;
	next = co_block_next(hart, c);
	/* The first block of each hart is made at boot. */
	return next || ++hart == co_machine.harts ? next : co_block_next(hart, NULL);
}

static bool is_block(uintptr_t p, uintptr_t blocks, unsigned n)
{
	return p - blocks < n * sizeof(struct co) && (p - blocks) % sizeof(struct co) == 0;
}

const struct co *co_block_at(uintptr_t p)
{
	for (unsigned hart = 0; hart < co_machine.harts; hart++) {
		uintptr_t blocks = (uintptr_t)co_area_at(hart)->co;

		if (is_block(p, blocks, CO_PER_HART))
			return is_made(hart, (p - blocks) / sizeof(struct co))
				       ? (const struct co *)p
				       : NULL;
		for (unsigned s = 0, n = slabs(hart); s < n; s++) {
			uintptr_t slab = slab_at(hart, s);

			if (slab && is_block(p, slab & ~KIND_BITS, IN_SLAB))
				return (const struct co *)p;
		}
	}
	return NULL;
}

struct co_seen *co_seen_of(const struct co *c)
{
	return c->index < CO_PER_HART
		       ? &co_area_at(c->hart)->seen[c->index]
		       : (struct co_seen *)(slab_of(c) + SEEN_AT) + c->index % IN_SLAB;
}

static bool find_in_slab(uintptr_t address, uintptr_t entry, struct co_stack_place *place)
{
	enum co_slab_kind kind = (enum co_slab_kind)(entry & KIND_BITS);
	uintptr_t low = (entry & ~KIND_BITS) + STACKS_AT;
	size_t bytes = stack_bytes(kind);

	if (!entry || address - low >= IN_SLAB * bytes)
		return false;
	place->name = "small";
	place->slot = (unsigned)((address - low) / bytes);
	place->guard = false;
	place->low = low + place->slot * bytes;
	place->high = place->low + bytes;
	return true;
}

uintptr_t co_slab_beside(unsigned hart, const struct co *c, size_t *bytes)
{
	for (unsigned s = 0, n = slabs(hart); s < n; s++) {
		uintptr_t entry = slab_at(hart, s), slab = entry & ~KIND_BITS;

		*bytes = stack_bytes((enum co_slab_kind)(entry & KIND_BITS));
		if (entry && *bytes && is_block((uintptr_t)c, slab, IN_SLAB))
			return slab + STACKS_AT + (size_t)(c - (const struct co *)slab) * *bytes;
	}
	return 0;
}

bool co_slab_find(uintptr_t address, struct co_stack_place *place)
{
	if (address < co_slabs_lowest()) /* static data, or libc's heap */
		return false;
	for (unsigned hart = 0; hart < co_machine.harts; hart++) {
		for (unsigned s = 0, n = slabs(hart); s < n; s++) {
			if (find_in_slab(address, slab_at(hart, s), place)) {
				place->slot += CO_PER_HART + s * IN_SLAB;
				place->hart = (int)hart;
				return true;
			}
		}
	}
	return false;
}
