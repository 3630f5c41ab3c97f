/*
 * test_spm_plan.c - the planner's table is read, and tiles and arrays are as it says.
 *
 * Topologies: 1x(1+3+1)
 */
#include <stdio.h>

#include <cohart/spm_plan.h>
#include <cohart/tile.h>

#include "files.h"
#include "harness/test.h"

#define ROWS 64
#define WIDE 48
#define HALO 1
#define ROW_BYTES(n) (((n) * sizeof(int32_t) + 15) / 16 * 16)

static int32_t in[ROWS][WIDE], out[ROWS][WIDE];
static struct co_plan plan;
static struct co_tiles loop;
static struct co_spm_array array;
static struct co_a32 blocks, too_large;
static struct co *co[512];

/* ---- The table ---- */

TEST(b3_lines_of_a_table_are_read)
{
	static const char *const lines[] = {
		"", " \t\n", "# a b c\n", "old 0 4096\n", "\tsines  800 0", "rest 0 0\r\n"
	};

	memset(&plan, 0, sizeof(plan));
	for (unsigned i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		CHECK_EQ(co_plan_add(&plan, lines[i]), 0);
	REQUIRE_EQ(plan.rows, 3);
	CHECK_EQ(co_plan_buffer(&plan, "old"), 4096);
	CHECK_EQ(co_plan_of(&plan, "sines")->whole, 800);
	CHECK_EQ(co_plan_of(&plan, "rest")->whole, 0);
	CHECK(!co_plan_of(&plan, "ol") && co_plan_buffer(&plan, "older") == 0);
}

TEST(b3_what_is_no_line_of_a_table_is_refused)
{
	static const char *const lines[] = {
		"a",
		"a 1",
		"a 1 2",
		"a 0 1 2",
		"a x 0",
		"a -1 0",
		"a 0 1k",
		"a 1.5 0",
		"a 99999999999 0",
		"an-uncommonly-long-name-for-an-array 0 1",
	};
	char name[16];

	memset(&plan, 0, sizeof(plan));
	for (unsigned i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		CHECK_EQ(co_plan_add(&plan, lines[i]), -EINVAL);
	CHECK_EQ(plan.rows, 0);
	for (unsigned i = 0; i < CO_PLAN_ROWS; i++) {
		snprintf(name, sizeof(name), "a%u 0 1", i);
		CHECK_EQ(co_plan_add(&plan, name), 0);
	}
	CHECK_EQ(co_plan_add(&plan, "a3 0 1"), -EEXIST);
	CHECK_EQ(co_plan_add(&plan, "more 0 1"), -ENOSPC);
}

static int read_text(const char *text, unsigned *line)
{
	FILE *f = open_own("w");
	int r;

	CHECK(fputs(text, f) >= 0);
	CHECK_EQ(fclose(f), 0);
	r = co_plan_read(&plan, file_name(), line);
	CHECK_EQ(remove(file_name()), 0);
	return r;
}

TEST(b3_a_table_is_read_from_a_file)
{
	unsigned line = 0;

	CHECK_EQ(read_text("# made by hand\nold 0 4096\nsines 800 0\n", &line), 0);
	CHECK(plan.rows == 2 && line == 0 && co_plan_buffer(&plan, "old") == 4096);
	CHECK_EQ(read_text("old 0 4096\n\nold 0 4096\n", &line), -EEXIST);
	CHECK(plan.rows == 0 && line == 3);
	CHECK_EQ(read_text("old 0 4096\nsines 800\n", NULL), -EINVAL);
	CHECK_EQ(co_plan_read(&plan, "build/nowhere/plan", NULL), -ENOENT);
}

/* ---- Tiles ---- */

/* Each element and the one to its right, where there is one. */
static int adds_neighbours(void *arg, struct co_block *b)
{
	size_t bytes = (size_t)b->n[0] * (ROW_BYTES(b->n[1] + HALO));

	co_atomic_add(&blocks, 1, CO_RELAXED);
	if (loop.array[0].buffer && bytes > loop.array[0].buffer)
		co_atomic_add(&too_large, 1, CO_RELAXED);
	for (long y = 0; y < b->n[0]; y++) {
		const int32_t *from = co_tile_layer(b, 0, y);
		int32_t *to = co_tile_layer(b, 1, y);

		for (long x = 0; x < b->n[1]; x++)
			to[x] = from[x] + from[x + 1];
	}
	return 0;
}

static void set_up(long rows)
{
	for (long i = 0; i < ROWS * WIDE; i++)
		in[i / WIDE][i % WIDE] = (int32_t)(i * 7 + 3);
	memset(out, 0xee, sizeof(out));
	co_atomic_store(&blocks, 0, CO_RELAXED);
	co_atomic_store(&too_large, 0, CO_RELAXED);
	loop = (struct co_tiles){
		.body = adds_neighbours,
		.dims = 2,
		.range = { { 0, rows }, { 0, WIDE } },
		.arrays = 2,
		.array = { { .at = in,
			     .size = sizeof(**in),
			     .extent = { ROWS, WIDE },
			     .after = { 0, HALO },
			     .edge = { CO_EDGE_NONE, CO_EDGE_ZERO } },
			   { .at = out,
			     .size = sizeof(**out),
			     .extent = { ROWS, WIDE },
			     .access = CO_TILE_OUT } },
	};
}

static void check_sums(long rows)
{
	for (long i = 0; i < rows * WIDE; i++) {
		long x = i % WIDE;

		CHECK_EQ(out[i / WIDE][x],
			 in[i / WIDE][x] + (x + 1 < WIDE ? in[i / WIDE][x + 1] : 0));
	}
}

/* Run it with so much for the buffer of `in`. Returns how many blocks it took. */
static uint32_t blocks_with(size_t buffer)
{
	memset(&plan, 0, sizeof(plan));
	plan.rows = 1;
	plan.row[0] = (struct co_plan_row){ .name = "in", .buffer = buffer };
	set_up(ROWS);
	loop.array[0].buffer = co_plan_buffer(&plan, "in");
	CHECK_EQ(co_tiles_run(&loop), 0);
	CHECK_EQ(co_atomic_load(&too_large, CO_RELAXED), 0);
	check_sums(ROWS);
	return co_atomic_load(&blocks, CO_RELAXED);
}

TEST_TIDY(b3_tiles_are_as_large_as_the_plan_gives_them_buffers)
{
	uint32_t open = blocks_with(0);

	/* A row, where that leaves enough blocks for all harts. */
	CHECK_EQ(blocks_with(ROW_BYTES(WIDE + HALO)), open > ROWS ? open : ROWS);
	CHECK_EQ(blocks_with(ROW_BYTES(WIDE / 4 + HALO)), 4 * ROWS);
	CHECK_EQ(blocks_with(ROWS * ROW_BYTES(WIDE + HALO)), open); /* all there is */
}

TEST_TIDY(b3_a_buffer_that_holds_no_element_is_refused)
{
	set_up(ROWS);
	loop.array[0].buffer = 1;
	CHECK_EQ(co_tiles_run(&loop), -ENOMEM);
	CHECK(loop.most[0] == 0 && loop.most[1] == 0);
	/* A tile that the program has chosen is not cut. */
	set_up(ROWS);
	loop.tile[0] = 4;
	loop.tile[1] = WIDE;
	loop.array[0].buffer = 3 * ROW_BYTES(WIDE + HALO);
	CHECK_EQ(co_tiles_run(&loop), -ENOMEM);
	CHECK(loop.most[0] == 3 && loop.most[1] == WIDE);
}

/* ---- Arrays ---- */

/* Is it where the plan has it? arg: in the scratchpad. */
static intptr_t looks(void *arg)
{
	const int32_t *p = co_spm_array_get(&array);
	bool whole = arg != NULL;

	REQUIRE(p);
	CHECK_EQ(co_spm_hart(p), whole ? (int)co_hart() : -1);
	CHECK(whole ? p != in[0] : p == in[0]);
	for (unsigned i = 0; i < ROWS * WIDE; i++)
		CHECK_EQ(p[i], ((const int32_t *)in)[i]);
	return 0;
}

static void array_is(size_t planned, bool whole)
{
	size_t before = test_spm_used();

	memset(&plan, 0, sizeof(plan));
	plan.rows = 1;
	plan.row[0] = (struct co_plan_row){ .name = "in", .whole = planned };
	REQUIRE_EQ(co_plan_array(&plan, "in", &array, in, sizeof(in)), 0);
	for (unsigned h = 0; h < co_harts(); h++)
		co[h] = test_spawn_on(h, looks, whole ? &array : NULL);
	test_join_all(co, co_harts(), 0);
	CHECK_EQ(test_spm_used() - before >= co_harts() * sizeof(in), whole);
	CHECK_EQ(co_spm_array_drop(&array), 0);
	CHECK_EQ(test_spm_used(), before);
}

TEST_TIDY(b3_an_array_is_whole_in_scratchpads_or_stays_as_it_is_planned)
{
	set_up(ROWS);
	array_is(sizeof(in), true);
	array_is(0, false);
	array_is(sizeof(in) - 1, false); /* planned for a smaller one */
	CHECK_EQ(co_plan_array(&plan, "of another", &array, in, sizeof(in)), 0);
	CHECK(co_spm_array_get(&array) == in);
	CHECK_EQ(co_spm_array_drop(&array), 0);
	CHECK_EQ(co_plan_array(&plan, "in", &array, in, 0), -EINVAL);
}

/* The most that a heap of a compute hart has had in use. */
static size_t most_used(void)
{
	return test_spm_use(co_group(0)->compute).high_water;
}

TEST_TIDY(b3_a_kernel_uses_the_space_of_the_one_before)
{
	size_t most;

	set_up(ROWS);
	CHECK_EQ(co_tiles_run(&loop), 0);
	most = most_used();
	for (unsigned i = 0; i < 5; i++) {
		set_up(ROWS - (long)i);
		CHECK_EQ(co_tiles_run(&loop), 0);
		check_sums(ROWS - (long)i);
	}
	CHECK_EQ(most_used(), most);
}
