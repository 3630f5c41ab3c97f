/*
 * break.c - what a program learns when loops go wrong: a tile larger than a scratchpad, transfers
 * that begin anywhere or cannot be, a division by zero, a fault in one block of many.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stencil.h"

#define SIDE 256
#define BAD 17 /* block */

static int64_t *from, *to;
static struct co_tiles tiles;
static struct co_parallel loop;

static const char *in_words(int r)
{
	return r ? strerror(-r) : "done";
}

/* ---- A tile ---- */

static int triple(void *arg, struct co_block *b)
{
	(void)arg;
	for (long y = 0; y < b->n[0]; y++) {
		const int64_t *in = co_tile_layer(b, 0, y);
		int64_t *out = co_tile_layer(b, 1, y);

		for (long x = 0; x < b->n[1]; x++)
			out[x] = 3 * in[x];
	}
	return 0;
}

static bool is_tripled(void)
{
	for (long i = 0; i < SIDE * SIDE; i++) {
		if (to[i] != 3 * from[i])
			return false;
	}
	return true;
}

static void set_up(co_tile_fn *body, long rows, long elements)
{
	const struct co_tiled array = { .size = sizeof(*from), .extent = { SIDE, SIDE } };

	tiles = (struct co_tiles){
		.name = "break",
		.body = body,
		.dims = 2,
		.range = { { 0, SIDE, 1 }, { 0, SIDE, 1 } },
		.tile = { rows, elements },
		.schedule = CO_DYNAMIC,
		.arrays = 2,
		.array = { array, array },
	};
	tiles.array[0].at = from;
	tiles.array[1].at = to;
	tiles.array[1].access = CO_TILE_OUT;
	memset(to, 0, SIDE * SIDE * sizeof(*to));
}

static bool break_tile(void)
{
	int r;

	printf("A tile of %d x %d elements: %u KiB, and as many for its results\n", SIDE, SIDE,
	       (unsigned)(SIDE * SIDE * sizeof(*to) / 1024));
	set_up(triple, SIDE, SIDE);
	r = co_tiles_run(&tiles);
	printf("  co_tiles_run(): %s; what fits: %ld x %ld\n", in_words(r), tiles.most[0],
	       tiles.most[1]);
	if (r != -ENOMEM || tiles.most[0] < 1)
		return false;
	set_up(triple, tiles.most[0], tiles.most[1]);
	r = co_tiles_run(&tiles);
	printf("  with tiles of that size: %s\n", in_words(r));
	return r == 0 && is_tripled();
}

/* ---- A transfer ---- */

static bool break_transfer(void)
{
	static const unsigned char constants[64] = { 1 };
	static unsigned char a[256], b[256];
	static struct co_dma d;
	static const int want[] = { 0, -EINVAL, -EFAULT, -EFAULT };
	const struct co_dma tries[] = {
		{ .to = b + 3, .from = a + 1, .bytes = 61 },
		{ .to = a + 3, .from = a + 1, .bytes = 61 },
		{ .to = (void *)(uintptr_t)constants, .from = a, .bytes = 61 },
		{ .to = b, .from = NULL, .bytes = 61 },
	};
	bool good = true;
	char text[200];

	printf("\nTransfers that are not aligned, that overlap, or lead where nobody may go\n");
	for (unsigned i = 0; i < sizeof(a); i++)
		a[i] = (unsigned char)(i * 7);
	for (unsigned i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		int r;

		d = tries[i];
		r = co_dma_start(&d);
		if (r == 0)
			r = co_dma_wait(&d);
		printf("  %s: %s\n", r ? in_words(r) : "copied",
		       co_dma_explain(&d, text, sizeof(text)));
		good &= r == want[i];
	}
	return good && memcmp(a + 1, b + 3, 61) == 0;
}

/* ---- A division ---- */

static int divisor[SIDE], quotient[SIDE];

/* A number of which the compiler knows nothing. */
static uintptr_t hidden(uintptr_t n)
{
	__asm__ volatile("" : "+r"(n));
	return n;
}

static int divide(void *asks, struct co_part *part)
{
	for (long i = part->from[0]; i < part->to[0]; i++) {
		if (asks && !divisor[i])
			return -EDOM;
		quotient[i] = 1000 / (int)hidden((uintptr_t)divisor[i]);
	}
	return 0;
}

static int run_divide(bool asks)
{
	static bool yes = true;

	loop = (struct co_parallel){ .name = "divide",
				     .body = divide,
				     .arg = asks ? &yes : NULL,
				     .dims = 1,
				     .range = { { 0, SIDE, 1 } },
				     .schedule = CO_DYNAMIC };
	return co_parallel_for(&loop);
}

static bool break_division(void)
{
	bool good;
	int r;

	printf("\nA kernel that divides by zero in block %d\n", BAD);
	for (unsigned i = 0; i < SIDE; i++)
		divisor[i] = (int)i - BAD;
	r = run_divide(false);
	good = r == 0 || (r == -EFAULT && loop.error_at[0] == BAD);
	if (r == 0)
		printf("  there is no trap for that here: 1000 / 0 is %d, and the loop is %s\n",
		       quotient[BAD], in_words(r));
	else
		printf("  co_parallel_for(): %s, at %ld\n", in_words(r), loop.error_at[0]);
	r = run_divide(true);
	printf("  one that looks before: %s, at %ld\n", in_words(r), loop.error_at[0]);
	return good && r == -EDOM && loop.error_at[0] == BAD;
}

/* ---- A fault ---- */

static int fault(void *arg, struct co_block *b)
{
	if (b->from[0] == BAD)
		*(int *)hidden(0) = 1;
	return triple(arg, b);
}

static bool break_block(void)
{
	int r;

	printf("\nA store to a null pointer in block %d of %d\n", BAD, SIDE);
	set_up(fault, 1, SIDE);
	r = co_tiles_run(&tiles);
	printf("  co_tiles_run(): %s, at %ld\n", in_words(r), tiles.error_at[0]);
	if (r != -EFAULT || tiles.error_at[0] != BAD)
		return false;
	set_up(triple, 1, SIDE);
	r = co_tiles_run(&tiles);
	printf("  without it, on the same harts: %s\n", in_words(r));
	return r == 0 && is_tripled();
}

int show_breaks(void)
{
	size_t bytes = SIDE * SIDE * sizeof(*from);
	bool good = true;

	from = aligned_alloc(CO_LINE, bytes);
	to = aligned_alloc(CO_LINE, bytes);
	if (!from || !to)
		return -ENOMEM;
	for (long i = 0; i < SIDE * SIDE; i++)
		from[i] = i;
	good &= break_tile();
	good &= break_transfer();
	good &= break_division();
	good &= break_block();
	free(from);
	free(to);
	if (!good)
		return -EPROTO;
	printf("\neach ended as it should, and the next one began\n");
	return 0;
}
