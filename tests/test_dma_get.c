/*
 * test_dma_get.c - rows between main memory and scratchpads, one source to many, and much memory by
 * a whole group.
 *
 * Topologies: 1x(1+2+1) 2x(1+3) 1x(1+3) 1+1x(1+3)
 */
#include "../runtime/core/core.h"
#include "../runtime/core/memory/image.h"
#include "harness/test.h"

#define WIDTH 96
#define HEIGHT 64

static unsigned char field[HEIGHT][WIDTH], back[HEIGHT][WIDTH];

static void fill_field(unsigned seed)
{
	for (unsigned i = 0; i < sizeof(field); i++)
		((unsigned char *)field)[i] = (unsigned char)(seed + i * 7 + i / 97);
	memset(back, 0, sizeof(back));
}

static intptr_t gets_and_puts(void *arg)
{
	enum { W = 24, H = 10 };
	unsigned char(*tile)[W] = co_spm_alloc(H * W, 16);
	bool same = true;

	REQUIRE(tile);
	REQUIRE_EQ(co_dma_get(tile, &field[5][40], CO_ROWS(W, H, WIDTH)), 0);
	for (unsigned y = 0; y < H; y++)
		same &= memcmp(tile[y], &field[5 + y][40], W) == 0;
	CHECK(same);
	REQUIRE_EQ(co_dma_put(&back[20][8], tile, CO_ROWS(W, H, WIDTH)), 0);
	for (unsigned y = 0; y < HEIGHT; y++)
		for (unsigned x = 0; x < WIDTH; x++) {
			bool in = y >= 20 && y < 20 + H && x >= 8 && x < 8 + W;

			same &= back[y][x] == (in ? field[y - 15][x + 32] : 0);
		}
	CHECK(same);
	co_spm_free(tile);
	return 0;
}

TEST(a_tile_is_brought_in_and_put_back)
{
	fill_field(1);
	CHECK_EQ(test_join(test_spawn_on(co_hart(), gets_and_puts, NULL)), 0);
	memset(back, 0, sizeof(back));
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, gets_and_puts, NULL)), 0);
}

/* The caller moves a word or two: nothing of a full heap is needed, whatever else moves memory. */
static intptr_t moves_words(void *arg)
{
	static uintptr_t from[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, to[8];
	enum { WORD = sizeof(uintptr_t), OVER = CO_DMA_SMALL_BYTES + WORD };
	uintptr_t *near = co_spm_alloc(8 * WORD, WORD);
	void *rest[64];
	unsigned n = 0;

	REQUIRE(near);
	REQUIRE_EQ(co_dma_copy(to, from, OVER), 0); /* what is cached is there */
	while (co_spm_largest() && n < 64)
		rest[n++] = co_spm_alloc(co_spm_largest(), 16);
	REQUIRE(n < 64);
	memset(to, 0, sizeof(to));
	CHECK_EQ(co_dma_get(near, from, CO_BYTES(WORD)), 0);
	CHECK_EQ(co_dma_get(&near[1], &from[1], CO_BYTES(CO_DMA_SMALL_BYTES)), 0);
	CHECK_EQ(co_dma_put(&to[1], near, CO_BYTES(2 * WORD)), 0);
	CHECK_EQ(co_dma_copy(&to[3], &near[2], WORD), 0);
	CHECK(near[0] == 1 && near[1] == 2 && near[2] == 3);
	CHECK(to[0] == 0 && to[1] == 1 && to[2] == 2 && to[3] == 3);
	CHECK_EQ(co_dma_copy(&to[1], to, 2 * WORD), -EINVAL);
	CHECK_EQ(co_dma_copy(to, &to[1], 2 * WORD), -EINVAL);
	CHECK_EQ(co_dma_copy(to, to, WORD), -EINVAL);
	CHECK_EQ(co_dma_copy(to, from, 0), -EINVAL);
	CHECK_EQ(co_dma_copy(to, NULL, WORD), -EFAULT);
	CHECK_EQ(co_dma_put(NULL, near, CO_BYTES(WORD)), -EFAULT);
	/* What is odd, or more, goes to a mover if there is one. */
	CHECK_EQ(co_dma_copy((char *)to + 1, from, WORD), co_dma_mover(NULL) < 0 ? 0 : -ENOMEM);
	CHECK_EQ(co_dma_copy(to, from, OVER), co_dma_mover(NULL) < 0 ? 0 : -ENOMEM);
	while (n)
		co_spm_free(rest[--n]);
	co_spm_free(near);
	return 0;
}

TEST(a_word_or_two_are_moved_by_the_caller)
{
	CHECK_EQ(test_join(test_spawn_on(co_hart(), moves_words, NULL)), 0);
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, moves_words, NULL)), 0);
}

/* The counter is in main memory, or in the scratchpad. */
TEST(transfers_that_share_a_counter_need_one_wait)
{
	static struct co_counter far;
	static struct co_dma d[HEIGHT];
	struct co_counter *near = co_spm_alloc(sizeof(*near), sizeof(void *));
	unsigned char *tile = co_spm_alloc(sizeof(field), 16);

	REQUIRE(tile && near);
	*near = (struct co_counter){ 0 };
	for (unsigned turn = 0; turn < 2; turn++) {
		struct co_counter *tiles = turn ? near : &far;

		fill_field(2 + turn);
		for (unsigned i = 0; i < HEIGHT; i++) {
			d[i] = (struct co_dma){ .running = tiles };
			REQUIRE_EQ(co_dma_get_start(&d[i], tile + i * WIDTH, field[i],
						    CO_BYTES(WIDTH)),
				   0);
		}
		CHECK_EQ(co_counter_wait(tiles), 0);
		for (unsigned i = 0; i < HEIGHT; i++) {
			CHECK_EQ(co_dma_check(&d[i]), 0);
			d[i].running = NULL;
			REQUIRE_EQ(
				co_dma_put_start(&d[i], back[i], tile + i * WIDTH, CO_BYTES(WIDTH)),
				0);
		}
		for (unsigned i = 0; i < HEIGHT; i++)
			CHECK_EQ(co_dma_wait(&d[i]), 0);
		CHECK_EQ(memcmp(back, field, sizeof(field)), 0);
	}
	co_spm_free(tile);
	co_spm_free(near);
}

BODY(takes_a_tile, co_spm_alloc(2 * WIDTH, 16))

/* A tile that each hart has at the same place in its scratchpad; where it starts there. */
static size_t tile_of_all(void)
{
	static size_t place;

	if (place)
		return place;
	for (unsigned hart = 0; hart < co_harts(); hart++) {
		intptr_t at = test_join(test_spawn_on(hart, takes_a_tile, NULL));
		size_t theirs = (size_t)at - (size_t)co_spm_base(hart);

		REQUIRE(at);
		place = hart ? place : theirs;
		CHECK_EQ(theirs, place);
	}
	return place;
}

static unsigned char *my_tile(void)
{
	return (unsigned char *)co_spm_base(co_hart()) + tile_of_all();
}

/* The same place in each hart's scratchpad. */
static bool holds(const unsigned char *tile, unsigned hart, const void *what, size_t bytes)
{
	return memcmp(co_spm_at(tile, hart), what, bytes) == 0;
}

TEST(one_source_comes_to_many_scratchpads)
{
	static struct co_counter running;
	static struct co_dma each[8];
	static unsigned harts[8];
	unsigned n = test_computes() < 8 ? test_computes() : 8;
	unsigned char *tile = my_tile();

	fill_field(3);
	for (unsigned i = 0; i < n; i++)
		harts[i] = test_compute(i);
	CHECK_EQ(co_dma_broadcast_start(each, tile, field, CO_ROWS(WIDTH, 2, WIDTH), harts, n,
					&running),
		 0);
	CHECK_EQ(co_counter_wait(&running), 0);
	for (unsigned i = 0; i < n; i++)
		CHECK(holds(tile, harts[i], field, sizeof(field[0]) * 2));
	CHECK_EQ(co_dma_broadcast_start(each, tile, NULL, CO_BYTES(8), harts, n, &running),
		 -EFAULT);
	for (unsigned i = 0; i < n; i++)
		CHECK_EQ(co_dma_check(&each[i]), -EFAULT);
	CHECK_EQ(co_counter_wait(&running), 0);
}

TEST(a_group_brings_one_source_to_all_its_scratchpads)
{
	const struct co_group *g = co_group(co_hart_group(co_hart()));
	unsigned char *tile = my_tile();

	fill_field(4);
	CHECK_EQ(co_move_broadcast(tile, field[9], WIDTH), 0);
	for (unsigned i = 0; i < g->computes; i++)
		CHECK(holds(tile, g->compute + i, field[9], WIDTH));
	CHECK(memcmp(tile, field[9], WIDTH) == 0);
	CHECK_EQ(co_move_broadcast(field[1], field[9], WIDTH), -EFAULT); /* no scratchpad */
	CHECK_EQ(co_move_broadcast(tile, field[9], 0), -EINVAL);
	CHECK_EQ(co_move_broadcast(tile, tile, 0), -EINVAL);
	if (co_spm_stacks()) {
		tile = (unsigned char *)co_spm_base(co_hart()) + co_spm_bytes() - 64;
		CHECK_EQ(co_move_broadcast(tile, tile, 8), -EFAULT);
	}
}

static unsigned char much[100000], more[100000];

TEST(what_lies_where_another_hart_is_to_write_is_not_broadcast)
{
	const struct co_group *g = co_group(co_hart_group(co_hart()));
	unsigned char *tile = my_tile();
	unsigned char *theirs;

	for (unsigned i = 0; i < g->computes; i++) {
		theirs = co_spm_at(tile, g->compute + i);
		memset(theirs, 0xee, 2 * WIDTH);
		CHECK_EQ(co_move_broadcast(tile, theirs + 8, WIDTH), -EINVAL);
		CHECK_EQ(co_move_broadcast(tile + 8, theirs, WIDTH), -EINVAL);
		CHECK(test_filled(theirs, 0xee, 2 * WIDTH));
		memcpy(theirs, field[i], WIDTH);
		CHECK_EQ(co_move_broadcast(tile, theirs, WIDTH), 0); /* its own place */
		CHECK(holds(tile, g->compute, field[i], WIDTH));
		CHECK_EQ(co_move_broadcast(tile, theirs + WIDTH, WIDTH), 0);
	}
	CHECK_EQ(co_move_broadcast(field[1], co_spm_at(tile, g->compute), WIDTH), -EFAULT);
}

static intptr_t broadcasts(void *arg)
{
	const struct co_group *g = co_group(co_hart_group(co_hart()));
	unsigned char *tile = my_tile();

	for (unsigned from = 0; from < co_harts(); from++) {
		unsigned char *theirs = co_spm_at(tile, from);
		unsigned char wanted[WIDTH];

		memcpy(wanted, field[from % HEIGHT], WIDTH);
		memcpy(theirs, wanted, WIDTH);
		CHECK_EQ(co_move_broadcast(tile, theirs, WIDTH), 0);
		for (unsigned i = 0; i < g->computes; i++)
			CHECK(holds(tile, g->compute + i, wanted, WIDTH));
		CHECK_EQ(memcmp(tile, wanted, WIDTH), 0);
	}
	return 0;
}

/* A group may have no compute harts, or one; and what is broadcast lie with another group. */
TEST(any_group_broadcasts_what_lies_with_any_hart)
{
	fill_field(5);
	for (unsigned g = 0; g < co_groups() && g < 4; g++) {
		CHECK_EQ(test_join(test_spawn_on(co_group(g)->manager, broadcasts, NULL)), 0);
		if (co_group(g)->computes)
			CHECK_EQ(test_join(test_spawn_on(co_group(g)->compute, broadcasts, NULL)),
				 0);
	}
}

TEST(a_few_bytes_are_filled_and_no_more)
{
	for (unsigned to = 0; to < 17; to++) {
		for (unsigned n = 1; n < 17; n++) {
			memset(more, 0xee, 64);
			REQUIRE_EQ(co_move_fill(more + to, 7, n), 0);
			CHECK(test_filled(more, 0xee, to) && test_filled(more + to, 7, n));
			CHECK(test_filled(more + to + n, 0xee, 64 - to - n));
		}
	}
}

static intptr_t moves_much(void *arg)
{
	static const size_t sizes[] = { 1,    63,    64,
					65,   1000,  CO_MOVE_COPY_BYTES,
					4096, 99000, CO_MOVE_FILL_BYTES };

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		size_t n = sizes[i];

		for (unsigned to = 3; to < 90; to += 29) {
			memset(more, 0xee, sizeof(more));
			REQUIRE_EQ(co_move_fill(more + to, (unsigned char)i, n), 0);
			CHECK(test_filled(more + to, (unsigned char)i, n));
			CHECK(test_filled(more, 0xee, to) && test_filled(more + to + n, 0xee, 200));
			REQUIRE_EQ(co_move_copy(more + to, much + i, n), 0);
			CHECK_EQ(memcmp(more + to, much + i, n), 0);
			CHECK(test_filled(more, 0xee, to) && test_filled(more + to + n, 0xee, 200));
		}
	}
	return 0;
}

TEST(much_memory_is_copied_and_filled_and_no_more)
{
	for (unsigned i = 0; i < sizeof(much); i++)
		much[i] = (unsigned char)(i * 11 + i / 253);
	CHECK_EQ(test_join(test_spawn_on(0, moves_much, NULL)), 0);
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, moves_much, NULL)), 0);
}

static void check_words(const struct co_dma *what, int error, const char *words)
{
	static struct co_dma d;
	char text[200];

	d = *what;
	memset(more, 0xee, sizeof(more));
	CHECK_EQ(co_dma_start(&d), error);
	if (error) /* else it may be under way */
		CHECK_EQ(co_dma_check(&d), error);
	CHECK_EQ(co_dma_wait(&d), error);
	CHECK(!error || test_filled(more, 0xee, sizeof(more)));
	co_dma_explain(&d, text, sizeof(text));
	if (!CHECK(strstr(text, words)))
		printf("# it says: %s\n", text);
}

TEST(what_is_wrong_is_said_in_words)
{
	static const char constant[64] = "constant";
	static const struct {
		struct co_dma d;
		int error;
		const char *words;
	} wrong[] = {
		{ { .to = more, .from = much }, -EINVAL, "rows have no bytes" },
		{ { .to = much, .from = much + 8, .bytes = 64 },
		  -EINVAL,
		  "what is read and what is written overlap" },
		{ { .to = much + 8, .from = much, .bytes = 64 },
		  -EINVAL,
		  "what is read and what is written overlap" },
		{ { .to = more, .from = much, .bytes = 64, .rows = 2, .to_stride = 63 },
		  -EINVAL,
		  "rows overlap where they are written" },
		{ { .to = more, .from = much, .bytes = 2, .rows = SIZE_MAX, .to_stride = 3 },
		  -EINVAL,
		  "beyond all addresses" },
		{ { .to = more, .from = much, .bytes = 1, .rows = SIZE_MAX, .from_stride = 3 },
		  -EINVAL,
		  "beyond all addresses" },
		{ { .to = more,
		    .from = more + 100,
		    .bytes = 8,
		    .rows = 4,
		    .to_stride = 64,
		    .from_stride = 32 },
		  -EINVAL,
		  "what is read and what is written overlap" },
		{ { .to = NULL, .from = much, .bytes = 8 },
		  -EFAULT,
		  "cannot be written: there is nothing: a null pointer" },
		{ { .to = more, .from = NULL, .bytes = 8 },
		  -EFAULT,
		  "cannot be read: there is nothing: a null pointer" },
		{ { .to = (void *)(uintptr_t)constant, .from = much, .bytes = 8 },
		  -EFAULT,
		  "cannot be written: that is code or constants" },
		{ { .to = more + 1, .from = (void *)(uintptr_t)8, .bytes = 8 },
		  -EFAULT,
		  "cannot be read: there is nothing: a null pointer" },
		{ { .to = more, .from = much, .bytes = SIZE_MAX }, -EFAULT, "not so much" },
		{ { .to = more, .from = much, .bytes = SIZE_MAX / 2 }, -EFAULT, "cannot be" },
		{ { .to = more, .from = much, .bytes = 8 }, 0, "done" },
	};
	struct co_dma d = { .from = much, .bytes = 8 };

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		check_words(&wrong[i].d, wrong[i].error, wrong[i].words);
	if (!co_spm_stacks())
		return;
	d.to = co_spm_alloc(16, 16);
	REQUIRE(d.to);
	co_spm_free(d.to);
	while (co_spm_shared(d.to, 1))
		d.to = (char *)d.to + 64;
	check_words(&d, -EFAULT, "cannot be written: that is the private scratchpad of hart 0");
}

static intptr_t hand_out_own_stack(void *arg)
{
	unsigned char here[16] = { 0 };
	struct co_dma d = { .to = more, .from = here, .bytes = sizeof(here) };
	char words[80];

	snprintf(words, sizeof(words),
		 "cannot be read: that is the private scratchpad of hart %u: co_spm_alloc() gives",
		 co_hart());
	check_words(&d, -EFAULT, words);
	return 0;
}

TEST(a_stack_that_others_do_not_see_is_said_in_words)
{
	const struct co_attr attr = { .on = CO_ON_HART(co_harts() - 1), .stack = CO_STACK_SPM };
	struct co *c;

	if (!co_spm_stacks())
		SKIP("there are no stacks in scratchpads");
	c = test_spawn(&attr, hand_out_own_stack, NULL);
	CHECK_EQ(test_join(c), 0);
}

static unsigned char own[16] __attribute__((section(".own")));

static void check_faulty(void *to, const void *from, size_t bytes, const char *words)
{
	check_words(&(struct co_dma){ .to = to, .from = from, .bytes = bytes }, -EFAULT, words);
}

TEST(where_memory_cannot_be_moved_from_is_said_in_words)
{
	unsigned char *tile = co_spm_alloc(64, 16);
	size_t bytes;
	unsigned char *stack = (unsigned char *)co_stack_of(co_self(), &bytes);
	void *wild = (void *)(uintptr_t)0x23458;
	struct co_dma d = {
		.to = more, .from = much, .bytes = 2, .rows = 3, .from_stride = SIZE_MAX / 2
	};

	REQUIRE(tile);
	check_faulty(tile, much, co_spm_bytes(),
		     "cannot be written: it runs into the private scratchpad of hart 0");
	co_spm_free(tile);
	check_faulty(more, stack - 16, 16, "cannot be read: that is a guard page");
	check_faulty(stack - 16, much, 16, "cannot be written: that is a guard page");
	CHECK_EQ(co_dma_copy(more, stack - 8, 16), -EFAULT);
	CHECK_EQ(co_dma_copy(more, stack, 16), 0);
	check_words(&d, -EINVAL, "(every ");
	check_words(&d, -EINVAL, "beyond all addresses");
	if (hal_board.is_process)
		SKIP("a process has no devices, no guard pages, and no pages of each hart's own");
	check_faulty(more, own, 8, "cannot be read: each hart has its own of that");
	CHECK_EQ(co_dma_copy(own, much, sizeof(own)), -EFAULT);
	check_faulty(wild, much, 8, "cannot be written: there is no memory");
	check_faulty(more, wild, 8, "cannot be read: there is no memory");
	check_faulty(__guard_below, much, 8,
		     "cannot be written: that is a guard page between static data");
	check_faulty((void *)hal_board.devices[0].base, much, 4,
		     "cannot be written: that is a device");
	CHECK_EQ(co_dma_copy(more, (void *)hal_board.devices[0].base, 4), -EFAULT);
}
