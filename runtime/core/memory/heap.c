/* heap.c - see heap.h. */
#include "heap.h"

#include <cohart/debug.h>

#define UNIT sizeof(struct co_heap_block)
#ifndef AT /* the proof brings its own */
#define AT(h, i) ((h)->block[i])
#endif

_Static_assert(sizeof(struct co_heap_block) == 16, "blocks keep the alignment");

/* Write the header of a free block. */
static void put(struct co_heap *h, uint32_t b, uint32_t units, uint32_t before)
{
	AT(h, b).units = units;
	AT(h, b).before = before;
	AT(h, b).mark = 0;
}

/* Write b's length into the block after it, if there is one. */
static void tell_next(struct co_heap *h, uint32_t b)
{
	uint32_t next = b + AT(h, b).units;

	if (next != h->units)
		AT(h, next).before = AT(h, b).units;
}

/* Cut a free block after `need` units, if the rest is large enough for a block. */
static void split(struct co_heap *h, uint32_t b, uint32_t need)
{
	uint32_t rest = AT(h, b).units - need;

	if (rest < 2)
		return;
	AT(h, b).units = need;
	put(h, b + need, rest, need);
	/*@ ghost proof_begins(b + need, 1); */
	tell_next(h, b + need);
}

/* Join b with the free block after it. */
static void join(struct co_heap *h, uint32_t b)
{
	/*@ ghost proof_begins(b + row[b].units, 0); */
	AT(h, b).units += AT(h, b + AT(h, b).units).units;
	tell_next(h, b);
}

static uint32_t used_by(struct co_heap *h)
{
	/* relaxed: only this hart writes it. */
	return co_atomic_load(&h->used, CO_RELAXED);
}

static void account(struct co_heap *h, uint32_t used)
{
	/* relaxed: for reports. */
	co_atomic_store(&h->used, used, CO_RELAXED);
	if (used > co_atomic_load(&h->high, CO_RELAXED))
		co_atomic_store(&h->high, used, CO_RELAXED);
}

void co_heap_init(struct co_heap *h, struct co_heap_block *block, uint32_t units)
{
	h->block = block;
	h->units = units;
	put(h, 0, units, 0);
	/*@ ghost proof_one_block(units); */
	co_atomic_store(&h->used, 0, CO_RELAXED);
	co_atomic_store(&h->high, 0, CO_RELAXED);
}

/* The distance from `at` to the next multiple. */
static uint32_t gap(uintptr_t at, uint32_t multiple)
{
	uint32_t over = (uint32_t)(at % multiple);

	return over ? multiple - over : 0;
}

/* Hand out a free block; the caller's memory begins `shift` units behind the header's end. */
static void take(struct co_heap *h, uint32_t b, uint32_t need, uint32_t shift)
{
	/*@ ghost proof_bound(h->units, b); */
	split(h, b, need);
	AT(h, b).mark = CO_BLOCK_TAKEN;
	AT(h, b).shift = (uint16_t)shift;
	if (shift) {
		AT(h, b + shift).mark = CO_BLOCK_SIGN;
		AT(h, b + shift).shift = (uint16_t)shift;
	}
	/*@ ghost proof_given(b, row[b].units, h->units); */
	account(h, used_by(h) + AT(h, b).units);
}

/* The first free block that has room; the heap's number of units if no block has. */
static uint32_t find(const struct co_heap *h, uintptr_t first, uint32_t units, uint32_t multiple)
{
	uint32_t b = 0;

	/*@ loop invariant 0 <= b <= h->units && (b < h->units ==> begins[b] == 1);
	    loop invariant \forall integer i; block(h->units, i) && i < b ==>
		!fits(i, first, units, multiple);
	    loop assigns b;
	    loop variant h->units - b; */
	while (b != h->units) {
		if (AT(h, b).mark != CO_BLOCK_TAKEN &&
		    AT(h, b).units >= 1 + gap(first + b, multiple) + units)
			break;
		b += AT(h, b).units;
	}
	return b;
}

uint32_t co_heap_alloc(struct co_heap *h, size_t bytes, size_t align, uint32_t owner)
{
	uintptr_t first = (uintptr_t)h->block / UNIT + 1;
	uint32_t units, multiple, b, shift;

	if (bytes > h->units * UNIT || align > h->units * UNIT)
		return 0;
	units = (uint32_t)((bytes + UNIT - 1) / UNIT);
	multiple = (uint32_t)((align + UNIT - 1) / UNIT);
	b = find(h, first, units, multiple);
	if (b == h->units)
		return 0;
	shift = gap(first + b, multiple);
	/*@ ghost where = b; */
	take(h, b, 1 + shift + units, shift);
	AT(h, b).owner = owner;
	return b + 1 + shift;
}

size_t co_heap_largest(const struct co_heap *h)
{
	uint32_t b = 0, most = 1;

	/*@ loop invariant 0 <= b <= h->units && (b < h->units ==> begins[b] == 1) && 1 <= most;
	    loop invariant \forall integer i; block(h->units, i) && i < b && !taken(i) ==>
		row[i].units <= most;
	    loop assigns b, most;
	    loop variant h->units - b; */
	while (b != h->units) {
		if (AT(h, b).mark != CO_BLOCK_TAKEN && AT(h, b).units > most)
			most = AT(h, b).units;
		b += AT(h, b).units;
	}
	return (most - 1) * UNIT;
}

/* Mark b free, without joining it with its neighbours. */
static void release(struct co_heap *h, uint32_t b)
{
	/*@ ghost proof_bound(h->units, b); */
	AT(h, b).mark = 0;
	/*@ ghost proof_given(b, 0, h->units); */
	account(h, used_by(h) - AT(h, b).units);
}

static void join_next(struct co_heap *h, uint32_t b)
{
	uint32_t next = b + AT(h, b).units;

	if (next != h->units && AT(h, next).mark != CO_BLOCK_TAKEN)
		join(h, b);
}

static void join_before(struct co_heap *h, uint32_t b)
{
	uint32_t before = AT(h, b).before;

	if (before && AT(h, b - before).mark != CO_BLOCK_TAKEN)
		join(h, b - before);
}

void co_heap_free(struct co_heap *h, uint32_t unit)
{
	uint32_t b = unit - 1;

	if (AT(h, b).mark == CO_BLOCK_SIGN && AT(h, b).shift < unit)
		b -= AT(h, b).shift;
	CO_ASSERT_THAT(
		AT(h, b).mark == CO_BLOCK_TAKEN,
		"a block that is freed was given out, and has not been freed before (scratchpad heap)");
	release(h, b);
	join_next(h, b);
	join_before(h, b);
}

void co_heap_free_of(struct co_heap *h, uint32_t owner)
{
	uint32_t b = 0;

	while (b != h->units) {
		/* After release() and joins, b may be part of the block before; its header is
		 * intact. */
		if (AT(h, b).mark == CO_BLOCK_TAKEN && AT(h, b).owner == owner)
			co_heap_free(h, b + 1 + AT(h, b).shift);
		b += AT(h, b).units;
	}
}
