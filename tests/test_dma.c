/*
 * test_dma.c - transfers arrive whole, whoever moves them, and what cannot be is refused.
 *
 * Topologies: 1x(1+2+1) 2x(1+1+1)+1 1x(1+2+2)
 */
#include "harness/test.h"

#define BYTES (64u << 10)

static unsigned char source[BYTES], target[BYTES];

static void fill(unsigned seed)
{
	for (unsigned i = 0; i < BYTES; i++)
		source[i] = (unsigned char)(seed + i * 7 + i / 251);
	memset(target, 0xee, sizeof(target));
}

TEST(bytes_of_any_number_and_alignment_arrive_and_no_more)
{
	static const size_t sizes[] = { 1, 3, 8, 63, 64, 65, 4095, 4096, 4097, 20000 };

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		for (unsigned to = 0; to < 9; to += 4) {
			for (unsigned from = 0; from < 3; from++) {
				size_t n = sizes[i];

				fill(i);
				REQUIRE_EQ(co_dma_copy(target + to, source + from, n), 0);
				CHECK_EQ(memcmp(target + to, source + from, n), 0);
				CHECK_EQ(target[to + n], 0xee);
				CHECK(!to || target[to - 1] == 0xee);
			}
		}
	}
}

TEST(rows_are_gathered_scattered_and_repeated)
{
	static struct co_dma d;
	static const struct {
		unsigned bytes, rows, to_stride, from_stride;
	} shapes[] = {
		{ 48, 100, 64, 512 },
		{ 100, 3, 100, 1 }, /* each begins a byte later */
		{ 1, 5000, 12, 13 },
		{ 4, 5000, 12, 13 },
	};

	for (unsigned i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		unsigned bytes = shapes[i].bytes, to = shapes[i].to_stride;
		bool same = true;

		fill(i);
		d = (struct co_dma){ .to = target,
				     .from = source + 13,
				     .bytes = bytes,
				     .rows = shapes[i].rows,
				     .to_stride = to,
				     .from_stride = shapes[i].from_stride };
		REQUIRE_EQ(co_dma_start(&d), 0);
		REQUIRE_EQ(co_dma_wait(&d), 0);
		CHECK_EQ(co_dma_check(&d), 0);
		for (unsigned row = 0; row < shapes[i].rows; row++) {
			const unsigned char *from = source + 13 + row * shapes[i].from_stride;

			same &= memcmp(target + row * to, from, bytes) == 0;
			same &= bytes == to || target[row * to + bytes] == 0xee;
		}
		CHECK(same);
	}
}

TEST(columns_of_an_array_move_within_it)
{
	enum { PITCH = 64, ROWS = 30 };
	static struct co_dma d;
	static unsigned char before[ROWS * PITCH];
	const struct {
		unsigned to, from, bytes;
		int result;
	} columns[] = {
		{ 32, 8, 24, 0 },       { 0, 40, 24, 0 },         { 8, 0, 8, 0 },
		{ 63, 0, 1, 0 },        { PITCH + 32, 0, 32, 0 }, { 23, 0, 24, -EINVAL },
		{ 0, 41, 24, -EINVAL }, { PITCH, 0, 1, -EINVAL },
	};

	for (unsigned i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		unsigned to = columns[i].to, from = columns[i].from, bytes = columns[i].bytes;
		bool right = true;

		fill(i);
		memcpy(before, source, sizeof(before));
		d = (struct co_dma){ .to = source + to,
				     .from = source + from,
				     .bytes = bytes,
				     .rows = ROWS - 1,
				     .to_stride = PITCH,
				     .from_stride = PITCH };
		CHECK_EQ(co_dma_start(&d), columns[i].result);
		CHECK_EQ(co_dma_wait(&d), columns[i].result);
		for (unsigned at = 0; at < sizeof(before); at++) {
			unsigned in = at - to;
			bool moved = !columns[i].result && at >= to && in % PITCH < bytes &&
				     in / PITCH < ROWS - 1;

			right &= source[at] == before[moved ? from + in : at];
		}
		CHECK(right);
	}
}

static intptr_t copies(void *arg)
{
	unsigned hart = (unsigned)(uintptr_t)arg;
	unsigned char *mine = co_spm_alloc(1024, 64);
	unsigned char *back = co_spm_alloc(1024, 64);
	int r = 0;

	if (!mine || !back)
		return -ENOMEM;
	for (unsigned i = 0; i < 20 && r == 0; i++) {
		const unsigned char *from = source + (hart * 331 + i * 977) % (BYTES - 1024);

		r = co_dma_copy(mine, from, 1024);
		if (r == 0)
			r = co_dma_copy(back, mine, 1024);
		if (r == 0 && memcmp(back, from, 1024) != 0)
			r = -EIO;
	}
	co_spm_free(back);
	co_spm_free(mine);
	return r;
}

TEST(every_hart_moves_at_the_same_time)
{
	fill(3);
	test_spread(copies, co_harts(), 0);
}

static struct co_a32 stop, working;

static intptr_t work(void *arg)
{
	intptr_t turns = 1; /* the hart may be held from here until all is over */

	co_atomic_add(&working, 1, CO_RELEASE); /* paired with test_await() */
	while (!co_atomic_load(&stop, CO_RELAXED)) {
		turns++;
		co_pause();
	}
	return turns;
}

TEST(a_megabyte_is_moved_while_compute_harts_work)
{
	const size_t bytes = 1u << 20;
	unsigned char *big = malloc(2 * bytes);
	static struct co_dma d;
	static struct co *c[512];
	unsigned n = test_computes() < 8 ? test_computes() : 8; /* threads of a PC, maybe */
	bool same = true;

	REQUIRE(big);
	for (size_t i = 0; i < bytes; i++)
		big[i] = (unsigned char)(i * 31 + (i >> 12));
	co_atomic_store(&stop, 0, CO_RELAXED); /* spawning publishes both */
	co_atomic_store(&working, 0, CO_RELAXED);
	for (unsigned i = 0; i < n; i++)
		c[i] = test_spawn_on(test_compute(i), work, NULL);
	test_await(&working, n);
	d = (struct co_dma){ .to = big + bytes, .from = big, .bytes = bytes };
	REQUIRE_EQ(co_dma_start(&d), 0);
	CHECK_EQ(co_dma_wait(&d), 0);
	co_atomic_store(&stop, 1, CO_RELAXED);
	for (unsigned i = 0; i < n; i++)
		CHECK(test_join(c[i]) > 0);
	for (size_t i = 0; i < bytes; i++)
		same &= big[bytes + i] == (unsigned char)(i * 31 + (i >> 12));
	CHECK(same);
	free(big);
}

TEST(the_mover_is_who_the_topology_names)
{
	bool engine;
	int hart = co_dma_mover(&engine);
	unsigned movers = 0;

	for (unsigned g = 0; g < co_groups(); g++)
		movers += co_group(g)->movers;
	if (movers)
		CHECK_EQ(co_hart_role((unsigned)hart), CO_ROLE_MOVE);
	else
		CHECK_EQ(hart, engine ? 0 : -1);
}

BODY(ask_mover, co_dma_mover(NULL))

TEST(move_harts_of_a_group_share_what_there_is_to_do)
{
	const struct co_group *g = co_group(0);
	unsigned served[2] = { 0 };
	bool engine;

	(void)co_dma_mover(&engine);
	if (engine || g->movers != 2)
		SKIP("wants a group with two move harts, and no engine");
	for (unsigned i = 0; i < g->computes; i++) {
		intptr_t mover = test_join(test_spawn_on(g->compute + i, ask_mover, NULL));

		REQUIRE(mover >= (intptr_t)(g->compute + g->computes));
		REQUIRE(mover < (intptr_t)(g->compute + g->computes + 2));
		served[mover - (intptr_t)(g->compute + g->computes)]++;
	}
	CHECK_EQ(served[0], 1);
	CHECK_EQ(served[1], 1);
}
