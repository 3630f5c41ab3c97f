/*
 * main_heap.h - libc's heap: blocks of main memory, for all harts, by none of them more than by
 * another.
 *
 * Blocks of up to 2 KiB come in CO_MAIN_CLASSES sizes: multiples of 16 bytes to 128, then four from
 * each power of two to the next. A *span* is a run of units (units.h) cut into at most 32 blocks of
 * a size, with a bit for each that is free. Each hart has a *stock* of free blocks of each size
 * (lf/stock.h), which it takes from and frees to. If the stock is empty, a block comes from the
 * span that the hart took from last, or from another span that has some, or from a new span, which
 * a hart makes near the span that it made before; if it is full, the block goes back to its span. A
 * span whose blocks are all free becomes units again.
 *
 * A larger block is a run of units by itself.
 *
 * No hart is asked for anything. The blocks in a hart's stocks and in the spans that it takes from
 * are in main memory: a hart that finds no memory takes all of them, of all harts, lost harts as
 * well, and returns NULL only then. That call alone waits, for 3 ms at most, while another hart has
 * a run in hand.
 */
#ifndef COHART_MAIN_HEAP_H
#define COHART_MAIN_HEAP_H

#include "../lf/stock.h"
#include "units.h"

#define CO_MAIN_CLASSES CO_UNIT_SETS
#define CO_MAIN_SMALL 2048
#define CO_MAIN_ALIGN 16

/*
 * A hart's stocks, and the spans that it takes from, by class, from 1 on. Its hart writes, and
 * harts in need.
 */
struct co_main_kept {
	/* The first one stands for all sizes that have no class, and stays empty. */
	alignas(CO_LINE) struct co_aword stock[CO_MAIN_CLASSES + 1];
	struct co_a32 span[CO_MAIN_CLASSES + 1]; /* that it took from last: its first unit */
	struct co_units_fresh fresh;
	/* place[i]: the class for 16 * (i + 1) bytes, as its place in stock[]; constant. */
	uint8_t place[CO_MAIN_SMALL / CO_MAIN_ALIGN];
};

#define CO_MAIN_PLACE(class) ((class) * sizeof(struct co_aword))

/* Where a hart finds its stocks, and the memory and records of units. */
struct co_main_mine {
	struct co_main_kept *kept;
	uintptr_t base;
	uintptr_t bytes;
	struct co_unit *unit;
};
extern _Thread_local struct co_main_mine co_main_mine;

/*
 * main_heap.c: when the stock has none, for a size without a class, or 0 bytes. NULL: there is no
 * memory.
 */
void *co_main_alloc_slowly(size_t bytes);
/* Of a size that has no class, to a stock that is empty, or no block; to a stock that is full. */
void co_main_free_slowly(void *p);
void co_main_free_to_span(void *p);

static inline struct co_aword *co_main_stock(uintptr_t place)
{
	return (struct co_aword *)((uintptr_t)co_main_mine.kept->stock + place);
}

/* Take a block of the hart's stock. NULL: the stock is empty, or the size has no class. */
static inline void *co_main_alloc_fast(size_t bytes)
{
	size_t n = (bytes - 1) / CO_MAIN_ALIGN;

	if (n >= CO_MAIN_SMALL / CO_MAIN_ALIGN)
		return NULL;
	return co_stock_pop(co_main_stock(co_main_mine.kept->place[n]));
}

/*
 * What malloc() and its kin are made of; 0 bytes are as 1. Context: any hart, not an interrupt's.
 * @return aligned to CO_MAIN_ALIGN; NULL: there is no memory
 */
static inline void *co_main_alloc(size_t bytes)
{
	void *p = co_main_alloc_fast(bytes);

	return p ? p : co_main_alloc_slowly(bytes);
}

/* The record of the unit where p lies. */
static inline struct co_unit *co_main_unit(const void *p)
{
	return co_main_mine.unit + (((uintptr_t)p - co_main_mine.base) >> CO_UNIT_SHIFT);
}

/* @param p  a block, not NULL */
static inline void co_main_free(void *p)
{
	struct co_stock_block *top;
	struct co_aword *stock;

	if ((uintptr_t)p - co_main_mine.base >= co_main_mine.bytes) {
		co_main_free_slowly(p);
		return;
	}
	/* relaxed: as long as the block is the caller's, nobody writes it. */
	stock = co_main_stock(co_atomic_load(&co_main_unit(p)->what, CO_RELAXED) & 0xff);
	top = co_stock_take_all(stock);
	if (top && top->room) {
		co_stock_put(stock, p, top, top->room - 1);
	} else if (top) {
		co_atomic_store(stock, (uintptr_t)top, CO_RELEASE);
		co_main_free_to_span(p);
	} else {
		co_main_free_slowly(p);
	}
}

/* The bytes that a block has room for. */
size_t co_main_size(const void *p);
/* @param align  a power of two, or 0; at least CO_MAIN_ALIGN is meant */
void *co_main_alloc_aligned(size_t align, size_t bytes);
/* Where p is, if it can be made that large or small. False: it stays as it is. */
bool co_main_resize(void *p, size_t bytes);
/* Give back all blocks in harts' stocks, and add the spans that harts take from to the trees. */
void co_main_gather(void);
/* Bytes that were ever used for blocks, and how many of them are free. Both as of now. */
void co_main_count(size_t *used, size_t *unused);

#endif
