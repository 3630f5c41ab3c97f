/*
 * stock.c - the model of core/lf/stock.h and core/lf/tree.h: a block is one thread's at a time, a
 * span is retired once, when nobody has any of its blocks, and what is in a tree is found.
 */
#include <string.h>

#include "core/lf/stock.h"
#include "core/lf/tree.h"
#include "relacy/model.h"

/* ---- A hart's stock, and one in need ---- */

#define BLOCKS 3

static struct co_aword stock;
static struct co_stock_block block[BLOCKS];
static int content[BLOCKS];

static void use(struct co_stock_block *b)
{
	int *c = &content[b - block];

	co_plain_store(c, co_plain_load(c) + 1);
}

static void reset_stock(unsigned threads)
{
	memset(block, 0, sizeof(block));
	memset(content, 0, sizeof(content));
	block[0].next = &block[1];
	memset(&stock, 0, sizeof(stock));
	co_atomic_store(&stock, (uintptr_t)&block[0], CO_RELAXED);
}

/* Free one, as co_main_free(). */
static void put(struct co_stock_block *b)
{
	struct co_stock_block *top = co_stock_take_all(&stock);

	use(b);
	co_stock_put(&stock, b, top, top ? co_plain_load(&top->room) + 1 : 0);
}

static void owner_and_thief(unsigned i)
{
	struct co_stock_block *b, *c;

	if (i == 0) {
		b = co_stock_pop(&stock);
		c = co_stock_pop(&stock);
		put(&block[2]);
		if (b)
			put(b);
		if (c)
			put(c);
		return;
	}
	for (b = co_stock_take_all(&stock); b; b = c) {
		c = co_plain_load(&b->next);
		use(b);
	}
}

static void reset_none(unsigned threads)
{
	reset_stock(threads);
	co_atomic_store(&stock, 0, CO_RELAXED);
}

/* An owner that begins a stock with two blocks. */
static void beginner_and_thief(unsigned i)
{
	struct co_stock_block *b, *c;

	if (i == 0) {
		use(&block[0]);
		use(&block[1]);
		co_stock_begin(&stock, &block[0], &block[1], 4);
		return;
	}
	for (b = co_stock_take_all(&stock); b; b = c) {
		c = co_plain_load(&b->next);
		use(b);
	}
}

/* A block is in the stock, or the thief has had it. */
static void there_or_taken(void)
{
	for (struct co_stock_block *b = co_stock_take_all(&stock); b; b = b->next)
		MODEL_CHECK(content[b - block]++ == 1);
	MODEL_CHECK(content[0] == 2 && content[1] == 2);
}

static void reset_one(unsigned threads)
{
	reset_stock(threads);
	block[0].next = NULL;
}

/* One thief comes between the two steps of a pop, the other one after them. */
static void owner_and_thieves(unsigned i)
{
	struct co_stock_block *b;

	if (i == 0) {
		put(&block[1]);
		put(&block[2]);
		b = co_stock_pop(&stock);
		if (b)
			use(b);
		return;
	}
	for (b = co_stock_take_all(&stock); b; b = co_plain_load(&b->next))
		use(b);
}

/* What the thief has is not there, and nothing is there twice. */
static void once_each(void)
{
	unsigned left = 0;

	for (struct co_stock_block *b = co_stock_take_all(&stock); b; b = b->next)
		left++;
	MODEL_CHECK(left <= BLOCKS);
	for (unsigned i = 0; i < BLOCKS; i++)
		MODEL_CHECK(content[i] >= 1 && content[i] <= 2);
}

/* ---- A span ---- */

/*
 * Of two blocks. Who gets both makes another one of three at the same place, and has its third.
 */
#define TWO 3u
#define THREE 7u

static struct co_a32 span;
static uint32_t all; /* what it is: as what_of(), main_heap.c */
static int had[2];
static struct co_a32 retired;

static void reset_span(unsigned threads)
{
	memset(&span, 0, sizeof(span));
	memset(&retired, 0, sizeof(retired));
	memset(had, 0, sizeof(had));
	all = TWO;
	co_atomic_store(&span, TWO, CO_RELAXED);
}

static void make_another(void)
{
	MODEL_CHECK(!co_atomic_add(&retired, 1, CO_RELAXED));
	for (unsigned b = 0; b < 2; b++)
		co_plain_store(&had[b], -1);
	co_plain_store(&all, THREE);
	co_span_begin(&span, TWO);
}

/* As give_blocks(), main_heap.c. */
static void give_blocks(uint32_t got)
{
	uint32_t whole;

	do {
		whole = co_plain_load(&all);
		if ((co_span_give(&span, got) | got) != whole)
			return;
		got = co_span_take_all(&span);
		if (!got)
			return;
	} while (got != co_plain_load(&all));
	make_another();
}

static void give(uint32_t got)
{
	for (unsigned b = 0; b < 2; b++) {
		if (got >> b & 1)
			co_plain_store(&had[b], co_plain_load(&had[b]) + 1);
	}
	give_blocks(got);
}

static void users(unsigned i)
{
	uint32_t got = i == 0 ? co_span_take_all(&span) : co_span_take(&span);

	if (got)
		give(got);
}

/* Whoever gave the last block back has made another one of it, and nobody has more of that. */
static void one_is_made(void)
{
	MODEL_CHECK(co_atomic_load(&retired, CO_RELAXED));
	MODEL_CHECK(co_atomic_load(&span, CO_RELAXED) == TWO);
}

/* ---- A tree of 128 numbers ---- */

static struct co_tree tree;
static struct co_aword words[4];
static int thing[128];

static void reset_tree(unsigned threads)
{
	memset(words, 0, sizeof(words));
	memset(thing, 0, sizeof(thing));
	(void)co_tree_place(&tree, 128, words);
}

static void one_in_tree(unsigned threads)
{
	reset_tree(threads);
	co_atomic_store(&words[1], 2, CO_RELAXED);
	co_atomic_store(&words[2], 2, CO_RELAXED);
	co_atomic_store(&words[3], 1, CO_RELAXED);
}

static void add(unsigned number)
{
	co_plain_store(&thing[number], co_plain_load(&thing[number]) + 1);
	co_tree_add(&tree, number);
}

static void take_one(void)
{
	int n;

	for (;;) {
		n = co_tree_pop(&tree);
		if (n >= 0)
			break;
		model_yield();
	}
	co_plain_store(&thing[n], co_plain_load(&thing[n]) + 1);
}

static void adders_and_a_taker(unsigned i)
{
	if (i == 0) {
		take_one();
		take_one();
	} else {
		add(i == 1 ? 3 : 64);
	}
}

/*
 * Who takes the last of a word closes it, while another adds one to it. Who takes the one that is
 * added, while there is another one, closes nothing.
 */
static void taker_and_adder(unsigned i)
{
	if (i == 0)
		take_one();
	else
		add(64);
}

static void empty(void)
{
	MODEL_CHECK(co_tree_first(&tree) < 0);
	MODEL_CHECK(thing[3] == 2 && thing[64] == 2);
}

static void one_is_found(void)
{
	int n = co_tree_first(&tree);

	MODEL_CHECK(n == 64 || n == 65);
	MODEL_CHECK(co_tree_take(&tree, (unsigned)n) != CO_TREE_MISSED);
	MODEL_CHECK(co_tree_first(&tree) < 0);
}

const struct model models[] = {
	{ "a stock, its hart and one in need", 2, reset_stock, owner_and_thief, once_each,
	  .bound = 4 },
	{ "a stock that begins with two blocks, and one in need", 2, reset_none, beginner_and_thief,
	  there_or_taken, .bound = 4 },
	{ "a stock, its hart and two in need", 3, reset_one, owner_and_thieves, .bound = 3 },
	{ "a span of two blocks, two users", 2, reset_span, users, one_is_made, .bound = 4 },
	{ "the same, three users", 3, reset_span, users, one_is_made, .bound = 3 },
	{ "a tree, two adders and a taker", 3, reset_tree, adders_and_a_taker, empty, .bound = 2 },
	{ "a tree, a taker of the last and an adder", 2, one_in_tree, taker_and_adder, one_is_found,
	  .bound = 4 },
	{ 0 },
};
